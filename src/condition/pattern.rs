//! What stands after `=`: a text, a text with one wildcard, a range, or a name to look up.

use std::fmt;

use crate::condition::Dialect;
use crate::condition::Side;
use crate::rpc::Url;
use crate::rpc::keys;

/// What a value is compared with. Matching is by bytes; only the last `*` of a text is a wildcard.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pattern {
    /// `*`: any value, the empty one included.
    Any,
    /// `text`: that value. Empty, it matches the empty value only.
    Literal(Box<str>),
    /// `pre*`: a value that starts so.
    Prefix(Box<str>),
    /// `*post`: a value that ends so.
    Suffix(Box<str>),
    /// `pre*post`: a value that starts and ends so; both may overlap, `ab*ba` accepts `aba`.
    Affix {
        /// What the value starts with.
        prefix: Box<str>,
        /// What the value ends with.
        suffix: Box<str>,
    },
    /// `low~high`: an integer from low to high, both included (`v3`).
    Range {
        /// The least integer; none: no lower bound.
        low: Option<i64>,
        /// The greatest integer; none: no upper bound.
        high: Option<i64>,
    },
    /// `$name` on the `then` side: what the consumer's URL has under that name, read as a glob.
    Placeholder(Box<str>),
    /// `~`, `a~b`: a range of `v3` that is none, as [`parse_as_dubbo`](crate::condition::parse_as_dubbo) keeps it.
    /// Like Dubbo's it matches every value on the `then` side, none on the `when` side.
    NoRange {
        /// The text as written.
        text: Box<str>,
        /// Where it stands.
        side: Side,
    },
}

/// Why a text is no range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RangeError {
    /// Neither bound is there.
    NoBound,
    /// The bound that begins at this byte and has this length is no 64-bit integer.
    Bound(usize, usize),
}

// === impl Pattern ===

impl Pattern {
    /// Reads a pattern as it stands on `side`; `None` where a range of `v3` is none (`~`, `a~b`).
    ///
    /// ```
    /// use pointsman::condition::{Dialect, Pattern, Side};
    /// let pattern = Pattern::parse("10.20.*", Side::Then, Dialect::V2);
    /// assert!(pattern.is_some_and(|pattern| pattern.is_match("10.20.3.3")));
    /// ```
    #[must_use]
    pub fn parse(text: &str, side: Side, dialect: Dialect) -> Option<Self> {
        Self::read(text, side, dialect).ok()
    }

    pub(crate) fn read(text: &str, side: Side, dialect: Dialect) -> Result<Self, RangeError> {
        if dialect == Dialect::V3
            && let Some((low, high)) = text.split_once('~')
        {
            return range(low, high);
        }
        Ok(match text.strip_prefix('$') {
            Some(name) if side == Side::Then => Self::Placeholder(name.into()),
            _ => Self::glob(text),
        })
    }

    /// Reads a text in which only `*` is special: what a resolved placeholder becomes.
    #[must_use]
    pub fn glob(text: &str) -> Self {
        match text.rsplit_once('*') {
            None => Self::Literal(text.into()),
            Some(("", "")) => Self::Any,
            Some((prefix, "")) => Self::Prefix(prefix.into()),
            Some(("", suffix)) => Self::Suffix(suffix.into()),
            Some((prefix, suffix)) => Self::Affix { prefix: prefix.into(), suffix: suffix.into() },
        }
    }

    /// Whether `value` matches. A placeholder that was not resolved never does.
    #[must_use]
    pub fn is_match(&self, value: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Literal(text) => value == &**text,
            Self::Prefix(prefix) => value.starts_with(&**prefix),
            Self::Suffix(suffix) => value.ends_with(&**suffix),
            Self::Affix { prefix, suffix } => value.starts_with(&**prefix) && value.ends_with(&**suffix),
            Self::Range { low, high } => value
                .parse::<i64>()
                .is_ok_and(|value| low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high)),
            Self::Placeholder(_) => false,
            Self::NoRange { side, .. } => *side == Side::Then,
        }
    }

    /// The pattern with a placeholder replaced by what `consumer` has under its name: a part of the URL or a raw
    /// parameter. A name that is absent gives the empty pattern; `$port` of a URL without a port is `0`.
    #[must_use]
    pub fn resolve(&self, consumer: &Url) -> Self {
        let Self::Placeholder(name) = self else {
            return self.clone();
        };
        let value = match &**name {
            // As in `URL.getRawParameter`: a part that is missing does not fall back to a parameter of its name.
            keys::PROTOCOL => consumer.protocol(),
            keys::USERNAME => consumer.username(),
            keys::PASSWORD => consumer.password(),
            keys::HOST => consumer.host(),
            keys::PORT => consumer.port().and(consumer.port_text()).or(Some("0")),
            keys::PATH => consumer.path(),
            name => consumer.parameter(name),
        };
        Self::glob(value.unwrap_or_default())
    }
}

/// The text in normal form: of a range, its bounds as numbers.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Literal(text) | Self::NoRange { text, .. } => f.write_str(text),
            Self::Prefix(prefix) => write!(f, "{prefix}*"),
            Self::Suffix(suffix) => write!(f, "*{suffix}"),
            Self::Affix { prefix, suffix } => write!(f, "{prefix}*{suffix}"),
            Self::Range { low, high } => {
                let write_bound = |f: &mut fmt::Formatter<'_>, bound: &Option<i64>| match bound {
                    Some(bound) => write!(f, "{bound}"),
                    None => Ok(()),
                };
                write_bound(f, low)?;
                f.write_str("~")?;
                write_bound(f, high)
            }
            Self::Placeholder(name) => write!(f, "${name}"),
        }
    }
}

fn range(low: &str, high: &str) -> Result<Pattern, RangeError> {
    if low.is_empty() && high.is_empty() {
        return Err(RangeError::NoBound);
    }
    let bound = |text: &str, at: usize| match text {
        "" => Ok(None),
        _ => text.parse::<i64>().map(Some).map_err(|_| RangeError::Bound(at, text.len())),
    };
    Ok(Pattern::Range { low: bound(low, 0)?, high: bound(high, low.len() + 1)? })
}
