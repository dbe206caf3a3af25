//! `pointsman plugin`: making, looking at, allowing plugins.

mod allow;
mod command;
mod file;
mod list;
mod project;
mod sdk;

pub(crate) use command::run;
