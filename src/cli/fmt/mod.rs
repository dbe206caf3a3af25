//! `pointsman fmt`: rule texts in their normal form.

mod arguments;
mod command;
mod diff;
mod file;

pub(super) use arguments::FmtArguments;
pub(super) use command::run;
