-- Hand out the best URLs of the hosts that may be asked now.
-- uses: records queues chores
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host
-- ARGV[3] float deadline of the leases, epoch seconds
-- ARGV[4] float delay between two requests to a host, seconds
-- ARGV[5] int   how many at most
-- ARGV[6] str   worker
-- ARGV[7] int   lost leases that make a dead letter
-- returns {epoch seconds when it is worth to ask again or '', URLs that wait, URLs that are leased,
--          queue members without a record, URLs that became dead letters, then for each lease:
--          id, record, scheme://authority, cash as text, metadata JSON or '', stored request or ''}
local now, per_host, deadline, delay = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local most, worker, losses, orphans = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7]), 0
--#libraries
local reply, virtual, leased = { '', 0, 0, 0, 0 }, total('virtual'), 0
redis.call('HSET', TOTALS, 'per_host', per_host) -- for scripts that other programs run
catch_up()

while leased < most do
  local host = redis.call('ZREVRANGE', READY, 0, 0)[1]
  if not host then break end
  local id = redis.call('ZPOPMAX', QUEUES .. host)[1]
  if id then
    count('waiting', -1)
    local raw = redis.call('HGET', bucket(id), id)
    local r = usable(id, raw)
    if r then
      leased = leased + 1
      redis.call('ZADD', LEASES, deadline, id)
      redis.call('HSET', LEASE_INFO, id, worker)
      redis.call('HINCRBY', ACTIVE, host, 1)
      if delay > 0 then redis.call('HSET', CLOCKS, host, num(now + delay)) end
      local _, site = site_of(r)
      local metadata = has(r.flags, HAS_METADATA) and redis.call('HGET', METADATA, id) or ''
      local request = has(r.flags, HAS_REQUEST) and string.sub(redis.call('HGET', REQUESTS, id) or '', 9) or ''
      for _, value in ipairs({ id, raw, site, num(math.max(r.cash + virtual, 0)), metadata, request }) do
        reply[#reply + 1] = value
      end
    end
  end
  settle(host)
end

local next_host = redis.call('ZRANGE', BLOCKED, 0, 0, 'WITHSCORES')[2]
local next_lease = redis.call('ZRANGE', LEASES, 0, 0, 'WITHSCORES')[2]
reply[1] = next_host or next_lease or ''
if next_host and next_lease and tonumber(next_lease) < tonumber(next_host) then reply[1] = next_lease end
-- a host is ready or blocked only while URLs wait for it, whatever the counter says
local hosts = redis.call('ZCARD', READY) + redis.call('ZCARD', BLOCKED)
reply[2] = math.max(tonumber(redis.call('HGET', COUNTS, 'waiting') or '0'), hosts)
reply[3], reply[4], reply[5] = redis.call('ZCARD', LEASES), orphans, buried
return reply
