-- @name weekday-maintenance
-- @service *
--   For one service write its name there: com.shop.OrderService
-- @timezone Asia/Shanghai
-- Keeps away from providers with maintenance=DAY while it is their day and hour. If that leaves none, all are kept.

local DAYS = { [3] = "wednesday", [7] = "sunday" } -- 1 is Monday
local FROM = 2 -- the first hour
local UNTIL = 5 -- the first hour after it

local day = DAYS[now.weekday]
if not day or now.hour < FROM or now.hour >= UNTIL then
    return invokers
end
local kept = {}
for _, invoker in ipairs(invokers) do
    if invoker:param("maintenance") ~= day then
        table.insert(kept, invoker)
    end
end
return kept
