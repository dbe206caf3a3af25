//! Affinity rules: providers like the consumer are preferred, if there are enough of them.
//!
//! A rule names a key and a ratio. The providers whose value of the key is the consumer's are kept if they are at least
//! `ratio` percent of the candidates; otherwise all stay. It runs at the end of the chain, so that the candidates are what
//! all other rules left.
//!
//! Which providers are like the consumer, the condition `=> key=$key` says; this only counts. Follows Dubbo 3
//! (`AffinityStateRouter`); where we differ: `docs/differences.md`.

mod router;
mod rule;

pub use router::AffinityRouter;
pub use router::AffinityRouterFactory;
pub use rule::AffinityRule;
pub use rule::is_key;
