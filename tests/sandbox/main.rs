//! What scripts that mean harm come to in workers: nothing but their own call. A binary of its own, because it counts
//! every byte that the host holds.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test reports by panicking"
)]

mod breaker;
#[path = "../support/counting.rs"]
mod counting;
mod descriptors;
mod expected;
mod hostile;
mod reach;
mod room;
mod shapes;
mod stage;
mod storms;
