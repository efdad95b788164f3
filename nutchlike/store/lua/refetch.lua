-- Make pages due now as if they had never been fetched (Nutch: forceRefetch); they keep cash, history and metadata.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..3]    longest fetch interval that stays, and what a longer one becomes (seconds)
-- ARGV[4..]     handles
-- returns how many were made due, how many waited as new pages already, and how many are leased; dead letters and
--         requests that are done for good stay as they are
local now, longest, shortened = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
--#libraries
local due, waiting, leased = 0, 0, 0
local function is_new(r) return r.status == UNFETCHED and r.retries == 0 and (string.byte(r.signature) or 0) == 0 end
-- A page without a content of its own that came out before; one that has it says so itself (delivered.py).
local function is_out(r)
  if r.signature ~= '' or (r.status ~= FETCHED and r.status ~= NOTMODIFIED) then return false end
  local metadata = redis.call('HGET', METADATA, handle(r))
  return not metadata or cjson.decode(metadata)._pst_ ~= 'noindex'
end

for i = 4, #ARGV do
  local r = load_handle(ARGV[i])
  if r and r.state == LEASED then
    leased = leased + 1
  elseif r and r.state == WAITING and is_new(r) then
    waiting = waiting + 1
  elseif r and (r.state == WAITING or r.state == DUE_LATER) then
    if is_out(r) then merge_metadata(r, '{"_out_":"1"}') end
    forget_fetches(r)
    r.fetch_time = math.floor(now)
    if r.interval > longest then r.interval = shortened end
    enqueue(r)
    due = due + 1
  end
end
return finish({ due, waiting, leased })
