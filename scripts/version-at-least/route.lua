-- @name version-at-least
-- @service *
--   For one service write its name there: com.shop.OrderService
-- @force true
-- Keeps the providers that are new enough for the call; with @force nobody, if none is.

local KEY = "min.version" -- the attachment: 1.2.10
local PARAMETER = "release" -- where providers say theirs

local function number(part)
    return tonumber(string.match(part or "", "^%d+")) or 0
end

-- Compares what stands between the dots as numbers; a part that is missing is 0.
local function isAtLeast(version, want)
    local have = string.split(version, ".")
    for i, part in ipairs(want) do
        local difference = number(have[i]) - number(part)
        if difference ~= 0 then
            return difference > 0
        end
    end
    return true
end

local wanted = invocation:attachment(KEY, "")
if wanted == "" then
    return invokers
end
local want, kept = string.split(wanted, "."), {}
for _, invoker in ipairs(invokers) do
    if isAtLeast(invoker:param(PARAMETER, "0"), want) then
        table.insert(kept, invoker)
    end
end
return kept
