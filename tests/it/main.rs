//! What users see: one binary, one module a topic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may")]

mod cli;
mod folder;
mod shop;
mod support;
