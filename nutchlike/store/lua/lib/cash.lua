-- Give cash to URLs and make unknown ones known; needs records.lua, queues.lua and buckets.lua.
local virtual, known, residue = total('virtual'), total('known'), total('residue')

-- A page that becomes known: its cash is kept relative to V, the cash that every known page has got so far.
local function create(no, id, site, path, cash, interval, depth, metadata, priority, request, once)
  make_room(no)
  local r = { host = no, id = id, status = UNFETCHED, retries = 0, attempts = 0, flags = 0, depth = math.min(depth, 255),
    cash = cash - virtual, history = 0, fetch_time = math.floor(now), modified_time = 0, interval = interval,
    site = site, signature = '', path = path, priority = 0 }
  if metadata ~= '' then
    r.flags = HAS_METADATA
    redis.call('HSET', METADATA, handle(r), metadata)
  end
  if request ~= '' then
    r.flags = r.flags + HAS_REQUEST + (once == '1' and ONCE or 0)
    r.priority = tonumber(priority)
    redis.call('HSET', REQUESTS, handle(r), request)
  end
  known = known + 1
  count(UNFETCHED, 1)
  enqueue(r)
end

-- Add cash to a known page; one that waits moves in its queue.
local function credit(r, cash, depth)
  r.cash = r.cash + cash
  r.depth = math.min(r.depth, depth)
  save(r)
  if r.state == WAITING then raise(r) end
end

-- Pay an outlink its cash, known or not. Returns false when its record cannot be read.
local function pay(cash, interval, depth, id, site, path, queue, metadata, priority, request, once)
  local number, no = site_number(site, queue)
  local known_as, r = find(no, id, number, path)
  if r then
    credit(r, cash, depth)
  elseif r == nil then
    create(no, known_as, number, path, cash, interval, depth, metadata, priority, request, once)
  end
  return r ~= false
end

-- Spread the virtual page's cash in equal parts over all known pages, in O(1). V grows in steps of its last digit: what
-- rounding did not hand out (times all pages it is no trifle) waits as residue for the next time.
local function spread(cash)
  if known == 0 then
    residue = residue + cash
    return
  end
  local before = virtual
  virtual = virtual + (residue + cash) / known
  residue = residue + cash - (virtual - before) * known
end

-- Where there are several partitions the virtual page's cash waits in a pool until share_out.lua divides it.
local function spread_or_pool(cash, partitions)
  if partitions == 1 then spread(cash) else set_total('pool', total('pool') + cash) end
end

local function save_cash()
  set_total('virtual', virtual)
  set_total('known', known)
  set_total('residue', residue)
end
