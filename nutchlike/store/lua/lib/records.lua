-- Read and write CrawlDb records (codec.py has the same layout), host by host.
-- KEYS: see PARTITION_KEYS in keys.py. A script that uses this ends with finish().
local RECORDS, QUEUES, AGAIN, HOSTS, HOST_NUMBERS, SITES, SITE_NAMES, METADATA, REQUESTS, TOTALS, COUNTS =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local LINKS, ANCHORS, ORIGINS, SKETCHES, COPIES = KEYS[25], KEYS[26], KEYS[27], KEYS[28], KEYS[34]
local BESIDE = { METADATA, REQUESTS, LINKS, ANCHORS, ORIGINS, SKETCHES, COPIES } -- kept of a record under its handle
local VERSION, HEADER, HEADER_SIZE, CASH_AT = 2, '>BI2BI3dI4', 19, 8
local HAS_METADATA, HAS_REQUEST, ONCE, TAKEN = 1, 2, 4, 8
local HAS_INTERVAL, HAS_HISTORY, HAS_MODIFIED, HAS_TROUBLE = 16, 32, 64, 128
local HAS_SIGNATURE, HAS_CASH_TIME, HAS_LINKED, HAS_VALIDATORS = 256, 512, 1024, 2048
local STATE = 4096 -- the state stands above the flags
local WAITING, LEASED, DUE_LATER, DEAD_LETTER, DONE = 1, 2, 3, 4, 5
local COUNTED = { [WAITING] = 'waiting', [DUE_LATER] = 'due', [DEAD_LETTER] = 'dead', [DONE] = 'done' }
local UNFETCHED, FETCHED, NOTMODIFIED, DUPLICATE = 1, 2, 6, 7
local COMMON_INTERVAL, HOST, HOST_SIZE = 2592000, '>I4I4I4I4I4I4I4ddd', 52
local COMMON_SIGNATURE = 25 -- its length, 16 bytes of signature, 8 of the dedup key
local BUCKET = 28 -- records in a bucket on average; small hashes are kept compactly by Redis

local BUCKETS_MAX = 128 -- looked through in one call, to keep it short: 15 to 30 ms

local function num(x) return string.format('%.17g', x) end
local function total(name) return tonumber(redis.call('HGET', TOTALS, name) or '0') end
local function set_total(name, x) redis.call('HSET', TOTALS, name, num(x)) end
local function has(flags, bit_) return bit.band(flags, bit_) ~= 0 end
local function with(flags, bit_, on) return on and bit.bor(flags, bit_) or bit.band(flags, bit.bnot(bit_)) end

local changes = {}
local function count(name, n) changes[name] = (changes[name] or 0) + n end

-- A host (host_records.py has the same layout): records, buckets that they are spread over, URLs that wait, leased URLs,
-- URLs ever taken up, failures in a row, number of the site whose robots.txt sets the delay, epoch seconds from which
-- it may be asked, that delay (seconds, -1 = none), epoch seconds until which the last failure holds it, name.
local hosts = {}
local function host(no)
  if hosts[no] then return hosts[no] end
  local raw, h = redis.call('HGET', HOSTS, no), { no = no, level = 1 }
  h.records, h.buckets, h.waiting, h.active, h.taken, h.failures, h.delay_site, h.clock, h.delay, h.held_until, h.name =
    0, 1, 0, 0, 0, 0, 0, 0, -1, 0, ''
  if raw then
    h.records, h.buckets, h.waiting, h.active, h.taken, h.failures, h.delay_site, h.clock, h.delay, h.held_until =
      struct.unpack(HOST, raw)
    h.name = string.sub(raw, HOST_SIZE + 1)
  end
  while h.level < h.buckets do h.level = h.level * 2 end
  hosts[no] = h
  return h
end

local function bucket_number(h, id)
  local i = struct.unpack('>I4', id) % h.level
  return i < h.buckets and i or i - h.level / 2
