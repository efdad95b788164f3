-- Move the deadlines of a worker's leases.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   worker
-- ARGV[2] float new deadline, epoch seconds
-- ARGV[3..]     handles
-- returns {handle, ...}: those that the worker does not hold any more
local LEASES, LEASE_INFO = KEYS[15], KEYS[16]
local lost = {}
for i = 3, #ARGV do
  if redis.call('HGET', LEASE_INFO, ARGV[i]) == ARGV[1] then
    redis.call('ZADD', LEASES, 'XX', ARGV[2], ARGV[i])
  else
    lost[#lost + 1] = ARGV[i]
  end
end
return lost
