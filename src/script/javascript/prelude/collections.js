// Java's collections as rules for Dubbo use them. A list is a real array with another prototype: indexing and `length`
// cost nothing extra, and whatever takes an array takes it.

const arrays = Array.prototype;
const pushOf = arrays.push;
const spliceOf = arrays.splice;
const copyOf = arrays.with;
const listPrototype = Object.create(arrays);

function adopt(array) { return setPrototypeOf(array, listPrototype); }

function outside(index, list) { return new RangeError("Index: " + index + ", Size: " + list.length); }

function compared(one, other) {
    if (typeof one === "string" && typeof other === "string") return one.compareTo(other);
    return one < other ? -1 : one > other ? 1 : 0;
}

// Comparators of Java are functions here, or objects with `compare`.
function comparator(given) {
    if (given === undefined || given === null) return compared;
    return typeof given === "function" ? given : (one, other) => given.compare(one, other);
}

function itemsOf(source) {
    if (source === undefined || source === null) throw new TypeError("a collection was expected, found " + source);
    return isArray(source) ? source : [...source];
}

function contentText(items) {
    const texts = [];
    for (let i = 0; i < items.length && i < 1000; i++) texts.push(String(items[i]));
    return "[" + texts.join(", ") + "]";
}

class JavaIterator {
    #list; #at = 0;
    constructor(list) { this.#list = list; freeze(this); }
    hasNext() { return this.#at < this.#list.length; }
    next() {
        if (this.#at >= this.#list.length) throw new RangeError("no next element");
        return this.#list[this.#at++];
    }
    remove() { spliceOf.call(this.#list, --this.#at, 1); }
}

// What lists and sets have in common, over `size`, `contains`, `remove` and the iterator.
const collectionMethods = {
    isEmpty() { return this.size() === 0; },
    addAll(items) { let grew = false; for (const item of itemsOf(items)) grew = this.add(item) || grew; return grew; },
    containsAll(items) { for (const item of items) if (!this.contains(item)) return false; return true; },
    toArray() { return [...this]; },
    stream() { return new Stream([...this]); },
    parallelStream() { return new Stream([...this]); },
    toString() { return contentText([...this]); },
    hashCode() { return this.size(); },
};

methods(listPrototype, {
    ...collectionMethods,
    size() { return this.length; },
    isEmpty() { return this.length === 0; },
    get(index) {
        const item = this[index];
        if (item === undefined && !(index >= 0 && index < this.length)) throw outside(index, this);
        return item;
    },
    set(index, item) {
        if (!(index >= 0 && index < this.length)) throw outside(index, this);
        const old = this[index];
        this[index] = item;
        return old;
    },
    add(item, second) {
        if (second === undefined) { this[this.length] = item; return true; }
        if (!(item >= 0 && item <= this.length)) throw outside(item, this);
        spliceOf.call(this, item, 0, second);
        return undefined;
    },
    addAll(first, second) {
        const at = second === undefined ? this.length : first;
        const items = itemsOf(second === undefined ? first : second);
        bounded(items);
        const tail = at < this.length ? spliceOf.call(this, at, this.length) : [];
        for (let i = 0, count = items.length; i < count; i++) pushOf.call(this, items[i]);
        for (let i = 0; i < tail.length; i++) pushOf.call(this, tail[i]);
        return items.length > 0;
    },
    remove(given) {
        if (typeof given === "number") {
            if (!(given >= 0 && given < this.length)) throw outside(given, this);
            return spliceOf.call(this, given, 1)[0];
        }
        const at = this.indexOf(given);
        if (at >= 0) spliceOf.call(this, at, 1);
        return at >= 0;
    },
    removeAll(items) { const gone = itemsOf(items); return this.removeIf((item) => gone.includes(item)); },
    retainAll(items) { const stay = itemsOf(items); return this.removeIf((item) => !stay.includes(item)); },
    removeIf(test) {
        const count = this.length;
        let kept = 0;
        for (let i = 0; i < count; i++) { const item = this[i]; if (!test(item)) this[kept++] = item; }
        this.length = kept;
        return kept < count;
    },
    replaceAll(change) { for (let i = 0; i < this.length; i++) this[i] = change(this[i]); },
    clear() { this.length = 0; },
    contains(item) { return this.includes(item); },
    subList(from, to) {
        if (!(from >= 0 && from <= to && to <= this.length)) throw outside(from + ".." + to, this);
        return adopt(arrays.slice.call(toArray(this), from, to));
    },
    iterator() { return new JavaIterator(this); },
    listIterator() { return new JavaIterator(this); },
    sort(order) { arrays.sort.call(this, comparator(order)); return this; },
    toArray() { return toArray(this); },
    // PERF: the native beats a loop here (`script/route`).
    filter(test, self) { return adopt(arrays.filter.call(this, test, self)); },
    slice(from, to) { return adopt(arrays.slice.call(this, from, to)); },
    concat(...more) { return adopt(apply(arrays.concat, this, more)); },
    equals(other) { return isArray(other) && other.length === this.length && this.every((item, at) => other[at] === item); },
    getFirst() { return this.get(0); },
    getLast() { return this.get(this.length - 1); },
    addFirst(item) { spliceOf.call(this, 0, 0, item); },
    addLast(item) { pushOf.call(this, item); },
    removeFirst() { return this.remove(0); },
    removeLast() { return this.remove(this.length - 1); },
    peek() { return this.length === 0 ? null : this[0]; },
    poll() { return this.length === 0 ? null : this.remove(0); },
});

function toArray(list) {
    const array = [];
    for (let i = 0; i < list.length; i++) pushOf.call(array, list[i]);
    return array;
}

function listClass(name) {
    const Made = { [name]: function (source) {
        if (source === undefined || typeof source === "number") return adopt([]);
        const items = itemsOf(source);
        bounded(items);
        return adopt(toArray(items));
    } }[name];
    defineProperty(Made, "prototype", { value: listPrototype, writable: false });
    // What natives derive from a list (`map`, `splice`) is a plain array.
    defineProperty(Made, Symbol.species, { value: null });
    return Made;
}

const ArrayList = listClass("ArrayList");
const LinkedList = listClass("LinkedList");
method(listPrototype, "constructor", ArrayList);

class Stream {
    #items;
    constructor(items) { this.#items = items; freeze(this); }
    filter(test) { return new Stream(this.#items.filter((item) => test(item))); }
    map(change) { return new Stream(this.#items.map((item) => change(item))); }
    sorted(order) { return new Stream(toArray(this.#items).sort(comparator(order))); }
    distinct() { return new Stream([...new NativeSet(this.#items)]); }
    limit(count) { return new Stream(this.#items.slice(0, count)); }
    skip(count) { return new Stream(this.#items.slice(count)); }
    forEach(visit) { this.#items.forEach((item) => visit(item)); }
    count() { return this.#items.length; }
    anyMatch(test) { return this.#items.some((item) => test(item)); }
    allMatch(test) { return this.#items.every((item) => test(item)); }
    noneMatch(test) { return !this.anyMatch(test); }
    collect(collector) { return collector === "set" ? new HashSet(this.#items) : this.toList(); }
    toList() { return adopt(toArray(this.#items)); }
    toArray() { return toArray(this.#items); }
}

class HashSet {
    #items = new NativeSet();
    constructor(source) { if (source !== undefined && typeof source !== "number") this.addAll(source); freeze(this); }
    size() { return this.#items.size; }
    add(item) { const is_new = !this.#items.has(item); this.#items.add(item); return is_new; }
    contains(item) { return this.#items.has(item); }
    remove(item) { return this.#items.delete(item); }
    removeAll(items) { let gone = false; for (const item of items) gone = this.remove(item) || gone; return gone; }
    retainAll(items) { const stay = itemsOf(items); return this.removeIf((item) => !stay.includes(item)); }
    removeIf(test) { const before = this.size(); for (const item of [...this]) if (test(item)) this.remove(item); return this.size() < before; }
    clear() { this.#items.clear(); }
    iterator() { return new JavaIterator([...this]); }
    forEach(visit) { for (const item of this) visit(item); }
    [Symbol.iterator]() { return this.#items.values(); }
}
methods(HashSet.prototype, collectionMethods);

// Entries of a map are members too (`map.key`), as in Nashorn, unless a method is called so.
class HashMap {
    #entries = new NativeMap();
    constructor(source) { if (source !== undefined && source !== null && typeof source !== "number") this.putAll(source); }
    size() { return this.#entries.size; }
    isEmpty() { return this.#entries.size === 0; }
    get(key) { const value = this.#entries.get(key); return value === undefined ? null : value; }
    getOrDefault(key, fallback) { return this.#entries.has(key) ? this.#entries.get(key) : fallback; }
    put(key, value) {
        const old = this.get(key);
        this.#entries.set(key, value);
        if (typeof key === "string" && !(key in HashMap.prototype)) {
            defineProperty(this, key, { get: () => this.get(key), set: (other) => this.put(key, other), enumerable: true, configurable: true });
        }
        return old;
    }
    putIfAbsent(key, value) { return this.#entries.has(key) ? this.get(key) : this.put(key, value); }
    putAll(source) {
        if (source instanceof HashMap || source instanceof NativeMap) source.forEach((a, b) => source instanceof HashMap ? this.put(a, b) : this.put(b, a));
        else for (const key of keysOf(source)) this.put(key, source[key]);
    }
    computeIfAbsent(key, make) { if (!this.#entries.has(key)) this.put(key, make(key)); return this.get(key); }
    merge(key, value, join) { this.put(key, this.#entries.has(key) ? join(this.get(key), value) : value); return this.get(key); }
    remove(key) {
        const old = this.get(key);
        if (this.#entries.delete(key) && typeof key === "string" && !(key in HashMap.prototype)) deleteProperty(this, key);
        return old;
    }
    clear() { for (const key of [...this.#entries.keys()]) this.remove(key); }
    containsKey(key) { return this.#entries.has(key); }
    containsValue(value) { return [...this.#entries.values()].includes(value); }
    keySet() { return new HashSet(this.#entries.keys()); }
    values() { return adopt([...this.#entries.values()]); }
    entrySet() { return new HashSet([...this.#entries].map(([key, value]) => freeze({ getKey: () => key, getValue: () => value, key, value }))); }
    forEach(visit) { for (const [key, value] of [...this.#entries]) visit(key, value); }
    toString() { return "{" + [...this.#entries].map(([key, value]) => key + "=" + value).join(", ") + "}"; }
}
