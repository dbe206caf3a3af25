//! The C ABI between Pointsman and its router plugins, version 1.
//!
//! Two things cross it: functions ([`abi`]) and one flat, position-independent blob ([`blob`], [`mod@write`]) that carries
//! providers, a consumer or a call. The header for C, `include/pointsman_plugin.h`, is made from this crate.
//!
//! - Nobody frees the other side's memory. No Rust type, no allocator, no unwinding crosses.
//! - Structs begin with `struct_size` and only ever grow at the end; optional functions may be null.
//! - A new major version is a new entry symbol.
//! - A blob is read without trust: every offset is checked, and what lies outside reads as absent.
//!
//! Plugins in Rust use the crate `pointsman-plugin`, which wraps all this in safe traits.

pub mod abi;
pub mod blob;
pub mod manifest;
pub mod write;
