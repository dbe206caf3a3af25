//! `pointsman call`: calls through the whole path, stand-ins playing the providers.
//!
//! The command puts folder, stand-ins and options together ([`command`]), makes the calls, and prints what came of them
//! ([`report`]). What a call came to is plain data of [`crate::runtime::calls`]; nothing is counted here.

mod arguments;
mod command;
mod figures;
mod progress;
mod report;
mod spread;

pub(crate) use arguments::CallArguments;
pub(crate) use command::run;
