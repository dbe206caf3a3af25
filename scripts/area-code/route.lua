-- @name area-code
-- @service *
--   For one service write its name there: com.shop.OrderService
-- Keeps the providers of the caller's area. A caller without an area, or in one that has no provider, gets all.

local KEY = "areaCode" -- the attachment of the call, and the parameter of the provider

local area = invocation:attachment(KEY, "")
local own = {}
for _, invoker in ipairs(invokers) do
    if area ~= "" and invoker:param(KEY) == area then
        table.insert(own, invoker)
    end
end
return if #own > 0 then own else invokers
