-- Ask a host's clock for one more request: a retry, robots.txt, or a page that was leased some time ago.
-- uses: records queues clocks
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] float delay between two requests to a host, seconds
-- ARGV[3..4]    site and queue of the URL
-- ARGV[5] float when leave was given that has not been used, epoch seconds; '' = never. While nobody else was given
--               leave since, and nothing holds the host, it is given again, and the clock counts from now
-- returns '0' when the request may be sent now (the clock moves on), else the seconds to wait, as text
local now, delay = tonumber(ARGV[1]), tonumber(ARGV[2])
--#libraries
local h = host_of(ARGV[3], ARGV[4])
local unused = ARGV[5] ~= '' and h.clock <= tonumber(ARGV[5]) + pause_of(h) and h.held_until <= now
if h.clock > now and not unused then return finish(num(h.clock - now)) end
start_pause(h)
return finish('0')
