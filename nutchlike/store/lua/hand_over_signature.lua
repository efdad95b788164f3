-- Give a content to another page, if it still belongs to whom it did.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   dedup key
-- ARGV[2] str   record key of the owner that it must have, '' = none
-- ARGV[3] str   record key of the new owner, '' = none
-- returns 1, or 0 when it belongs to another
local SIGNATURES = KEYS[19]
if (redis.call('HGET', SIGNATURES, ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', SIGNATURES, ARGV[1]) else redis.call('HSET', SIGNATURES, ARGV[1], ARGV[3]) end
return 1
