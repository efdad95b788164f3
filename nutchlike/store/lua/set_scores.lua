-- Give known URLs new scores: each has so much cash from now on, and the difference counts as injected.
-- uses: records queues
-- KEYS          all of a partition (keys.py)
-- ARGV[1] float now, epoch seconds
-- ARGV[2..]     2 a URL: handle, score as text
-- returns how many there are
local now = tonumber(ARGV[1])
--#libraries
local virtual, injected, found = total('virtual'), 0, 0
for i = 2, #ARGV, 2 do
  local r = load_handle(ARGV[i])
  if r then
    local cash = tonumber(ARGV[i + 1]) - virtual
    injected = injected + (cash - r.cash)
    r.cash = cash
    save(r)
    if r.state == WAITING then raise(r) end
    found = found + 1
  end
end
set_total('injected', total('injected') + injected)
return finish(found)
