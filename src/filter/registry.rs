//! The registry of filters, keyed by name, and which of them stand in a chain.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::nearest;
use crate::filter::FilterDefinition;
use crate::filter::Side;
use crate::filter::built_in;
use crate::filter::filter_names::FilterNames;
use crate::router::Clock;
use crate::router::SystemClock;
use crate::rpc::FilterChain;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::Url;

/// Filters by name. A value that is handed down; there is no global one.
///
/// ```
/// use pointsman::filter::{FilterRegistry, Side};
/// use pointsman::rpc::Url;
///
/// let registry = FilterRegistry::with_defaults();
/// let url = Url::parse("dubbo://10.0.0.1:20880/com.shop.OrderService?executes=8&service.filter=-echo")?;
/// let chain = registry.chain(Side::Provider, &url).unwrap();
/// let names: Vec<_> = chain.filters().iter().map(|filter| filter.name()).collect();
/// assert_eq!(names, ["load-report", "generic", "exception", "executelimit", "timeout", "context"]);
///
/// let url = Url::parse("dubbo://10.0.0.1:20880/com.shop.OrderService?service.filter=acesslog")?;
/// let error = registry.chain(Side::Provider, &url).unwrap_err();
/// assert!(error.message().ends_with("found `acesslog`; did you mean `accesslog`?"));
/// # Ok::<(), pointsman::rpc::UrlError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct FilterRegistry {
    consumer: BTreeMap<Box<str>, FilterDefinition>,
    provider: BTreeMap<Box<str>, FilterDefinition>,
}

// === impl FilterRegistry ===

impl FilterRegistry {
    /// A registry without filters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The filters that come with the crate; `docs/filters.md` lists them. The machine's clock dates what they write.
    #[must_use]
    pub fn with_defaults() -> Self {
        Self::with_defaults_at(Arc::new(SystemClock))
    }

    /// [`FilterRegistry::with_defaults`] by another clock.
    #[must_use]
    pub fn with_defaults_at(clock: Arc<dyn Clock>) -> Self {
        let mut this = Self::new();
        built_in::definitions(&clock).into_iter().for_each(|definition| this.insert(definition));
        this
    }

    /// Adds a filter; one of the same name on the same side is replaced.
    ///
    /// # Errors
    ///
    /// The name cannot stand in a URL's list: it is empty, `default`, or has other characters than letters, digits, `.`,
    /// `_` and, not at the start, `-`.
    pub fn register(&mut self, definition: FilterDefinition) -> Result<(), RpcError> {
        let name = definition.name();
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if name.is_empty() || name == "default" || name.starts_with('-') || !name.chars().all(is_of_name) {
            return Err(refused(format!(
                "expected a filter's name made of letters, digits, `.`, `_` and `-`, and not `default`, found `{name}`"
            )));
        }
        self.insert(definition);
        Ok(())
    }

    /// The names of one side in alphabetical order.
    pub fn names(&self, side: Side) -> impl Iterator<Item = &str> {
        self.of(side).keys().map(|name| &**name)
    }

    /// The filters around the calls of `url`, a consumer's or a service's, as `ExtensionLoader.getActivateExtension` puts
    /// them together.
    ///
    /// Those that are active stand there by their order. The parameters `filter` and `reference.filter` (of a consumer) or
    /// `service.filter` (of a provider) add names; `-name` takes one away, `-default` all that are not named, and
    /// `default` is the place of those: `auth,default` has `auth` before all of them, whatever its order.
    ///
    /// # Errors
    ///
    /// A name is that of no filter of the side; the error lists those there are and the nearest. Or a filter cannot be
    /// made of the URL.
    pub fn chain(&self, side: Side, url: &Url) -> Result<FilterChain, RpcError> {
        let names = FilterNames::read(side, url)?;
        for removed in names.removed().filter(|name| !self.of(side.other()).contains_key(*name)) {
            self.definition(side, removed)?;
        }
        let named =
            |names: &[String]| names.iter().map(|name| self.definition(side, name)).collect::<Result<Vec<_>, _>>();
        let mut chosen: Vec<_> = match names.has_no_defaults() {
            true => Vec::new(),
            false => self.of(side).values().filter(|it| is_default(it, &names, url)).collect(),
        };
        match names.around_defaults() {
            Some((before, after)) => {
                chosen.sort_by_key(|definition| definition.rank());
                chosen.splice(0..0, named(before)?);
                chosen.extend(named(after)?);
            }
            None => {
                for name in names.added() {
                    chosen.push(self.definition(side, name)?);
                }
                chosen.sort_by_key(|definition| definition.rank());
            }
        }
        let filters = chosen.into_iter().map(|definition| definition.create(url)).collect::<Result<Vec<_>, _>>()?;
        Ok(FilterChain::new(filters))
    }

