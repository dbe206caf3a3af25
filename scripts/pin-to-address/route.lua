-- @name pin-to-address
-- @service *
--   For one service write its name there: com.shop.OrderService
-- @force true
-- A call that names a provider goes there or nowhere: with @force an answer without providers stands.

local KEY = "pin" -- the attachment that names it: 10.0.0.1:20880

local address = invocation:attachment(KEY, "")
if address == "" then
    return invokers
end
local kept = {}
for _, invoker in ipairs(invokers) do
    if invoker.address == address then
        table.insert(kept, invoker)
    end
end
return kept
