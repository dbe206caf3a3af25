//! Lua on Luau.
//!
//! One state holds all programs of a thread. Its globals are frozen; each run gets a table of globals of its own, whose
//! metatable leads to the frozen ones. What rules see of providers and calls is written in Lua (`host.lua`), on top of
//! a few functions of the host: a call inside the machine costs a tenth of one that leaves it.
//!
//! - A limit once hit is raised again at every safepoint: no `pcall` goes on after it.
//! - Coroutines, `debug`, `io`, `require`, `loadstring`, `getfenv` and the like are gone; `library.lua` says what stays.
//! - A table visited in the order of addresses makes the run impure (`scan` and `rewrite` see to loops without `pairs`).

mod compile;
mod engine;
mod errors;
mod functions;
mod host;
mod rewrite;
mod scan;
mod state;
#[cfg(test)]
mod tests;
mod urls;
mod values;

pub(crate) use engine::create;
