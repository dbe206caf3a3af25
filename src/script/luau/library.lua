-- What rules find of Lua's library. Runs once for a state, before its globals are frozen.
--
-- Three reasons to change a function: it can run long without a safepoint, it shows an address, or it looks at what
-- must be recorded. Everything that is not named in `kept` is gone.

local host, globals = ...

local kept = {
    assert = true, error = true, getmetatable = true, ipairs = true, next = true, pairs = true, pcall = true,
    print = true, rawequal = true, rawget = true, rawlen = true, rawset = true, select = true, setmetatable = true,
    tonumber = true, tostring = true, type = true, typeof = true, unpack = true, xpcall = true,
    bit32 = true, math = true, os = true, string = true, table = true, utf8 = true,
}

local dropped = {
    math = { "randomseed", "random" },
    string = { "pack", "packsize", "unpack" },
    table = { "foreach", "foreachi", "getn", "maxn" },
}

local error, next, pairs, pcall, rawget, rawlen = error, next, pairs, pcall, rawget, rawlen
local select, setmetatable, tostring, type = select, setmetatable, tostring, type
local concat, pack, unpack, sort, move = table.concat, table.pack, table.unpack, table.sort, table.move
local find, format, split, sub = string.find, string.format, string.split, string.sub
local floor = math.floor
local date, time = os.date, os.time

for name in pairs(globals) do
    if not kept[name] then
        globals[name] = nil
    end
end

for library, names in pairs(dropped) do
    for _, name in names do
        globals[library][name] = nil
    end
end

-- Text without addresses.

local function text(value)
    local kind = type(value)
    if kind == "table" then
        local shown = tostring(value)
        return if find(shown, "^table: 0x%x+$") then kind else shown
    elseif kind == "function" or kind == "userdata" or kind == "thread" or kind == "buffer" then
        return kind
    end
    return tostring(value)
end

function globals.tostring(...)
    if select("#", ...) == 0 then
        error("missing argument #1 to 'tostring'", 2)
    end
    return text((...))
end

function string.format(pattern, ...)
    local values = pack(...)
    for i = 1, values.n do
        local kind = type(values[i])
        if kind == "table" or kind == "function" or kind == "userdata" or kind == "buffer" then
            values[i] = text(values[i])
        end
    end
    return format(pattern, unpack(values, 1, values.n))
end

local function log(...)
    local values = pack(...)
    for i = 1, values.n do
        values[i] = text(values[i])
    end
    host.log(concat(values, "\t", 1, values.n))
end

globals.print = log
globals.log = log

-- Order without addresses: a table that has keys other than texts, numbers and truth values is visited in the order
-- of their addresses. Whoever visits one makes the run impure.

local function watch(values)
    local key = next(values)
    while key ~= nil do
        local kind = type(key)
        if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then
            host.order()
            return
        end
        key = next(values, key)
    end
end

function globals.pairs(values)
    if type(values) == "table" then
        watch(values)
    end
    return pairs(values)
end

function globals.next(values, key)
    if key == nil and type(values) == "table" then
        watch(values)
    end
    return next(values, key)
end

-- `for k, v in values do` is compiled as `for k, v in __iterate(values) do`.
function globals.__iterate(values, ...)
    if type(values) == "table" then
        watch(values)
    end
    return values, ...
end

function globals.setmetatable(values, metatable)
    if type(metatable) == "table" and rawget(metatable, "__mode") ~= nil then
        error("weak tables are left out: what is in them depends on the collector", 2)
    end
    return setmetatable(values, metatable)
end

-- A limit cannot be caught: `host.caught` raises it again.

local function settle(ok, ...)
    if ok then
        return ok, ...
    end
    local problem = ...
    if type(problem) == "userdata" or problem == "not enough memory" then
        problem = host.caught(problem)
    end
    return ok, problem
end

function globals.pcall(call, ...)
    return settle(pcall(call, ...))
end

local function handled(handler, ok, ...)
    if ok then
        return ok, ...
    end
    local _, problem = settle(ok, ...)
    return ok, select(2, settle(pcall(handler, problem)))
end

function globals.xpcall(call, handler, ...)
    return handled(handler, pcall(call, ...))
end

-- Long natives.

local SEARCHED = 1000000

function string.find(subject, pattern, first, plain)
    if type(subject) == "string" and type(pattern) == "string" and #subject * #pattern > SEARCHED then
        if plain or not find(pattern, "[%^%$%*%+%?%.%(%[%%%-]") then
            local from, to = host.find(subject, pattern, first or 1)
            if from == nil then
                return nil
            end
            return from, to
        end
    end
    return find(subject, pattern, first, plain)
end

function string.split(subject, separator)
    if type(subject) == "string" and type(separator) == "string" and #subject * (#separator + 1) > SEARCHED then
        local parts, from = {}, 1
        if separator == "" then
            for i = 1, #subject do
                parts[i] = sub(subject, i, i)
            end
            return parts
        end
        while true do
            local first, last = host.find(subject, separator, from)
            if not first then
                parts[#parts + 1] = sub(subject, from)
                return parts
            end
            parts[#parts + 1] = sub(subject, from, first - 1)
            from = last + 1
        end
    end
    return split(subject, separator)
end

function table.move(from, first, last, to, into)
    if type(first) == "number" and type(last) == "number" and last - first > 100000 then
        error("table.move of more than 100000 values", 2)
    end
    if into == nil then
        return move(from, first, last, to)
    end
    return move(from, first, last, to, into)
end

function table.sort(values, before)
    if before == nil and type(values) == "table" and rawlen(values) > 1000 then
        before = function(a, b)
            return a < b
        end
    end
    return sort(values, before)
end

-- Chance and the clock.

function math.random(low, high)
    local draw = host.random()
    if low == nil then
        return draw
    end
    if high == nil then
        low, high = 1, low
    end
    if type(low) ~= "number" or type(high) ~= "number" then
        error("math.random takes numbers", 2)
    end
    low, high = floor(low), floor(high)
    if not (low <= high) then
        error("math.random: the interval is empty", 2)
    end
    return low + floor(draw * (high - low + 1))
end

-- Every draw comes from the seed of the call; asking for another seed changes nothing.
function math.randomseed() end

function os.time(parts)
    if parts ~= nil then
        return time(parts)
    end
    return floor(host.now("ms") / 1000)
end

function os.clock()
    return host.now("ms") / 1000
end

-- Local time is that of the rule's zone.
function os.date(pattern, moment)
    pattern = if pattern == nil then "%c" else pattern
    moment = if moment == nil then os.time() else moment
    if type(pattern) ~= "string" or type(moment) ~= "number" then
        error("os.date takes a format and a time in seconds", 2)
    elseif #pattern > 1000 then
        error("os.date: the format is too long", 2)
    end
    if sub(pattern, 1, 1) == "!" then
        return date(pattern, moment)
    end
    return date("!" .. pattern, moment + host.now("offset") * 60)
end
