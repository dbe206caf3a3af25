-- The objects that rules see. Runs once for a state; what it returns is for the engine alone.
--
-- Objects that outlive a run are frozen and hide their metatables. What a rule writes to a URL goes to `written`, which
-- ends with the run. Columns are read from the host on first use and stay with their list.

local host, globals, next, setmetatable = ...

local NIL = table.freeze({})
local NOTHING = table.freeze({})

-- Of this run.
local written = nil
local seen = {}
local last_key, last_column = NIL, NOTHING
local params_seen = {}
local call_seen = {}
local attachments_seen = {}
local lazy_arguments, lazy_attachments = false, false

-- What is what, for messages; weak, so that lists can be dropped.
local kinds = setmetatable({}, { __mode = "k" })

local function colon(object, name, level)
    error(`write {object}:{name}(…), with a colon`, level or 3)
end

local function frozen(name)
    return function(_, key)
        error(`{name}.{tostring(key)} cannot be set: {name} is read-only`, 2)
    end
end

local function joined(a, b)
    return globals.tostring(a) .. globals.tostring(b)
end

local function filled(urls, values)
    local column = {}
    for i, url in ipairs(urls) do
        local value = values[i]
        if value ~= false then
            column[url] = value
        end
    end
    host.settled()
    return column
end

-- URLs

local PARTS = {
    host = true, port = true, address = true, path = true, protocol = true, interface = true, service = true,
    service_key = true, group = true, version = true, text = true,
}

local function new_list(count)
    local urls, invokers = table.create(count), table.create(count)
    local positions, url_positions = {}, {}
    local parts, params = {}, {}
    local url_methods, url_meta = {}, {}
    local invoker_meta = {}

    -- The column of the parameter `key`, told to the host once a run.
    local function fetch(key, object, name)
        if type(key) ~= "string" then
            if key == nil then
                colon(object, name, 4)
            end
            error(`{name} takes the name of a parameter, not a {type(key)}`, 3)
        end
        local column = params[key]
        if column == nil then
            local values = host.column(key)
            column = NOTHING
            if values then
                column = filled(urls, values)
                params[key] = column
            end
        else
            host.note(key)
        end
        seen[key] = column
        return column
    end

    local function part(name)
        local column = filled(urls, host.part(name))
        parts[name] = column
        return column
    end

    local function url_param(self, key, default)
        -- PERF: a loop asks for one parameter, and comparing texts is cheaper than looking one up (`script/inline`).
        local column = last_column
        if key ~= last_key then
            column = seen[key] or fetch(key, "url", "param")
            last_key, last_column = key, column
        end
        local value = column[self]
        if value == nil and url_positions[self] == nil then
            colon("url", "param")
        end
        if default ~= nil and (value == nil or value == "") then
            return default
        end
        return value
    end
    url_methods.param = url_param

    local function invoker_param(self, key, default)
        local column = last_column
        if key ~= last_key then
            column = seen[key] or fetch(key, "invoker", "param")
            last_key, last_column = key, column
        end
        local value = column[self.url]
        if value == nil and positions[self] == nil then
            colon("invoker", "param")
        end
        if default ~= nil and (value == nil or value == "") then
            return default
        end
        return value
    end

    function url_methods.has_param(self, key)
        return url_param(self, key) ~= nil
    end

    function url_methods.method_param(self, method, key, default)
        local position = url_positions[self]
        if position == nil then
            colon("url", "method_param")
        elseif type(method) ~= "string" or type(key) ~= "string" then
            error("method_param takes the names of a method and of a parameter", 2)
        end
        local value = host.method_param(position, method, key)
        if default ~= nil and (value == nil or value == "") then
            return default
        end
        return value
    end

    function url_meta.__index(self, key)
        if written ~= nil then
            local own = written[self]
            local value = own and own[key]
            if value ~= nil then
                return if value == NIL then nil else value
            end
        end
        local column = parts[key]
        if column ~= nil then
            return column[self]
        elseif PARTS[key] then
            return part(key)[self]
        elseif key == "params" then
            local all = params_seen[self]
            if all == nil then
                all = host.params(url_positions[self])
                params_seen[self] = all
            end
            return all
        end
        return url_methods[key]
    end

    function url_meta.__newindex(self, key, value)
        written = written or {}
        local own = written[self]
        if own == nil then
            own = {}
            written[self] = own
        end
        own[key] = if value == nil then NIL else value
    end

    function url_meta.__tostring(self)
        return (parts.text or part("text"))[self]
    end

    function invoker_meta.__tostring(self)
        return (parts.text or part("text"))[self.url]
    end

    url_meta.__concat = joined
    invoker_meta.__concat = joined
    -- Methods stand in every invoker, so that this is asked for nothing else.
    function invoker_meta.__index(self, key)
        if key == "available" and positions[self] ~= nil then
            return host.available(positions[self])
        end
        return nil
    end
    invoker_meta.__newindex = frozen("invoker")
    table.freeze(url_methods)

    local addresses = host.part("address")
    for i = 1, count do
        local url = setmetatable({}, url_meta)
        local address = addresses[i]
        local invoker = { url = url, param = invoker_param, address = if address == false then nil else address }
        setmetatable(invoker, invoker_meta)
        urls[i], invokers[i] = table.freeze(url), table.freeze(invoker)
        positions[invoker], url_positions[url] = i, i
        kinds[invoker], kinds[url] = "an invoker", "a URL"
    end
    -- What hides its metatable cannot be frozen any more, so hiding comes last.
    url_meta.__metatable, invoker_meta.__metatable = "url", "invoker"
    table.freeze(url_meta)
    table.freeze(invoker_meta)
    host.settled()
    return { invokers = invokers, positions = positions, urls = urls }
