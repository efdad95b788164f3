-- Bring the queues up to date before a lease: lost leases, due pages, hosts that may be asked again.
-- needs records.lua and queues.lua, `now` and `losses` above it
local CHORE = 200 -- at most so many of each in one call, to keep it short

-- A queue or due member: returns its record, false when it cannot be read (buried), nil when there is none.
local function usable(id, raw)
  local r = decode(raw)
  if r == false then bury(id, 'unreadable record') end
  if r == nil then orphans = orphans + 1 end
  return r
end

local function catch_up()
  local soon = num(now)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', soon, 'LIMIT', 0, CHORE)) do lose(id, losses) end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', DUE, '-inf', soon, 'LIMIT', 0, CHORE)) do
    redis.call('ZREM', DUE, id)
    local r = usable(id, redis.call('HGET', bucket(id), id))
    if r then
      local host = site_of(r)
      enqueue(id, r, host)
      settle(host)
    end
  end
  for _, host in ipairs(redis.call('ZRANGEBYSCORE', BLOCKED, '-inf', soon, 'LIMIT', 0, CHORE)) do settle(host) end
end
