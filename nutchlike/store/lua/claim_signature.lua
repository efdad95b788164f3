-- Claim a content: the first page that claims it owns it.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   record key of the page
-- ARGV[2] str   dedup key of the content
-- returns the record key of the owner
local SIGNATURES = KEYS[19]
local owner = redis.call('HGET', SIGNATURES, ARGV[2])
if owner then return owner end
redis.call('HSET', SIGNATURES, ARGV[2], ARGV[1])
return ARGV[1]
