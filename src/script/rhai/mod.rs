//! Rhai.

mod engine;

pub(crate) use engine::create;
