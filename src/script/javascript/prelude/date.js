// `Date` over the call's clock, in the rule's zone. Looking at this moment, or at the zone, makes a run impure; the host
// says so when it is asked.

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const FIELDS = ["FullYear", "Month", "Date", "Hours", "Minutes", "Seconds", "Milliseconds"];
const instantOf = NativeDate.prototype.getTime;

function two(number) { return (number < 10 ? "0" : "") + number; }

// ISO 8601 alone: what else engines read differs between them, and with the machine's zone.
function isoInstant(text) {
    const [day, time] = text.trim().split(text.includes("T") ? "T" : " ");
    const [year, month, date] = day.split("-").map(Number);
    if (time === undefined) return NativeDate.UTC(year, month === undefined ? 0 : month - 1, date === undefined ? 1 : date);
    const zoneAt = max(time.indexOf("Z"), time.indexOf("+"), time.indexOf("-"));
    const [hour, minute, second] = (zoneAt < 0 ? time : time.slice(0, zoneAt)).split(":").map(Number);
    const utc = NativeDate.UTC(year, month - 1, date, hour, minute === undefined ? 0 : minute, 0, floor((second === undefined ? 0 : second) * 1000));
    if (zoneAt < 0) return utc - host.now("offset") * 60000;
    if (time[zoneAt] === "Z") return utc;
    const zone = time.slice(zoneAt + 1).split(":").join("");
    return utc - (time[zoneAt] === "-" ? -1 : 1) * (+zone.slice(0, 2) * 60 + +zone.slice(2, 4)) * 60000;
}

// Native dates stay in here: their local parts are those of the machine's zone.
let utcOf, localOf, setUtc;

class RuleDate {
    #ms;
    constructor(first, ...rest) {
        if (first === undefined) this.#ms = host.now("ms");
        else if (rest.length > 0) this.#ms = NativeDate.UTC(first, ...rest) - host.now("offset") * 60000;
        else if (first instanceof RuleDate) this.#ms = first.#ms;
        else this.#ms = typeof first === "string" ? isoInstant(first) : instantOf.call(new NativeDate(+first));
    }
    static now() { return host.now("ms"); }
    static UTC(...parts) { return NativeDate.UTC(...parts); }
    static parse(text) { return isoInstant(String(text)); }
    static {
        utcOf = (it) => new NativeDate(it.#ms);
        localOf = (it) => new NativeDate(it.#ms + host.now("offset") * 60000);
        setUtc = (it, ms) => (it.#ms = ms);
    }
    getTime() { return this.#ms; }
    setTime(ms) { return (this.#ms = +ms); }
    valueOf() { return this.#ms; }
    getDay() { return localOf(this).getUTCDay(); }
    getUTCDay() { return utcOf(this).getUTCDay(); }
    getYear() { return this.getFullYear() - 1900; }
    getTimezoneOffset() { return -host.now("offset"); }
    toISOString() { return utcOf(this).toISOString(); }
    toJSON() { return this.#ms === this.#ms ? this.toISOString() : null; }
    toDateString() {
        const day = localOf(this);
        return DAYS[day.getUTCDay()] + " " + MONTHS[day.getUTCMonth()] + " " + two(day.getUTCDate()) + " " + day.getUTCFullYear();
    }
    toTimeString() {
        const day = localOf(this);
        const offset = host.now("offset");
        const zone = (offset < 0 ? "-" : "+") + two(floor(Math.abs(offset) / 60)) + two(Math.abs(offset) % 60);
        return two(day.getUTCHours()) + ":" + two(day.getUTCMinutes()) + ":" + two(day.getUTCSeconds()) + " GMT" + zone;
    }
    toString() { return this.#ms === this.#ms ? this.toDateString() + " " + this.toTimeString() : "Invalid Date"; }
    toUTCString() { return utcOf(this).toUTCString(); }
    toLocaleString() { return this.toString(); }
    toLocaleDateString() { return this.toDateString(); }
    toLocaleTimeString() { return this.toTimeString(); }
    [Symbol.toPrimitive](hint) { return hint === "number" ? this.#ms : this.toString(); }
}

for (const field of FIELDS) {
    const [get, set] = [NativeDate.prototype["getUTC" + field], NativeDate.prototype["setUTC" + field]];
    method(RuleDate.prototype, "get" + field, function () { return get.call(localOf(this)); });
    method(RuleDate.prototype, "getUTC" + field, function () { return get.call(utcOf(this)); });
    method(RuleDate.prototype, "set" + field, function (...parts) {
        return setUtc(this, apply(set, localOf(this), parts) - host.now("offset") * 60000);
    });
    method(RuleDate.prototype, "setUTC" + field, function (...parts) { return setUtc(this, apply(set, utcOf(this), parts)); });
}
defineProperty(RuleDate, "name", { value: "Date" });
