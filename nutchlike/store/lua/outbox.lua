-- Show what waits to be brought to other partitions. That is counted, so that there is a write whose replication
-- can be waited for.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] int   number of partitions
-- ARGV[2..3] int messages to a partition at most, and their bytes, but always one: so that taking them is short
-- returns {partition, number of its first message, {message, ...}} for each that something waits for
local OUTBOX, OUTBOX_HEADS, reply = KEYS[20], KEYS[21], {}
for partition = 0, tonumber(ARGV[1]) - 1 do
  local messages = redis.call('LRANGE', OUTBOX .. partition, 0, tonumber(ARGV[2]) - 1)
  local bytes = 0
  for i, message in ipairs(messages) do
    bytes = bytes + #message
    if bytes > tonumber(ARGV[3]) and i > 1 then
      for k = #messages, i, -1 do messages[k] = nil end
      break
    end
  end
  if messages[1] then
    reply[#reply + 1] = { partition, tonumber(redis.call('HGET', OUTBOX_HEADS, partition) or '0'), messages }
  end
end
if reply[1] then redis.call('HINCRBY', OUTBOX_HEADS, 'shown', 1) end
return reply