end

-- The call

local function arguments()
    if not lazy_arguments then
        return host.arguments()
    end
    return setmetatable({}, {
        __index = function(self, index)
            local value = if type(index) == "number" then host.argument(index) else nil
            if value ~= nil then
                rawset(self, index, value)
            end
            return value
        end,
        __len = host.argument_count,
        __metatable = false,
    })
end

local function attachment(key)
    local value = attachments_seen[key]
    if value == nil then
        value = host.attachment(key)
        attachments_seen[key] = if value == nil then NIL else value
    elseif value == NIL then
        return nil
    end
    return value
end

local function attachments()
    if not lazy_attachments then
        return host.attachments()
    end
    return setmetatable({}, {
        __index = function(self, key)
            local value = if type(key) == "string" then host.attachment(key) else nil
            if value ~= nil then
                rawset(self, key, value)
            end
            return value
        end,
        __metatable = false,
    })
end

local function attachment_of(object, name)
    return function(self, key, default)
        if kinds[self] ~= object then
            colon(object, name)
        elseif type(key) ~= "string" then
            error(`{name} takes the name of an attachment, not a {type(key)}`, 2)
        end
        local value = attachment(key)
        return if value == nil or (value == "" and default ~= nil) then default else value
    end
end

local function reader(looks, methods)
    return function(_, key)
        local value = call_seen[key]
        if value == nil then
            local look = looks[key]
            if look == nil then
                return methods[key]
            end
            value = look()
            call_seen[key] = value
        end
        return value
    end
end

local function object(name, looks, methods)
    local meta = { __index = reader(looks, methods), __newindex = frozen(name) }
    function meta.__tostring()
        return name
    end
    local made = table.freeze(setmetatable({}, meta))
    meta.__metatable = name
    table.freeze(meta)
    kinds[made] = name
    return made
end

local invocation = object("invocation", {
    method = host.method,
    target_method = host.target_method,
    service = host.service,
    parameter_types = host.parameter_types,
    arguments = arguments,
    attachments = attachments,
}, { attachment = attachment_of("invocation", "attachment") })

local context = object("context", { attachments = attachments }, {
    attachment = attachment_of("context", "attachment"),
    get = attachment_of("context", "get"),
})

-- The host's clock stands still during a run.
local function clock(part)
    return function()
        return host.now(part)
    end
end

local now = object("now", {
    weekday = clock("weekday"),
    hour = clock("hour"),
    minute = clock("minute"),
    ms = clock("ms"),
}, {})

-- Runs

local env_meta = table.freeze({ __index = globals, __metatable = false })

-- The globals of a run that sees the invokers at the positions in `picks`, or all.
local function start(list, picks, has_lazy_arguments, has_lazy_attachments)
    written = nil
    seen, params_seen, call_seen, attachments_seen = {}, {}, {}, {}
    last_key, last_column = NIL, NOTHING
    lazy_arguments, lazy_attachments = has_lazy_arguments, has_lazy_attachments
    local invokers
    if picks == nil then
        invokers = table.clone(list.invokers)
    else
        local all, count = list.invokers, buffer.len(picks) / 4
        invokers = table.create(count)
        for i = 1, count do
            invokers[i] = all[buffer.readu32(picks, 4 * i - 4) + 1]
        end
    end
    local env = { invokers = invokers, invocation = invocation, context = context, now = now }
    env._G = env
    return setmetatable(env, env_meta)
end

local NAMES = { boolean = "a boolean", number = "a number", string = "a text", ["function"] = "a function" }

-- The positions of what a run answered with, or nil and what it is instead.
local function finish(list, value)
    if value == nil then
        return nil, "nil"
    elseif type(value) ~= "table" then
        return nil, NAMES[type(value)] or "something else"
    elseif kinds[value] then
        return nil, kinds[value]
    end
    local entries, numbered = 0, 0
    for key in next, value do
        entries += 1
        if type(key) == "number" then
            numbered += 1
        end
    end
    if numbered == 0 and entries > 0 then
        return nil, "a table with keys, which is no list"
    end
    if entries == 0 and getmetatable(value) ~= nil then
        return nil, "a table with a metatable, which is no list"
    end
    -- A list may have gaps: `kept[i] = nil`.
    local positions, found, used = list.positions, buffer.create(4 * numbered), 0
    for key, item in next, value do
        local position = if type(key) == "number" then positions[item] else nil
        if position ~= nil then
            buffer.writeu32(found, used, position - 1)
            used += 4
        end
    end
    return found, used
end

return new_list, start, finish
