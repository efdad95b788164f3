-- Acknowledge a page: its new state, and its outlinks with their shares, in one step.
-- uses: records queues buckets cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] str   worker
-- ARGV[3] str   handle of the record
-- ARGV[4..8]    db_status, fetch_time (s; '' = is not fetched again), modified_time (s), fetch_interval (s), retries
-- ARGV[9] str   signature and dedup key (codec.py: encode_signatures), '' = none
-- ARGV[10..11]  cash as text: spent by the page, share of the virtual page
-- ARGV[12] int  fetch interval of new pages, seconds
-- ARGV[13] int  1 = the stored request is still needed
-- ARGV[14] int  number of partitions
-- ARGV[15] int  1 = the fetch failed: the host's failures in a row go on
-- ARGV[16] float cash as text that the page gives (below 0: takes) beyond that, and that is no page's; see 'balance'
-- ARGV[17] int  1 = the outlinks are the page's new list in the web graph, 0 = its list stays as it is
-- ARGV[18] str  anchor texts of that list (webgraph.py: encode_anchors), '' = none
-- ARGV[19] str  JSON object that is added to the page's metadata (null takes a name away), '' = nothing
-- ARGV[20] str  MessagePack list, 10 members an outlink: partition ('' = this one), share of cash, id, site, path, queue,
--               metadata JSON or '', priority, stored request or '', once ('0'|'1')
-- ARGV[21] str  by what its server may be asked whether the page has changed (validators.py), '' = nothing
-- returns {1, outlinks that became known here, cash of the best URL that waits as text, links that wait in the outbox},
--         or {0} when the worker does not hold the lease
local now, worker, key = tonumber(ARGV[1]), ARGV[2], ARGV[3]
--#libraries
local OUTBOX, partitions = KEYS[20], tonumber(ARGV[14])
local r = load_handle(key)
if not r or not unlease(key, worker) then return { 0 } end
local spent, rest, scale = tonumber(ARGV[10]), tonumber(ARGV[11]), 1
-- cash that was taken from the page meanwhile (its seed was overwritten) cannot be spent
local have = math.max(r.cash + virtual, 0)
if spent > have then spent, rest, scale = have, rest * have / spent, have / spent end
local depth, interval, before, away, sent, ids = r.depth + 1, tonumber(ARGV[12]), known, {}, 0, {}
if ARGV[4] == '4' or ARGV[4] == '5' then depth = r.depth end -- a redirect is no link

set_status(r, tonumber(ARGV[4]))
r.modified_time, r.interval, r.retries = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
r.signature, r.validators, r.attempts = ARGV[9], ARGV[21], 0
if ARGV[19] ~= '' then merge_metadata(r, ARGV[19]) end
r.cash = r.cash - spent
remember(r, spent)
if ARGV[15] == '0' then host(r.host).failures, host(r.host).held_until = 0, 0 end
if ARGV[13] == '0' and has(r.flags, HAS_REQUEST) then
  redis.call('HDEL', REQUESTS, key)
  r.flags = with(r.flags, HAS_REQUEST, false)
end
if ARGV[5] ~= '' then
  r.fetch_time = tonumber(ARGV[5])
  wait_until_due(r)
else
  set_state(r, DONE)
  save(r)
end

local links = cmsgpack.unpack(ARGV[20])
for i = 1, #links, 10 do
  local partition, share = links[i], links[i + 1] * scale
  ids[#ids + 1] = links[i + 2]
  if partition == '' then
    if not pay(share, interval, depth, unpack(links, i + 2, i + 9)) then rest = rest + share end
  else
    local message = away[partition] or { 'links', 0, depth, interval }
    message[2], message[#message + 1] = message[2] + share, share
    for k = i + 2, i + 9 do message[#message + 1] = links[k] end
    away[partition] = message
    sent = sent + 1
  end
end
for partition, message in pairs(away) do
  redis.call('RPUSH', OUTBOX .. partition, struct.pack('>d', message[2]) .. cmsgpack.pack(message))
end
local function relink(name, value)
  if value ~= '' then redis.call('HSET', name, key, value) else redis.call('HDEL', name, key) end
end
if ARGV[17] == '1' then
  relink(LINKS, table.concat(ids))
  relink(ANCHORS, ARGV[18])
end
local discovered = known - before
spread_or_pool(rest, partitions)
if tonumber(ARGV[16]) ~= 0 then set_total('balance', total('balance') + tonumber(ARGV[16]) * scale) end

if ARGV[5] == '' and has(r.flags, ONCE) and known > 1 then
  redis.call('HDEL', bucket(r.host, bucket_number(host(r.host), r.id)), r.id)
  for _, name in ipairs(BESIDE) do redis.call('HDEL', name, key) end
  host(r.host).records = host(r.host).records - 1
  set_state(r, nil)
  count(r.status, -1)
  known = known - 1
  spread_or_pool(r.cash + virtual, partitions)
end
save_cash()
finish()
local top = redis.call('ZREVRANGE', READY, 0, 0, 'WITHSCORES')[2]
return { 1, discovered, top and num(tonumber(top) + virtual) or '0', sent }
