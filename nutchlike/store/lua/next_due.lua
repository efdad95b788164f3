-- Tell when the first page is due again.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- returns epoch seconds, '' when no page is, 'more' when the caller must ask again: so that each call is short
local now = 0
--#libraries
for _ = 1, BUCKETS_MAX do
  local first = redis.call('ZRANGE', DUE, 0, 0, 'WITHSCORES')
  if not first[1] then return '' end
  local no, i = struct.unpack('>I4I4', first[1])
  local all, earliest = redis.call('HGETALL', bucket(no, i)), math.huge
  for k = 1, #all, 2 do
    local r = decode(all[k + 1], no, all[k])
    if r and r.state == DUE_LATER then earliest = math.min(earliest, r.fetch_time) end
  end
  if earliest <= tonumber(first[2]) then return num(earliest) end
  put(DUE, earliest < math.huge and earliest, first[1])
end
return 'more'
