-- @name user-id-range
-- @service *
--   For one service write its name there: com.shop.OrderService
-- @force true
-- Users live in shards by the number of their id: a call goes to the user's shard, or nowhere.

local KEY = "user_id" -- the attachment
local RANGES = {
    { first = 1, last = 499999, shard = "a" },
    { first = 500000, last = 999999, shard = "b" },
}

local function inShard(shard)
    local kept = {}
    for _, invoker in ipairs(invokers) do
        if invoker:param("shard") == shard then
            table.insert(kept, invoker)
        end
    end
    return kept
end

local id = tonumber(invocation:attachment(KEY, ""))
for _, range in ipairs(RANGES) do
    if id and range.first <= id and id <= range.last then
        return inShard(range.shard)
    end
end
return invokers -- a call without an id, or with one in no range, may go to any shard
