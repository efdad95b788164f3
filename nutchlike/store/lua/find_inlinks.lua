-- Find the pages that link to a URL, in a part of the web graph.
-- uses: records
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   where the last call stopped (HSCAN), '0' = at the beginning
-- ARGV[2] int   about how many pages' lists to look through
-- ARGV[3] str   url id
-- returns {where the next call goes on ('0' = that was all), then for each page: handle, record, scheme://authority,
--          number of its links, place of this one among them (from 0), anchors or ''}
--#libraries
local found, id = redis.call('HSCAN', LINKS, ARGV[1], 'COUNT', ARGV[2]), ARGV[3]
local reply = { found[1] }
for i = 1, #found[2], 2 do
  local key, ids = found[2][i], found[2][i + 1]
  local at = string.find(ids, id, 1, true)
  while at and at % 8 ~= 1 do at = string.find(ids, id, at + 1, true) end
  local no, source = struct.unpack('>I4', key), string.sub(key, 5)
  local raw = at and redis.call('HGET', bucket(no, bucket_number(host(no), source)), source)
  local r = raw and decode(raw, no, source)
  if r then
    for _, value in ipairs({ key, raw, redis.call('HGET', SITE_NAMES, r.site) or '', #ids / 8, (at - 1) / 8,
      redis.call('HGET', ANCHORS, key) or '' }) do
      reply[#reply + 1] = value
    end
  end
end
return reply
