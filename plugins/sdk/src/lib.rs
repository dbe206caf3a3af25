//! Write a router plugin for Pointsman in safe Rust.
