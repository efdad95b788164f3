-- Give cash to URLs and make unknown ones known; needs records.lua, queues.lua and buckets.lua.
local virtual, known, residue, distributed = total('virtual'), total('known'), total('residue'), total('distributed')
local linked_at = limits[4] == '1' and math.floor(now) or 0 -- when a link is seen now; 0 = the crawl keeps no such times

-- A page that becomes known: its cash is kept relative to V, the cash that every known page has got so far.
local function create(no, id, site, path, cash, interval, depth, linked, metadata, priority, request, once)
  make_room(no)
  local r = { host = no, id = id, status = UNFETCHED, retries = 0, attempts = 0, flags = 0, depth = math.min(depth, 255),
    cash = cash - virtual, history = 0, fetch_time = math.floor(now), modified_time = 0, interval = interval,
    site = site, signature = '', validators = '', path = path, priority = 0, cash_time = window > 0 and distributed or 0,
    linked_at = linked }
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

local function flags_of(raw) return string.byte(raw, 2) % 16 * 256 + string.byte(raw, 3) end

-- How much of a readable record comes before the time of its last link.
local function size_before_link(flags)
  return HEADER_SIZE + (has(flags, HAS_REQUEST) and 8 or 0) + (has(flags, HAS_INTERVAL) and 4 or 0)
    + (has(flags, HAS_HISTORY) and 8 or 0) + (has(flags, HAS_MODIFIED) and 4 or 0) + (has(flags, HAS_TROUBLE) and 2 or 0)
    + (has(flags, HAS_CASH_TIME) and 8 or 0)
end

-- Whether a readable record that was found under a URL's id is that URL's, and no other's with the same id.
local function is_of(raw, site, path)
  local flags = flags_of(raw)
  local at = size_before_link(flags) + (has(flags, HAS_LINKED) and 4 or 0)
  if has(flags, HAS_SIGNATURE) then
    local size = string.byte(raw, at + 1)
    at = at + 1 + (size == 0 and COMMON_SIGNATURE - 1 or size)
  end
  if has(flags, HAS_VALIDATORS) then at = at + 1 + string.byte(raw, at + 1) end
  return struct.unpack('>I3', raw, 5) == site and string.sub(raw, at + 1) == string.sub(path, 2)
end

-- Add cash to a page's record without decoding it; false when that is not enough. Most links lead to known pages.
local function credit_raw(no, id, site, path, cash, depth)
  local i = bucket_number(host(no), id)
  local name = bucket(no, i)
  local raw = redis.call('HGET', name, id)
  if not raw or not is_readable(raw) or not is_of(raw, site, path) then return false end
  local sum = struct.unpack('>d', raw, CASH_AT) + cash
  if sum ~= sum or math.abs(sum) == math.huge then return false end
  if linked_at > 0 then
    local flags = flags_of(raw)
    if not has(flags, HAS_LINKED) then return false end
    local before = size_before_link(flags)
    raw = string.sub(raw, 1, before) .. struct.pack('>I4', linked_at) .. string.sub(raw, before + 5)
  end
  redis.call('HSET', name, id, string.sub(raw, 1, 3) .. string.char(math.min(string.byte(raw, 4), depth))
    .. string.sub(raw, 5, 7) .. struct.pack('>d', sum) .. string.sub(raw, 16))
  local status, high, low = string.byte(raw, 1, 3)
  if math.floor(high / 16) == WAITING then
    if has(low, HAS_REQUEST) then sum = sum + struct.unpack('>d', raw, HEADER_SIZE + 1) end
    raise_bucket(queue_for(status % 16, low), no, i, sum)
  end
  return true
end

-- Pay an outlink its cash, known or not. Returns false when its record cannot be read.
local function pay(cash, interval, depth, id, site, path, queue, metadata, priority, request, once)
  local number, no = site_number(site, queue)
  if credit_raw(no, id, number, path, cash, depth) then return true end
  local known_as, r = find(no, id, number, path)
  if r then
    r.linked_at = math.max(r.linked_at, linked_at)
    credit(r, cash, depth)
  elseif r == nil then
    create(no, known_as, number, path, cash, interval, depth, linked_at, metadata, priority, request, once)
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

-- What a page spends goes into its history; with a window T, measured in cash that all pages have spent, older cash
-- fades (scoring/adaptive_opic.py has the same formula and its source).
local function remember(r, spent)
  distributed = distributed + spent
  if window <= 0 then
    r.history = r.history + spent
    return
  end
  local length, elapsed = window * total('injected'), distributed - r.cash_time
  if elapsed < length then
    r.history = r.history * (length - elapsed) / length + spent
  else
    r.history = spent * length / elapsed
  end
  r.cash_time = distributed
end

-- Where there are several partitions the virtual page's cash waits in a pool until share_out.lua divides it.
local function spread_or_pool(cash, partitions)
  if partitions == 1 then spread(cash) else set_total('pool', total('pool') + cash) end
end

local function save_cash()
  set_total('virtual', virtual)
  set_total('known', known)
  set_total('residue', residue)
  set_total('distributed', distributed)
end
