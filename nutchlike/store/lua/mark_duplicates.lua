-- Mark pages as duplicates that still have the content for which they were compared; leased ones are left alone.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] str   what was compared: signature, dedup_key
-- ARGV[3] str   JSON object that is added to the metadata of each that is marked, '' = nothing
-- ARGV[4..]     3 a page: handle, its content, record key of the page that is kept
-- returns how many were marked
local now, marked = tonumber(ARGV[1]), 0
--#libraries
local function content(r)
  if ARGV[2] == 'dedup_key' or r.signature == '' then return dedup_key(r) end
  return string.sub(r.signature, 2, 1 + string.byte(r.signature))
end

for i = 4, #ARGV, 3 do
  local r = load_handle(ARGV[i])
  if r and r.state ~= LEASED and (r.status == FETCHED or r.status == NOTMODIFIED) and content(r) == ARGV[i + 1] then
    set_status(r, DUPLICATE)
    if ARGV[3] ~= '' then merge_metadata(r, ARGV[3]) end
    save(r)
    redis.call('HSET', COPIES, ARGV[i], ARGV[i + 2])
    marked = marked + 1
  end
end
return finish(marked)
