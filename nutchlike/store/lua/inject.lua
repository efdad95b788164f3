-- Make seeds known, or merge them into what is known.
-- uses: records queues buckets cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] str   what happens to a known URL: keep, update, overwrite, credit (it gets the cash)
-- ARGV[3..]     14 a seed: id, site, path, queue, cash, interval (s), score given (0|1), interval given (0|1),
--               metadata JSON or '', priority, stored request or '', once (0|1), list:line that names it or '',
--               epoch seconds: a known page whose last fetch was before is due now, 0 = none is
-- returns {how many became known, how many were changed}
local now, mode = tonumber(ARGV[1]), ARGV[2]
--#libraries
local created, changed, injected = 0, 0, 0

local function merge(r, cash, interval, score_given, interval_given, metadata)
  local have, key = r.cash + virtual, handle(r)
  if mode == 'overwrite' then
    redis.call('HDEL', METADATA, key)
    r.flags = with(r.flags, HAS_METADATA, false)
    forget_fetches(r)
    r.fetch_time = math.floor(now)
    score_given, interval_given = '1', '1'
  end
  if interval_given == '1' then r.interval = interval end
  if score_given == '1' then
    injected = injected + cash - have
    r.cash = cash - virtual
  end
  if metadata ~= '' then merge_metadata(r, metadata) end
  if mode == 'overwrite' and r.state ~= LEASED then
    redis.call('HDEL', DEAD, key)
    enqueue(r)
  else
    save(r)
    if r.state == WAITING then raise(r) end
  end
end

-- Whether a page that is not due yet was fetched before, as far as its interval tells; one that is tried again was not.
local function is_older(r, changed_at)
  return changed_at > 0 and r.state == DUE_LATER and r.status ~= UNFETCHED and r.fetch_time - r.interval < changed_at
end

for i = 3, #ARGV, 14 do
  local id, site, path, queue, cash, interval, score_given, interval_given, metadata, priority, request, once, origin, changed_at =
    unpack(ARGV, i, i + 13)
  local number, no = site_number(site, queue)
  cash, interval = tonumber(cash), tonumber(interval)
  local known_as, r = find(no, id, number, path)
  if r == nil then
    create(no, known_as, number, path, cash, interval, 0, 0, metadata, priority, request, once)
    created, injected = created + 1, injected + cash
  elseif r and mode == 'credit' then
    credit(r, cash, r.depth)
    changed, injected = changed + 1, injected + cash
  elseif r and request == '' then
    local older = is_older(r, tonumber(changed_at))
    if mode ~= 'keep' then merge(r, cash, interval, score_given, interval_given, metadata) end
    if older and r.state == DUE_LATER then
      r.fetch_time = math.floor(now)
      enqueue(r)
    end
    if older or mode ~= 'keep' then changed = changed + 1 end
  end
  if origin ~= '' then
    redis.call(mode == 'overwrite' and 'HSET' or 'HSETNX', ORIGINS, struct.pack('>I4', no) .. known_as, origin)
  end
end
save_cash()
set_total('injected', total('injected') + injected)
return finish({ created, changed })
