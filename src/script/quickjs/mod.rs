//! JavaScript on QuickJS.

mod engine;

pub(crate) use engine::create;
