// The providers. Everything is read by column: the first look at a parameter fetches it for the whole table, and tables
// are kept, so that a run pays for an index and a comparison. What a script writes to a URL stands in `touched`, which
// lives as long as the run.

const MOST_COLUMNS = 64;
const MOST_TABLES = 8;

// `var` and not `let`: engines look at each read of a `let` whether it was reached already.
var table = null;
var runNumber = 0;
var touched = null;
// The column that was read last, or a key that is nobody's: after a URL was written to, each read looks for that first.
var NO_KEY = Symbol();
var lastKey = NO_KEY;
var lastValues = null;

class Column {
    constructor(values) { this.values = values; this.run = 0; }
}

class Table {
    constructor(number, count) {
        this.columns = new NativeMap();
        this.parts = new NativeMap();
        this.invokers = [];
        for (let at = 0; at < count; at++) pushOf.call(this.invokers, new Invoker(number, at));
    }
}

// `param`, `getParameter` and `GetParam` have the first line of this in them: a call costs as much as the look.
function parameter(at, key) {
    if (key === lastKey) return lastValues[at];
    return parameterOf(at, String(key));
}

function parameterOf(at, key) {
    if (touched !== null) {
        const own = touched.get(at);
        if (own !== undefined && own.has("?" + key)) return own.get("?" + key);
    }
    const columns = table.columns;
    let column = columns.get(key);
    if (column === undefined) {
        host.note(key);
        if (columns.size >= MOST_COLUMNS) return host.parameter(at, key);
        column = new Column(host.column(key));
        columns.set(key, column);
    } else if (column.run !== runNumber) host.note(key);
    column.run = runNumber;
    if (touched === null) {
        lastKey = key;
        lastValues = column.values;
    }
    return column.values[at];
}

function part(at, name) {
    if (touched !== null) {
        const own = touched.get(at);
        if (own !== undefined && own.has(name)) return own.get(name);
    }
    let values = table.parts.get(name);
    if (values === undefined) table.parts.set(name, values = host.part(name));
    return values[at];
}

function touch(at, name, value) {
    if (touched === null) {
        touched = new NativeMap();
        lastKey = NO_KEY;
        if (host.touched !== undefined) host.touched();
    }
    if (!touched.has(at)) touched.set(at, new NativeMap());
    touched.get(at).set(name, value);
}

function integer(text, most) {
    const digits = text.startsWith("-") || text.startsWith("+") ? text.slice(1) : text;
    let plain = digits.length > 0;
    for (let i = 0; i < digits.length; i++) plain = plain && digits[i] >= "0" && digits[i] <= "9";
    const value = plain ? +text : NaN;
    return value >= -most - 1 && value <= most ? value : NaN;
}

// As `Integer.parseInt` and its like: a text that is no number is an error, not a zero.
function parsed(text, kind) {
    const value = kind === "int" ? integer(text, 2147483647) : kind === "long" ? integer(text, 9223372036854775807) : text.trim() === "" ? NaN : +text;
    if (value !== value) throw new TypeError("a number was expected, found \"" + text + "\"");
    return value;
}

function typed(text, fallback) {
    if (text === null || text === "") return fallback;
    if (typeof fallback === "number") {
        return parsed(text, !Number.isInteger(fallback) ? "double" : fallback > 2147483647 || fallback < -2147483648 ? "long" : "int");
    }
    if (typeof fallback === "boolean") return text.toLowerCase() === "true";
    if (isArray(fallback)) return text.split(",").map((one) => one.trim());
    return text;
}

function numberOr(text, fallback) {
    const value = text === null ? NaN : integer(text, 9223372036854775807);
    return value === value ? value : fallback;
}

function booleanOr(text, fallback) {
    if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
    return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : fallback;
}

const DURATIONS = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };

// Go's `1h30m` in nanoseconds; NaN for anything else.
function duration(text) {
    let total = 0;
    let number = "";
    let unit = "";
    for (const letter of text + "0") {
        const is_digit = (letter >= "0" && letter <= "9") || letter === ".";
        if (is_digit && unit !== "") {
            total += DURATIONS[unit] === undefined || number === "" ? NaN : +number * DURATIONS[unit];
            number = "";
            unit = "";
        }
        if (is_digit) number += letter;
        else unit += letter;
    }
    return number === "0" ? total : NaN;
}

