-- Acknowledge a page: its new state, and its outlinks with their shares, in one step.
-- uses: records queues cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host
-- ARGV[3] str   worker
-- ARGV[4] str   url id
-- ARGV[5..9]    db_status, fetch_time (s; '' = is not fetched again), modified_time (s), fetch_interval (s), retries
-- ARGV[10] str  signature and dedup key (codec.py: encode_signatures), '' = none
-- ARGV[11..13]  cash as text: spent by the page, share of each outlink, share of the virtual page
-- ARGV[14] int  fetch interval of new pages, seconds
-- ARGV[15] int  1 = the stored request is still needed
-- ARGV[16..]    8 an outlink: id, site, path, host, metadata JSON or '', priority, stored request or '', once (0|1)
-- returns {1, outlinks that became known}, or {0, 0} when the worker does not hold the lease
local now, per_host, worker, id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
--#libraries
local r = load(id)
if not r then return { 0, 0 } end
local own_host = site_of(r)
if not unlease(id, own_host, worker) then return { 0, 0 } end
local spent, each, rest = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
-- cash that was taken from the page meanwhile (its seed was overwritten) cannot be spent
local have = math.max(r.cash + virtual, 0)
if spent > have then spent, each, rest = have, each * have / spent, rest * have / spent end
local depth, interval, touched, before = r.depth + 1, tonumber(ARGV[14]), { [own_host] = true }, known

set_status(r, tonumber(ARGV[5]))
r.modified_time, r.interval, r.retries = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
r.signature, r.attempts = ARGV[10], 0
r.cash, r.history = r.cash - spent, r.history + spent
if ARGV[6] ~= '' then
  r.fetch_time = tonumber(ARGV[6])
  redis.call('ZADD', DUE, ARGV[6], id)
end
if ARGV[15] == '0' and has(r.flags, HAS_REQUEST) then
  redis.call('HDEL', REQUESTS, id)
  -- the flag stays where nothing is fetched again: the record is done (rebuild.lua)
  if ARGV[6] ~= '' then r.flags = bit.band(r.flags, bit.bnot(HAS_REQUEST)) end
end
save(id, r)

for i = 16, #ARGV, 8 do
  local target, site, path, host, metadata, priority, request, once = unpack(ARGV, i, i + 7)
  site = site_number(site, host)
  local known_as, t = find(target, site, path)
  if t then
    credit(known_as, t, host, each, depth)
  elseif t == nil then
    create(known_as, site, path, host, each, interval, depth, metadata, priority, request, once)
  else
    rest = rest + each
  end
  touched[host] = true
end
local discovered = known - before
spread(rest)

if ARGV[6] == '' and has(r.flags, ONCE) and known > 1 then
  redis.call('HDEL', bucket(id), id)
  redis.call('HDEL', METADATA, id)
  count(r.status, -1)
  known = known - 1
  spread(r.cash + virtual)
end
save_cash()
set_total('distributed', total('distributed') + spent)
for host in pairs(touched) do settle(host) end
return { 1, discovered }
