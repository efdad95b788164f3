-- Make seeds known, or merge them into what is known.
-- uses: records queues cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host, where no crawl has said it
-- ARGV[3] str   what happens to a known URL: keep, update, overwrite
-- ARGV[4..]     12 a seed: id, site, path, host, cash, interval (s), score given (0|1), interval given (0|1),
--               metadata JSON or '', priority, stored request or '', once (0|1)
-- returns {how many became known, how many were changed}
local now, mode = tonumber(ARGV[1]), ARGV[3]
local per_host = tonumber(redis.call('HGET', KEYS[6], 'per_host') or ARGV[2])
--#libraries
local SIGNATURES = KEYS[17]
local created, changed, injected, touched = 0, 0, 0, {}

local function set_metadata(id, r, old, new)
  local merged = old ~= '' and cjson.decode(old) or {}
  for key, value in pairs(cjson.decode(new)) do merged[key] = value end
  redis.call('HSET', METADATA, id, cjson.encode(merged))
  r.flags = bit.bor(r.flags, HAS_METADATA)
end

local function merge(id, r, host, cash, interval, score_given, interval_given, metadata)
  local have = r.cash + virtual
  if mode == 'overwrite' then
    redis.call('HDEL', METADATA, id)
    r.flags = bit.band(r.flags, bit.bnot(HAS_METADATA))
    local key = dedup_key(r)
    if redis.call('HGET', SIGNATURES, key) == id then redis.call('HDEL', SIGNATURES, key) end
    r.signature, r.retries, r.attempts, r.modified_time = '', 0, 0, 0
    r.fetch_time = math.floor(now)
    set_status(r, UNFETCHED)
    score_given, interval_given = '1', '1'
  end
  if interval_given == '1' then r.interval = interval end
  if score_given == '1' then
    injected = injected + cash - have
    r.cash = cash - virtual
  end
  if metadata ~= '' then set_metadata(id, r, redis.call('HGET', METADATA, id) or '', metadata) end
  save(id, r)
  local queued = redis.call('ZSCORE', QUEUES .. host, id)
  local leased = redis.call('ZSCORE', LEASES, id)
  if queued or (mode == 'overwrite' and not leased) then
    redis.call('ZREM', DUE, id)
    redis.call('HDEL', DEAD, id)
    enqueue(id, r, host)
  end
end

for i = 4, #ARGV, 12 do
  local id, site, path, host, cash, interval, score_given, interval_given, metadata, priority, request, once =
    unpack(ARGV, i, i + 11)
  cash, interval, site = tonumber(cash), tonumber(interval), site_number(site, host)
  local r
  id, r = find(id, site, path)
  if r == nil then
    create(id, site, path, host, cash, interval, 0, metadata, priority, request, once)
    created, injected = created + 1, injected + cash
  elseif r and mode ~= 'keep' and request == '' then
    merge(id, r, host, cash, interval, score_given, interval_given, metadata)
    changed = changed + 1
  end
  touched[host] = true
end
save_cash()
set_total('injected', total('injected') + injected)
for host in pairs(touched) do settle(host) end
return { created, changed }
