-- Look over some buckets of a host: every URL must be where its record says. With repair the record is believed.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   number of the host
-- ARGV[3..4]    int first and last bucket
-- ARGV[5] int   1 = repair
-- returns {sum of the cash of the records as text, {counter, URLs, ...}, {problem, handle, ...}}
local now, no, repair = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[5] == '1'
--#libraries
local tally, problems, cash, rounding, stored = {}, {}, 0, 0, {}
local function add(name) tally[name] = (tally[name] or 0) + 1 end

-- Note what is wrong with a record; `mend` sets it right. What is counted is what stays.
local function wrong(r, problem, mend)
  problems[#problems + 1] = problem
  problems[#problems + 1] = handle(r)
  if repair then mend() end
end

local function check(r, i)
  local key, holder, reason = handle(r), redis.call('HGET', LEASE_INFO, handle(r)), redis.call('HGET', DEAD, handle(r))
  if bucket_number(host(no), r.id) ~= i then
    wrong(r, 'in the wrong bucket', function()
      redis.call('HDEL', bucket(no, i), r.id)
      if r.state == DUE_LATER then wait_until_due(r) else save(r) end
      if r.state == WAITING then raise(r) end
    end)
    return not (repair and bucket_number(host(no), r.id) > i) -- else it is met there
  end
  if r.state == LEASED and not (holder and redis.call('ZSCORE', LEASES, key)) then
    wrong(r, 'leased to nobody', function()
      redis.call('HDEL', LEASE_INFO, key)
      redis.call('ZREM', LEASES, key)
      enqueue(r)
    end)
  elseif r.state ~= LEASED and holder then
    wrong(r, 'has a lease that it does not know', function()
      redis.call('HDEL', LEASE_INFO, key)
      redis.call('ZREM', LEASES, key)
    end)
  end
  if r.state == DEAD_LETTER and not reason then
    wrong(r, 'dead without a reason', function() redis.call('HSET', DEAD, key, 'reason lost') end)
  elseif r.state ~= DEAD_LETTER and reason then
    wrong(r, 'has a dead letter that it does not know', function() redis.call('HDEL', DEAD, key) end)
  end
  if r.state == WAITING and tonumber(redis.call('ZSCORE', queue_of(r) .. no, i) or '-inf') < rank(r) then
    wrong(r, 'waits in no queue', function() raise(r) end)
  elseif r.state == DUE_LATER and tonumber(redis.call('ZSCORE', DUE, place(no, i)) or 'inf') > r.fetch_time then
    wrong(r, 'due in no queue', function() wait_until_due(r) end)
  end
  if has(r.flags, HAS_REQUEST) and redis.call('HEXISTS', REQUESTS, key) == 0 then
    wrong(r, 'its request is lost', function()
      r.flags = with(r.flags, HAS_REQUEST, false)
      bury(r, 'its request is lost')
    end)
  end
  if has(r.flags, HAS_METADATA) and redis.call('HEXISTS', METADATA, key) == 0 then
    wrong(r, 'its metadata is lost', function()
      r.flags = with(r.flags, HAS_METADATA, false)
      save(r)
    end)
  end
  return true
end

local function tally_record(r)
  local sum = cash + r.cash -- what is lost in rounding is added at the end
  rounding = rounding + (math.abs(cash) >= math.abs(r.cash) and (cash - sum) + r.cash or (r.cash - sum) + cash)
  cash = sum
  add(r.state == LEASED and 'leased' or COUNTED[r.state])
  add(tostring(r.status))
  add('records')
end

local function tally_unreadable(id)
  if redis.call('HEXISTS', DEAD, struct.pack('>I4', no) .. id) == 0 then
    wrong({ host = no, id = id }, 'cannot be read', function() bury_unreadable(no, id) end)
  end
  add('dead')
  add('unreadable')
  add('records')
end

for i = tonumber(ARGV[3]), tonumber(ARGV[4]) do
  local all = redis.call('HGETALL', bucket(no, i))
  for k = 1, #all, 2 do
    local r = decode(all[k + 1], no, all[k])
    if not r then tally_unreadable(all[k]) elseif check(r, i) then tally_record(r) end
  end
end
changes = {} -- counters are set by the tallies, when nobody works (set_counts.lua)
if repair then touch(no) end
finish()
for name, n in pairs(tally) do
  stored[#stored + 1] = name
  stored[#stored + 1] = n
end
return { num(cash + rounding), stored, problems }
