-- Put a request into a queue, behind all that have the same score.
-- KEYS[1] zset   the queue: 8-byte number of the push, then the stored request -> minus its score
-- KEYS[2] int    number of the last push; it keeps equal requests apart, and first in first out
-- ARGV[1] float  minus the score, as text
-- ARGV[2] str    stored request
-- returns how many requests the queue holds now
local number = redis.call('INCR', KEYS[2])
redis.call('ZADD', KEYS[1], ARGV[1], struct.pack('>I8', number) .. ARGV[2])
return redis.call('ZCARD', KEYS[1])
