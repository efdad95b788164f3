-- Give a content that a page has claimed, and that is not settled, to another page, or to nobody.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   dedup key
-- ARGV[2] str   record key of the page that claimed it
-- ARGV[3] str   record key of the page that it goes to, '' = none
-- returns 1, or 0 when that page has no claim on it
local PENDING = KEYS[33]
if redis.call('HGET', PENDING, ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', PENDING, ARGV[1]) else redis.call('HSET', PENDING, ARGV[1], ARGV[3]) end
return 1
