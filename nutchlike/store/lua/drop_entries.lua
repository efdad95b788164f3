-- Remove entries from the head of a list of start URLs, if they are still there.
-- KEYS[1] list  entries, first to last
-- ARGV          the entries that the list must begin with
-- returns how many were removed: all or none
local head = redis.call('LRANGE', KEYS[1], 0, #ARGV - 1)
for i, entry in ipairs(ARGV) do
  if head[i] ~= entry then return 0 end
end
redis.call('LTRIM', KEYS[1], #ARGV, -1)
return #ARGV
