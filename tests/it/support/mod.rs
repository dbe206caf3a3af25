//! What the tests share.

pub(crate) mod compiled;
pub(crate) mod dropped;
pub(crate) mod engine;
pub(crate) mod folder;
pub(crate) mod naive;
pub(crate) mod routing;
pub(crate) mod script;
pub(crate) mod scripts;
pub(crate) mod stand_in;
pub(crate) mod watched;
