-- Give cash to URLs and make unknown ones known; needs records.lua and queues.lua.
local virtual, known, residue = total('virtual'), total('known'), total('residue')

-- A page that becomes known: its cash is kept relative to V, the cash that every known page has got so far.
local function create(id, site, path, host, cash, interval, depth, metadata, priority, request, once)
  local flags = 0
  if metadata ~= '' then
    flags = flags + HAS_METADATA
    redis.call('HSET', METADATA, id, metadata)
  end
  if request ~= '' then
    flags = flags + HAS_REQUEST + (once == '1' and ONCE or 0)
    redis.call('HSET', REQUESTS, id, struct.pack('>d', tonumber(priority)) .. request)
  end
  local r = { status = UNFETCHED, retries = 0, attempts = 0, flags = flags, depth = math.min(depth, 255),
    cash = cash - virtual, history = 0, fetch_time = math.floor(now), modified_time = 0, interval = interval,
    site = site, signature = '', path = path }
  save(id, r)
  known = known + 1
  count(UNFETCHED, 1)
  enqueue(id, r, host)
end

-- Add cash to a known page; one that waits moves in its queue.
local function credit(id, r, host, cash, depth)
  r.cash = r.cash + cash
  r.depth = math.min(r.depth, depth)
  save(id, r)
  local queue = QUEUES .. host
  if redis.call('ZSCORE', queue, id) then redis.call('ZADD', queue, num(rank(id, r)), id) end
end

-- Spread the virtual page's cash in equal parts over all known pages, in O(1). V grows in steps of its last digit: what
-- rounding did not hand out (times all pages it is no trifle) waits as residue for the next time.
local function spread(cash)
  if known == 0 then return end
  local before = virtual
  virtual = virtual + (residue + cash) / known
  residue = residue + cash - (virtual - before) * known
end

local function save_cash()
  set_total('virtual', virtual)
  set_total('known', known)
  set_total('residue', residue)
end
