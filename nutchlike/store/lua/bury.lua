-- Make a leased URL that cannot be used a dead letter.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] str   worker
-- ARGV[3] str   handle
-- ARGV[4] str   reason
-- returns 1, or 0 when the worker does not hold the lease
local now, worker, key = tonumber(ARGV[1]), ARGV[2], ARGV[3]
--#libraries
local r = load_handle(key)
if not unlease(key, worker) then return 0 end
if r then bury(r, ARGV[4]) elseif r == false then bury_unreadable(struct.unpack('>I4', key), string.sub(key, 5)) end
return finish(1)
