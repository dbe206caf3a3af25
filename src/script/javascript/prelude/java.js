// What stands in the global object beside the language: the log, the clock, and the few classes of Java that rules use.

function logged(...values) {
    const texts = [];
    for (let i = 0; i < values.length && i < 16; i++) texts.push(String(values[i]));
    host.log(texts.join(" ").slice(0, 8192));
}

const now = freeze({
    get weekday() { return host.now("weekday"); },
    get hour() { return host.now("hour"); },
    get minute() { return host.now("minute"); },
    get ms() { return host.now("ms"); },
});

function javaHash(text) {
    let hash = 0;
    for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
    return hash;
}

// Java's texts, numbers and booleans know a little more than JavaScript's.
function teachJava() {
    methods(String.prototype, {
        equals(other) { return typeof other === "string" && other === String(this); },
        equalsIgnoreCase(other) { return typeof other === "string" && other.toLowerCase() === this.toLowerCase(); },
        contains(other) { return this.indexOf(other) >= 0; },
        isEmpty() { return this.length === 0; },
        isBlank() { return this.trim().length === 0; },
        compareTo(other) {
            const shorter = min(this.length, other.length);
            for (let i = 0; i < shorter; i++) if (this[i] !== other[i]) return this.charCodeAt(i) - other.charCodeAt(i);
            return this.length - other.length;
        },
        compareToIgnoreCase(other) { return this.toLowerCase().compareTo(other.toLowerCase()); },
        hashCode() { return javaHash(String(boundedText(this))); },
        toCharArray() { return [...boundedText(this)]; },
        strip() { return this.trim(); },
    });
    for (const kind of [Number, Boolean]) {
        methods(kind.prototype, {
            equals(other) { return other === this.valueOf(); },
            hashCode() { return +this | 0; },
            compareTo(other) { return compared(this.valueOf(), other); },
        });
    }
    methods(Number.prototype, {
        intValue() { return this | 0; },
        longValue() { return Math.trunc(this); },
        doubleValue() { return +this; },
    });
    methods(Boolean.prototype, { booleanValue() { return this.valueOf(); } });
}

class Random {
    constructor() { freeze(this); }
    nextInt(first, second) {
        const from = second === undefined ? 0 : first;
        const to = second === undefined ? first : second;
        if (to === undefined) return floor(host.random() * 4294967296) - 2147483648;
        if (!(to > from)) throw new RangeError("a positive bound was expected, found " + to);
        return from + floor(host.random() * (to - from));
    }
    nextDouble() { return host.random(); }
    nextBoolean() { return host.random() < 0.5; }
    static current() { return new Random(); }
}

const Arrays = {
    asList(...items) { return adopt(toArray(items.length === 1 && isArray(items[0]) ? items[0] : items)); },
    stream(items) { return new Stream(itemsOf(items)); },
    toString(items) { return contentText(items); },
};

const Collections = {
    reverse(list) { list.reverse(); },
    sort(list, order) { list.sort(comparator(order)); },
    shuffle(list) {
        for (let i = list.length - 1; i > 0; i--) {
            const at = floor(host.random() * (i + 1));
            [list[i], list[at]] = [list[at], list[i]];
        }
    },
    swap(list, one, other) { [list[one], list[other]] = [list[other], list[one]]; },
    addAll(list, ...items) { for (const item of items) list.add(item); return items.length > 0; },
    frequency(items, sought) { return itemsOf(items).filter((item) => item === sought).length; },
    max(items, order) { return itemsOf(items).reduce((one, other) => (comparator(order)(one, other) >= 0 ? one : other)); },
    min(items, order) { return itemsOf(items).reduce((one, other) => (comparator(order)(one, other) <= 0 ? one : other)); },
    emptyList() { return adopt([]); },
    emptyMap() { return new HashMap(); },
    emptySet() { return new HashSet(); },
    singletonList(item) { return adopt([item]); },
    singleton(item) { return new HashSet([item]); },
    unmodifiableList(list) { return list; },
    unmodifiableSet(set) { return set; },
    unmodifiableCollection(items) { return items; },
};

const stream = { print: logged, println: logged, printf: logged };
const boxed = (kind) => ({ parseInt: (text) => parsed(String(text), kind), parseLong: (text) => parsed(String(text), kind), parseDouble: (text) => parsed(String(text), kind), valueOf: (value) => parsed(String(value), kind), toString: (value) => String(value) });

const java = {
    lang: {
        System: { out: stream, err: stream, currentTimeMillis: () => host.now("ms"), nanoTime: () => host.now("ms") * 1e6 },
        Integer: { ...boxed("int"), MAX_VALUE: 2147483647, MIN_VALUE: -2147483648 },
        Long: boxed("long"),
        Double: boxed("double"),
        Boolean: { parseBoolean: (text) => String(text).toLowerCase() === "true", valueOf: (value) => String(value).toLowerCase() === "true", TRUE: true, FALSE: false },
        String: { valueOf: (value) => String(value), join: (separator, ...texts) => (texts.length === 1 && isArray(texts[0]) ? texts[0] : texts).join(separator) },
        Math: { abs: Math.abs, ceil: Math.ceil, floor, max, min, pow: Math.pow, random: () => host.random(), round: Math.round, sqrt: Math.sqrt, floorMod: (value, by) => ((value % by) + by) % by },
    },
    util: {
        ArrayList, Vector: ArrayList, LinkedList, HashMap, LinkedHashMap: HashMap, HashSet, LinkedHashSet: HashSet, Arrays, Collections, Random,
        Date: null,
        Objects: {
            equals: (one, other) => one === other || (one !== null && one !== undefined && typeof one.equals === "function" && one.equals(other)),
            isNull: (value) => value === null || value === undefined,
            nonNull: (value) => value !== null && value !== undefined,
            toString: (value) => String(value),
        },
        concurrent: { ConcurrentHashMap: HashMap, CopyOnWriteArrayList: ArrayList, ThreadLocalRandom: Random },
        stream: { Collectors: { toList: () => "list", toSet: () => "set" } },
    },
};

function javaType(name) {
    let found = { java };
    for (const step of String(name).split(".")) found = found !== undefined && Object.hasOwn(found, step) ? found[step] : undefined;
    if (typeof found === "function" || (found !== undefined && found !== java && found !== java.lang && found !== java.util)) return found;
    throw new TypeError("no class `" + name + "` for rules");
}

const Java = {
    type: javaType,
    // An array of Java is an array here; its type says nothing more.
    to(array) { return adopt(toArray(itemsOf(array))); },
    from(items) { return toArray(itemsOf(items)); },
};

function addGlobals() {
    java.util.Date = RuleDate;
    const added = { Date: RuleDate, java, Java, now, print: logged, log: logged, console: { log: logged, info: logged, warn: logged, error: logged, debug: logged } };
    for (const name of keysOf(added)) defineProperty(globalThis, name, { value: added[name], writable: true, enumerable: false, configurable: true });
}
