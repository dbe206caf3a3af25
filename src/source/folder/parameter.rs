//! What each parameter of a rule may hold, the same for tags of `*.rules` and for route URLs.

use crate::diagnostics::nearest;
use crate::router::Zone;
use crate::router::parse_duration;
use crate::rpc::keys;

/// What a value has to look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Bool,
    Integer,
    OneOf(&'static [&'static str]),
    /// A whole number and its unit.
    Duration,
    /// A zone of the time zone database.
    TimeZone,
    Text,
}

/// A value that its parameter cannot have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrongValue {
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Whether `value` is one that the parameter `key` may have; an empty one counts as absent.
pub(crate) fn check_value(key: &str, value: &str) -> Result<(), WrongValue> {
    let (expected, fits, words): (String, bool, &[&str]) = match shape(key) {
        _ if value.is_empty() => return Ok(()),
        Shape::Text => return Ok(()),
        // As `Boolean.parseBoolean`, case does not matter.
        Shape::Bool => {
            let fits = value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false");
            ("`true` or `false`".to_owned(), fits, &["true", "false"])
        }
        Shape::Integer => ("a whole number that fits 32 bits".to_owned(), value.parse::<i32>().is_ok(), &[]),
        Shape::OneOf(words) => (one_of(words), words.contains(&value), words),
        Shape::Duration => {
            ("a time with its unit, `us`, `ms` or `s`,".to_owned(), parse_duration(value).is_some(), &["5ms"])
        }
        Shape::TimeZone => return check_zone(value),
    };
    if fits {
        return Ok(());
    }
    let help = match (nearest(value, words.iter().copied()), words.first()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(first)) => format!("for example `{first}`"),
        (None, None) => "for example `10`".to_owned(),
    };
    Err(WrongValue { message: format!("expected {expected} for `{key}`, found `{}`", excerpt(value)), help })
}

/// The beginning of a text that may be long, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Whether the parameter `key` is `true` or `false`.
pub(crate) fn is_flag(key: &str) -> bool {
    shape(key) == Shape::Bool
}

fn shape(key: &str) -> Shape {
    match key {
        keys::FORCE | keys::ENABLED | keys::ENABLE | keys::DYNAMIC | keys::RUNTIME => Shape::Bool,
        keys::PRIORITY => Shape::Integer,
        keys::DIALECT => Shape::OneOf(&["v2", "v3"]),
        keys::ON_ERROR => Shape::OneOf(&["pass", "empty", "fail"]),
        keys::CATEGORY => Shape::OneOf(&[keys::ROUTERS]),
        keys::ENGINE => Shape::OneOf(&["boa", "quickjs", "rhai", "luau"]),
        keys::DEADLINE => Shape::Duration,
        keys::TIMEZONE => Shape::TimeZone,
        _ => Shape::Text,
    }
}

fn check_zone(value: &str) -> Result<(), WrongValue> {
    if Zone::find(value).is_some() {
        return Ok(());
    }
    let names = Zone::names();
    let near = nearest(value, names.iter().map(String::as_str));
    Err(WrongValue {
        message: format!("expected the name of a time zone for `{}`, found `{}`", keys::TIMEZONE, excerpt(value)),
        help: near.map_or_else(|| "for example `Asia/Shanghai`".to_owned(), |near| format!("did you mean `{near}`?")),
    })
}

fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_checked_by_its_parameter() {
        for (key, value, fits) in [
            ("force", "true", true),
            ("force", "FALSE", true),
            ("force", "", true),
            ("force", "maybe", false),
            ("priority", "-3", true),
            ("priority", "1.5", false),
            ("priority", "99999999999", false),
            ("dialect", "v3", true),
            ("dialect", "v9", false),
            ("on-error", "pass", true),
            ("on-error", "what", false),
            ("category", "routers", true),
            ("category", "providers", false),
            ("name", "anything", true),
            ("engine", "quickjs", true),
            ("engine", "v8", false),
            ("deadline", "5ms", true),
            ("deadline", "500us", true),
            ("deadline", "0ms", false),
            ("deadline", "5", false),
            ("deadline", "ms", false),
            ("timezone", "Asia/Shanghai", true),
            ("timezone", "Asia/Shanghia", false),
        ] {
            assert_eq!(check_value(key, value).is_ok(), fits, "{key}={value}");
        }
    }

    #[test]
    fn a_wrong_value_names_what_was_expected_first() {
        let wrong = check_value("on-error", "pas").unwrap_err();
        assert_eq!(
            wrong,
            WrongValue {
                message: "expected `pass`, `empty` or `fail` for `on-error`, found `pas`".to_owned(),
                help: "did you mean `pass`?".to_owned(),
            }
        );
    }
}
