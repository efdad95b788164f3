-- Let one of all workers rank the pages, each time that so many more were handed out.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] int   pages that were ever handed out, in all partitions
-- ARGV[2] int   pages from one ranking to the next
-- returns 1 when the caller shall rank them, else 0
local TOTALS = KEYS[10]
local last = tonumber(redis.call('HGET', TOTALS, 'ranked_at') or '0')
if tonumber(ARGV[1]) < last + tonumber(ARGV[2]) then return 0 end
redis.call('HSET', TOTALS, 'ranked_at', ARGV[1])
return 1