function toMap(at) {
    const map = new HashMap();
    const pairs = host.parameters(at);
    for (let i = 0; i < pairs.length; i += 2) map.put(pairs[i], pairs[i + 1]);
    const own = touched === null ? undefined : touched.get(at);
    if (own !== undefined) for (const [key, value] of own) if (key.startsWith("?")) { if (value === null) map.remove(key.slice(1)); else map.put(key.slice(1), value); }
    return map;
}

const textOr = (value, fallback) => (value === null || value === undefined || value === "" ? fallback : value);

function serviceKey(at) {
    const group = textOr(parameter(at, "group"), null);
    const version = textOr(parameter(at, "version"), null);
    return (group === null ? "" : group + "/") + serviceOf(at) + (version === null || version === "0.0.0" ? "" : ":" + version);
}

function serviceOf(at) { return textOr(parameter(at, "interface"), part(at, "path")); }
function portText(at) { const port = part(at, "port"); return port === 0 ? "" : String(port); }
function withoutBrackets(text) { return text !== null && text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text; }

class JavaClass {
    #name;
    constructor(name) { this.#name = name; freeze(this); }
    getName() { return this.#name; }
    getSimpleName() { return this.#name.slice(this.#name.lastIndexOf(".") + 1); }
    toString() { return this.#name; }
}

// An object by which natives of the engine know a provider, where there are such natives.
function Known(number, at, url) { if (host.known !== undefined) return host.known(number, at, new.target.prototype, url); }

class Invoker extends Known {
    #at; #url;
    constructor(number, at) {
        const url = new Url(number, at);
        super(number, at, url);
        this.#at = at;
        this.#url = url;
        freeze(this);
    }
    // Its place in the table; none for a stranger.
    static place(it) { return typeof it === "object" && it !== null && #at in it ? it.#at : -1; }
    getUrl() { return this.#url; }
    GetURL() { return this.#url; }
    get url() { return this.#url; }
    param(key, fallback) {
        const value = key === lastKey ? lastValues[this.#at] : parameterOf(this.#at, String(key));
        return fallback === undefined || (value !== null && value !== "") ? value : fallback;
    }
    get address() { return part(this.#at, "address"); }
    isAvailable() { return host.available(this.#at); }
    IsAvailable() { return host.available(this.#at); }
    get available() { return host.available(this.#at); }
    isDestroyed() { return false; }
    getInterface() { return new JavaClass(String(serviceOf(this.#at))); }
    equals(other) { return this === other; }
    hashCode() { return this.#at; }
    toString() { return this.#url.toString(); }
}

class Url extends Known {
    #at;
    constructor(number, at) { super(number, at); this.#at = at; freeze(this); }
    get host() { return part(this.#at, "host"); }
    set host(value) { this.Ip = value; }
    get port() { return part(this.#at, "port"); }
    set port(value) { this.Port = value; }
    get address() { return this.getAddress(); }
    set address(value) { this.Location = value; }
    get path() { return part(this.#at, "path"); }
    set path(value) { touch(this.#at, "path", String(value)); }
    get protocol() { return part(this.#at, "protocol"); }
    set protocol(value) { touch(this.#at, "protocol", String(value)); }
    get service() { return serviceOf(this.#at); }
    get group() { return textOr(parameter(this.#at, "group"), null); }
    get version() { return textOr(parameter(this.#at, "version"), null); }
    get params() { return toMap(this.#at); }
    param(key, fallback) {
        const value = key === lastKey ? lastValues[this.#at] : parameterOf(this.#at, String(key));
        return fallback === undefined || (value !== null && value !== "") ? value : fallback;
    }

    getProtocol() { return part(this.#at, "protocol"); }
    getHost() { return part(this.#at, "host"); }
    getIp() { return part(this.#at, "host"); }
    getPort(fallback) { const port = part(this.#at, "port"); return port === 0 && fallback !== undefined ? fallback : port; }
    getAddress() {
        const own = touched === null ? undefined : touched.get(this.#at);
        if (own === undefined || own.has("address") || !(own.has("host") || own.has("port"))) return part(this.#at, "address");
        const port = portText(this.#at);
        return port === "" ? this.host : this.host + ":" + port;
    }
    getBackupAddress() { return this.getAddress(); }
    getAuthority() { return this.getAddress(); }
    getPath() { return part(this.#at, "path"); }
    getAbsolutePath() { const path = part(this.#at, "path"); return path === null ? null : "/" + path; }
    getUsername() { return null; }
    getPassword() { return null; }
    getUserInformation() { return ""; }
    getParameter(key, fallback) {
        const value = key === lastKey ? lastValues[this.#at] : parameterOf(this.#at, String(key));
        if (fallback === undefined) return value;
        return typeof fallback !== "string" ? typed(value, fallback) : value !== null && value !== "" ? value : fallback;
    }
    getRawParameter(key) { return this.GetRawParam(key); }
    getPositiveParameter(key, fallback) { const value = typed(parameter(this.#at, key), fallback); return value > 0 ? value : fallback; }
    getNonNegativeParameter(key, fallback) { const value = typed(parameter(this.#at, key), fallback); return value >= 0 ? value : fallback; }
    getParameterAndDecoded(key, fallback) { return decodeURIComponent(textOr(parameter(this.#at, key), fallback)); }
    getParameters() { return toMap(this.#at); }
    hasParameter(key) { return textOr(parameter(this.#at, key), null) !== null; }
    getMethodParameter(method, key, fallback) {
        const own = textOr(host.methodParameter(this.#at, String(method), String(key)), null);
        const value = own === null ? parameter(this.#at, key) : own;
        return fallback === undefined ? value : typed(value, fallback);
    }
    hasMethodParameter(method, key) { return textOr(this.getMethodParameter(method, key), null) !== null; }
    getServiceInterface() { return serviceOf(this.#at); }
    getServiceName() { return serviceOf(this.#at); }
    getServiceKey() { return serviceKey(this.#at); }
    getPathKey() { return serviceKey(this.#at); }
    getProtocolServiceKey() { return serviceKey(this.#at) + ":" + this.getProtocol(); }
    getColonSeparatedKey() { return this.ColonSeparatedKey(); }
    getGroup() { return this.group; }
    getVersion() { return this.version; }
    getVersionOrDefault() { return textOr(this.version, "0.0.0"); }
    getApplication(fallback) { return this.getParameter("application", fallback); }
    getRemoteApplication() { return this.getParameter("remote.application"); }
    getSide(fallback) { return this.getParameter("side", fallback); }
    getCategory(fallback) { return this.getParameter("category", fallback); }
    isAnyHost() { return this.host === "0.0.0.0" || this.getParameter("anyhost", false); }
    isLocalHost() { return this.host === "localhost" || this.host.startsWith("127.") || this.getParameter("localhost", false); }
    equals(other) { return this === other || (typeof other === "object" && other !== null && #at in other && part(this.#at, "text") === part(other.#at, "text")); }
    hashCode() { return this.#at; }
    toString() { return part(this.#at, "text"); }
    toFullString() { return part(this.#at, "text"); }
    toIdentityString() { return part(this.#at, "text").split("?")[0]; }
    toServiceString() { return this.getProtocol() + "://" + this.getAddress() + "/" + serviceKey(this.#at); }

    get Protocol() { return textOr(part(this.#at, "protocol"), ""); }
    set Protocol(value) { touch(this.#at, "protocol", String(value)); }
    get Ip() { return textOr(withoutBrackets(part(this.#at, "host")), ""); }
    set Ip(value) { touch(this.#at, "host", String(value)); }
    get Port() { return portText(this.#at); }
    set Port(value) { const port = integer(String(value), 65535); touch(this.#at, "port", port > 0 ? port : 0); }
    get Location() { return textOr(this.getAddress(), ""); }
    set Location(value) { touch(this.#at, "address", String(value)); }
    get Path() { const path = part(this.#at, "path"); return path === null ? "" : "/" + path; }
    set Path(value) { const path = String(value); touch(this.#at, "path", path.startsWith("/") ? path.slice(1) : path); }
    get PrimitiveURL() { return part(this.#at, "text"); }
    set PrimitiveURL(value) { touch(this.#at, "text", String(value)); }
    get Username() { return ""; }
    set Username(value) {}
    get Password() { return ""; }
    set Password(value) {}
    get Methods() { const methods = textOr(parameter(this.#at, "methods"), ""); return methods === "" ? [] : methods.split(","); }
    set Methods(value) { this.SetParam("methods", String(value)); }
    get SubURL() { return null; }
    set SubURL(value) {}

    Address() { const port = portText(this.#at); return port === "" ? this.Ip : this.Ip + ":" + port; }
    JavaClassName() { return "org.apache.dubbo.common.URL"; }
    Group() { return textOr(parameter(this.#at, "group"), ""); }
    Interface() { return textOr(parameter(this.#at, "interface"), ""); }
    Version() { return textOr(parameter(this.#at, "version"), ""); }
    Service() { return textOr(serviceOf(this.#at), ""); }
    ServiceKey() { return this.Service() === "" ? "" : serviceKey(this.#at); }
    EncodedServiceKey() { return this.ServiceKey().replace("/", "*"); }
    ColonSeparatedKey() {
        const version = this.Version();
        return this.Service() + ":" + (version === "0.0.0" ? "" : version) + ":" + this.Group();
    }
    Key() { return this.Protocol + "://:@" + this.Ip + ":" + this.Port + "/?interface=" + this.Service() + "&group=" + this.Group() + "&version=" + this.Version(); }
    GetCacheInvokerMapKey() { return this.Key() + "&timestamp=" + this.GetParam("timestamp", ""); }
    String() { return part(this.#at, "text"); }
    GetParam(key, fallback) {
        const value = key === lastKey ? lastValues[this.#at] : parameterOf(this.#at, String(key));
        return value !== null && value !== "" ? value : fallback === undefined ? "" : fallback;
    }
    GetNonDefaultParam(key) { const value = parameter(this.#at, key); return value === null ? undefined : value; }
    GetParamAndDecoded(key) { return decodeURIComponent(this.GetParam(key, "")); }
    GetRawParam(key) {
        switch (String(key)) {
            case "protocol": return this.Protocol;
            case "username": case "password": return "";
            case "host": return this.Ip;
            case "port": return this.Port;
            case "path": return this.Path;
            default: return this.GetParam(key, "");
        }
    }
    GetParamBool(key, fallback) { return booleanOr(parameter(this.#at, key), fallback); }
    GetParamInt(key, fallback) { return numberOr(parameter(this.#at, key), fallback); }
    GetParamInt32(key, fallback) { return numberOr(parameter(this.#at, key), fallback); }
    GetParamByIntValue(key, fallback) { return numberOr(parameter(this.#at, key), fallback); }
    GetParamDuration(key, fallback) {
        const found = duration(this.GetParam(key, fallback));
        return found === found ? found : 3e9;
    }
    GetMethodParam(method, key, fallback) { return this.GetParam("methods." + method + "." + key, fallback); }
    GetMethodParamInt(method, key, fallback) { return this.GetParamInt("methods." + method + "." + key, fallback); }
    GetMethodParamIntValue(method, key, fallback) { return this.GetMethodParamInt(method, key, fallback); }
    GetMethodParamInt64(method, key, fallback) { return this.GetMethodParamInt(method, key, fallback); }
    GetMethodParamBool(method, key, fallback) { return this.GetParamBool("methods." + method + "." + key, fallback); }
    ToMap() {
        const map = toMap(this.#at);
        for (const [key, value] of [["protocol", this.Protocol], ["host", this.Ip], ["port", this.Port], ["path", this.Path]]) if (value !== "") map.put(key, value);
        return map;
    }
    CloneWithParams() { return this; }
    SetParam(key, value) { touch(this.#at, "?" + key, String(value)); }
    AddParam(key, value) { this.SetParam(key, value); }
    AddParamAvoidNil(key, value) { this.SetParam(key, value); }
    DelParam(key) { touch(this.#at, "?" + key, null); }
    SetAttribute(key, value) { touch(this.#at, "@" + key, value); }
    GetAttribute(key) { const own = touched === null ? undefined : touched.get(this.#at); return own === undefined ? undefined : own.get("@" + key); }
}
