-- Let no worker ask a host for a while: it failed, or wants to be left alone.
-- uses: records queues clocks
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..3]    site and queue of the URL
-- ARGV[4] float seconds at least
-- ARGV[5] float seconds after the first failure; each further one in a row doubles them
-- ARGV[6] float seconds at most that failures make
-- ARGV[7] float factor for those seconds: workers that failed together do not come back together
-- returns the seconds for which the host is held from now on, as text
local now, delay = tonumber(ARGV[1]), 0
--#libraries
local h = host_of(ARGV[2], ARGV[3])
-- requests that were under way when the host was held fail with the first one, not after it
if h.held_until <= now then h.failures = h.failures + 1 end
local backoff = math.min(ARGV[5] * 2 ^ math.min(h.failures - 1, 62), tonumber(ARGV[6])) * tonumber(ARGV[7])
h.held_until = math.max(h.held_until, now + math.max(tonumber(ARGV[4]), backoff))
h.clock = math.max(h.clock, h.held_until)
touch(h.no)
return finish(num(h.clock - now))
