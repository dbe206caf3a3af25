//! Calls through directory, load balance, cluster policy and filters, against invokers that do as they are told. Time is
//! tokio's, and stands still between events.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test reports by panicking"
)]

mod background;
mod cancelling;
mod churn;
mod directories;
mod failures;
mod following;
mod options;
mod policies;
mod stage;
mod zones;
