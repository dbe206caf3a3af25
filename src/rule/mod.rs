//! Rule documents: Dubbo's YAML, read as it is written for Java and Go.
//!
//! [`read_documents`] makes validated data of a text: a [`Document`] says what kind of rule it holds, for which service or
//! application, and how. [`Document::rules`] then says it in the words that every source uses, rule URLs, which the
//! factory registry compiles; this module knows no router.
//!
//! - A document with an error gives nothing at all, and all of its errors are told at once, each at its place: also
//!   inside of the texts of conditions, which are read here for that reason.
//! - What is not understood but harmless (an unknown key) is a warning.
//! - A document that says nothing, or says that there are no rules, clears the rules of its key.
//! - In a folder `scope` and `key` say what a document is for, and several stand in a file. In a configuration centre its
//!   place says so ([`DocumentPlace`]).
//!
//! Follows Dubbo 3.3 (`ConditionRuleParser`, `TagRuleParser`, `ScriptRule`, `AffinityRouterRule`); where we differ:
//! `docs/differences.md`.

mod body;
mod conditions;
mod document;
mod fields;
mod key;
mod kind;
mod reader;
mod scalar;
mod tags;
mod texts;
mod urls;

pub use document::Body;
pub use document::Document;
pub use document::Placed;
pub use document::ScriptBody;
pub use kind::DocumentKind;
pub use kind::DocumentPlace;
pub use kind::DocumentScope;
pub use reader::DocumentOptions;
pub use reader::read_documents;
pub(crate) use texts::ConditionText;
pub(crate) use texts::TextPart;
pub(crate) use texts::condition_texts;
pub use urls::DocumentRule;
