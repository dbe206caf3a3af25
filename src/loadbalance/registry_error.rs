//! What goes wrong when a policy is asked for or registered.

use thiserror::Error;

/// A policy that cannot be had. Read by whoever wrote the URL or registers the policy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadBalanceError {
    /// No policy of this name.
    #[error("expected the name of a load balancing policy ({known}), found `{name}`{}", hint(nearest.as_deref()))]
    UnknownPolicy {
        /// The name asked for.
        name: String,
        /// The names there are, comma separated.
        known: String,
        /// The nearest of them.
        nearest: Option<String>,
    },
    /// A policy whose name cannot stand in a URL.
    #[error("expected a name made of letters, digits, `.`, `_` and `-`, found `{name}`")]
    InvalidName {
        /// The name.
        name: String,
    },
    /// Two policies of one name.
    #[error("expected a name that is not taken, found `{name}` again")]
    DuplicateName {
        /// The name.
        name: String,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}
