// A run: shows a rule its candidates and the call, and turns its value into places of the table.

const tables = new NativeMap();

function tableOf(number, count) {
    let found = tables.get(number);
    if (found === undefined) {
        while (tables.size >= MOST_TABLES) tables.delete(tables.keys().next().value);
        tables.set(number, found = new Table(count));
    }
    return found;
}

function candidatesOf(candidates) {
    const all = table.invokers;
    if (candidates === null) return adopt(arrays.slice.call(all));
    const list = [];
    for (let i = 0; i < candidates.length; i++) pushOf.call(list, all[candidates[i]]);
    return adopt(list);
}

function kindOf(value) {
    if (value === null || value === undefined) return String(value);
    if (typeof value !== "object") return { boolean: "a boolean", number: "a number", string: "a text", function: "a function", symbol: "a symbol" }[typeof value];
    if (Invoker.place(value) >= 0) return "a single invoker";
    return value instanceof HashSet || value instanceof Set ? "a set" : value instanceof HashMap || value instanceof Map ? "a map" : "an object";
}

// One bit for each place of the table, in words of 32: strangers have no place, repeats no second bit.
function wordsOf(list) {
    const words = [];
    for (let at = 0; at < table.count; at += 32) pushOf.call(words, 0);
    for (let i = 0, count = list.length; i < count; i++) {
        const place = Invoker.place(list[i]);
        if (place >= 0) words[place >> 5] |= 1 << (place & 31);
    }
    return words;
}

function failureOf(thrown) {
    const is_object = thrown !== null && (typeof thrown === "object" || typeof thrown === "function");
    try {
        const stack = is_object && typeof thrown.stack === "string" ? thrown.stack : "";
        const is_error = is_object && typeof thrown.message === "string";
        const text = is_error ? (thrown.name === undefined ? "" : String(thrown.name) + ": ") + thrown.message : String(thrown);
        return { message: text.slice(0, 2000), stack: stack.slice(0, 4000), limit: limitOf(thrown) };
    } catch (again) {
        return { message: "an error that cannot be shown", stack: "", limit: limitOf(again) };
    }
}

// Which limit of the engine an error speaks of. They are ordinary errors to `catch`, so `guard` stands in every one.
function limitOf(thrown) {
    if (thrown === null || typeof thrown !== "object") return "";
    const message = getOwnPropertyDescriptor(thrown, "message");
    if (message === undefined || getOwnPropertyDescriptor(thrown, "stack") === undefined) return "";
    if (message.value === "Maximum call stack size exceeded") return "call-depth";
    return message.value === "out of memory" && getPrototypeOf(thrown) === internalError ? "memory" : "";
}

// Stands first in every `catch` of a rule: a limit ends the run, whatever the rule would do about it.
function guard(thrown) {
    if (typeof thrown !== "object" || thrown === null) return;
    const limit = limitOf(thrown);
    if (limit === "") return;
    while (host.stop(limit)) {}
    throw thrown;
}

function run(rule, number, count, candidates) {
    try {
        runNumber++;
        touched = null;
        lastKey = null;
        table = tableOf(number, count);
        const value = rule(candidatesOf(candidates), new Invocation(), new Context());
        if (!isArray(value)) return { found: kindOf(value) };
        return value.length > 1e6 ? { found: "a list of " + value.length + " elements" } : { words: wordsOf(value) };
    } catch (thrown) {
        return failureOf(thrown);
    } finally {
        touched = null;
        lastKey = lastValues = null;
    }
}

// Makes a rule of what its source came to. A source that ends its function early, to run what follows at once, is no
// longer one function as a whole.
function make(made, source) {
    if (typeof made !== "function" || nativeFunctionText.call(made) !== source.slice(1, -1)) {
        throw new SyntaxError("brackets do not match");
    }
    return made(guard, tick);
}

function forget(number) { tables.delete(number); }

tameIntrinsics();
if (host.tame !== undefined) host.tame({ method, bounded, boundedText, listPrototype, adopt, comparator });
teachJava();
addGlobals();
const hidden = [Invoker, Url, Invocation, Context, Attachments, JavaIterator, JavaClass, Stream];
for (const kind of hidden) deleteProperty(kind.prototype, "constructor");
freezeEverything([...hidden.map((kind) => kind.prototype), HashMap, HashSet, RuleDate]);

return { run, forget, make };
