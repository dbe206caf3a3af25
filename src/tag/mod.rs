//! Tag rules: which providers a call that asks for a tag may go to.
//!
//! A call's tag is its attachment `dubbo.tag`, else the consumer's parameter. A [`TagRule`] lists tags with addresses or
//! with conditions on provider parameters; a provider's own tag is its parameter `dubbo.tag`. A rule becomes a set of
//! positions for each tag once a list ([`TagRouter`]); a call looks its tag up.
//!
//! - A tag that nobody carries falls back to providers without any tag, never to those of another one, unless the call
//!   (`dubbo.force.tag`) or the rule (`force`) says that nobody is better.
//! - A call without a tag goes to providers without one.
//! - Without a rule only the providers' own tags count: the router that stands in every chain.
//! - Names are never resolved: addresses are compared as they are written.
//!
//! Follows Dubbo 3 (`TagStateRouter`); where we differ: `docs/differences.md`.

mod address;
mod hosts;
mod prepared;
mod regex_budget;
mod router;
mod rule;
mod text_match;

pub use address::AddressPattern;
pub use prepared::Carriers;
pub use prepared::NO_TAG;
pub use regex_budget::MAX_REGEX_BYTES;
pub use regex_budget::MAX_REGEXES_BYTES;
pub use regex_budget::RegexBudget;
pub use regex_budget::RegexProblem;
pub use router::TagRouter;
pub use router::TagRouterFactory;
pub use rule::ParameterMatch;
pub use rule::Tag;
pub use rule::TagRule;
pub use text_match::TextMatch;
