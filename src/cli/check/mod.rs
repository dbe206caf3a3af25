//! `pointsman check`: everything that is wrong with folders and files.
//!
//! What does not load is found while loading. Rules that load and cannot do what they say are found by [`analysis`], which
//! holds them against each other and against the folder's providers. `--deny` makes errors of findings, and
//! `--format sarif` prints them for code scanning.

mod analysis;
mod command;
mod sarif;

pub(crate) use command::folders_of;
pub(crate) use command::missing;
pub(crate) use command::once;
pub(crate) use command::plural;
pub(crate) use command::refuse;
pub(crate) use command::run;
pub(crate) use command::set_up;
pub(crate) use command::stop;
