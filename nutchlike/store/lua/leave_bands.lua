-- Take a page away from the bands of its sketch.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   record key of the page
-- ARGV[2..]     2 a band of this partition: number of its bucket, band
-- returns 1
local BANDS, KEY_SIZE = KEYS[30], 14
for i = 2, #ARGV, 2 do
  local name, field = BANDS .. ARGV[i], ARGV[i + 1]
  local pages, left = redis.call('HGET', name, field) or '', {}
  for at = 1, #pages, KEY_SIZE do
    local page = string.sub(pages, at, at + KEY_SIZE - 1)
    if page ~= ARGV[1] then left[#left + 1] = page end
  end
  if #left > 0 then redis.call('HSET', name, field, table.concat(left)) else redis.call('HDEL', name, field) end
end
return 1
