-- Divide the virtual page's cash that has come together in this partition among all pages of all partitions.
-- uses: records queues buckets cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] float seconds between two divisions at least
-- ARGV[3] int   this partition
-- ARGV[4..]     known pages of each partition
-- returns how many partitions get a message
local now, every, own = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
--#libraries
local OUTBOX = KEYS[20]
local pool, all, left, sent = total('pool'), known, nil, 0
if pool <= 0 or now < total('divided_at') + every then return 0 end
for i = 4, #ARGV do
  if i - 4 ~= own then all = all + tonumber(ARGV[i]) end
end
if all == 0 then return 0 end
left = pool
for i = 4, #ARGV do
  local part = pool * tonumber(ARGV[i]) / all
  if i - 4 ~= own and part > 0 and part <= left then
    left = left - part
    sent = sent + 1
    redis.call('RPUSH', OUTBOX .. (i - 4), struct.pack('>d', part) .. cmsgpack.pack({ 'virtual' }))
  end
end
if known > 0 then
  spread(left)
  left = 0
end
set_total('pool', left)
set_total('divided_at', now)
save_cash()
return sent
