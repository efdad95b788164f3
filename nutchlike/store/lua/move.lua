-- Give a URL's record to another URL of this partition, or forget it; a leased URL is left alone.
-- uses: records queues buckets cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..5]    id, site, path, queue of the URL
-- ARGV[6..9]    the same of the other URL; '' to forget
-- returns 1, or 0 when the URL is not known or leased
local now = tonumber(ARGV[1])
--#libraries
if redis.call('HEXISTS', SITES, ARGV[3]) == 0 then return 0 end
local number, no = site_number(ARGV[3], ARGV[5])
local id, r = find(no, ARGV[2], number, ARGV[4])
if not r or r.state == LEASED then return 0 end
local key, cash = handle(r), r.cash + virtual
local beside = {}
BESIDE[#BESIDE + 1] = DEAD
for _, name in ipairs(BESIDE) do
  beside[name] = redis.call('HGET', name, key)
  redis.call('HDEL', name, key)
end
redis.call('HDEL', bucket(no, bucket_number(host(no), id)), id)
host(no).records = host(no).records - 1
touch(no)

local t, state = nil, r.state
set_state(r, nil) -- leaves the counters of its host
if ARGV[6] ~= '' then
  r.site, r.host = site_number(ARGV[7], ARGV[9])
  r.path = ARGV[8]
  r.id, t = find(r.host, ARGV[6], r.site, r.path)
end
if ARGV[6] ~= '' and t == nil then
  make_room(r.host)
  key = handle(r)
  if has(r.flags, TAKEN) then
    host(no).taken = math.max(host(no).taken - 1, 0)
    host(r.host).taken = host(r.host).taken + 1
    touch(r.host)
  end
  for name, value in pairs(beside) do
    if value then redis.call('HSET', name, key, value) end
  end
  if state == WAITING then enqueue(r) elseif state == DUE_LATER then wait_until_due(r) else
    set_state(r, state)
    save(r)
  end
else
  count(r.status, -1)
  known = known - 1
  -- the cash of a page that an operator takes out goes with it: nobody else's score changes
  if t then credit(t, cash, r.depth) else set_total('injected', total('injected') - cash) end
end
save_cash()
return finish(1)
