-- Give a content that a page owns to another page, or to nobody.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   record key of the page that owns it
-- ARGV[2] str   dedup key of the content
-- ARGV[3] str   record key of the page that it goes to, '' = the content is free
-- returns 1, or 0 when that page does not own it
local SIGNATURES = KEYS[19]
if redis.call('HGET', SIGNATURES, ARGV[2]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', SIGNATURES, ARGV[2]) else redis.call('HSET', SIGNATURES, ARGV[2], ARGV[3]) end
return 1
