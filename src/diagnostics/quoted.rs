//! What a finding quotes of the secrets on its line.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::diagnostics::Mask;

/// The secrets of one line, as they stand there and decoded.
pub(super) struct Quoted {
    secrets: Vec<String>,
}

// === impl Quoted ===

impl Quoted {
    pub(super) fn of(line: &str, mask: &Mask) -> Self {
        let mut secrets = Vec::new();
        for secret in mask.hidden(line).into_iter().filter_map(|range| line.get(range)) {
            let decoded = percent_decode_str(&secret.replace('+', " ")).decode_utf8_lossy().into_owned();
            secrets.push(decoded);
            secrets.push(secret.to_owned());
        }
        Self { secrets }
    }

    /// `text` with stars for the words in backticks that occur in a secret. Where a secret holds a backtick, nothing
    /// tells what is quoted, and all words count.
    pub(super) fn cover<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.secrets.is_empty() {
            return Cow::Borrowed(text);
        }
        let is_everywhere = self.secrets.iter().any(|secret| secret.contains('`'));
        let mut out = String::with_capacity(text.len());
        let mut is_quoted = false;
        for piece in text.split_inclusive(is_between_words) {
            let word = piece.trim_end_matches(is_between_words);
            let is_sign = word.len() <= 1 && !word.contains(char::is_alphanumeric);
            let is_secret = !is_sign && self.secrets.iter().any(|secret| secret.contains(word));
            let shown = if is_secret && (is_quoted || is_everywhere) { "***" } else { word };
            let separator = piece.get(word.len()..).unwrap_or_default();
            is_quoted ^= separator == "`";
            out.push_str(shown);
            out.push_str(separator);
        }
        Cow::Owned(out)
    }
}

fn is_between_words(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | ',' | '=' | '&' | '!' | ';' | '>' | '~' | '?' | '…')
}
