-- Take a page away from the bands of its sketch.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   record key of the page
-- ARGV[2..]     bands (8 bytes each) of this partition
-- returns 1
local BANDS, KEY_SIZE, BUCKETS = KEYS[30], 14, 262144
for i = 2, #ARGV do
  local name, field = BANDS .. struct.unpack('>I4', ARGV[i]) % BUCKETS, string.sub(ARGV[i], 3)
  local pages, left = redis.call('HGET', name, field) or '', {}
  for at = 1, #pages, KEY_SIZE do
    local page = string.sub(pages, at, at + KEY_SIZE - 1)
    if page ~= ARGV[1] then left[#left + 1] = page end
  end
  if #left > 0 then redis.call('HSET', name, field, table.concat(left)) else redis.call('HDEL', name, field) end
end
return 1