end
local function bucket(no, i) return RECORDS .. no .. ':' .. i end
local function place(no, i) return struct.pack('>I4I4', no, i) end -- of a bucket, among those of all hosts
local function handle(r) return struct.pack('>I4', r.host) .. r.id end

-- Returns nil for no record, false for one that cannot be read. Cash that is no finite number becomes that of
-- a page that was given nothing of its own.
local function is_readable(raw) return #raw >= HEADER_SIZE and math.floor(string.byte(raw) / 16) == VERSION end

local function decode(raw, no, id)
  if not raw then return nil end
  if not is_readable(raw) then return false end
  local r, at, size, _ = { host = no, id = id, interval = COMMON_INTERVAL, history = 0, retries = 0, attempts = 0,
    signature = '', validators = '', priority = 0, cash_time = 0, linked_at = 0 }, HEADER_SIZE + 1, nil, nil
  r.status, r.flags, r.depth, r.site, r.cash, r.fetch_time = struct.unpack(HEADER, raw)
  r.status, r.state, r.flags = r.status % 16, math.floor(r.flags / STATE), r.flags % STATE
  if has(r.flags, HAS_REQUEST) then r.priority, at = struct.unpack('>d', raw, at) end
  if has(r.flags, HAS_INTERVAL) then r.interval, at = struct.unpack('>I4', raw, at) end
  if has(r.flags, HAS_HISTORY) then r.history, at = struct.unpack('>d', raw, at) end
  r.modified_time = has(r.flags, HAS_HISTORY) and r.fetch_time - r.interval or 0
  if has(r.flags, HAS_MODIFIED) then r.modified_time, at = struct.unpack('>I4', raw, at) end
  if has(r.flags, HAS_TROUBLE) then r.retries, r.attempts, at = struct.unpack('>BB', raw, at) end
  if has(r.flags, HAS_CASH_TIME) then r.cash_time, at = struct.unpack('>d', raw, at) end
  if has(r.flags, HAS_LINKED) then r.linked_at, at = struct.unpack('>I4', raw, at) end
  if has(r.flags, HAS_SIGNATURE) then
    size, at = string.byte(raw, at), at + 1
    if size == 0 then r.signature, size = '\16', COMMON_SIGNATURE - 1 end
    r.signature, at = r.signature .. string.sub(raw, at, at + size - 1), at + size
  end
  if has(r.flags, HAS_VALIDATORS) then
    size, at = string.byte(raw, at), at + 1
    r.validators, at = string.sub(raw, at, at + size - 1), at + size
  end
  if r.cash ~= r.cash or math.abs(r.cash) == math.huge then
    r.cash, r.repaired = 0, true
    count('repaired', 1)
  end
  r.path = '/' .. string.sub(raw, at)
  return r
end

-- r.signature holds the length of the signature, the signature, the dedup key (codec.py: encode_signatures).
local function dedup_key(r)
  if r.signature == '' then return '' end
  return string.sub(r.signature, 2 + string.byte(r.signature))
end

local function load(no, id)
  return decode(redis.call('HGET', bucket(no, bucket_number(host(no), id)), id), no, id)
end
local function load_handle(key) return load(struct.unpack('>I4', key), string.sub(key, 5)) end

local function fit(seconds) return math.max(0, math.min(seconds, 4294967295)) end -- in 4 bytes: year 2106 at most

