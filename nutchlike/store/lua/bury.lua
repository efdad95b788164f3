-- Make a leased URL that cannot be used a dead letter.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host
-- ARGV[3] str   worker
-- ARGV[4] str   url id
-- ARGV[5] str   reason
-- returns 1, or 0 when the worker does not hold the lease
local now, per_host, worker, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
--#libraries
local r = load(id)
local host = r and site_of(r) or ''
if not unlease(id, host, worker) then return 0 end
bury(id, ARGV[5])
settle(host)
return 1
