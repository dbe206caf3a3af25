//! Condition rules: `when => then`.
//!
//! This is the language: a text is cut into words and separators, read into a [`Rule`] ([`parse`]), and printed in its
//! normal form (`Display`); reading that gives the same rule.
//!
//! - No `=>`: the whole text is the `then` side. An empty `when`, or `true`: every consumer. An empty `then`, or
//!   `false`: nobody may call, whatever `force` says.
//! - A key repeated on one side extends its [`Pair`]; `!=` is checked before `=`.
//! - Under `v3` a key that is absent never matches; under `v2` it does when it has no `=` values ([`Pair::accepts`]).
//!
//! Follows Dubbo (`ConditionRouter` of 2.7, `ConditionStateRouter` of 3.3); where we differ: `docs/differences.md`.

mod ast;
mod destination;
mod destinations;
mod dialect;
mod display;
mod error;
mod key;
mod lexer;
mod lint;
mod parser;
mod pattern;
mod prepared;
mod reading;
mod router;
mod side;
mod then;
mod when;

pub use ast::Pair;
pub use ast::Rule;
pub use ast::Side;
pub use ast::Then;
pub use ast::When;
pub use destination::Destination;
pub use destination::DestinationRule;
pub use destinations::DestinationRouter;
pub use destinations::DestinationRouterFactory;
pub use dialect::Dialect;
pub use error::ParseError;
pub use error::condition_errors;
pub use key::Key;
pub use key::Subject;
pub use parser::MAX_RULE_BYTES;
pub use parser::parse;
pub use parser::parse_as_dubbo;
pub use parser::parse_destination;
pub use parser::parse_when;
pub use parser::parse_with;
pub use pattern::Pattern;
pub use reading::Reading;
pub use router::ConditionRouter;
pub use router::ConditionRouterFactory;
pub use then::at_most;
