// A run: shows a rule its candidates and the call, and turns its value into places of the table.

const tables = new NativeMap();

function tableOf(number, count) {
    let found = tables.get(number);
    if (found === undefined) {
        while (tables.size >= MOST_TABLES) tables.delete(tables.keys().next().value);
        tables.set(number, found = new Table(number, count));
    }
    return found;
}

function candidatesOf(candidates) {
    const all = table.invokers;
    if (host.candidates !== undefined) return adopt(host.candidates(all));
    // PERF: `with` copies a whole array at once, `slice` each element (`script/inline`).
    if (candidates === null && all.length > 0) return adopt(copyOf.call(all, 0, all[0]));
    const list = [];
    if (candidates === null) return adopt(list);
    for (let i = 0; i < candidates.length; i++) pushOf.call(list, all[candidates[i]]);
    return adopt(list);
}

function kindOf(value) {
    if (value === null || value === undefined) return String(value);
    if (typeof value !== "object") return { boolean: "a boolean", number: "a number", string: "a text", function: "a function", symbol: "a symbol" }[typeof value];
    if (Invoker.place(value) >= 0) return "a single invoker";
    return value instanceof HashSet || value instanceof Set ? "a set" : value instanceof HashMap || value instanceof Map ? "a map" : "an object";
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
    // An engine that has no memory left for an error throws nothing in its place.
    if (thrown === null && internalError !== null) return "memory";
    if (thrown === null || typeof thrown !== "object") return "";
    const message = getOwnPropertyDescriptor(thrown, "message");
    if (message === undefined) return "";
    if (message.value === "Maximum call stack size exceeded") return "call-depth";
    return message.value === "out of memory" && getPrototypeOf(thrown) === internalError ? "memory" : "";
}

// Stands first in every `catch` of a rule: a limit ends the run, whatever the rule would do about it.
function guard(thrown) {
    if (typeof thrown !== "object") return;
    const limit = limitOf(thrown);
    if (limit === "") return;
    while (host.stop(limit)) {}
    throw thrown;
}

// A good answer is `list`, the rule's array itself: the engine knows its elements.
function run(rule, number, count, candidates) {
    try {
        runNumber++;
        touched = null;
        lastKey = NO_KEY;
        table = tableOf(number, count);
        mostElements = max(FEW_ELEMENTS, 2 * count);
        const list = candidatesOf(candidates);
        const invocation = new Invocation();
        const context = new Context();
        const out = {};
        let value = rule(list, invocation, context, undefined, undefined, out);
        // A text that declares `route`, does not call it, and comes to something else than a list means `route`.
        if (!isArray(value) && out.route !== undefined) value = out.route(list, invocation, context);
        if (!isArray(value)) return { found: kindOf(value) };
        if (value.length > 1e6) return { found: "a list of " + value.length + " elements" };
        return { list: host.isPlain === undefined || host.isPlain(value) ? value : toArray(value) };
    } catch (thrown) {
        return failureOf(thrown);
    } finally {
        touched = null;
        lastKey = NO_KEY;
        lastValues = null;
    }
}

// Makes a rule of what its source came to. A source that ends its function early, to run what follows at once, is no
// longer one function as a whole.
function make(made, source) {
    if (typeof made !== "function" || nativeFunctionText.call(made) !== source.slice(1, -1)) {
        throw new SyntaxError("brackets do not match");
    }
    return made(guard, host.overdue);
}

function forget(number) { tables.delete(number); }

// Makes a table ahead of the runs over it; its invokers.
function takeIn(number, count) { return tableOf(number, count).invokers; }

// As Nashorn has it, `getName()` and `isName()` are a property `name` as well, where there is none.
function addProperties(prototype) {
    const names = ownKeys(prototype);
    for (let i = 0; i < names.length; i++) {
        const name = names[i];
        const at = typeof name !== "string" ? 0 : name.startsWith("get") ? 3 : name.startsWith("is") ? 2 : 0;
        const member = at === 0 || name.length === at ? undefined : getOwnPropertyDescriptor(prototype, name).value;
        const property = member === undefined ? "" : name[at].toLowerCase() + name.slice(at + 1);
        if (typeof member !== "function" || member.length > 0 || property in prototype) continue;
        defineProperty(prototype, property, { get() { return this[name](); }, enumerable: false, configurable: true });
    }
}

for (const kind of [Invoker, Url, Invocation, Context]) addProperties(kind.prototype);
tameIntrinsics();
if (host.tame !== undefined) host.tame({ method, tick, bounded, boundedText, listPrototype, adopt, comparator, Invoker, Url });
teachJava();
addGlobals();
for (const kind of [Invoker, Url]) setPrototypeOf(kind.prototype, Object.prototype);
const hidden = [Invoker, Url, Invocation, Context, Attachments, JavaIterator, JavaClass, Stream];
for (const kind of hidden) deleteProperty(kind.prototype, "constructor");
freezeEverything([...hidden.map((kind) => kind.prototype), HashMap, HashSet, RuleDate]);

return { run, forget, takeIn, make };
