-- Hand out the best URLs of the hosts that may be asked now.
-- uses: records queues clocks chores
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] float deadline of the leases, epoch seconds
-- ARGV[3] str   worker
-- ARGV[4] int   how many at most; 0 = only look
-- ARGV[5] float delay between two requests to a host, seconds
-- ARGV[6..8]    most leased URLs of one host, most URLs taken up of one host, and of all (-1 = no limit)
-- ARGV[9] int   lost leases that make a dead letter
-- ARGV[10] float share of the leases for pages taken up before, while new ones wait too
-- ARGV[11] float a host that is blocked for longer (seconds) is not waited for
-- ARGV[12] float window of histories, in times the cash that there is; 0 = nothing fades
-- ARGV[13] int  1 = keep when a link to a page was last seen (orphan filter)
-- ARGV[14] int  how many of the leases at most for URLs that were never taken up
-- returns {epoch seconds when it is worth to ask again or '', 1 = there is work now or soon, URLs that wait,
--          URLs that are leased, leases ever handed out, URLs that became dead letters, URLs known, URLs taken up,
--          cash of all pages as text, then for each lease: handle, record, scheme://authority, cash as text,
--          metadata JSON or '', stored request or '', URLs known on its host, URLs taken up there}
local now, deadline, worker, most, delay = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local all_max, losses, share, new_most = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[14])
redis.call('HSET', KEYS[10], 'per_host', ARGV[6], 'host_max', ARGV[7], 'window', ARGV[12],
  'link_times', ARGV[13]) -- for the other scripts
--#libraries
local reply, virtual, taken, credit, leased = { '', 0, 0, 0, 0, 0, 0, 0, '' }, total('virtual'), total('taken'), total('credit'), 0
catch_up()

local function may_take_new() return all_max < 0 or taken < all_max end

-- Whether new pages or those taken up before come next; both get their share while both wait.
local function choose()
  local new = new_most > 0 and may_take_new() and redis.call('ZREVRANGE', READY, 0, 0)[1]
  local again = redis.call('ZREVRANGE', READY_AGAIN, 0, 0)[1]
  if new and again then
    credit = credit + share
    if credit < 1 then return QUEUES, new end
    credit = credit - 1
  end
  if again then return AGAIN, again end
  return QUEUES, new
end

looks = looks + most -- each lease needs one
while leased < most and looks > 0 do
  local queue, no = choose()
  if not no then break end
  local h = host(tonumber(no))
  local r = take(h, queue)
  if r then
    leased = leased + 1
    if not has(r.flags, TAKEN) then
      h.taken, taken, r.flags = h.taken + 1, taken + 1, with(r.flags, TAKEN, true)
      new_most = new_most - 1
    end
    set_state(r, LEASED)
    local raw, key = save(r), handle(r)
    redis.call('ZADD', LEASES, deadline, key)
    redis.call('HSET', LEASE_INFO, key, worker)
    h.active = h.active + 1
    start_pause(h)
    for _, value in ipairs({ key, raw, redis.call('HGET', SITE_NAMES, r.site) or '', num(math.max(r.cash + virtual, 0)),
      has(r.flags, HAS_METADATA) and redis.call('HGET', METADATA, key) or '',
      has(r.flags, HAS_REQUEST) and redis.call('HGET', REQUESTS, key) or '', h.records, h.taken }) do
      reply[#reply + 1] = value
    end
  end
  h.changed = true
  settle(h)
end

set_total('taken', taken)
set_total('credit', credit)
count('handed_out', leased)
finish()
local function first(key)
  local score = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  return score and tonumber(score) or math.huge
end
local overdue = redis.call('ZCOUNT', DUE, '-inf', num(now)) -- what the chores have not come to
local soonest = (overdue > 0 or looks == 0) and now or math.min(first(BLOCKED), first(LEASES))
reply[1] = soonest < math.huge and num(soonest) or ''
reply[4] = redis.call('ZCARD', LEASES)
local ready = redis.call('ZCARD', READY_AGAIN) + (may_take_new() and redis.call('ZCARD', READY) or 0)
local blocked = redis.call('ZCOUNT', BLOCKED, '-inf', num(now + tonumber(ARGV[11])))
reply[2] = (reply[4] + ready + blocked + overdue > 0) and 1 or 0
local counters = redis.call('HMGET', COUNTS, 'waiting', 'handed_out')
reply[7], reply[8], reply[9] = total('known'), taken, num(total('injected') - total('balance'))
reply[3], reply[5], reply[6] = tonumber(counters[1] or '0'), tonumber(counters[2] or '0'), buried
return reply
