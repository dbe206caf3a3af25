//! JavaScript on boa.
//!
//! Order of work: a context with the host API frozen into it is made once an engine; a rule becomes a function in it;
//! a run is one evaluation of a small entry script, in a realm of its own, that calls the rule's function.
//!
//! - The entry script is polled with a budget of instructions; between two budgets the clock is read. What natives call
//!   back is not polled: see `ticks`.
//! - The parser and some natives recurse on the machine's stack: all of the engine runs on a stack that is large enough.
//! - Nothing survives a run: the global, the intrinsics and the host API are frozen, jobs are dropped when they are made.

mod context;
mod engine;
mod failure;
mod freeze;
mod heap;
mod host;
mod machine;
mod providers;
mod stack;
mod values;

pub(crate) use engine::create;
pub(crate) use heap::begin_heap;
#[cfg(target_os = "linux")]
pub(crate) use stack::begin_on_large_stack;
