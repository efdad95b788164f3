-- Keep the delay that a host's robots.txt asks for.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1..2]    site and queue of a URL of the host
-- ARGV[3] float seconds, -1 = it asks for none
-- returns 1
local now = 0
--#libraries
local _, no = site_number(ARGV[1], ARGV[2])
host(no).delay = tonumber(ARGV[3])
host(no).changed = true
return finish(1)
