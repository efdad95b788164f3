-- Let dead letters wait again, as if they had never lost a lease.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..] str handles
-- returns how many were put back; what is no dead letter, or cannot be read, stays as it is
local now = tonumber(ARGV[1])
--#libraries
local back = 0
for i = 2, #ARGV do
  local r = load_handle(ARGV[i])
  if r and r.state == DEAD_LETTER then
    redis.call('HDEL', DEAD, ARGV[i])
    r.attempts = 0
    enqueue(r)
    back = back + 1
  end
end
return finish(back)
