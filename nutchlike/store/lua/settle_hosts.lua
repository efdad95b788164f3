-- Put hosts where they belong, after limits have changed or queues were lost.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..3]    int first and last number of the hosts
-- returns the numbers of hosts whose URLs wait in no queue
local now = tonumber(ARGV[1])
--#libraries
local lost = {}
for no = tonumber(ARGV[2]), tonumber(ARGV[3]) do
  if redis.call('HEXISTS', HOSTS, no) == 1 then
    touch(no)
    if host(no).waiting > 0 and not best(QUEUES, no) and not best(AGAIN, no) then lost[#lost + 1] = no end
  end
end
return finish(lost)
