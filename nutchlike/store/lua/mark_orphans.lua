-- Mark pages that no link was seen to of late, if nothing has changed since they were judged; leased ones are left alone.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..]     4 a page: handle, db_status and time of the last link as they were read, new db_status
-- returns the handles of those that are marked
local now, marked = tonumber(ARGV[1]), {}
--#libraries
for i = 2, #ARGV, 4 do
  local r = load_handle(ARGV[i])
  local same = r and r.status == tonumber(ARGV[i + 1]) and r.linked_at == tonumber(ARGV[i + 2])
  if same and r.state ~= LEASED and r.status ~= UNFETCHED then
    set_status(r, tonumber(ARGV[i + 3]))
    save(r)
    marked[#marked + 1] = ARGV[i]
  end
end
return finish(marked)
