-- @name same-region-first
-- @service *
--   For one service write its name there: com.shop.OrderService
-- Keeps the providers in the caller's region; all of them where there is none.

local KEY = "region" -- the attachment of the call, and the parameter of the provider

local region = invocation:attachment(KEY, "")
if region == "" then
    return invokers
end
local near = {}
for _, invoker in ipairs(invokers) do
    if invoker:param(KEY) == region then
        table.insert(near, invoker)
    end
end
return if #near > 0 then near else invokers
