//! What both JavaScript engines share: the host API, written in JavaScript, and the reading of a rule's text.
//!
//! Order of work: a rule's text is split into tokens, scanned for what no engine is to parse, and made a function
//! ([`Prepared`]); the engine compiles that function once and hands it to the host API's `run` ([`PRELUDE`]).

mod completion;
mod fault;
mod lexer;
mod names;
mod place;
mod prelude;
mod prepared;
mod scan;
mod statement;
#[cfg(feature = "boa")]
mod ticks;
mod token;

pub(crate) use place::Place;
pub(crate) use prelude::SOURCE as PRELUDE;
pub(crate) use prepared::Prepared;
