//! JavaScript on QuickJS.
//!
//! One runtime with one context serves all rules of a thread: everything that rules share is frozen, so they cannot see
//! one another. Memory and stack have limits, and the engine asks every some thousand steps whether to go on; what that
//! answers cannot be caught. After a limit the runtime is dropped and made anew.

mod column;
mod engine;
mod host;
mod machine;
mod outcome;
mod session;

pub(crate) use engine::create;
