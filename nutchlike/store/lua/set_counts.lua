-- Set a host's counters to what its records say; only while nobody works on the crawl.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   number of the host
-- ARGV[3..5]    int records, waiting and leased URLs
-- returns 1
local now = tonumber(ARGV[1])
--#libraries
local h = host(tonumber(ARGV[2]))
h.records, h.waiting, h.active = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
touch(h.no)
return finish(1)
