//! Nothing that is printed shows a secret or moves the reader's cursor.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::diagnostics::secrets;
use crate::diagnostics::secrets::Kind;

/// A longer text in which something may be secret is hidden as a whole.
const MAX_SEARCHED_BYTES: usize = 1 << 20;
/// What stands for a secret.
const STARS: &str = "***";

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
        if self.hides(key) { Cow::Borrowed(STARS) } else { escape(value) }
    }

    /// A text that may hold URLs and rules: the values of masked keys and the passwords in front of hosts become
    /// stars. Blanks around `=`, `!=`, lists, `attachments[key]` and a percent-encoded rule are seen through.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Self::cover(text, &self.hidden(text))
    }

    /// A message, which quotes such texts between backticks.
    #[must_use]
    pub fn message<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Self::cover(text, &self.find(text, Kind::Message))
    }

    /// The bytes of `text` that [`Mask::text`] hides, in order.
    #[must_use]
    pub fn hidden(&self, text: &str) -> Vec<Range<usize>> {
        self.find(text, Kind::Source)
    }

    /// `text` with stars for the bytes `hidden`, which come in order; escaped.
    #[must_use]
    pub fn cover<'a>(text: &'a str, hidden: &[Range<usize>]) -> Cow<'a, str> {
        if hidden.is_empty() {
            return escape(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for range in hidden {
            out.push_str(&escape(text.get(from..range.start).unwrap_or_default()));
            out.push_str(STARS);
            from = range.end;
        }
        out.push_str(&escape(text.get(from..).unwrap_or_default()));
        Cow::Owned(out)
    }

    /// Sorts ranges of hidden bytes and joins those that touch, as [`Mask::cover`] wants them.
    #[must_use]
    pub fn merge(hidden: Vec<Range<usize>>) -> Vec<Range<usize>> {
        secrets::merge(hidden)
    }

    fn find(&self, text: &str, kind: Kind) -> Vec<Range<usize>> {
        // PERF: most texts name nothing secret, and an answer may list 100,000 providers.
        let lower = text.to_lowercase();
        let is_suspicious = text.contains(['@', '%']) || text.contains("://");
        if !is_suspicious && !self.names.iter().any(|name| lower.contains(name.as_str())) {
            return Vec::new();
        }
        // Nobody reads so much, and looking at it takes sixteen times its size.
        if text.len() > MAX_SEARCHED_BYTES {
            return std::iter::once(0..text.len()).collect();
        }
        secrets::find(text, kind, self)
    }
}

impl Default for Mask {
    fn default() -> Self {
        Self::new([])
    }
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
            ("u:pw@h:1/S?a=b", "u:***@h:1/S?a=b"),
            ("dubbo://u:p/wd@h:1/S", "dubbo://u:***@h:1/S"),
            ("dubbo://u:p?wd@h:1/S", "dubbo://u:***@h:1/S"),
            ("dubbo://u:p4ss:wordx/S", "dubbo://u:***/S"),
            ("dubbo%3A%2F%2Fu%3Apw%40h%3A1", "dubbo%3A%2F%2Fu%3A***%40h%3A1"),
            ("dubbo://h:1/S?owner=a@b.c", "dubbo://h:1/S?owner=a@b.c"),
            ("dubbo://fe80::1/S dubbo://[::1]:1/S dubbo://h:x/S", "dubbo://fe80::1/S dubbo://[::1]:1/S dubbo://h:x/S"),
            ("db.password=x y z", "db.password=***"),
            ("apikey=1;token=2", "apikey=***"),
            ("a=b&c=d", "a=b&c=d"),
            ("password = x => a=b", "password =*** => a=b"),
            ("password = ab;cd => a=b", "password =*** => a=b"),
            ("password != x , y & a=b", "password !=*** & a=b"),
            ("a=b => password = x=>y", "a=b => password =***"),
            ("attachments[token]=x => password=y", "attachments[token]=*** => password=***"),
            ("rule=token%3Dx%20%3D%3E%20a%3Db", "rule=token%3D***%20%3D%3E%20a%3Db"),
            ("rule=a%3Db%26password%20%3D%20x&c=d", "rule=a%3Db%26password%20%3D***&c=d"),
            (r#"{"password": "x", "a": 1}"#, r#"{"password":***"#),
            ("@token x y", "@token ***"),
            ("@token", "@token"),
            ("@name x", "@name x"),
            ("secret => token", "secret => token"),
            ("password= => a=b", "password= => a=b"),
        ] {
            assert_eq!(mask.text(text), masked, "{text}");
        }
    }

    #[test]
    fn a_text_too_long_to_be_searched_is_hidden_as_a_whole() {
        let text = format!("a@{}", "x".repeat(MAX_SEARCHED_BYTES));
        assert_eq!(Mask::default().text(&text), "***");
    }

    #[test]
    fn in_a_message_a_secret_ends_with_its_quotation() {
        let shown = Mask::default().message("expected a key in `token=a b`, found `u:pw@h`; see `x`").into_owned();
        assert_eq!(shown, "expected a key in `token=***`, found `u:***@h`; see `x`");
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
