-- Put a page under the bands of its sketch, and find the pages that are there already.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   record key of the page
-- ARGV[2] int   most pages of one band: what is older is forgotten
-- ARGV[3..]     2 a band of this partition: number of its bucket, band
-- returns the record keys of the other pages, each once
local BANDS, KEY_SIZE = KEYS[30], 14
local key, most, seen, others = ARGV[1], tonumber(ARGV[2]), {}, {}
for i = 3, #ARGV, 2 do
  local name, field = BANDS .. ARGV[i], ARGV[i + 1]
  local pages, has_it = redis.call('HGET', name, field) or '', false
  for at = 1, #pages, KEY_SIZE do
    local page = string.sub(pages, at, at + KEY_SIZE - 1)
    if page == key then
      has_it = true
    elseif not seen[page] then
      seen[page] = true
      others[#others + 1] = page
    end
  end
  if not has_it then redis.call('HSET', name, field, string.sub(pages .. key, -most * KEY_SIZE)) end
end
return others
