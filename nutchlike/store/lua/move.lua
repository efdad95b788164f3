-- Give a URL's record to another URL, or forget it; a leased URL is left alone.
-- uses: records queues cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host, where no crawl has said it
-- ARGV[3..5]    id, site, path of the URL
-- ARGV[6..9]    id, site, path, host of the other URL; '' to forget
-- returns 1, or 0 when the URL is not known or leased
local now = tonumber(ARGV[1])
local per_host = tonumber(redis.call('HGET', KEYS[6], 'per_host') or ARGV[2])
--#libraries
local SIGNATURES = KEYS[17]
local id, r = find(ARGV[3], tonumber(redis.call('HGET', SITES, ARGV[4]) or '0'), ARGV[5])
if not r or redis.call('ZSCORE', LEASES, id) then return 0 end
local host, cash = site_of(r), r.cash + virtual
local queued, due = redis.call('ZREM', QUEUES .. host, id) == 1, redis.call('ZSCORE', DUE, id)
local dead, owns = redis.call('HGET', DEAD, id), redis.call('HGET', SIGNATURES, dedup_key(r)) == id
local metadata, request = redis.call('HGET', METADATA, id), redis.call('HGET', REQUESTS, id)
for _, key in ipairs({ bucket(id), METADATA, REQUESTS, DEAD }) do redis.call('HDEL', key, id) end
redis.call('ZREM', DUE, id)
if queued then count('waiting', -1) end
if owns then redis.call('HDEL', SIGNATURES, dedup_key(r)) end

local other, t
if ARGV[6] ~= '' then
  r.site, r.path = site_number(ARGV[7], ARGV[9]), ARGV[8]
  other, t = find(ARGV[6], r.site, r.path)
end
if other and t == nil then
  save(other, r)
  if metadata then redis.call('HSET', METADATA, other, metadata) end
  if request then redis.call('HSET', REQUESTS, other, request) end
  if dead then redis.call('HSET', DEAD, other, dead) end
  if due then redis.call('ZADD', DUE, due, other) end
  if owns then redis.call('HSET', SIGNATURES, dedup_key(r), other) end
  if queued then enqueue(other, r, ARGV[9]) end
else
  count(r.status, -1)
  known = known - 1
  -- the cash of a page that an operator takes out goes with it: nobody else's score changes
  if t then credit(other, t, ARGV[9], cash, r.depth) else set_total('injected', total('injected') - cash) end
end
save_cash()
settle(host)
if ARGV[9] ~= '' then settle(ARGV[9]) end
return 1