local function save(r)
  r.fetch_time, r.interval, r.modified_time = fit(r.fetch_time), fit(r.interval), fit(r.modified_time)
  local past, usual = r.history ~= 0, r.history ~= 0 and r.fetch_time - r.interval or 0
  local trouble = r.retries ~= 0 or r.attempts ~= 0
  local flags = with(with(r.flags, HAS_INTERVAL, r.interval ~= COMMON_INTERVAL), HAS_HISTORY, past)
  flags = with(with(flags, HAS_MODIFIED, r.modified_time ~= usual), HAS_TROUBLE, trouble)
  flags = with(with(flags, HAS_SIGNATURE, r.signature ~= ''), HAS_CASH_TIME, r.cash_time ~= 0)
  local validators = r.signature ~= '' and r.validators or '' -- they are of that content
  r.flags = with(with(flags, HAS_LINKED, r.linked_at ~= 0), HAS_VALIDATORS, validators ~= '')
  local raw = struct.pack(HEADER, VERSION * 16 + r.status, r.state * STATE + r.flags, r.depth, r.site, r.cash, r.fetch_time)
  if has(r.flags, HAS_REQUEST) then raw = raw .. struct.pack('>d', r.priority) end
  if has(r.flags, HAS_INTERVAL) then raw = raw .. struct.pack('>I4', r.interval) end
  if past then raw = raw .. struct.pack('>d', r.history) end
  if has(r.flags, HAS_MODIFIED) then raw = raw .. struct.pack('>I4', r.modified_time) end
  if trouble then raw = raw .. struct.pack('>BB', math.min(r.retries, 255), r.attempts) end
  if r.cash_time ~= 0 then raw = raw .. struct.pack('>d', r.cash_time) end
  if r.linked_at ~= 0 then raw = raw .. struct.pack('>I4', fit(r.linked_at)) end
  if #r.signature == COMMON_SIGNATURE and string.byte(r.signature) == 16 then
    raw = raw .. '\0' .. string.sub(r.signature, 2)
  elseif r.signature ~= '' then
    raw = raw .. string.char(#r.signature) .. r.signature
  end
  if validators ~= '' then raw = raw .. string.char(#validators) .. validators end
  raw = raw .. string.sub(r.path, 2)
  redis.call('HSET', bucket(r.host, bucket_number(host(r.host), r.id)), r.id, raw)
  return raw
end

-- Adds a JSON object to the record's metadata, whose names it replaces, or takes away (null); the caller saves the record.
local function merge_metadata(r, more)
  local old = redis.call('HGET', METADATA, handle(r))
  local merged = old and cjson.decode(old) or {}
  for key, value in pairs(cjson.decode(more)) do merged[key] = value ~= cjson.null and value or nil end
  if next(merged) then
    redis.call('HSET', METADATA, handle(r), cjson.encode(merged))
  else
    redis.call('HDEL', METADATA, handle(r))
  end
  r.flags = with(r.flags, HAS_METADATA, next(merged) ~= nil)
end

local function host_number(queue)
  local no = redis.call('HGET', HOST_NUMBERS, queue)
  if not no then
    no = tostring(redis.call('HLEN', HOST_NUMBERS) + 1)
    redis.call('HSET', HOST_NUMBERS, queue, no)
    host(tonumber(no)).name = queue
    host(tonumber(no)).changed = true
  end
  return no
end

-- Returns the number of scheme://authority and that of its host; both are made when they are new. A site that is known
-- stays with its host, whatever queue it would have now.
local known_sites = {}
local function site_number(site, queue)
  local known = known_sites[site] or redis.call('HGET', SITES, site)
  if not known then
    local no = host_number(queue)
    local number = redis.call('HLEN', SITES) + 1
    known = number .. ' ' .. no
    redis.call('HSET', SITES, site, known)
    redis.call('HSET', SITE_NAMES, number, site)
  end
  known_sites[site] = known
  local number, no = string.match(known, '^(%d+) (%d+)$')
  return tonumber(number), tonumber(no)
end

-- Returns the id under which this URL is kept, and its record: another URL with the same id moves it on.
local function find(no, id, site, path)
  while true do
    local r = load(no, id)
    if not r or (r.site == site and r.path == path) then return id, r end
    local hex = redis.sha1hex(id .. site .. path)
    id = string.gsub(string.sub(hex, 1, 16), '%x%x', function(h) return string.char(tonumber(h, 16)) end)
  end
end
