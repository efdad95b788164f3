-- Move claims of acknowledged pages into the filter; what a page did not claim is passed over.
-- uses: bloom
-- KEYS          all of a partition (keys.py)
-- ARGV[1] int   contents that the filter is begun for
-- ARGV[2] float its error, as text
-- ARGV[3] int   1 = the server has the Bloom module
-- ARGV[4..]     2 a page: record key, dedup key
-- returns how many moved
--#libraries
begin_filter(ARGV[1], ARGV[2], ARGV[3])
local moved = 0
for i = 4, #ARGV, 2 do
  if redis.call('HGET', PENDING, ARGV[i + 1]) == ARGV[i] then
    filter_add(ARGV[i + 1])
    redis.call('HDEL', PENDING, ARGV[i + 1])
    moved = moved + 1
  end
end
save_filter()
return moved
