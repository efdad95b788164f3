-- Bring the queues up to date before a lease: lost leases, due pages, hosts that may be asked again.
-- needs records.lua and queues.lua, `now` and `losses` above it
local CHORE, DUE_BUCKETS = 200, 16 -- at most so many in one call, to keep it short

local function catch_up()
  local soon = num(now)
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', soon, 'LIMIT', 0, CHORE)) do lose(key, losses) end
  for _, where in ipairs(redis.call('ZRANGEBYSCORE', DUE, '-inf', soon, 'LIMIT', 0, DUE_BUCKETS)) do
    local no, i = struct.unpack('>I4I4', where)
    local all, earliest = redis.call('HGETALL', bucket(no, i)), math.huge
    for k = 1, #all, 2 do
      local r = decode(all[k + 1], no, all[k])
      if r == false then
        bury_unreadable(no, all[k])
      elseif r.state == DUE_LATER and r.fetch_time <= now then
        enqueue(r)
      elseif r.state == DUE_LATER then
        earliest = math.min(earliest, r.fetch_time)
      end
    end
    put(DUE, earliest < math.huge and earliest, where)
  end
  for _, no in ipairs(redis.call('ZRANGEBYSCORE', BLOCKED, '-inf', soon, 'LIMIT', 0, CHORE)) do touch(tonumber(no)) end
  for _, h in pairs(hosts) do
    if h.unsettled then settle(h) end
  end
end

-- Returns rank and id of the best URL of a bucket that waits in `queue`, and the rank of the second; without decoding
-- whole records, for there are many.
local function best_two(h, queue, i)
  local all, first, id, second = redis.call('HGETALL', bucket(h.no, i)), nil, nil, nil
  for k = 1, #all, 2 do
    local raw = all[k + 1]
    local status, high, low = string.byte(raw, 1, 3) -- version and status, state, flags
    if not is_readable(raw) then
      bury_unreadable(h.no, all[k])
    elseif math.floor(high / 16) == WAITING and queue_for(status % 16, low) == queue then
      local worth = struct.unpack('>d', raw, CASH_AT)
      if worth ~= worth or math.abs(worth) == math.huge then
        worth = 0
        save(decode(raw, h.no, all[k]))
      end
      if has(low, HAS_REQUEST) then worth = worth + struct.unpack('>d', raw, HEADER_SIZE + 1) end
      if not first or worth > first then
        first, id, second = worth, all[k], first
      elseif not second or worth > second then
        second = worth
      end
    end
  end
  return first, id, second
end

-- Take the best waiting URL out of a host's queue; nil when none waits, or when `looks` is used up: then the host stays
-- where its best bucket may be.
local looks = BUCKETS_MAX
local function take(h, queue)
  while looks > 0 do
    looks = looks - 1
    local top = redis.call('ZREVRANGE', queue .. h.no, 0, 1, 'WITHSCORES')
    if not top[1] then return nil end
    local first, id, second = best_two(h, queue, top[1])
    local is_best = first and (not top[4] or first >= tonumber(top[4]))
    local left = is_best and second or not is_best and first
    put(queue .. h.no, left and num(left), top[1])
    local r = is_best and load(h.no, id)
    if r then return r end
    -- in a bucket that is not its own: as long as it is there its bucket would stay the best one
    if is_best then put(queue .. h.no, nil, top[1]) end
  end
end
