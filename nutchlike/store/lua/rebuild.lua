-- Put every record of one bucket that is nowhere back to where it belongs.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   most leased URLs of one host
-- ARGV[3] int   number of the bucket
-- returns how many records were put back into a queue or among the due ones
local now, per_host = tonumber(ARGV[1]), tonumber(ARGV[2])
--#libraries
local back, touched = 0, {}
local all = redis.call('HGETALL', RECORDS .. ARGV[3])
for i = 1, #all, 2 do
  local id, r = all[i], decode(all[i + 1])
  local placed = redis.call('ZSCORE', LEASES, id) or redis.call('ZSCORE', DUE, id) or redis.call('HEXISTS', DEAD, id) == 1
  local host = r and site_of(r)
  if r == false and not placed then
    bury(id, 'unreadable record')
  elseif r and not placed and not redis.call('ZSCORE', QUEUES .. host, id) then
    local spent = has(r.flags, HAS_REQUEST) and redis.call('HEXISTS', REQUESTS, id) == 0
    if not spent then
      if r.fetch_time <= now then enqueue(id, r, host) else redis.call('ZADD', DUE, r.fetch_time, id) end
      back = back + 1
    end
  end
  if host then touched[host] = true end
end
for host in pairs(touched) do settle(host) end
return back
