-- Move URLs between the queues of their hosts, leases, due times and dead letters.
-- KEYS[8..16]: see PARTITION_KEYS in keys.py; needs records.lua, `now` and `per_host` above it
local QUEUES, READY, BLOCKED, CLOCKS, ACTIVE, LEASES, LEASE_INFO, DUE, DEAD =
  KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12], KEYS[13], KEYS[14], KEYS[15], KEYS[16]

-- Put a host where it belongs: ready with its best rank, blocked until its clock allows, or nowhere.
local function settle(host)
  local best = redis.call('ZREVRANGE', QUEUES .. host, 0, 0, 'WITHSCORES')
  local busy = tonumber(redis.call('HGET', ACTIVE, host) or '0') >= per_host
  local clock = redis.call('HGET', CLOCKS, host) or '0'
  if busy or not best[1] then
    redis.call('ZREM', READY, host)
    redis.call('ZREM', BLOCKED, host)
  elseif tonumber(clock) > now then
    redis.call('ZREM', READY, host)
    redis.call('ZADD', BLOCKED, clock, host)
  else
    redis.call('ZREM', BLOCKED, host)
    redis.call('ZADD', READY, best[2], host)
  end
end

local function rank(id, r)
  if not has(r.flags, HAS_REQUEST) then return r.cash end
  local stored = redis.call('HGET', REQUESTS, id)
  return r.cash + (stored and struct.unpack('>d', stored) or 0)
end

-- The caller settles the host.
local function enqueue(id, r, host)
  count('waiting', redis.call('ZADD', QUEUES .. host, num(rank(id, r)), id))
end

local function set_status(r, status)
  if r.status ~= status then
    count(r.status, -1)
    count(status, 1)
    r.status = status
  end
end

-- Take a lease away; returns false when `worker` does not hold it (nil = whoever holds it).
local function unlease(id, host, worker)
  local holder = redis.call('HGET', LEASE_INFO, id)
  if not holder or (worker and holder ~= worker) then return false end
  redis.call('HDEL', LEASE_INFO, id)
  redis.call('ZREM', LEASES, id)
  if redis.call('HINCRBY', ACTIVE, host, -1) <= 0 then redis.call('HDEL', ACTIVE, host) end
  return true
end

local buried = 0
local function bury(id, reason)
  redis.call('HSET', DEAD, id, reason)
  buried = buried + 1
end

-- A lease was lost: the URL waits again, or becomes a dead letter after `most` losses.
local function lose(id, most)
  local r = load(id)
  local host = r and site_of(r) or ''
  if not unlease(id, host, nil) then return end
  if r == false then bury(id, 'unreadable record') end
  if not r then return end
  r.attempts = math.min(r.attempts + 1, 255)
  save(id, r)
  if r.attempts >= most then bury(id, 'lost ' .. r.attempts .. ' leases') else enqueue(id, r, host) end
  settle(host)
end
