-- Look at the best waiting URLs of the hosts that may be asked now, and take none.
-- uses: records queues chores
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   how many at most
-- ARGV[3] int   lost leases that make a dead letter
-- returns {cash of URLs never taken up as text, ...}, the same of others: of one URL a host, the best first; at least
--         what it is
local now, most, losses = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
--#libraries
catch_up()
finish()
local virtual, reply = total('virtual'), { {}, {} }
for kind, key in ipairs({ READY, READY_AGAIN }) do
  local ranks = redis.call('ZREVRANGE', key, 0, most - 1, 'WITHSCORES')
  for i = 2, #ranks, 2 do table.insert(reply[kind], num(math.max(tonumber(ranks[i]) + virtual, 0))) end
end
return reply
