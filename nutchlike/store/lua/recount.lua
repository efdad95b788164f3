-- Compare the counter of waiting URLs with the queues, and set it and the leases per host to what is there.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- returns how many more URLs the counter had than the queues (negative: fewer)
local now, per_host = 0, 1
--#libraries
local seen, waiting = {}, 0
for _, name in ipairs(redis.call('HVALS', SITE_NAMES)) do
  local host = string.match(name, '^%S*')
  if not seen[host] then waiting = waiting + redis.call('ZCARD', QUEUES .. host) end
  seen[host] = true
end
local drift = tonumber(redis.call('HGET', COUNTS, 'waiting') or '0') - waiting
redis.call('HSET', COUNTS, 'waiting', waiting)
redis.call('DEL', ACTIVE)
for _, id in ipairs(redis.call('ZRANGE', LEASES, 0, -1)) do
  local r = load(id)
  if r then redis.call('HINCRBY', ACTIVE, (site_of(r)), 1) end
end
return drift
