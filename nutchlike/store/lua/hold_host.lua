-- A host asks for rest, or fails: nobody asks it for a while, longer after each failure in a row.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..3]    site and queue of the URL
-- ARGV[4] float seconds that the host asked for, 0 = none
-- ARGV[5] float seconds after the first failure; they double with each further one (0 = only what the host asked for)
-- ARGV[6] float most seconds, for what doubles
-- ARGV[7] float factor that differs from call to call, for what doubles
-- returns the seconds from now until the host may be asked, as text
local now = tonumber(ARGV[1])
--#libraries
local _, no = site_number(ARGV[2], ARGV[3])
local h = host(no)
h.failures = h.failures + 1
local backoff = math.min(tonumber(ARGV[5]) * 2 ^ math.min(h.failures - 1, 60), tonumber(ARGV[6])) * tonumber(ARGV[7])
h.clock = math.max(h.clock, now + math.max(tonumber(ARGV[4]), backoff))
touch(no)
return finish(num(math.max(h.clock - now, 0)))
