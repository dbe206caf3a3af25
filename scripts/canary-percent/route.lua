-- @name canary-percent
-- @service *
--   For one service write its name there: com.shop.OrderService
-- Some users go to the providers with canary=true, always the same ones; all others go to the rest.

local PERCENT = 10 -- of the users; 0 is nobody, 100 everybody
local KEY = "user_id" -- the attachment that tells users apart
local SALT = "canary-1" -- another text chooses other users

-- FNV-1a over code points, in 32 bits; the product is split so that it is exact.
local function hash(text)
    local value = 2166136261
    for _, code in utf8.codes(text) do
        value = bit32.bxor(value, code)
        value = (value % 256 * 16777216 + value * 403) % 4294967296
    end
    return value
end

local user = invocation:attachment(KEY, "")
local isChosen = user ~= "" and hash(SALT .. user) % 100 < PERCENT
local kept = {}
for _, invoker in ipairs(invokers) do
    if (invoker:param("canary") == "true") == isChosen then
        table.insert(kept, invoker)
    end
end
return kept
