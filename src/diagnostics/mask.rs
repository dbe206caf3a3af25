//! Nothing that is printed shows a secret or moves the reader's cursor.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Which parameters and attachments are masked in all output.
#[derive(Debug, Clone)]
pub struct Mask {
    names: Vec<String>,
}

// === impl Mask ===

impl Mask {
    /// The names masked always.
    pub const ALWAYS: [&'static str; 3] = ["password", "token", "secret"];

    /// Masks [`Mask::ALWAYS`] and `names`, all compared without case.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let always = Self::ALWAYS.iter().map(|name| (*name).to_owned());
        Self { names: always.chain(names).map(|name| name.to_lowercase()).collect() }
    }

    /// Whether values of `key` are masked: the name itself, or the name after a dot (`db.password`).
    #[must_use]
    pub fn hides(&self, key: &str) -> bool {
        let key = key.to_lowercase();
        let last = key.rsplit(['.', '-', '_']).next().unwrap_or(&key);
        self.names.iter().any(|name| *name == key || name == last)
    }

    /// `value`, or stars where `key` is masked; escaped either way.
    #[must_use]
    pub fn value<'a>(&self, key: &str, value: &'a str) -> Cow<'a, str> {
        if self.hides(key) { Cow::Borrowed("***") } else { escape(value) }
    }

    /// A text that may hold URLs: the values of masked parameters and the passwords in front of hosts become stars.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('=') {
            let (head, tail) = rest.split_at(at + 1);
            out.push_str(head);
            let key_start = head[..at]
                .rfind(|c: char| !is_key(c))
                .map_or(0, |before| before + head[before..].chars().next().map_or(1, char::len_utf8));
            rest = tail;
            if self.hides(head.get(key_start..at).unwrap_or_default()) {
                let end = tail.find(|c: char| matches!(c, '&' | ';') || c.is_whitespace()).unwrap_or(tail.len());
                out.push_str(if end > 0 { "***" } else { "" });
                rest = tail.get(end..).unwrap_or_default();
            }
        }
        out.push_str(rest);
        let out = mask_user_info(&out);
        let escaped = escape(&out).into_owned();
        if escaped == text { Cow::Borrowed(text) } else { Cow::Owned(escaped) }
    }
}

impl Default for Mask {
    fn default() -> Self {
        Self::new([])
    }
}

fn is_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// `//user:password@` → `//user:***@`.
fn mask_user_info(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        let authority = tail.find(|c: char| matches!(c, '/' | '?') || c.is_whitespace()).unwrap_or(tail.len());
        let user = tail.get(..authority).and_then(|part| part.rsplit_once('@')).map(|(user, _)| user);
        rest = tail;
        if let Some((name, _)) = user.and_then(|user| user.split_once(':')) {
            out.push_str(name);
            out.push_str(":***");
            rest = tail.get(user.map_or(0, str::len)..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}

/// Control and bidi characters as `\u{…}`; all else as it is. Line ends are control characters too.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unprintable(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_never_reach_the_output() {
        let mask = Mask::new(["apiKey".to_owned()]);
        for (text, masked) in [
            ("dubbo://u:pw@h:1/S?password=x&a=b", "dubbo://u:***@h:1/S?password=***&a=b"),
            ("db.password=x y", "db.password=*** y"),
            ("apikey=1;token=2", "apikey=***;token=***"),
            ("a=b&c=d", "a=b&c=d"),
        ] {
            assert_eq!(mask.text(text), masked, "{text}");
        }
    }

    #[test]
    fn control_and_bidi_characters_are_spelled_out() {
        assert_eq!(escape("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
    }
}
