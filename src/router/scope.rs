//! Which services and consumers a rule is for.

use std::fmt;

use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;

/// Services, consumers and providers that a rule is for; what is none is any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// The whole key of the one service; interface, group and version are none then.
    pub service: Option<ServiceKey>,
    /// The interface.
    pub interface: Option<String>,
    /// Groups, comma separated; `*` is any.
    pub group: Option<String>,
    /// Versions, comma separated; `*` is any.
    pub version: Option<String>,
    /// The consumer's address.
    pub host: Option<String>,
    /// The consumer's application.
    pub application: Option<String>,
    /// The consumer's application that the rule is not for: it meets a copy of the rule that is its own.
    pub except_application: Option<String>,
    /// The providers that the rule sees.
    pub providers: Reach,
}

/// Which providers of a list a rule sees and narrows; the others pass it by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Reach {
    /// All.
    #[default]
    All,
    /// Those of one application.
    Application(String),
    /// Those of applications that no enabled rule of the same phase is for.
    OtherApplications,
}

/// Which part of a consumer a rule is not for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerMismatch {
    /// `host` or `application`.
    pub key: &'static str,
    /// What the rule asks for.
    pub wanted: String,
    /// What the consumer has.
    pub seen: Option<String>,
}

// === impl Scope ===

impl Scope {
    /// What a rule URL says: path, `group`, `version`, host, `application`.
    #[must_use]
    pub fn of(url: &Url) -> Self {
        let given =
            |value: Option<&str>| value.filter(|value| !value.is_empty() && *value != keys::ANY).map(str::to_owned);
        Self {
            interface: given(url.non_empty_parameter(keys::INTERFACE).or_else(|| url.path())),
            group: given(url.parameter(keys::GROUP)),
            version: given(url.parameter(keys::VERSION)),
            host: given(url.host()).filter(|host| host != keys::ANY_HOST),
            application: given(url.parameter(keys::APPLICATION)),
            ..Self::default()
        }
    }

    /// Whether the rule is for the service that a consumer asks for.
    ///
    /// An interface with a `/` of its own is also meant where its beginning was taken for the group, and a service's
    /// whole key where it stands as the interface.
    #[must_use]
    pub fn covers(&self, service: &ServiceKey) -> bool {
        if let Some(only) = &self.service {
            return only == service;
        }
        let is_named = self.interface.as_deref().is_none_or(|interface| interface == service.interface())
            && lists_meet(self.group.as_deref(), service.group());
        (is_named || self.is_context_path(service.interface()))
            && lists_meet(self.version.as_deref(), service.version())
            || self.is_whole_key(service)
    }

    /// Whether the rule has the service's printed key for an interface, and so neither group nor version beside it.
    fn is_whole_key(&self, service: &ServiceKey) -> bool {
        self.group.is_none() && self.version.is_none() && self.interface.as_deref() == Some(service.as_str())
    }

    /// Whether `interface` is the rule's group, a `/` and the rule's interface.
    fn is_context_path(&self, interface: &str) -> bool {
        let (Some(group), Some(rest)) = (self.group.as_deref(), self.interface.as_deref()) else { return false };
        interface.strip_prefix(group).and_then(|tail| tail.strip_prefix('/')) == Some(rest)
    }

    /// Why the rule is not for `consumer`; none if it is.
    #[must_use]
    pub fn mismatch(&self, consumer: &Url) -> Option<ConsumerMismatch> {
        let checks = [
            (keys::HOST, &self.host, consumer.host()),
            (keys::APPLICATION, &self.application, consumer.parameter(keys::APPLICATION)),
        ];
        checks.into_iter().find_map(|(key, wanted, seen)| {
            let wanted = wanted.as_deref().filter(|wanted| Some(*wanted) != seen)?;
            Some(ConsumerMismatch { key, wanted: wanted.to_owned(), seen: seen.map(str::to_owned) })
        })
    }

    /// Whether the rule reaches `consumer` as a rule of its own application, so that this copy of it does not count.
    #[must_use]
    pub fn excepts(&self, consumer: &Url) -> bool {
        self.except_application.is_some() && self.except_application.as_deref() == consumer.parameter(keys::APPLICATION)
    }
}

/// Whether a rule's list has something in common with what is asked for; `*` on either side is any.
fn lists_meet(rule: Option<&str>, asked: Option<&str>) -> bool {
    let Some(rule) = rule else { return true };
    let Some(asked) = asked else { return false };
    asked == keys::ANY
        || rule
            .split(',')
            .map(str::trim)
            .any(|one| one == keys::ANY || asked.split(',').any(|other| other.trim() == one))
}

impl fmt::Display for ConsumerMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, wanted, seen } = self;
        match seen {
            Some(seen) => write!(f, "the rule is for the consumer's {key} `{wanted}`, this one has `{seen}`"),
            None => write!(f, "the rule is for the consumer's {key} `{wanted}`, this one has none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_covers_the_services_it_names() {
        for (rule, service, expected) in [
            ("condition://0.0.0.0/S", "S", true),
            ("condition://0.0.0.0/S", "g/S:1", true),
            ("condition://0.0.0.0/*", "S", true),
            ("condition://0.0.0.0/S", "T", false),
            ("condition://0.0.0.0/S?group=a,b&version=*", "b/S:1", true),
            ("condition://0.0.0.0/S?group=a,b", "c/S", false),
            ("condition://0.0.0.0/S?group=a", "*/S", true),
            ("condition://0.0.0.0/S?version=2", "S", false),
        ] {
            let scope = Scope::of(&Url::parse(rule).unwrap());
            assert_eq!(scope.covers(&ServiceKey::parse(service)), expected, "{rule} for {service}");
        }
    }

    #[test]
    fn a_rule_reaches_a_service_with_a_context_path() {
        let service = Url::parse("dubbo://h:1/context/path?version=1.0.0").unwrap().service_key().unwrap();
        for (rule, expected) in [
            ("condition://0.0.0.0/context/path?version=1.0.0", true),
            ("condition://0.0.0.0/context/path:1.0.0", true),
            ("condition://0.0.0.0/path?group=context&version=1.0.0", true),
            ("condition://0.0.0.0/path?group=context", true),
            ("condition://0.0.0.0/path?group=context&version=2.0.0", false),
            ("condition://0.0.0.0/path?version=1.0.0", false),
            ("condition://0.0.0.0/th?group=context/pa", false),
        ] {
            assert_eq!(Scope::of(&Url::parse(rule).unwrap()).covers(&service), expected, "{rule}");
        }
    }
}
