-- @name night-shift
-- @service *
--   For one service write its name there: com.shop.OrderService
-- @timezone Asia/Shanghai
-- At night calls go to the providers with shift=night, by day to the others. Without any of them all are kept.

local FROM = 22 -- the first hour of the night
local UNTIL = 6 -- the first hour of the day; it may be the next day's

local hour = now.hour
local isNight = hour >= FROM or hour < UNTIL
if FROM < UNTIL then
    isNight = hour >= FROM and hour < UNTIL
end
local kept = {}
for _, invoker in ipairs(invokers) do
    if (invoker:param("shift") == "night") == isNight then
        table.insert(kept, invoker)
    end
end
return kept
