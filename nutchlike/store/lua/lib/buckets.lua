-- Spread a host's records over more buckets as it grows (linear hashing: one bucket is split at a time).
-- needs records.lua and queues.lua
local function split(h)
  local new = h.buckets
  h.buckets = new + 1
  if h.buckets > h.level then h.level = h.level * 2 end
  local old = new - h.level / 2
  local all, moved, gone = redis.call('HGETALL', bucket(h.no, old)), {}, {}
  for i = 1, #all, 2 do
    if bucket_number(h, all[i]) == new then
      gone[#gone + 1] = all[i]
      moved[#moved + 1], moved[#moved + 2] = all[i], all[i + 1]
    end
  end
  for i = 1, #gone, 500 do
    redis.call('HSET', bucket(h.no, new), unpack(moved, 2 * i - 1, math.min(2 * i + 998, #moved)))
    redis.call('HDEL', bucket(h.no, old), unpack(gone, i, math.min(i + 499, #gone)))
  end
  -- what holds for all records of the old bucket holds for those of the new one
  for _, queue in ipairs({ QUEUES .. h.no, AGAIN .. h.no }) do
    local bound = redis.call('ZSCORE', queue, old)
    if bound then redis.call('ZADD', queue, bound, new) end
  end
  local due = redis.call('ZSCORE', DUE, place(h.no, old))
  if due then redis.call('ZADD', DUE, due, place(h.no, new)) end
end

local function make_room(no)
  local h = host(no)
  h.records = h.records + 1
  h.changed = true
  if h.records > BUCKET * h.buckets then split(h) end
end
