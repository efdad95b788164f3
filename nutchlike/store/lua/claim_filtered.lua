-- Claim contents of a filter that knows no owners: a claim is kept with its owner until it is settled.
-- uses: bloom
-- KEYS          all of a partition (keys.py)
-- ARGV[1] int   contents that the filter is begun for
-- ARGV[2] float its error, as text
-- ARGV[3] int   1 = the server has the Bloom module
-- ARGV[4..]     3 a claim: record key; dedup key; that of what the page had before, '' = none
-- returns the record key of each owner, '' where nobody knows it
--#libraries
begin_filter(ARGV[1], ARGV[2], ARGV[3])
local owners = {}
for i = 4, #ARGV, 3 do
  local id, content, old = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local owner = redis.call('HGET', PENDING, content)
  if not owner then
    if not filter_has(content) then
      redis.call('HSET', PENDING, content, id)
      owner = id
    else
      owner = old == content and id or ''
    end
  end
  owners[#owners + 1] = owner
end
save_filter()
return owners
