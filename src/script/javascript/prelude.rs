//! The host API, written in JavaScript so that both engines answer alike.
//!
//! How an engine uses it:
//!
//! 1. It makes a context whose global object has the language's own objects (at least `Object`, `Function`, `Array`,
//!    `String`, `Number`, `Boolean`, `Math`, `JSON`, `Map`, `Set`, `WeakMap`, `WeakSet`, `Symbol`, `Reflect`, `RegExp`,
//!    `Date`, the errors). What else is there is deleted.
//! 2. It evaluates [`SOURCE`], which is a function, and calls it once with `host`, an object of native functions:
//!
//!    | function | answers |
//!    |---|---|
//!    | `column(key)` | an array: the parameter `key` of each provider of the run's table, in order; null where it is missing |
//!    | `note(key)` | nothing; the run looked at this parameter (`Run::note_column`) |
//!    | `part(name)` | an array as `column`: `protocol`, `host`, `address`, `path`, `text`; `port` as a number, 0 where it is missing |
//!    | `parameter(place, key)` | one parameter, or null |
//!    | `parameters(place)` | `[key, value, key, value, …]` |
//!    | `methodParameter(place, method, key)` | the parameter of a method, or null |
//!    | `service()`, `serviceName()` | the call's service as a key, and its interface alone |
//!    | `method()`, `targetMethod()` | texts |
//!    | `attachment(key)`, `attachments()` | a text or null; `[key, value, …]` |
//!    | `argumentCount()`, `argument(index)` | a number; a plain value of the language |
//!    | `parameterTypes()` | an array of texts |
//!    | `now(part)` | a number: `weekday`, `hour`, `minute`, `ms`, `offset` (minutes ahead of UTC) |
//!    | `random()`, `log(text)` | a number; nothing |
//!    | `stop(limit)` | a rule caught an error of the engine about a limit (`memory` or `call-depth`): remember it; true where the engine now stops the run by itself, which is waited for |
//!    | `known(table number, place, prototype, url)` | optional: an object that natives of the engine know as a provider |
//!    | `candidates(invokers)` | optional: a new array of the run's candidates among all invokers of the table |
//!    | `isPlain(list)` | optional: whether all elements are there without calling a function; if not, a copy is answered with |
//!    | `touched()` | optional, nothing: from now on to the end of the run, parameters are not only the provider's |
//!    | `freezeFrom(roots)` | optional, nothing: what the prelude's function of this name does, and faster |
//!    | `tame(tools)` | optional, a function of the language: replaces natives that this engine does badly, before all is frozen |
//!    | `overdue()` | optional: whether the deadline is over; true only where the engine then stops the run by itself, which is waited for. A rule of `Prepared::ticking` calls it at the beginning of each function |
//!
//! 3. The answer has four functions. `run(rule, table number, providers in the table, candidates)` runs a compiled rule;
//!    candidates are an array of places, or null for all. It answers with an object that has one of: `list` (the rule's
//!    array, whose good elements are among those that `takeIn` answered with), `found` (the value was no list: what it
//!    was), `message` with `stack` and `limit` (it threw; `limit` is `""`, `memory` or `call-depth`).
//!    `takeIn(table number, providers in the table)` makes a table ahead of runs and answers with its invokers;
//!    `forget(table number)` drops it.
//! 4. A rule's text becomes such a rule by `Prepared`: evaluate `Prepared::source` as a sloppy script and hand the value,
//!    with the source, to `make`: `make(value, source)` answers with the rule, or throws if the text is not
//!    one function as a whole. `Prepared::locate` leads from the engine's lines back to the rule's own.

/// The function that makes the host API of one context.
pub(crate) const SOURCE: &str = concat!(
    "(function (host) { \"use strict\";\n",
    include_str!("prelude/intrinsics.js"),
    include_str!("prelude/collections.js"),
    include_str!("prelude/providers.js"),
    include_str!("prelude/call.js"),
    include_str!("prelude/date.js"),
    include_str!("prelude/java.js"),
    include_str!("prelude/run.js"),
    "})"
);
