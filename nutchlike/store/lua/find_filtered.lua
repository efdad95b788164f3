-- Look a content up in a filter that knows no owners, and change nothing.
-- uses: bloom
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   dedup key
-- returns the record key that claimed it, '' when nobody knows its owner, nil when it has none
--#libraries
local owner = redis.call('HGET', PENDING, ARGV[1])
if owner then return owner end
if redis.call('EXISTS', FILTER) == 0 then return false end
begin_filter()
return filter_has(ARGV[1]) and '' or false
