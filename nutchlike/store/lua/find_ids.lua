-- Find the URLs of url ids among some hosts: an id alone does not say whose it is.
-- uses: records
-- KEYS          all of a partition (keys.py)
-- ARGV[1..2]    int first and last number of the hosts
-- ARGV[3..]     url ids
-- returns {for each that is there: id, record, scheme://authority}
local reply = {}
--#libraries
for no = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  for i = 3, #ARGV do
    local raw = redis.call('HGET', bucket(no, bucket_number(host(no), ARGV[i])), ARGV[i])
    local r = raw and decode(raw, no, ARGV[i])
    if r then
      for _, value in ipairs({ ARGV[i], raw, redis.call('HGET', SITE_NAMES, r.site) or '' }) do
        reply[#reply + 1] = value
      end
    end
  end
end
return reply
