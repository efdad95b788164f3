-- Forget the messages that have reached another partition.
-- KEYS          all of a partition (keys.py)
-- ARGV[1] int   the other partition
-- ARGV[2] int   number of the first message that it does not have
-- returns how many were forgotten
local OUTBOX, OUTBOX_HEADS = KEYS[20] .. ARGV[1], KEYS[21]
local head = tonumber(redis.call('HGET', OUTBOX_HEADS, ARGV[1]) or '0')
local number = tonumber(ARGV[2]) - head
if number <= 0 then return 0 end
redis.call('LTRIM', OUTBOX, number, -1)
redis.call('HSET', OUTBOX_HEADS, ARGV[1], ARGV[2])
return number
