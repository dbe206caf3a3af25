// What boa's natives would do where no clock is read, or with a panic, written in the language itself: natives that call
// back run their callbacks outside of the budget, and `sort` does not bear a comparator that contradicts itself.
// Evaluates to a method of the host that replaces them, given what the prelude calls `method`, `tick`,
// `bounded`, `boundedText`, `listPrototype`, `adopt` and `comparator`, and the classes of providers.
(function () {
"use strict";

const { apply } = Reflect;
const nativeSlice = Array.prototype.slice;
const nativeJoin = Array.prototype.join;
const entriesOf = Map.prototype.entries;
const valuesOf = Set.prototype.values;
const functions = Function.prototype;

// As in the prelude.
const MOST_LETTERS = 1 << 20;

// The callback with its `this` in it.
function stepOf(callback, self) {
    if (typeof callback !== "function") throw new TypeError("a function was expected, found " + typeof callback);
    return self === undefined ? callback : (item, at, list) => apply(callback, self, [item, at, list]);
}

function derived(list) {
    return Array.isArray(list) ? apply(nativeSlice, list, [0, 0]) : [];
}

// Merges runs of growing width; whatever `after` says, every item is kept once.
function sorted(items, after) {
    const count = items.length;
    let from = items;
    let into = [];
    for (let width = 1; width < count; width *= 2) {
        for (let low = 0; low < count; low += 2 * width) {
            const middle = Math.min(low + width, count);
            const high = Math.min(low + 2 * width, count);
            let left = low;
            let right = middle;
            for (let at = low; at < high; at++) {
                const takes_left = right >= high || (left < middle && !after(from[left], from[right]));
                into[at] = takes_left ? from[left++] : from[right++];
            }
        }
        [from, into] = [into, from];
    }
    return from;
}

function order(items, compare) {
    if (compare !== undefined) return sorted(items, (one, other) => compare(one, other) > 0);
    const texts = [];
    for (let i = 0; i < items.length; i++) texts[i] = { text: String(items[i]), item: items[i] };
    const ordered = sorted(texts, (one, other) => one.text > other.text);
    for (let i = 0; i < ordered.length; i++) ordered[i] = ordered[i].item;
    return ordered;
}

function filtered(list, callback, self) {
    const step = stepOf(callback, self);
    const made = derived(list);
    let kept = 0;
    for (let i = 0, count = list.length; i < count; i++) {
        const item = list[i];
        if ((item !== undefined || i in list) && step(item, i, list)) made[kept++] = item;
    }
    return made;
}

function sortInPlace(list, compare) {
    const count = list.length;
    const items = [];
    let undefinedItems = 0;
    for (let i = 0; i < count; i++) {
        const item = list[i];
        if (item !== undefined) items[items.length] = item;
        else if (i in list) undefinedItems++;
    }
    const ordered = order(items, compare);
    let at = 0;
    for (; at < ordered.length; at++) list[at] = ordered[at];
    for (; undefinedItems > 0; undefinedItems--) list[at++] = undefined;
    for (; at < count; at++) delete list[at];
    return list;
}

const arrays = (bounded, tick) => ({
    forEach(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        for (let i = 0, count = this.length; i < count; i++) { const item = this[i]; if (item !== undefined || i in this) step(item, i, this); }
    },
    map(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        const made = derived(this);
        const count = this.length;
        for (let i = 0; i < count; i++) if (i in this) made[i] = step(this[i], i, this);
        if (made.length < count) made.length = count;
        return made;
    },
    filter(callback, self) {
        bounded(this);
        return filtered(this, callback, self);
    },
    concat(...items) {
        bounded(this);
        const made = derived(this);
        let count = 0;
        for (let i = -1; i < items.length; i++) {
            const item = i < 0 ? this : items[i];
            const told = item === null || typeof item !== "object" ? false : item[Symbol.isConcatSpreadable];
            if (!(told === undefined ? Array.isArray(item) : told)) {
                made[count++] = item;
                continue;
            }
            bounded(item);
            for (let at = 0, end = item.length; at < end; at++, count++) if (at in item) made[count] = item[at];
        }
        if (made.length < count) made.length = count;
        return made;
    },
    join(separator) {
        // Lists in lists are joined by natives that call this again.
        tick();
        bounded(this);
        const between = separator === undefined ? "," : String(separator);
        const texts = [];
        let length = 0;
        for (let i = 0, count = this.length; i < count; i++) {
            const item = this[i];
            const text = item === undefined || item === null ? "" : String(item);
            texts[i] = text;
            length += text.length + between.length;
            if (length > MOST_LETTERS) throw new RangeError("a text of more than " + MOST_LETTERS + " letters");
        }
        return apply(nativeJoin, texts, [between]);
    },
    every(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        for (let i = 0, count = this.length; i < count; i++) if (i in this && !step(this[i], i, this)) return false;
        return true;
    },
    some(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        for (let i = 0, count = this.length; i < count; i++) if (i in this && step(this[i], i, this)) return true;
        return false;
    },
    find(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        for (let i = 0, count = this.length; i < count; i++) { const item = this[i]; if (step(item, i, this)) return item; }
        return undefined;
    },
    findIndex(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        for (let i = 0, count = this.length; i < count; i++) if (step(this[i], i, this)) return i;
        return -1;
    },
    findLast(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        for (let i = this.length - 1; i >= 0; i--) { const item = this[i]; if (step(item, i, this)) return item; }
        return undefined;
    },
    findLastIndex(callback, self) {
        bounded(this);
        const step = stepOf(callback, self);
        for (let i = this.length - 1; i >= 0; i--) if (step(this[i], i, this)) return i;
        return -1;
    },
    reduce(callback, ...first) {
        bounded(this);
        stepOf(callback);
        const count = this.length;
        let at = 0;
        let value = first[0];
        if (first.length === 0) {
            while (at < count && !(at in this)) at++;
            if (at >= count) throw new TypeError("an empty list has no first value");
            value = this[at++];
        }
        for (; at < count; at++) if (at in this) value = callback(value, this[at], at, this);
        return value;
    },
    reduceRight(callback, ...first) {
        bounded(this);
        stepOf(callback);
        let at = this.length - 1;
        let value = first[0];
        if (first.length === 0) {
            while (at >= 0 && !(at in this)) at--;
            if (!(at >= 0)) throw new TypeError("an empty list has no last value");
            value = this[at--];
        }
        for (; at >= 0; at--) if (at in this) value = callback(value, this[at], at, this);
        return value;
    },
    sort(compare) {
        if (compare !== undefined) stepOf(compare);
        bounded(this);
        return sortInPlace(this, compare);
    },
    toSorted(compare) {
        if (compare !== undefined) stepOf(compare);
        bounded(this);
        const made = [];
        for (let i = 0, count = this.length; i < count; i++) made[i] = this[i];
        return sortInPlace(made, compare);
    },
});

// `$$`, `$&`, "$`" and `$'` in what replaces a text found at `at`.
function expanded(by, text, sought, at) {
    if (!by.includes("$")) return by;
    let made = "";
    for (let i = 0; i < by.length; i++) {
        const next = by[i] === "$" ? by[i + 1] : undefined;
        if (next === "$") made += "$";
        else if (next === "&") made += sought;
        else if (next === "`") made += text.slice(0, at);
        else if (next === "'") made += text.slice(at + sought.length);
        else { made += by[i]; continue; }
        i++;
    }
    return made;
}

const texts = (split, boundedText) => {
    // The parts of the text between what is replaced, with what replaces it in between.
    const filled = (parts, sought, by, text) => {
        const step = typeof by === "function" ? by : null;
        const fixed = step === null ? String(by) : "";
        let made = parts[0];
        for (let i = 1, at = made.length; i < parts.length; i++) {
            made += (step === null ? expanded(fixed, text, sought, at) : String(step(sought, at, text))) + parts[i];
            at += sought.length + parts[i].length;
            boundedText(made);
        }
        return made;
    };
    const replaced = (text, sought, by, most) => {
        if (most > 1) return filled(sought === "" ? ["", ...split(text, "", MOST_LETTERS), ""] : split(text, sought, MOST_LETTERS), sought, by, text);
        const at = text.indexOf(sought);
        return at < 0 ? text : filled([text.slice(0, at), text.slice(at + sought.length)], sought, by, text);
    };
    const replace = (self, sought, by, most) => {
        if (self === null || self === undefined) throw new TypeError("a text was expected, found " + self);
        const own = sought === null || typeof sought !== "object" ? undefined : sought[Symbol.replace];
        return own === undefined ? replaced(boundedText(String(self)), String(sought), by, most) : apply(own, sought, [self, by]);
    };
    return {
        replace(sought, by) { return replace(this, sought, by, 1); },
        concat(...more) {
            let made = boundedText(String(this));
            for (let i = 0; i < more.length; i++) made = boundedText(made + String(more[i]));
            return made;
        },
        split(separator, limit) {
            if (this === null || this === undefined) throw new TypeError("a text was expected, found " + this);
            const own = separator === null || typeof separator !== "object" ? undefined : separator[Symbol.split];
            if (own !== undefined) return apply(own, separator, [this, limit]);
            const text = boundedText(String(this));
            const most = limit === undefined ? 4294967295 : limit >>> 0;
            return separator === undefined ? (most > 0 ? [text] : []) : split(text, String(separator), most);
        },
        replaceAll(sought, by) { return replace(this, sought, by, Infinity); },
    };
};

// Natives that copy or walk all that they are given.
function boundCalls(method, tick, bounded, boundedText) {
    const { construct } = Reflect;
    const walked = (list) => {
        if (list === null || (typeof list !== "object" && typeof list !== "function")) throw new TypeError("a list was expected");
        bounded(list);
        return list;
    };
    const calls = {
        apply(self, list) { return apply(this, self, list === null || list === undefined ? [] : walked(list)); },
    };
    const binds = {
        bind(self, ...first) {
            const callee = this;
            if (typeof callee !== "function") throw new TypeError("a function was expected, found " + typeof callee);
            // A function of the language, so that a chain of them is one of calls.
            return function bound(...more) {
                tick();
                bounded(more);
                return new.target === undefined ? apply(callee, self, [...first, ...more]) : construct(callee, [...first, ...more]);
            };
        },
    };
    method(functions, "bind", binds.bind);
    const reflections = {
        apply(callee, self, list) { return apply(callee, self, walked(list)); },
        construct(callee, list, ...target) { return target.length === 0 ? construct(callee, walked(list)) : construct(callee, walked(list), target[0]); },
    };
    method(functions, "apply", calls.apply);
    for (const name of Object.keys(reflections)) method(Reflect, name, reflections[name]);
    const spelled = ["decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape", "parseInt", "parseFloat"];
    for (const name of spelled) {
        const native = globalThis[name];
        if (native === undefined) continue;
        const own = { [name](text, base) { return native(boundedText(String(text)), base); } }[name];
        method(globalThis, name, own);
        if (Object.hasOwn(Number, name)) method(Number, name, own);
    }
}

return function replace({ method, tick, bounded, boundedText, listPrototype, adopt, comparator, Invoker, Url }) {
    boundCalls(method, tick, bounded, boundedText);
    const { split, guarded, quick, quickUrl, quickGet, quickSize } = this;
    const ofTexts = texts(split, boundedText);
    for (const name of Object.keys(ofTexts)) method(String.prototype, name, ofTexts[name]);
    const made = arrays(bounded, tick);
    for (const name of Object.keys(made)) method(Array.prototype, name, made[name]);
    // Lists have their own because a call by `Function.prototype.call` is one of a native.
    const own = {
        filter(test, self) { bounded(this); return adopt(filtered(this, test, self)); },
        sort(order) { bounded(this); return sortInPlace(this, comparator(order)); },
    };
    for (const name of Object.keys(own)) method(listPrototype, name, own[name]);
    const { forEach: inMap } = { forEach(visit, self) {
        const step = stepOf(visit, self);
        for (const [key, value] of apply(entriesOf, this, [])) step(value, key, this);
    } };
    const { forEach: inSet } = { forEach(visit, self) {
        const step = stepOf(visit, self);
        for (const value of apply(valuesOf, this, [])) step(value, value, this);
    } };
    // Spreading and destructuring call these in loops of their own.
    const generated = (function* () {})();
    const iterators = [[][Symbol.iterator](), ""[Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator]()];
    for (const owner of [...iterators.map(Object.getPrototypeOf), Object.getPrototypeOf(Object.getPrototypeOf(generated))]) {
        method(owner, "next", guarded(owner.next));
    }
    // boa's expressions backtrack where no clock is read.
    const refused = () => { throw new TypeError("regular expressions are left out here: set `engine=quickjs`"); };
    globalThis.RegExp = { RegExp() { refused(); } }.RegExp;
    method(String.prototype, "match", { match() { refused(); } }.match);
    method(String.prototype, "search", { search() { refused(); } }.search);
    delete String.prototype.matchAll;
    method(listPrototype, "size", quickSize(listPrototype.size));
    method(listPrototype, "get", quickGet(listPrototype.get));
    for (const name of ["getUrl", "GetURL"]) method(Invoker.prototype, name, quickUrl(Invoker.prototype[name]));
    const olden = {
        substr(start, length) {
            const text = String(this);
            const from = start < 0 ? Math.max(0, text.length + Math.trunc(start)) : Math.trunc(start) || 0;
            return length === undefined ? text.slice(from) : text.slice(from, from + Math.max(0, Math.trunc(length) || 0));
        },
        trimLeft() { return this.trimStart(); },
        trimRight() { return this.trimEnd(); },
    };
    for (const name of Object.keys(olden)) method(String.prototype, name, olden[name]);
    method(Invoker.prototype, "param", quick(Invoker.prototype.param, true));
    method(Url.prototype, "param", quick(Url.prototype.param, true));
    method(Url.prototype, "getParameter", quick(Url.prototype.getParameter, true));
    method(Url.prototype, "GetParam", quick(Url.prototype.GetParam, false));
    method(Map.prototype, "forEach", inMap);
    method(Set.prototype, "forEach", inSet);
};
})()
