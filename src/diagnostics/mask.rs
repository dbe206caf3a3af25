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

    /// Whether values of `key` are masked: the name itself, or the name after a `.`, `-` or `_` (`db.password`).
    #[must_use]
    pub fn hides(&self, key: &str) -> bool {
        let key = key.to_lowercase();
        let is_named = |head: &str| head.is_empty() || head.ends_with(['.', '-', '_']);
        self.names.iter().any(|name| key.strip_suffix(name.as_str()).is_some_and(is_named))
    }

    /// `value`, or stars where `key` is masked; escaped either way.
    #[must_use]
    pub fn value<'a>(&self, key: &str, value: &'a str) -> Cow<'a, str> {
        if self.hides(key) { Cow::Borrowed("***") } else { escape(value) }
    }

    /// A text that may hold URLs and rules: the values of masked keys and the passwords in front of hosts become
    /// stars. Blanks around `=`, `!=`, lists, `attachments[key]` and a percent-encoded rule are seen through.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // PERF: most texts name nothing secret, and an answer may list 100,000 providers.
        let lower = text.to_lowercase();
        if !text.contains('@') && !self.names.iter().any(|name| lower.contains(name.as_str())) {
            return escape(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, separator)) = next_separator(rest) {
            let (head, tail) = rest.split_at(at + separator.len());
            out.push_str(head);
            rest = tail;
            if self.hides(key_before(head.get(..at).unwrap_or_default())) {
                let end = value_end(tail, if separator == "=" { PLAIN_ENDS } else { ENCODED_ENDS });
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

/// What ends a value, and what a blank is, in a text that is not encoded, and in one that is.
const PLAIN_ENDS: (&[&str], &[&str]) = (&["&", ";"], &[" ", "\t"]);
const ENCODED_ENDS: (&[&str], &[&str]) = (&["&", ";", "%26"], &[" ", "\t", "%20", "+"]);

/// The next `=`, plain or encoded, that is no part of `=>`.
fn next_separator(text: &str) -> Option<(usize, &str)> {
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let at = from + rest.find(['=', '%'])?;
        let found = text.get(at..)?;
        let length = if found.starts_with('=') {
            1
        } else if found.get(..3).is_some_and(|code| code.eq_ignore_ascii_case("%3D")) {
            3
        } else {
            from = at + 1;
            continue;
        };
        let (separator, after) = found.split_at(length);
        let is_arrow = after.starts_with('>') || after.get(..3).is_some_and(|code| code.eq_ignore_ascii_case("%3E"));
        if !is_arrow {
            return Some((at, separator));
        }
        from = at + length;
    }
}

/// The key that ends a text: what stands between it and the separator is dropped.
fn key_before(head: &str) -> &str {
    let mut key = head;
    while let Some(shorter) =
        ["%20", "%21", "%5D", "%5d", " ", "\t", "+", "!", "]"].iter().find_map(|end| key.strip_suffix(end))
    {
        key = shorter;
    }
    let start = key.char_indices().rev().take_while(|(_, c)| is_key(*c)).last().map_or(key.len(), |(at, _)| at);
    let (before, name) = key.split_at(start);
    // The digits of an escape in front are no part of the name.
    if before.ends_with('%') { name.get(2..).unwrap_or_default() } else { name }
}

/// Where the value, or the list of values, that begins a text ends.
fn value_end(text: &str, (ends, blanks): (&[&str], &[&str])) -> usize {
    let blank = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        blanks.iter().find(|blank| rest.starts_with(**blank)).map(|blank| blank.len())
    };
    let skip_blanks = |mut at: usize| {
        while let Some(length) = blank(at) {
            at += length;
        }
        at
    };
    let mut at = skip_blanks(0);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(next) = rest.chars().next() else { return at };
        if ends.iter().any(|end| rest.starts_with(end)) || (next.is_whitespace() && blank(at).is_none()) {
            return at;
        }
        if blank(at).is_some() {
            // A list goes on after its comma, and before it.
            let after = skip_blanks(at);
            let is_list = text.get(..at).is_some_and(|value| value.ends_with([',', '=', '!']))
                || text.get(after..).is_some_and(|rest| rest.starts_with([',', '!', '=']) && !rest.starts_with("=>"));
            if !is_list {
                return at;
            }
            at = after;
        } else {
            at += next.len_utf8();
        }
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
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
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
            ("password = x => a=b", "password =*** => a=b"),
            ("password != x , y & a=b", "password !=*** & a=b"),
            ("attachments[token]=x => password=y", "attachments[token]=*** => password=***"),
            ("rule=token%3Dx%20%3D%3E%20a%3Db", "rule=token%3D***%20%3D%3E%20a%3Db"),
            ("rule=a%3Db%26password%20%3D%20x&c=d", "rule=a%3Db%26password%20%3D***&c=d"),
            ("secret => token", "secret => token"),
        ] {
            assert_eq!(mask.text(text), masked, "{text}");
        }
    }

    #[test]
    fn control_and_bidi_characters_are_spelled_out() {
        assert_eq!(escape("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
        assert_eq!(escape("a\u{61c}b"), "a\\u{61c}b");
    }

    #[test]
    fn a_name_of_several_words_covers_what_ends_in_it() {
        let mask = Mask::new(["api-key".to_owned()]);
        for (key, expected) in [("api-key", true), ("x.api-key", true), ("X_API-KEY", true), ("xapi-key", false)] {
            assert_eq!(mask.hides(key), expected, "{key}");
        }
    }
}
