//! Fakes and builders that several tests use.

pub(crate) mod engine;
pub(crate) mod stand_in;
