//! Where rules, providers and the host's settings come from.
//!
//! A source only reads: it names what it found, says what is wrong with it, and never decides what that means.
//!
//! - [`folder`]: a rules folder (rules and scripts below `rules/`, `providers.txt`).
//! - [`config`]: the host's configuration, which never comes from a rules folder.

pub mod config;
pub mod folder;

mod content_hash;
mod identity;
mod read;

pub use content_hash::ContentHash;
