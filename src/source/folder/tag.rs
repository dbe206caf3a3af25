//! `@TAG VALUE`: one tag, checked; the same for `*.rules` and for the comments of scripts.

use std::ops::Range;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::nearest;
use crate::rpc::ServiceKey;
use crate::rpc::keys;
use crate::source::folder::parameter::check_value;
use crate::source::folder::parameter::excerpt;
use crate::source::folder::parameter::is_flag;

/// The tag that names a service.
pub(crate) const SERVICE: &str = "service";

/// A tag whose value is one that it may have.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) key: &'static str,
    pub(crate) value: String,
    /// Where it stands in the source, the `@` included.
    pub(crate) at: Range<usize>,
}

/// A text without the blanks around it that begins with `@`, and where it begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TagText<'a> {
    pub(crate) start: usize,
    pub(crate) text: &'a str,
}

// === impl TagText ===

impl<'a> TagText<'a> {
    /// The word after the `@`.
    pub(crate) fn word(&self) -> &'a str {
        self.split().0
    }

    /// The word after the `@`, and the rest without the blanks around it.
    fn split(&self) -> (&'a str, &'a str) {
        let tag = self.text.strip_prefix('@').unwrap_or(self.text);
        let (word, value) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        (word, value.trim())
    }

    /// The tag, if it is one of `known`; `whole` is the source that it stands in.
    pub(crate) fn read(self, known: &'static [&'static str], whole: &Origin) -> Result<Tag, Finding> {
        let (word, value) = self.split();
        let at = self.start..self.start + self.text.len();
        let Some(key) = known.iter().copied().find(|known| *known == word) else {
            return Err(unknown(word, known).at(whole, at.start..at.start + 1 + word.len(), "not a tag"));
        };
        let value = if value.is_empty() && is_flag(key) { "true" } else { value };
        if value.is_empty() {
            let finding = Finding::error("rules::missing_value", format!("expected a value after `@{key}`"));
            return Err(finding.with_help(format!("for example `@{key} {}`", example(key))).at(whole, at, "no value"));
        }
        // Found again from the end: the blanks between are of any number.
        let value_at = at.end.saturating_sub(value.len()).max(at.start)..at.end;
        if let Err(wrong) = check_value(key, value) {
            let finding = Finding::error("rules::wrong_value", wrong.message).with_help(wrong.help);
            return Err(finding.at(whole, value_at, "this value"));
        }
        if let Some(bad) = value.find(|c: char| matches!(c, '&' | ';') || is_never_in(key, c)) {
            let found = value.get(bad..).and_then(|rest| rest.chars().next()).unwrap_or_default();
            let finding =
                Finding::error("rules::wrong_value", format!("`{key}` cannot hold `{}`", found.escape_debug()));
            let place = value_at.start + bad..value_at.start + bad + found.len_utf8();
            return Err(finding.with_help(format!("for example `{}`", example(key))).at(whole, place, "not here"));
        }
        let value = if is_flag(key) { value.to_ascii_lowercase() } else { value.to_owned() };
        Ok(Tag { key, value, at })
    }
}

/// The head of a rule URL for a service: `SCHEME://0.0.0.0/INTERFACE?category=routers`.
pub(crate) fn url_head(scheme: &str, service: Option<&ServiceKey>) -> String {
    let interface = service.map_or(keys::ANY, ServiceKey::interface);
    format!("{scheme}://{}/{interface}?{}={}", keys::ANY_HOST, keys::CATEGORY, keys::ROUTERS)
}

/// Group and version of a service, as parameters.
pub(crate) fn group_and_version(service: Option<&ServiceKey>) -> impl Iterator<Item = (&'static str, &str)> {
    let group = service.and_then(ServiceKey::group).map(|group| (keys::GROUP, group));
    group.into_iter().chain(service.and_then(ServiceKey::version).map(|version| (keys::VERSION, version)))
}

/// The service that a value of `@service` names; none for `*`.
pub(crate) fn service_of(value: &str) -> Option<ServiceKey> {
    (value != keys::ANY).then(|| ServiceKey::parse(value))
}

fn unknown(word: &str, known: &[&'static str]) -> Finding {
    let help = match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `@{near}`?"),
        None => format!("the tags are @{}", known.join(", @")),
    };
    Finding::error("rules::unknown_tag", format!("unknown tag `@{}`", excerpt(word))).with_help(help)
}

/// Characters that would end the part of the URL that the value becomes.
fn is_never_in(key: &str, c: char) -> bool {
    c.is_control() || (key == SERVICE && (matches!(c, '?' | '#') || c.is_whitespace()))
}

fn example(key: &str) -> &'static str {
    match key {
        SERVICE => "com.shop.OrderService:1.0.0",
        keys::APPLICATION => "shop-web",
        keys::PRIORITY => "10",
        keys::DIALECT => "v3",
        keys::ON_ERROR => "pass",
        keys::ENGINE => "quickjs",
        keys::DEADLINE => "5ms",
        keys::TIMEZONE => "Asia/Shanghai",
        _ if is_flag(key) => "true",
        _ => "gray-first",
    }
}
