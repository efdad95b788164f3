-- Host clocks: the epoch seconds from which a host may be asked; needs records.lua and queues.lua, `delay` above it.

-- The seconds between two requests to a host.
local function pause_of(h) return h.delay >= 0 and h.delay or delay end

-- A request to the host leaves now.
local function start_pause(h)
  local pause = pause_of(h)
  if pause > 0 then h.clock = now + pause end
  touch(h.no)
end

-- The host of a URL; one that is not normalized has no site, and its queue says where it belongs.
local function host_of(site, queue)
  local known = site ~= '' and redis.call('HGET', SITES, site)
  return host(tonumber(known and string.match(known, '%d+$') or host_number(queue)))
end
