//! Router plugins: what is refused and why, what misbehaving ones come to, replacing them under load, the command.
//! The plugins are real libraries, built here with `cargo` and `cc`. A binary of its own, because some are loaded into it.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test reports by panicking"
)]

mod command;
mod header;
mod levels;
mod libraries;
mod misbehaving;
mod native;
mod refused;
mod reload;
mod soak;
mod stage;
