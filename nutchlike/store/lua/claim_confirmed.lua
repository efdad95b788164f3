-- Claim contents: the filter says which are new, the owners beside it who has the others.
-- uses: bloom
-- KEYS          all of a partition (keys.py)
-- ARGV[1] int   contents that the filter is begun for
-- ARGV[2] float its error, as text
-- ARGV[3] int   1 = the server has the Bloom module
-- ARGV[4..]     3 a claim: record key, dedup key, what it had before (not looked at)
-- returns the record key of each owner
--#libraries
begin_filter(ARGV[1], ARGV[2], ARGV[3])
local owners = {}
for i = 4, #ARGV, 3 do
  local id, content = ARGV[i], ARGV[i + 1]
  local is_hit = filter_has(content)
  local owner = is_hit and redis.call('HGET', SIGNATURES, content) or id
  if owner == id then redis.call('HSET', SIGNATURES, content, id) end
  if not is_hit then filter_add(content) end
  owners[#owners + 1] = owner
end
save_filter()
return owners