    fn of(&self, side: Side) -> &BTreeMap<Box<str>, FilterDefinition> {
        match side {
            Side::Consumer => &self.consumer,
            Side::Provider => &self.provider,
        }
    }

    fn insert(&mut self, definition: FilterDefinition) {
        for (side, filters) in [(Side::Consumer, &mut self.consumer), (Side::Provider, &mut self.provider)] {
            if definition.is_on(side) {
                filters.insert(definition.name().into(), definition.clone());
            }
        }
    }

    fn definition(&self, side: Side, name: &str) -> Result<&FilterDefinition, RpcError> {
        self.of(side).get(name).ok_or_else(|| {
            let known = self.names(side).collect::<Vec<_>>().join(", ");
            let hint = match nearest(name, self.names(side)) {
                _ if self.of(side.other()).contains_key(name) => {
                    format!(", which stands on the {}'s side", side.other())
                }
                Some(nearest) => format!("; did you mean `{nearest}`?"),
                None => String::new(),
            };
            refused(format!("expected a filter of the {side} ({known}), found `{name}`{hint}"))
        })
    }
}

/// Whether a filter stands in the chain of `url` without being named.
fn is_default(definition: &FilterDefinition, names: &FilterNames, url: &Url) -> bool {
    let name = definition.name();
    !names.names(name) && !names.removes(name) && definition.is_active(url)
}

fn refused(message: String) -> RpcError {
    RpcError::new(RpcErrorKind::Unknown, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Activation;
    use crate::rpc::Filter;

    #[derive(Debug)]
    struct Named(&'static str);

    impl Filter for Named {
        fn name(&self) -> &str {
            self.0
        }
    }

    fn registry() -> FilterRegistry {
        let define = |name: &'static str| FilterDefinition::shared(Arc::new(Named(name)));
        let mut registry = FilterRegistry::new();
        for definition in [
            define("late").order(10),
            define("early").order(-10),
            define("b"),
            define("a"),
            define("asked").order(-20).activation(Activation::Named),
            define("limit").activation(Activation::Parameter("limit")),
            define("serving").on(Side::Provider),
        ] {
            registry.register(definition).unwrap();
        }
        registry
    }

    fn chain(side: Side, query: &str) -> Result<String, RpcError> {
        let url = Url::parse(&format!("dubbo://h:1/S?{query}")).unwrap();
        let chain = registry().chain(side, &url)?;
        Ok(chain.filters().iter().map(|filter| filter.name()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn filters_stand_in_a_chain_as_in_dubbo() {
        for (query, expected) in [
            ("", "early a b late"),
            ("limit=3", "early a b limit late"),
            ("find.limit=3", "early a b limit late"),
            ("limit=false", "early a b late"),
            ("filter=asked", "asked early a b late"),
            ("filter=late", "early a b late"),
            ("filter=limit,limit", "early a b limit late"),
            ("filter=-a,-early", "b late"),
            ("filter=-default", ""),
            ("filter=-default,late,asked", "asked late"),
            ("filter=late,default,asked", "late early a b asked"),
            ("filter=late,default,default,late", "late early a b"),
            ("filter=default,-b,-late", "early a"),
            ("filter=asked,-asked", "early a b late"),
            ("filter=-default,b,default,a", "b a"),
            ("filter=%2Da+%2C+-b", "early late"),
            ("filter=-a&reference.filter=-b&service.filter=-late", "early late"),
            ("filter=,, ,", "early a b late"),
        ] {
            assert_eq!(chain(Side::Consumer, query).unwrap(), expected, "`{query}`");
        }
        assert_eq!(chain(Side::Provider, "service.filter=-late&reference.filter=-a").unwrap(), "early a b serving");
    }

    #[test]
    fn a_name_that_is_no_filters_is_told_with_the_nearest() {
        for (query, end) in [
            ("filter=erly", "found `erly`; did you mean `early`?"),
            ("filter=-erly", "found `erly`; did you mean `early`?"),
            ("filter=quite-another", "(a, asked, b, early, late, limit), found `quite-another`"),
            ("filter=serving", "found `serving`, which stands on the provider's side"),
        ] {
            let error = chain(Side::Consumer, query).unwrap_err();
            assert!(error.message().ends_with(end), "`{query}`: {error}");
        }
        assert_eq!(chain(Side::Consumer, "filter=-serving").unwrap(), "early a b late", "it is away already");
    }

    #[test]
    fn a_name_must_fit_into_a_list() {
        for name in ["", "default", "-a", "a,b", "a b"] {
            let definition = FilterDefinition::new(name, |_| Ok(Arc::new(Named("x"))));
            assert!(FilterRegistry::new().register(definition).is_err(), "`{name}`");
        }
    }
}
