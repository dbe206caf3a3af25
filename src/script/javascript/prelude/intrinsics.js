// The language's own objects: what scripts must not have goes, natives that no engine interrupts get bounds, and in the
// end everything is frozen, so that no run can leave anything behind for the next.

const { freeze, keys: keysOf, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
const { isArray } = Array;
const { apply, ownKeys, deleteProperty, construct } = Reflect;
const { floor, min, max } = Math;
const NativeDate = globalThis.Date;
const NativeMap = Map;
const NativeSet = Set;
const nativeJson = JSON;
const pushTo = Array.prototype.push;
const nativeFunctionText = Function.prototype.toString;
const internalError = globalThis.InternalError === undefined ? null : globalThis.InternalError.prototype;

// No native below is worth more elements or letters. A list of more providers raises the bound for its runs.
const FEW_ELEMENTS = 65536;
var mostElements = FEW_ELEMENTS;
const MOST_LETTERS = 1 << 20;
const MOST_COMPARED = 4e6;

// What stays of the global object; everything else is deleted, whatever an engine adds in its next version.
const KEPT = [
    "Array", "Boolean", "Error", "EvalError", "JSON", "Map", "Math", "NaN", "Number", "Object", "RangeError",
    "ReferenceError", "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError", "URIError", "WeakMap",
    "WeakSet", "Infinity", "undefined", "globalThis", "parseInt", "parseFloat", "isNaN", "isFinite", "decodeURI",
    "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape",
];

// Members that go: they reach the engine, change it for later runs, or loop where nothing can stop them.
const REMOVED = [
    [Function.prototype, ["constructor", "caller", "arguments", "fileName", "lineNumber", "columnNumber"]],
    [getPrototypeOf(function* () {}), ["constructor"]],
    [getPrototypeOf(async function () {}), ["constructor"]],
    [getPrototypeOf(async function* () {}), ["constructor"]],
    [Error, ["prepareStackTrace", "stackTraceLimit", "captureStackTrace"]],
    [Array, ["fromAsync"]],
    [Object, ["groupBy"]],
    [Object.prototype, ["__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"]],
    [Map, ["groupBy"]],
    [RegExp.prototype, ["compile"]],
    [Math, ["sumPrecise"]],
    // One table for the whole process, which nothing ever leaves.
    [Symbol, ["for", "keyFor"]],
];

// Engines look at the clock every some thousand steps, and a native that takes a millisecond is one step. So the long
// ones look by themselves; from then on the engine is waited for.
function tick() {
    if (host.overdue !== undefined) while (host.overdue()) {}
}

function bounded(list) {
    if (isArray(list)) {
        if (list.length > 256) tick();
        if (list.length > mostElements) throw new RangeError("a list of more than " + mostElements + " elements");
        return;
    }
    if (typeof list === "string" || list === null || list === undefined) return;
    const length = getOwnPropertyDescriptor(list, "length");
    // A getter could answer otherwise the next time.
    if (length === undefined ? "length" in list : !(length.value <= mostElements)) {
        throw new RangeError("no list, or one of more than " + mostElements + " elements");
    }
}

function boundedText(text) {
    if (text.length > 4096) tick();
    if (text.length > MOST_LETTERS) throw new RangeError("a text of more than " + MOST_LETTERS + " letters");
    return text;
}

function boundedSearch(text, sought) {
    boundedText(text);
    if (typeof sought === "string" && text.length * sought.length > MOST_COMPARED) {
        throw new RangeError("a search for too long a text");
    }
}

// What `concat` would take apart.
function boundedItem(item) {
    if (isArray(item)) bounded(item);
    else if (typeof item === "object" && item !== null && Symbol.isConcatSpreadable in item) {
        throw new TypeError("`concat` takes arrays apart only");
    }
}

// How long a text can become when something in it is replaced.
function boundedGrowth(times, text) {
    if (typeof text === "string" && times * text.length > MOST_COMPARED) throw new RangeError("too long a text");
}

function method(owner, name, value) {
    defineProperty(owner, name, { value, writable: true, enumerable: false, configurable: true });
    if (typeof value === "function") defineProperty(value, "name", { value: typeof name === "symbol" ? name.description : name });
}

function methods(owner, added) {
    for (const name of keysOf(added)) method(owner, name, added[name]);
}

function boundArrays() {
    const own = Array.prototype;
    const natives = {};
    for (const name of ownKeys(own)) if (typeof name === "string") natives[name] = own[name];
    // Callers pass one or two arguments as a rule; only these differ between an absent and an undefined one.
    const counted = ["concat", "lastIndexOf", "reduce", "reduceRight", "splice", "toSpliced", "unshift"];
    const plain = [
        "copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "includes",
        "indexOf", "map", "reverse", "shift", "slice", "some", "sort", "toLocaleString", "toReversed",
        "toSorted", "with",
    ];
    for (const name of plain) {
        const native = natives[name];
        if (native === undefined) continue;
        method(own, name, { [name](a, b, c) { bounded(this); return native.call(this, a, b, c); } }[name]);
    }
    for (const name of counted) {
        const native = natives[name];
        if (native === undefined) continue;
        method(own, name, { [name](...args) {
            bounded(this);
            if (name === "concat") for (let i = 0; i < args.length; i++) boundedItem(args[i]);
            return apply(native, this, args);
        } }[name]);
    }
    const join = natives.join;
    method(own, "join", function (separator) { bounded(this); boundedGrowth(this.length, separator); return join.call(this, separator); });
    const flatten = (into, list, depth) => {
        for (let i = 0; i < list.length; i++) {
            if (depth > 0 && isArray(list[i])) flatten(into, list[i], depth - 1);
            else if (i in list) into.push(list[i]);
        }
        return into;
    };
    methods(own, {
        flat(depth) { return flatten([], this, depth === undefined ? 1 : min(+depth, 64)); },
        flatMap(mapped, self) { return flatten([], this.map(mapped, self), 1); },
    });
    method(Array, "from", function from(source, mapped, self) {
        const into = [];
        const iterates = source !== null && source !== undefined && source[Symbol.iterator] !== undefined;
        if (!iterates) bounded(source);
        const count = iterates ? 0 : source.length;
        if (iterates) for (const item of source) into.push(mapped === undefined ? item : mapped.call(self, item, into.length));
        for (let i = 0; i < count; i++) into.push(mapped === undefined ? source[i] : mapped.call(self, source[i], i));
        return into;
    });
    method(Object, "fromEntries", function fromEntries(entries) {
        const made = {};
        for (const entry of entries) defineProperty(made, entry[0], { value: entry[1], writable: true, enumerable: true, configurable: true });
        return made;
    });
}

function boundTexts() {
    const own = String.prototype;
    const natives = {};
    for (const name of ownKeys(own)) if (typeof name === "string") natives[name] = own[name];
    for (const name of ["indexOf", "lastIndexOf", "includes", "split", "replace", "replaceAll"]) {
        const native = natives[name];
        const counted = name === "lastIndexOf";
        method(own, name, { [name](sought, second) {
            if (this.length > 256) {
                boundedSearch(String(this), sought);
                boundedGrowth(this.length, second);
            }
            const found = counted && second === undefined ? native.call(this, sought) : native.call(this, sought, second);
            return found;
        } }[name]);
    }
    const linear = [
        "toUpperCase", "toLowerCase", "toLocaleUpperCase", "toLocaleLowerCase", "normalize", "trim", "trimStart", "trimEnd",
        "localeCompare", "match", "matchAll", "search", "isWellFormed", "toWellFormed",
    ];
    for (const name of linear) {
        const native = natives[name];
        if (native === undefined) continue;
        method(own, name, { [name](a) { if (this.length > 256) boundedText(this); return native.call(this, a); } }[name]);
    }
    for (const name of ["repeat", "padStart", "padEnd"]) {
        const native = natives[name];
        method(own, name, { [name](count, filler) {
            const length = name === "repeat" ? this.length * +count : +count;
            if (length > MOST_LETTERS) throw new RangeError("a text of more than " + MOST_LETTERS + " letters");
            return native.call(this, +count, filler);
        } }[name]);
    }
    method(String, "raw", function raw(strings, ...values) {
        const parts = strings.raw;
        let made = "";
        for (let i = 0; i < parts.length; i++) made += parts[i] + (i + 1 < parts.length && i < values.length ? values[i] : "");
        return made;
    });
}

// `new Set(list)` walks its argument in a native; a loop here can be stopped.
function fillInLoops(name, Native, add) {
    const Made = { [name]: function (items) {
        if (new.target === undefined) throw new TypeError("`" + name + "` is made with `new`");
        const made = construct(Native, [], new.target);
        if (items !== undefined && items !== null) for (const item of items) add(made, item);
        return made;
    } }[name];
    Made.prototype = Native.prototype;
    defineProperty(Made, "prototype", { writable: false, enumerable: false });
    method(Native.prototype, "constructor", Made);
    globalThis[name] = Made;
}

function boundJson() {
    const parse = nativeJson.parse;
    const written = nativeJson.stringify;
    method(nativeJson, "parse", function (text, reviver) { return parse(boundedText(String(text)), reviver); });
    // Written anew because the native one walks holes of a list without end.
    // `holders` are the values that this one stands in.
    const write = (holder, key, value, change, only, gap, indent, holders) => {
        if (holders.length > 200) throw new TypeError("a value of more than 200 levels");
        if (value !== null && typeof value === "object" && typeof value.toJSON === "function") value = value.toJSON(key);
        if (change !== null) value = change.call(holder, key, value);
        if (value instanceof Number || value instanceof String || value instanceof Boolean) value = value.valueOf();
        if (typeof value !== "object" || value === null) return written(value);
        if (holders.includes(value)) throw new TypeError("a value that holds itself");
        holders.push(value);
        const inner = indent + gap;
        const next = (name) => write(value, name, value[name], change, only, gap, inner, holders);
        const parts = [];
        if (isArray(value)) {
            for (let i = 0; i < value.length; i++) { const part = next(String(i)); parts.push(part === undefined ? "null" : part); }
        } else {
            for (const name of only === null ? keysOf(value) : only) {
                const part = next(name);
                if (part !== undefined) parts.push(written(name) + (gap === "" ? ":" : ": ") + part);
            }
        }
        holders.pop();
        const [open, close] = isArray(value) ? ["[", "]"] : ["{", "}"];
        if (parts.length === 0 || gap === "") return open + parts.join(",") + close;
        return open + "\n" + inner + parts.join(",\n" + inner) + "\n" + indent + close;
    };
    method(nativeJson, "stringify", function (value, replacer, space) {
        const gap = typeof space === "number" ? " ".repeat(max(0, min(10, floor(space)))) : typeof space === "string" ? space.slice(0, 10) : "";
        const change = typeof replacer === "function" ? replacer : null;
        return write({ "": value }, "", value, change, isArray(replacer) ? replacer.map(String) : null, gap, "", []);
    });
}

// These walk all members of an object at once.
function watchObjects() {
    let calls = 0;
    const watched = [
        [Object, ["assign", "defineProperties", "entries", "freeze", "getOwnPropertyDescriptors", "getOwnPropertyNames", "isFrozen", "isSealed", "keys", "preventExtensions", "seal", "values"]],
        [Reflect, ["ownKeys"]],
    ];
    for (const [owner, names] of watched) {
        for (const name of names) {
            const native = owner[name];
            method(owner, name, { [name](...args) {
                if ((++calls & 7) === 0) tick();
                for (let i = 0; i < args.length; i++) if (typeof args[i] === "string") boundedText(args[i]);
                return apply(native, owner, args);
            } }[name]);
        }
    }
}

function tameIntrinsics() {
    const iterators = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
    for (const name of ownKeys(iterators)) if (name !== Symbol.iterator && name !== Symbol.toStringTag) deleteProperty(iterators, name);
    for (const [owner, names] of REMOVED) for (const name of names) deleteProperty(owner, name);
    for (const name of ownKeys(RegExp)) {
        if (!["length", "name", "prototype", "escape"].includes(name) && name !== Symbol.species) deleteProperty(RegExp, name);
    }
    boundArrays();
    boundTexts();
    boundJson();
    watchObjects();
    const addPair = (map, pair) => map.set(pair[0], pair[1]);
    fillInLoops("Map", NativeMap, addPair);
    fillInLoops("WeakMap", WeakMap, addPair);
    fillInLoops("Set", NativeSet, (set, item) => set.add(item));
    fillInLoops("WeakSet", WeakSet, (set, item) => set.add(item));
    method(Function.prototype, "toString", function () { return "function () { … }"; });
    method(Math, "random", function () { return host.random(); });
    for (const name of ownKeys(globalThis)) if (!KEPT.includes(name)) deleteProperty(globalThis, name);
}

// A frozen prototype would forbid `object.toString = …` on every object below it; an accessor lets it define its own.
function allowOverrides(prototype) {
    for (const name of ownKeys(prototype)) {
        const { value, configurable, writable } = getOwnPropertyDescriptor(prototype, name);
        if (!configurable || !writable) continue;
        defineProperty(prototype, name, {
            get() { return value; },
            set(own) {
                if (this === null || (typeof this !== "object" && typeof this !== "function")) return;
                defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
            },
            enumerable: false,
        });
    }
}

// Freezes all that can be reached from some objects.
function freezeFrom(roots) {
    const seen = new NativeSet();
    const waiting = [];
    const visit = (it) => {
        if (it === null || (typeof it !== "object" && typeof it !== "function") || seen.has(it)) return;
        seen.add(it);
        pushTo.call(waiting, it);
    };
    for (let i = 0; i < roots.length; i++) visit(roots[i]);
    for (let i = 0; i < waiting.length; i++) {
        const it = waiting[i];
        const names = ownKeys(it);
        for (let k = 0; k < names.length; k++) {
            const member = getOwnPropertyDescriptor(it, names[k]);
            visit(member.value);
            if (member.get !== undefined) visit(member.get);
            if (member.set !== undefined) visit(member.set);
        }
        visit(getPrototypeOf(it));
        freeze(it);
    }
}

function freezeEverything(more) {
    const errors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
    allowOverrides(Object.prototype);
    for (const kind of errors) allowOverrides(kind.prototype);
    const roots = [
        globalThis, function* () {}, async function () {}, async function* () {}, [][Symbol.iterator](), ""[Symbol.iterator](),
        new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), internalError, ...more,
    ];
    if (typeof "".matchAll === "function") pushTo.call(roots, "".matchAll(new RegExp("", "g")));
    if (host.freezeFrom !== undefined) host.freezeFrom(roots);
    else freezeFrom(roots);
}
