-- Give leases back.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] str   worker; what another holds by now stays with it
-- ARGV[3] int   0 = never started: wait again as before; n = lost: count it, the n-th loss makes a dead letter
-- ARGV[4..]     handles
-- returns how many were released
local now, worker, losses = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
--#libraries
local released, taken = 0, total('taken')
for i = 4, #ARGV do
  local key = ARGV[i]
  if redis.call('HGET', LEASE_INFO, key) == worker then
    local r = load_handle(key)
    if losses > 0 or not r then
      lose(key, losses)
    else
      unlease(key, worker)
      if r.status == UNFETCHED and r.retries == 0 and r.attempts == 0 then
        r.flags = with(r.flags, TAKEN, false)
        host(r.host).taken, taken = host(r.host).taken - 1, taken - 1
      end
      enqueue(r)
    end
    released = released + 1
  end
end
set_total('taken', taken)
return finish(released)
