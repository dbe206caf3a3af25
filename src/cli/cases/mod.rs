//! Cases: running them ([`run`]), telling what came of them, and recording one ([`Recording`]).
//!
//! A case is a call like that of `route`, put together and explained in the same way; [`judge`] holds what came against
//! what was wanted. Every explanation also feeds the [`Coverage`]: which rules decided a case, which were reached by one
//! without changing anything, and which no case is about.

mod coverage;
mod judge;
mod junit;
mod outcome;
mod print;
mod record;

pub(crate) use coverage::Coverage;
pub(crate) use outcome::Difference;
pub(crate) use outcome::Outcome;
pub(crate) use outcome::run;
pub(crate) use print::Results;
pub(crate) use record::Recording;
