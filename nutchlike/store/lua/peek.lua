-- Look at the best waiting URLs of the hosts that may be asked now, and take none.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   how many at most
-- returns the cash of each as text: of one URL a host, the best first; at least what it is
local now, most = tonumber(ARGV[1]), tonumber(ARGV[2])
--#libraries
for _, no in ipairs(redis.call('ZRANGEBYSCORE', BLOCKED, '-inf', num(now), 'LIMIT', 0, 200)) do touch(tonumber(no)) end
finish()
local virtual, reply = total('virtual'), {}
for _, key in ipairs({ READY, READY_AGAIN }) do
  local ranks = redis.call('ZREVRANGE', key, 0, most - 1, 'WITHSCORES')
  for i = 2, #ranks, 2 do reply[#reply + 1] = num(math.max(tonumber(ranks[i]) + virtual, 0)) end
end
return reply
