-- Forget URLs whose records still are what they were judged by; leased ones are left alone.
-- uses: records queues buckets cash
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] int   number of partitions
-- ARGV[3] int   1 = the virtual page keeps their cash, 0 = it spreads it over all that is left
-- ARGV[4..]     4 a URL: handle, and as they were read: db_status, fetch_time, time of the last link
-- returns the handles of those that are forgotten
local now, partitions, purged, cash = tonumber(ARGV[1]), tonumber(ARGV[2]), {}, 0
--#libraries
for i = 4, #ARGV, 4 do
  local key, r = ARGV[i], load_handle(ARGV[i])
  local same = r and r.status == tonumber(ARGV[i + 1]) and r.fetch_time == tonumber(ARGV[i + 2])
    and r.linked_at == tonumber(ARGV[i + 3])
  if same and r.state ~= LEASED then
    redis.call('HDEL', bucket(r.host, bucket_number(host(r.host), r.id)), r.id)
    for _, name in ipairs(BESIDE) do redis.call('HDEL', name, key) end
    redis.call('HDEL', DEAD, key)
    host(r.host).records = host(r.host).records - 1
    touch(r.host)
    set_state(r, nil)
    count(r.status, -1)
    known = known - 1
    cash = cash + r.cash + virtual
    purged[#purged + 1] = key
  end
end
if ARGV[3] == '1' then
  set_total('balance', total('balance') + cash)
elseif purged[1] then
  spread_or_pool(cash, partitions)
end
save_cash()
return finish(purged)
