-- A Bloom filter that grows by parts: the server's own module where it was there when the filter began, else bits.
-- Part i (from 0) takes capacity * 2^i contents with an error of error / 2^(i+1), so all parts together stay below error.
-- A script that uses this calls begin_filter first and save_filter at its end.
local SIGNATURES, FILTER, PARTS, PENDING = KEYS[19], KEYS[31], KEYS[32], KEYS[33]
local BITS_MAX = 4294967295 -- of a Redis string

local filter, is_changed = {}, false
local function begin_filter(capacity, error_rate, has_module)
  local have = redis.call('HMGET', FILTER, 'kind', 'capacity', 'error', 'parts', 'last', 'entries')
  if have[1] then
    filter = { kind = have[1], capacity = tonumber(have[2]), error = tonumber(have[3]), parts = tonumber(have[4]),
      last = tonumber(have[5]), entries = tonumber(have[6]) }
    return
  end
  local kind = has_module == '1' and 'module' or 'bits'
  if kind == 'module' then redis.call('BF.RESERVE', PARTS .. 0, error_rate, capacity) end
  redis.call('HSET', FILTER, 'kind', kind, 'capacity', capacity, 'error', error_rate)
  filter = { kind = kind, capacity = tonumber(capacity), error = tonumber(error_rate), parts = 1, last = 0, entries = 0 }
  is_changed = true
end

local function save_filter()
  if not is_changed then return end
  redis.call('HSET', FILTER, 'parts', filter.parts, 'last', filter.last, 'entries', filter.entries)
end

-- Bits, hashes and contents of part i; the bits that its hashes need to keep its error when it is full.
local sizes = {}
local function size(i)
  if not sizes[i] then
    local hashes = math.ceil(math.log(2 ^ (i + 1) / filter.error) / math.log(2))
    local bits_each = -hashes / math.log(1 - (filter.error / 2 ^ (i + 1)) ^ (1 / hashes))
    local contents = math.min(filter.capacity * 2 ^ i, math.floor(BITS_MAX / bits_each))
    sizes[i] = { bits = math.ceil(contents * bits_each), hashes = hashes, contents = contents }
  end
  return sizes[i]
end

-- Positions of a content in part i, by enhanced double hashing: plain double hashing meets itself too often for small
-- errors. Returns what next_position needs.
local function first_position(content, i)
  local digest, bits = redis.sha1hex(content), size(i).bits
  return tonumber(string.sub(digest, 1, 8), 16) % bits, tonumber(string.sub(digest, 9, 16), 16) % bits, bits
end
local function next_position(x, y, bits, j) return (x + y) % bits, (y + j) % bits end

local function is_in_part(content, i)
  local x, y, bits = first_position(content, i)
  for j = 1, size(i).hashes do
    if redis.call('GETBIT', PARTS .. i, x) == 0 then return false end
    x, y = next_position(x, y, bits, j)
  end
  return true
end

local function filter_has(content)
  if filter.kind == 'module' then return redis.call('BF.EXISTS', PARTS .. 0, content) == 1 end
  for i = filter.parts - 1, 0, -1 do -- the last one has most of the contents
    if is_in_part(content, i) then return true end
  end
  return false
end

local function filter_add(content)
  is_changed, filter.entries = true, filter.entries + 1
  if filter.kind == 'module' then return redis.call('BF.ADD', PARTS .. 0, content) end
  if filter.last >= size(filter.parts - 1).contents then filter.parts, filter.last = filter.parts + 1, 0 end
  filter.last = filter.last + 1
  local part, set = filter.parts - 1, {}
  local x, y, bits = first_position(content, part)
  for j = 1, size(part).hashes do
    local n = 4 * j
    set[n - 3], set[n - 2], set[n - 1], set[n] = 'SET', 'u1', x, 1
    x, y = next_position(x, y, bits, j)
  end
  redis.call('BITFIELD', PARTS .. part, unpack(set))
end
