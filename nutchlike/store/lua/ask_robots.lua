-- Let one worker ask a site for its robots.txt.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] str   scheme://authority
-- ARGV[3] float seconds after which another worker may ask, because this one was killed
-- ARGV[4] str   worker that wants to ask
-- ARGV[5] str   worker that is known to be dead, in whose place it may ask; '' = none
-- returns '' when the caller may ask, else the worker that does
local ASKED = KEYS[24]
local now = tonumber(ARGV[1])
local till, asker = string.match(redis.call('HGET', ASKED, ARGV[2]) or '', '^(%S+) (.*)$')
if till and tonumber(till) > now and asker ~= ARGV[4] and asker ~= ARGV[5] then return asker end
redis.call('HSET', ASKED, ARGV[2], string.format('%.17g ', now + tonumber(ARGV[3])) .. ARGV[4])
return ''
