//! An explanation as the command prints it: plain data ([`Explanation`]), rendered at a width ([`Layout`]).
//!
//! Nothing here knows the engine: `cli::engine` fills the data.

mod model;
mod render;

pub(crate) use model::Effect;
pub(crate) use model::Explanation;
pub(crate) use model::Reason;
pub(crate) use model::Rule;
pub(crate) use model::Step;
pub(crate) use render::Layout;
pub(crate) use render::line;
pub(crate) use render::render_providers;
pub(crate) use render::wrap;

#[cfg(test)]
mod tests;
