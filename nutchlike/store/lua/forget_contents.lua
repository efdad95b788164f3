-- Take the signatures out of the records of pages that have their contents no more; leased ones are left alone.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..]     2 a page: handle, the db_status that it must still have
-- returns how many records were changed
local now, forgot = tonumber(ARGV[1]), 0
--#libraries
for i = 2, #ARGV, 2 do
  local r = load_handle(ARGV[i])
  if r and r.state ~= LEASED and r.status == tonumber(ARGV[i + 1]) and r.signature ~= '' then
    r.signature = ''
    save(r)
    forgot = forgot + 1
  end
end
return finish(forgot)
