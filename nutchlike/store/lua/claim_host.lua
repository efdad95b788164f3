-- Ask a host's clock for one more request, for which there is no lease of its own.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] float delay between two requests to a host, seconds
-- ARGV[3..4]    site and queue of the URL
-- returns '0' when the request may be sent now (the clock moves on), else the seconds to wait, as text
local now = tonumber(ARGV[1])
--#libraries
local _, no = site_number(ARGV[3], ARGV[4])
local h = host(no)
if h.clock > now then return num(h.clock - now) end
local pause = math.max(tonumber(ARGV[2]), h.delay)
if pause > 0 then
  h.clock = now + pause
  touch(no)
end
return finish('0')
