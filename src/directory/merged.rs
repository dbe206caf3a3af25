//! One view of two URLs: what the consumer sets of a call wins, what describes the provider stays the provider's.

use crate::rpc::Provider;
use crate::rpc::Url;
use crate::rpc::keys;

/// What the consumer cannot set: it describes the provider, as in `DefaultProviderURLMergeProcessor`.
const OF_PROVIDERS: [&str; 7] =
    [keys::GROUP, keys::VERSION, keys::RELEASE, keys::DUBBO, keys::METHODS, keys::TIMESTAMP, keys::TAG];

/// The parameter `key` of `method` as a call from `consumer` to `provider` sees it; empty ones count as none. A look-up,
/// never a copy: lists do not depend on consumers.
///
/// A parameter of the method alone goes before a plain one, whoever sets it.
#[must_use]
pub fn merged<'a>(consumer: &'a Url, provider: Option<&'a Provider>, method: &str, key: &str) -> Option<&'a str> {
    let of_provider = || provider.and_then(|provider| provider.method_parameter(method, key));
    if OF_PROVIDERS.contains(&key) {
        return of_provider().filter(|value| !value.is_empty());
    }
    let own_of_provider = || {
        let instance = provider.map(Provider::url);
        instance.and_then(|url| url.own_method_parameter(method, key))
    };
    consumer
        .own_method_parameter(method, key)
        .or_else(own_of_provider)
        .or_else(|| consumer.non_empty_parameter(key))
        .or_else(|| of_provider().filter(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_consumer_wins_but_not_over_what_describes_the_provider() {
        let consumer = Url::parse("consumer://c/S?timeout=5&retries=&timestamp=1&group=g&save.timeout=6").unwrap();
        let provider =
            Provider::new(Url::parse("dubbo://h:1/S?timeout=9&retries=3&timestamp=2&find.timeout=7&weight=4").unwrap());
        let of = |method: &str, key: &str| merged(&consumer, Some(&provider), method, key);
        assert_eq!(of("other", "timeout"), Some("5"));
        assert_eq!(of("find", "timeout"), Some("7"), "the method's own goes before a plain one");
        assert_eq!(of("save", "timeout"), Some("6"));
        assert_eq!(of("find", "retries"), Some("3"), "an empty one sets nothing");
        assert_eq!(of("find", "timestamp"), Some("2"));
        assert_eq!((of("find", "group"), of("find", "weight")), (None, Some("4")));
        assert_eq!(merged(&consumer, None, "find", "timeout"), Some("5"));
    }
}
