-- Move URLs between the queues of their hosts, leases, due times and dead letters; needs records.lua, `now` above it.
-- A queue holds buckets, not URLs: the rank of a bucket is at least that of its best waiting URL. What is found to be
-- too high is set right when it is met, so that a record alone says where its URL is.
local READY, READY_AGAIN, BLOCKED, LEASES, LEASE_INFO, DUE, DEAD =
  KEYS[12], KEYS[13], KEYS[14], KEYS[15], KEYS[16], KEYS[17], KEYS[18]
local limits = redis.call('HMGET', TOTALS, 'per_host', 'host_max', 'window', 'link_times')
local per_host, host_max, window = tonumber(limits[1] or '1'), tonumber(limits[2] or '-1'), tonumber(limits[3] or '0')
local buried = 0

local function put(key, score, member)
  if score then redis.call('ZADD', key, score, member) else redis.call('ZREM', key, member) end
end

local function best(queue, no) return redis.call('ZREVRANGE', queue .. no, 0, 0, 'WITHSCORES')[2] end

-- Put a host where it belongs: ready with its best ranks, blocked until its clock allows, or nowhere.
local function settle(h)
  local new = (host_max < 0 or h.taken < host_max) and best(QUEUES, h.no)
  local again = best(AGAIN, h.no)
  local open = (new or again) and h.active < per_host
  local later = open and h.clock > now
  put(READY, open and not later and new, h.no)
  put(READY_AGAIN, open and not later and again, h.no)
  put(BLOCKED, later and num(h.clock), h.no)
  h.unsettled = false
end

local function touch(no)
  host(no).unsettled = true
  host(no).changed = true
end

-- Every script ends with this: counters, hosts.
local function finish(reply)
  for _, h in pairs(hosts) do
    if h.unsettled then settle(h) end
    if h.changed then
      redis.call('HSET', HOSTS, h.no,
        struct.pack(HOST, h.records, h.buckets, h.waiting, h.active, h.taken, h.failures, h.delay_site,
          h.clock, h.delay, h.held_until) .. h.name)
    end
  end
  for name, n in pairs(changes) do
    if n ~= 0 then redis.call('HINCRBY', COUNTS, name, n) end
  end
  return reply
end

local function rank(r) return r.cash + r.priority end
-- Pages that were taken up before wait apart, so that neither they nor new ones starve.
local function queue_for(status, flags) return (has(flags, TAKEN) or status ~= UNFETCHED) and AGAIN or QUEUES end
local function queue_of(r) return queue_for(r.status, r.flags) end

local function set_state(r, state)
  local h = host(r.host)
  h.waiting = h.waiting + (state == WAITING and 1 or 0) - (r.state == WAITING and 1 or 0)
  h.changed = true
  if COUNTED[r.state] then count(COUNTED[r.state], -1) end
  if COUNTED[state] then count(COUNTED[state], 1) end
  r.state = state
end

-- A new status comes with a new fetch, which says itself whose content the page has.
local function set_status(r, status)
  if r.status == DUPLICATE then redis.call('HDEL', COPIES, handle(r)) end
  count(r.status, -1)
  count(status, 1)
  r.status = status
end

-- As if the page had never been fetched; its dedup key stays, so that the next fetch gives it up (a duplicate's is
-- another page's).
local function forget_fetches(r)
  local content = r.status ~= DUPLICATE and dedup_key(r) or ''
  r.signature = content ~= '' and '\0' .. content or ''
  r.validators = ''
  r.retries, r.attempts, r.modified_time = 0, 0, 0
  set_status(r, UNFETCHED)
end

-- A bucket ranks as high as each record in it that waits; only a better best one can matter to its host.
local function raise_bucket(queue, no, i, rank_)
  if redis.call('ZADD', queue .. no, 'GT', 'CH', num(rank_), i) == 1 then host(no).unsettled = true end
end
local function raise(r) raise_bucket(queue_of(r), r.host, bucket_number(host(r.host), r.id), rank(r)) end

local function enqueue(r)
  set_state(r, WAITING)
  save(r)
  raise(r)
end

local function wait_until_due(r)
  set_state(r, DUE_LATER)
  save(r)
  redis.call('ZADD', DUE, 'LT', r.fetch_time, place(r.host, bucket_number(host(r.host), r.id)))
end

local function bury(r, reason)
  set_state(r, DEAD_LETTER)
  save(r)
  redis.call('HSET', DEAD, handle(r), reason)
  buried = buried + 1
end

-- What cannot be read is taken for a waiting URL, for that is where it is met.
local function bury_unreadable(no, id)
  if redis.call('HSETNX', DEAD, struct.pack('>I4', no) .. id, 'unreadable record') == 1 then
    count('waiting', -1)
    count('dead', 1)
    host(no).waiting = math.max(host(no).waiting - 1, 0)
    host(no).changed = true
    buried = buried + 1
  end
end

-- Take a lease away; returns false when `worker` does not hold it (nil = whoever holds it).
local function unlease(key, worker)
  local holder = redis.call('HGET', LEASE_INFO, key)
  if not holder or (worker and holder ~= worker) then return false end
  redis.call('HDEL', LEASE_INFO, key)
  redis.call('ZREM', LEASES, key)
  local no = struct.unpack('>I4', key)
  host(no).active = math.max(host(no).active - 1, 0)
  touch(no)
  return true
end

-- A lease was lost: the URL waits again, or becomes a dead letter after `most` losses.
local function lose(key, most)
  local r = load_handle(key)
  if not unlease(key, nil) then
    redis.call('ZREM', LEASES, key)
    return
  end
  if r == false then bury_unreadable(struct.unpack('>I4', key), string.sub(key, 5)) end
  if not r then return end
  r.attempts = math.min(r.attempts + 1, 255)
  if r.attempts >= most then bury(r, 'lost ' .. r.attempts .. ' leases') else enqueue(r) end
end
