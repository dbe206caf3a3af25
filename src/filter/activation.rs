//! Whether a filter stands in a chain without being named.

use crate::rpc::Url;

/// When a filter stands in a chain without being named; the `value` of `@Activate`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activation {
    /// Always.
    Always,
    /// Where the URL sets this parameter, for all methods or for one of them.
    Parameter(&'static str),
    /// Never: it has to be named.
    Named,
}

// === impl Activation ===

impl Activation {
    pub(super) fn is_active(&self, url: &Url) -> bool {
        match self {
            Self::Always => true,
            Self::Parameter(key) => sets(url, key),
            Self::Named => false,
        }
    }
}

/// Whether `url` sets `key`, for all methods or for one, as in `ExtensionLoader.isActive`.
pub(super) fn sets(url: &Url, key: &str) -> bool {
    let is_it = |name: &str| {
        let head = name.strip_suffix(key);
        head.is_some_and(|head| head.is_empty() || head.ends_with('.'))
    };
    url.parameters().any(|(name, value)| is_it(name) && is_set(value))
}

/// Whether a value says more than "no", as in `ConfigUtils.isNotEmpty`.
pub(super) fn is_set(value: &str) -> bool {
    !value.is_empty() && !["false", "0", "null", "N/A"].iter().any(|no| value.eq_ignore_ascii_case(no))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_counts_for_all_methods_or_for_one_unless_it_says_no() {
        for (query, expected) in [
            ("", false),
            ("tps=10", true),
            ("find.tps=10", true),
            ("tps=0", false),
            ("tps=N/A", false),
            ("tps=False", false),
            ("tps=", false),
            ("https=1", false),
            ("tps.interval=5", false),
        ] {
            let url = Url::parse(&format!("dubbo://h:1/S?{query}")).unwrap();
            assert_eq!(Activation::Parameter("tps").is_active(&url), expected, "`{query}`");
        }
    }
}
