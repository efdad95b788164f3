-- Take what another partition sent: links with their cash, or a part of the virtual page's cash. Each message counts
-- once, however often it is brought.
-- uses: records queues buckets cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   partition that sent the messages
-- ARGV[3] int   number of the first message, counted from the first that was ever sent from there to here
-- ARGV[4] int   number of partitions
-- ARGV[5..] str messages: cash (8-byte double), then a packed list
-- returns {number of the first message that is still missing here, links that became known, messages that will never
--         come: this partition had them and lost them in a failover, and the sender has forgotten them}
local now, source, first = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
--#libraries
local INBOX, partitions, before = KEYS[22], tonumber(ARGV[4]), known
local taken = tonumber(redis.call('HGET', INBOX, source) or '0')
local lost = math.max(first - taken, 0)
taken = taken + lost
for i = 5 + taken - first, #ARGV do
  local cash = struct.unpack('>d', ARGV[i])
  local message = cmsgpack.unpack(string.sub(ARGV[i], 9))
  if message[1] == 'links' then
    local depth, interval, rest = message[3], message[4], 0
    for k = 5, #message, 9 do
      local share = message[k]
      if not pay(share, interval, depth, unpack(message, k + 1, k + 8)) then rest = rest + share end
    end
    if rest > 0 then spread_or_pool(rest, partitions) end
  else
    spread(cash)
  end
end
taken = math.max(taken, first + #ARGV - 4)
redis.call('HSET', INBOX, source, taken)
save_cash()
return finish({ taken, known - before, lost })
