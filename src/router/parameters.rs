//! The parameters that every rule URL may have, and what they become: a [`RuleHeader`].

use std::time::Duration;

use crate::router::BuildError;
use crate::router::OnError;
use crate::router::Phase;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::router::Scope;
use crate::rpc::Url;
use crate::rpc::keys;

/// The parameters of a rule URL that are known to every kind.
pub const PARAMETERS: &[&str] = &[
    keys::APPLICATION,
    keys::CATEGORY,
    keys::DEADLINE,
    keys::DIALECT,
    keys::DYNAMIC,
    keys::ENABLE,
    keys::ENABLED,
    keys::ENGINE,
    keys::FORCE,
    keys::GROUP,
    keys::INTERFACE,
    keys::NAME,
    keys::ON_ERROR,
    keys::PRIORITY,
    keys::ROUTER,
    keys::RULE,
    keys::RUNTIME,
    keys::TIMEZONE,
    keys::TYPE,
    keys::VERSION,
];

// === impl RuleHeader ===

impl RuleHeader {
    /// Reads what a rule URL says of order, flags and scope; `kind` is the factory's protocol. A rule of a document runs
    /// when the document says, not in `phase`.
    ///
    /// # Errors
    ///
    /// A flag that is neither `true` nor `false`, a priority that is no 32-bit integer, an unknown `on-error`.
    pub fn read(definition: &RuleDefinition, kind: &str, phase: Phase) -> Result<Self, BuildError> {
        let url = &definition.url;
        let enable = read_flag(url, keys::ENABLE)?;
        let (phase, scope) = match &definition.placement {
            Some(placement) => (placement.phase, placement.scope.clone()),
            None => (phase, Scope::of(url)),
        };
        Ok(Self {
            id: definition.id.clone(),
            url: url.clone(),
            kind: kind.into(),
            phase,
            priority: read(url, keys::PRIORITY, "a whole number", |text| text.parse().ok())?.unwrap_or(0),
            is_force: read_flag(url, keys::FORCE)?.unwrap_or(false),
            is_runtime: read_flag(url, keys::RUNTIME)?.unwrap_or(false),
            is_enabled: read_flag(url, keys::ENABLED)?.or(enable).unwrap_or(true),
            on_error: read(url, keys::ON_ERROR, "`pass`, `empty` or `fail`", OnError::parse)?.unwrap_or_default(),
            scope,
        })
    }
}

/// A parameter that is `true` or `false`; none where it is absent or empty.
///
/// # Errors
///
/// It is something else.
pub fn read_flag(url: &Url, name: &str) -> Result<Option<bool>, BuildError> {
    read(url, name, "`true` or `false`", |text| match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    })
}

/// A time with its unit, `us`, `ms` or `s`; none for anything else, and for no time at all.
///
/// ```
/// use std::time::Duration;
/// use pointsman::router::parse_duration;
/// assert_eq!(parse_duration("5ms"), Some(Duration::from_millis(5)));
/// assert_eq!((parse_duration("5"), parse_duration("0ms")), (None, None));
/// ```
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let units = [("us", 1), ("ms", 1_000), ("s", 1_000_000)];
    let (number, factor) = units.into_iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let number: u32 = number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())??;
    (number > 0).then(|| Duration::from_micros(u64::from(number) * factor))
}

fn read<T>(
    url: &Url,
    name: &str,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, BuildError> {
    let Some(found) = url.non_empty_parameter(name) else { return Ok(None) };
    parse(found).map(Some).ok_or_else(|| BuildError::InvalidParameter {
        name: name.to_owned(),
        expected,
        found: found.to_owned(),
    })
}
