//! What the tests share.

pub(crate) mod balancing;
pub(crate) mod compiled;
pub(crate) mod dropped;
pub(crate) mod engine;
pub(crate) mod folder;
pub(crate) mod json_schema;
pub(crate) mod naive;
pub(crate) mod routing;
pub(crate) mod script;
pub(crate) mod scripts;
pub(crate) mod stand_in;
pub(crate) mod watched;
pub(crate) mod yaml_json;
