//! What the person who wrote a rule gets to read: findings with number, place and advice.
//!
//! Every error of the crate becomes a [`Finding`]; a finding has a slug (`condition::missing_key`) and a number
//! (`PM0101`) from one table ([`codes`]), neither of which is ever reused. Rendering is for people, for plain text and
//! for programs ([`render`]); all of it masks secrets and escapes control characters ([`Mask`]).

pub mod codes;
pub mod render;

mod config_error;
mod finding;
mod mask;
mod nearest;
mod quoted;
mod secrets;
mod source;

pub use config_error::ConfigError;
pub use finding::Finding;
pub use finding::Place;
pub use finding::Severity;
pub use mask::Mask;
pub use mask::escape;
pub use nearest::nearest;
pub use source::Origin;
pub use source::SourceText;
