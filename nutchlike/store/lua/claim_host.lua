-- Ask a host's clock for one more request (a retry of a page that is leased already).
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] float delay between two requests to a host, seconds
-- ARGV[3] str   host
-- returns '0' when the request may be sent now (the clock moves on), else the seconds to wait, as text
local READY, BLOCKED, CLOCKS = KEYS[9], KEYS[10], KEYS[11]
local now, delay, host = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local wait = tonumber(redis.call('HGET', CLOCKS, host) or '0') - now
if wait > 0 then return string.format('%.17g', wait) end
if delay > 0 then
  local clock = string.format('%.17g', now + delay)
  redis.call('HSET', CLOCKS, host, clock)
  if redis.call('ZREM', READY, host) == 1 then redis.call('ZADD', BLOCKED, clock, host) end
end
return '0'
