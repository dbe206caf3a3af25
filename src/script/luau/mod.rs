//! Lua on Luau.

mod engine;

pub(crate) use engine::create;
