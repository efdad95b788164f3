-- Let one worker ask a site for its robots.txt.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] str   scheme://authority
-- ARGV[3] float seconds after which another worker may ask, because this one was killed
-- returns 1 when the caller may ask, 0 while another worker does
local ASKED = KEYS[24]
local now = tonumber(ARGV[1])
if tonumber(redis.call('HGET', ASKED, ARGV[2]) or '0') > now then return 0 end
redis.call('HSET', ASKED, ARGV[2], string.format('%.17g', now + tonumber(ARGV[3])))
return 1
