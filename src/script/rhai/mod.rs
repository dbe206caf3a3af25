//! Rhai.
//!
//! Order of work: a text is parsed and its tree checked once ([`compiled`]); a run gets an array of handles, one for each
//! candidate, and host functions that read the run ([`host`]). Columns of a table are made when they are first read.
//!
//! - Nothing outlives a run: a scope is made for each, trees are immutable, the host forgets what was written to URLs.
//! - Rhai asks at each operation whether to go on ([`meter`]); functions that work for long at once are replaced by ones
//!   that ask too.
//! - Sizes of values are bounded by Rhai, so that no single operation copies without end.
//! - No closure that captures variables can be kept in one: chains of them would overflow the stack when dropped, and
//!   rings of them would never be dropped. [`closures`] checks this in the tree.

mod call;
mod closures;
mod columns;
mod compiled;
mod each;
mod engine;
mod host;
mod invoker;
mod library;
mod meter;
mod order;
mod outcome;
mod register;
mod tables;
mod text;

pub(crate) use engine::create;

#[cfg(test)]
mod tests;
