//! What is allowed but probably not meant.

use std::ops::Range;

use crate::condition::Dialect;
use crate::condition::Key;
use crate::condition::Pair;
use crate::condition::ParseError;
use crate::condition::Pattern;
use crate::condition::Side;
use crate::condition::Subject;
use crate::condition::lexer::Token;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;

/// Gathers the warnings of one rule.
pub(super) struct Lint<'o> {
    origin: &'o Origin,
    warnings: Vec<(usize, Finding)>,
}

// === impl Lint ===

impl<'o> Lint<'o> {
    pub(super) const fn new(origin: &'o Origin) -> Self {
        Self { origin, warnings: Vec::new() }
    }

    pub(super) const fn origin(&self) -> &'o Origin {
        self.origin
    }

    /// Fails with `error` if `is_strict`; else it becomes a warning at byte `at` of the rule.
    pub(super) fn doubt(&mut self, error: impl Into<ParseError>, at: usize, is_strict: bool) -> Result<(), ParseError> {
        let error = error.into();
        if is_strict {
            return Err(error);
        }
        self.warnings.push((at, Finding::from(error).with_severity(Severity::Warning)));
        Ok(())
    }

    /// The warnings in the order of the text.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.warnings.sort_by_key(|(at, _)| *at);
        self.warnings.into_iter().map(|(_, finding)| finding).collect()
    }

    /// Characters that look like separators and are none.
    pub(super) fn text(&mut self, text: &str) {
        // PERF: rules are ASCII as a rule (`condition/compile`).
        if text.is_ascii() {
            return;
        }
        let wide = text.char_indices().find_map(|(at, c)| Some((at, c, narrow(c)?)));
        if let Some((at, wide, narrow)) = wide {
            let range = at..at + wide.len_utf8();
            if narrow == ' ' {
                // Nobody sees it: its number tells which it is.
                let message = format!("expected a blank, found U+{:04X}, which is part of the word", u32::from(wide));
                self.warn("condition::full_width", message, range, "no blank", || "write an ordinary blank".to_owned());
            } else {
                let message = format!("expected `{narrow}`, found the full-width `{wide}`, which is part of the word");
                self.warn("condition::full_width", message, range, "no separator", || format!("write `{narrow}`"));
            }
        }
    }

    pub(super) fn missing_arrow(&mut self, text: &str) {
        let message = "expected `=>`; without it the whole text is the `then` side";
        self.warn("condition::missing_arrow", message, 0..text.len(), "applies to every call", || {
            format!("write `=> {}` if that is meant", text.trim())
        });
    }

    /// A separator that ends a side, which `has_words` or not.
    pub(super) fn ignored_separator(&mut self, separator: &Token<'_>, has_words: bool) {
        // A side may end in `key=`: that key has no values, which has its own warning.
        if has_words && matches!(separator.text, "=" | "!=") {
            return;
        }
        let message = format!("the separator `{}` joins nothing and is ignored", separator.text);
        self.warn("condition::ignored_separator", message, separator.range.clone(), "ignored", || {
            "take it away, or write what was to follow".to_owned()
        });
    }

    /// A destination that is to be nobody.
    pub(super) fn false_destination(&mut self, text: &str) {
        let message = "`false` is every provider here, as in Dubbo";
        self.warn("condition::misplaced_word", message, 0..text.len(), "everybody", || {
            "leave `to` out to stop the traffic, or say what the providers must be like".to_owned()
        });
    }

    pub(super) fn key(&mut self, key: &Key, side: Side, range: Range<usize>) {
        let (text, label) = (key.as_str(), "never matches");
        match key.subject() {
            Subject::Nothing => {}
            Subject::Argument(index) if text != format!("arguments[{index}]") => {
                let message = format!("the key `{key}` is the argument {index} as a whole, not a part of it");
                return self.warn("condition::unknown_subject", message, range, "the whole argument", || {
                    format!("write `arguments[{index}]`, or look at parts of it in a script")
                });
            }
            Subject::Parameter if text.contains('[') && (side == Side::When || !text.starts_with("attachments")) => {
                let message = format!("the key `{key}` is a parameter by that name, no argument and no attachment");
                let near = if text.starts_with("arg") { "arguments[0]" } else { "attachments[name]" };
                return self.warn("condition::unknown_subject", message, range, label, || {
                    match text.starts_with("attachments[") {
                        true => "attachments need the dialect `v3`".to_owned(),
                        false => format!("did you mean `{near}`?"),
                    }
                });
            }
            _ => return,
        }
        let (message, help) = match side {
            Side::When => (
                format!("the key `{key}` names no argument or attachment, so it never matches"),
                "write `arguments[0]` or `attachments[name]`",
            ),
            Side::Then => (
                format!("the key `{key}` is not known on the `then` side, so no provider matches"),
                "ask for arguments and attachments before `=>`, or in `from`",
            ),
        };
        self.warn("condition::unknown_subject", message, range, label, || help.to_owned());
    }

    /// A `consumer.` or `provider.` that is a part of its key.
    pub(super) fn kept_prefix(&mut self, text: &str, range: Range<usize>) {
        let message = format!("in rules with destinations `{text}` is the whole key, so it hardly ever matches");
        self.warn("condition::kept_prefix", message, range, "Dubbo drops no prefix here", || {
            format!("write `{}`", Key::strip_prefixes(text))
        });
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern, text: &str, dialect: Dialect, range: Range<usize>) {
        if let Pattern::Range { low: Some(low), high: Some(high) } = pattern
            && low > high
        {
            let message = format!("no integer is in `{text}`");
            self.warn("condition::inverted_range", message, range, "an empty range", || {
                format!("write `{high}~{low}`")
            });
            return;
        }
        if dialect == Dialect::V2 && text.split_once('~').is_some_and(|(low, high)| is_bound(low) && is_bound(high)) {
            let message = format!("under `v2` the `~` of `{text}` is an ordinary character");
            self.warn("condition::literal_range", message, range, "no range", || {
                "ranges need the dialect `v3`".to_owned()
            });
            return;
        }
        if text.bytes().filter(|byte| *byte == b'*').count() > 1 {
            let message = format!("only the last `*` of `{text}` is a wildcard");
            self.warn("condition::literal_wildcard", message, range, "more than one `*`", || {
                "list the values, or keep one `*`".to_owned()
            });
        }
    }

    /// What is seen only when a side is complete.
    pub(super) fn side<'p>(&mut self, pairs: impl Iterator<Item = (&'p Pair, Range<usize>)>, side: Side) {
        let is_bare = |pair: &Pair| pair.matches().is_empty() && pair.mismatches().is_empty();
        for (pair, range) in pairs.filter(|(pair, _)| is_bare(pair)) {
            let key = pair.key();
            let special = match (key.as_str(), side) {
                ("true", Side::Then) => Some("`true` is special before `=>` only"),
                ("false", Side::When) => Some("`false` is special after `=>` only"),
                _ => None,
            };
            match special {
                Some(special) => {
                    let message = format!("{special}; here it is a key without values");
                    self.warn("condition::misplaced_word", message, range, "a bare key", || match side {
                        Side::When => "to switch a rule off, say that it is not `enabled`, or take it away".to_owned(),
                        Side::Then => "to allow every provider, leave the rule out".to_owned(),
                    });
                }
                None => {
                    let message = format!("the key `{key}` has no values");
                    self.warn("condition::bare_key", message, range, "no `=` or `!=` after this", || {
                        format!("write `{key}=…` or `{key}!=…`")
                    });
                }
            }
        }
    }

    fn warn(
        &mut self,
        slug: &'static str,
        message: impl Into<String>,
        range: Range<usize>,
        label: &str,
        help: impl FnOnce() -> String,
    ) {
        let finding = Finding::warning(slug, message).with_help(help()).at(self.origin, range.clone(), label);
        self.warnings.push((range.start, finding));
    }
}

fn is_bound(text: &str) -> bool {
    text.is_empty() || text.parse::<i64>().is_ok()
}

fn narrow(c: char) -> Option<char> {
    Some(match c {
        '，' | '、' => ',',
        '＝' => '=',
        '＆' => '&',
        '！' => '!',
        '＞' => '>',
        '＊' => '*',
        '～' => '~',
        '\u{3000}' | '\u{a0}' => ' ',
        _ => return None,
    })
}
