//! JavaScript on boa.

mod engine;

pub(crate) use engine::create;
