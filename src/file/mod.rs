//! `file:` rules: a rule whose text stands in a file of its own.
//!
//! `file:///path/route.js?router=script&…` is read through the factory's context, which records that it was, and
//! becomes `script://…?type=javascript&rule=TEXT`; `router=` names another kind of rule. Nothing here opens a file.
//!
//! - The rule keeps its id and its place: findings about the URL point at it, findings about the text into the file.
//! - The type of a script follows from the suffix ([`Language`](crate::router::Language)).
//! - Texts that name further files are followed [`MAX_NESTING`] deep.

mod factory;
mod place;

pub use factory::FileRouterFactory;
pub use factory::MAX_NESTING;
