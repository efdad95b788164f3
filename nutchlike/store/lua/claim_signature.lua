-- Claim a page's content: the first page that claims it owns it.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   record key
-- ARGV[2] str   dedup key of the page now, '' = none
-- ARGV[3] str   dedup key that the page had before, '' = none; freed when it differs
-- returns the record key of the owner, '' when there is nothing to own
local SIGNATURES = KEYS[19]
local id, key, old = ARGV[1], ARGV[2], ARGV[3]
if old ~= '' and old ~= key and redis.call('HGET', SIGNATURES, old) == id then redis.call('HDEL', SIGNATURES, old) end
if key == '' then return '' end
local owner = redis.call('HGET', SIGNATURES, key)
if owner then return owner end
redis.call('HSET', SIGNATURES, key, id)
return id
