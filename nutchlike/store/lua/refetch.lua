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
for i = 4, #ARGV do
  local r = load_handle(ARGV[i])
  if r and r.state == LEASED then
    leased = leased + 1
  elseif r and r.state == WAITING and is_new(r) then
    waiting = waiting + 1
  elseif r and (r.state == WAITING or r.state == DUE_LATER) then
    forget_fetches(r)
    r.fetch_time = math.floor(now)
    if r.interval > longest then r.interval = shortened end
    enqueue(r)
    due = due + 1
  end
end
return finish({ due, waiting, leased })
