//! Where rules, providers and the host's settings come from.
//!
//! A source only reads: it names what it found, says what is wrong with it, and never decides what that means.
//!
//! - [`folder`]: a rules folder (rules and scripts below `rules/`, `providers.txt`).
//! - [`cases`]: calls and the answers they must get (`tests/*.yaml`).
//! - [`history`]: what was in force of a folder, kept over restarts.
//! - [`mod@convert`]: condition rules in another form.
//! - [`mod@format`]: the same files with their rule texts in normal form.
//! - [`config`]: the host's configuration, which never comes from a rules folder.

pub mod cases;
pub mod config;
pub mod convert;
pub mod folder;
pub mod format;
pub mod history;
