-- Read and write CrawlDb records (codec.py has the same layout).
-- KEYS[1..7]: see PARTITION_KEYS in keys.py
local RECORDS, SITES, SITE_NAMES, METADATA, REQUESTS, TOTALS, COUNTS =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local VERSION, FORMAT, HEADER = 1, '>BBBBBBddI4I4I4I4B', 39
local HAS_METADATA, HAS_REQUEST, ONCE = 1, 2, 4
local UNFETCHED = 1

local function num(x) return string.format('%.17g', x) end
local function total(name) return tonumber(redis.call('HGET', TOTALS, name) or '0') end
local function set_total(name, x) redis.call('HSET', TOTALS, name, num(x)) end
local function count(name, n) if n ~= 0 then redis.call('HINCRBY', COUNTS, name, n) end end
local function has(flags, bit_) return bit.band(flags, bit_) ~= 0 end

local function bucket(id)
  local a, b = string.byte(id, 1, 2)
  return RECORDS .. (a * 64 + math.floor(b / 4))
end

-- Returns nil for no record, false for one that cannot be read. Cash that is no finite number becomes that of
-- a page that was given nothing of its own.
local function decode(raw)
  if not raw then return nil end
  if #raw < HEADER or string.byte(raw) ~= VERSION then return false end
  local r, size, _ = {}, nil, nil
  _, r.status, r.retries, r.attempts, r.flags, r.depth, r.cash, r.history, r.fetch_time, r.modified_time,
    r.interval, r.site, size = struct.unpack(FORMAT, raw)
  if r.cash ~= r.cash or math.abs(r.cash) == math.huge then
    r.cash = 0
    count('repaired', 1)
  end
  r.signature = string.sub(raw, HEADER + 1, HEADER + size)
  r.path = string.sub(raw, HEADER + size + 1)
  return r
end

-- r.signature holds the length of the signature, the signature, the dedup key (codec.py: encode_signatures).
local function dedup_key(r)
  if r.signature == '' then return '' end
  return string.sub(r.signature, 2 + string.byte(r.signature))
end

local function load(id) return decode(redis.call('HGET', bucket(id), id)) end

local function save(id, r)
  redis.call('HSET', bucket(id), id, struct.pack(FORMAT, VERSION, r.status, math.min(r.retries, 255), r.attempts, r.flags, r.depth,
    r.cash, r.history, r.fetch_time, r.modified_time, r.interval, r.site, #r.signature) .. r.signature .. r.path)
end

local site_cache = {}
local function site_number(site, host)
  local known = site_cache[site]
  if not known then
    known = tonumber(redis.call('HGET', SITES, site) or nil)
    if not known then
      known = redis.call('HLEN', SITES) + 1
      redis.call('HSET', SITES, site, known)
      redis.call('HSET', SITE_NAMES, known, host .. ' ' .. site)
    end
    site_cache[site] = known
  end
  return known
end

-- Returns the host and scheme://authority of a record.
local function site_of(r) return string.match(redis.call('HGET', SITE_NAMES, r.site) or ' ', '^(%S*) (.*)$') end

-- Returns the id under which this URL is kept, and its record: another URL with the same id moves it on.
local function find(id, site, path)
  while true do
    local r = load(id)
    if not r or (r.site == site and r.path == path) then return id, r end
    local hex = redis.sha1hex(id .. site .. path)
    id = string.gsub(string.sub(hex, 1, 16), '%x%x', function(h) return string.char(tonumber(h, 16)) end)
  end
end
