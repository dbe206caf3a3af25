//! All tests of the public interface, as one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that panics has failed, which is what it is for"
)]

mod condition;
mod condition_field_cases;
mod condition_properties;
mod support;
mod vectors;
