-- Keep the delay that a site asks for; of several sites of one host the slowest counts.
-- uses: records queues clocks
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2] float delay between two requests to any other host, seconds
-- ARGV[3..4]    site and queue of a URL
-- ARGV[5] float seconds; '' = this site asks for none
-- returns 1
local now, delay = tonumber(ARGV[1]), tonumber(ARGV[2])
--#libraries
local site, no = site_number(ARGV[3], ARGV[4])
local h, seconds = host(no), tonumber(ARGV[5])
local before = pause_of(h)
if h.delay >= 0 and h.delay_site ~= site and before >= (seconds or 0) then return finish(1) end
h.delay, h.delay_site = seconds or -1, site
touch(no)
if seconds then
  -- the request before (that for robots.txt) was sent when nobody knew; without a delay no clock says when
  local clock, more = before == 0 and math.max(h.clock, now) or h.clock, seconds - before
  if more > 0 then h.clock = clock + more end
end
return finish(1)
