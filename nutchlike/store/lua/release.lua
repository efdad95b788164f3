-- Give leases back.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host
-- ARGV[3] str   worker; what another holds by now stays with it
-- ARGV[4] int   0 = never started: wait again as before; n = lost: count it, the n-th loss makes a dead letter
-- ARGV[5..]     url ids
-- returns how many were released
local now, per_host, worker, losses = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
--#libraries
local released = 0
for i = 5, #ARGV do
  local id = ARGV[i]
  local holder = redis.call('HGET', LEASE_INFO, id)
  if holder == worker then
    local r = load(id)
    if losses > 0 or not r then
      lose(id, losses)
    else
      local host = site_of(r)
      unlease(id, host, nil)
      enqueue(id, r, host)
      settle(host)
    end
    released = released + 1
  end
end
return released
