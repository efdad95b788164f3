-- Hand out the best URLs of the hosts that may be asked now.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host
-- ARGV[3] float deadline of the leases, epoch seconds
-- ARGV[4] float delay between two requests to a host, seconds
-- ARGV[5] int   how many at most
-- ARGV[6] str   worker
-- ARGV[7] int   lost leases that make a dead letter
-- returns {epoch seconds when it is worth to ask again or '', URLs that wait, URLs that are leased,
--          queue members without a record, then for each lease:
--          id, record, scheme://authority, cash as text, metadata JSON or '', stored request or ''}
local now, per_host, deadline, delay = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local most, worker, losses = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
--#libraries
local CHORE = 200 -- at most so many of each chore in one call, to keep it short
local reply, orphans = { '', 0, 0, 0 }, 0

for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', ARGV[1], 'LIMIT', 0, CHORE)) do lose(id, losses) end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', DUE, '-inf', ARGV[1], 'LIMIT', 0, CHORE)) do
  redis.call('ZREM', DUE, id)
  local r = load(id)
  if r then
    local host = site_of(r)
    enqueue(id, r, host)
    settle(host)
  else
    bury(id, 'unreadable record')
  end
end
for _, host in ipairs(redis.call('ZRANGEBYSCORE', BLOCKED, '-inf', ARGV[1], 'LIMIT', 0, CHORE)) do settle(host) end

local virtual, leased = total('virtual'), 0
while leased < most do
  local host = redis.call('ZREVRANGE', READY, 0, 0)[1]
  if not host then break end
  local id = redis.call('ZPOPMAX', QUEUES .. host)[1]
  if id then count('waiting', -1) end
  local raw = id and redis.call('HGET', bucket(id), id)
  local r = decode(raw)
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
  elseif r == false then
    bury(id, 'unreadable record')
  elseif id then
    orphans = orphans + 1
  end
  settle(host)
end

local next_host = redis.call('ZRANGE', BLOCKED, 0, 0, 'WITHSCORES')[2]
local next_lease = redis.call('ZRANGE', LEASES, 0, 0, 'WITHSCORES')[2]
reply[1] = next_host or next_lease or ''
if next_host and next_lease and tonumber(next_lease) < tonumber(next_host) then reply[1] = next_lease end
reply[2] = tonumber(redis.call('HGET', COUNTS, 'waiting') or '0')
reply[3] = redis.call('ZCARD', LEASES)
reply[4] = orphans
return reply
