-- Find what no record knows of: leases, dead letters and what is kept beside the records of URLs that are not there.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] str   the hash: lease_info, dead, metadata, requests, links, anchors, origins, sketches, copies
-- ARGV[2] int   1 = remove them
-- ARGV[3..]     handles
-- returns those that are strays
local now, strays = 0, {}
--#libraries
local name = ({ lease_info = LEASE_INFO, dead = DEAD, metadata = METADATA, requests = REQUESTS, links = LINKS,
  anchors = ANCHORS, origins = ORIGINS, sketches = SKETCHES, copies = COPIES })[ARGV[1]]
for i = 3, #ARGV do
  local key = ARGV[i]
  local no, id = struct.unpack('>I4', key), string.sub(key, 5)
  if redis.call('HEXISTS', bucket(no, bucket_number(host(no), id)), id) == 0 then
    strays[#strays + 1] = key
    if ARGV[2] == '1' then
      redis.call('HDEL', name, key)
      if name == LEASE_INFO then redis.call('ZREM', LEASES, key) end
    end
  end
end
return strays
