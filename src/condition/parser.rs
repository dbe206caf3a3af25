//! Tokens to [`Rule`].
//!
//! Follows `ConditionRouter.parseRule`: a separator at the end of a side is ignored (and warned of); a run of separators
//! in front of a word must be `&`, `=`, `!=` or `,`. What Dubbo accepts and nobody means (a second `=>`, words that
//! nothing joins, two separators with a blank between, a range that is none) is refused, or warned of by
//! [`parse_as_dubbo`].

use std::ops::Range;

use crate::condition::Dialect;
use crate::condition::Key;
use crate::condition::Pair;
use crate::condition::ParseError;
use crate::condition::Pattern;
use crate::condition::Rule;
use crate::condition::Side;
use crate::condition::Then;
use crate::condition::When;
use crate::condition::condition_errors::EmptyRangeError;
use crate::condition::condition_errors::EmptyRuleError;
use crate::condition::condition_errors::InvalidBoundError;
use crate::condition::condition_errors::MissingAmpersandError;
use crate::condition::condition_errors::MissingKeyError;
use crate::condition::condition_errors::MissingValuesError;
use crate::condition::condition_errors::RuleTooLongError;
use crate::condition::condition_errors::SecondArrowError;
use crate::condition::condition_errors::UnexpectedBlankError;
use crate::condition::condition_errors::UnexpectedSeparatorError;
use crate::condition::lexer::Token;
use crate::condition::lexer::TokenKind;
use crate::condition::lexer::tokens;
use crate::condition::lint::Lint;
use crate::condition::pattern::RangeError;
use crate::diagnostics::Origin;

/// The longest rule that is read: 64 KiB.
pub const MAX_RULE_BYTES: usize = 64 << 10;

const ARROW: &str = "=>";

/// Reads a rule. `origin` says where `text` stands, so that errors and warnings point into the file or URL.
///
/// # Errors
///
/// A rule that is empty, too long, or not of the form `when => then`; under `v3` also a range whose bounds are no
/// integers.
///
/// ```
/// use pointsman::condition::{Dialect, parse};
/// use pointsman::diagnostics::{Origin, SourceText};
/// let text = "method = find* , get* => region=$region";
/// let rule = parse(text, Dialect::V2, &Origin::whole(SourceText::new("a.rules", text)))?;
/// assert_eq!(rule.to_string(), "method=find*,get* => region=$region");
/// # Ok::<(), pointsman::condition::ParseError>(())
/// ```
pub fn parse(text: &str, dialect: Dialect, origin: &Origin) -> Result<Rule, ParseError> {
    read(text, dialect, origin, Reading::Strict)
}

/// Reads a rule as Dubbo reads it where [`parse`] refuses it: a second `=>` is data, a word that nothing joins to the
/// one before is a key that replaces an earlier one of its name, of two separators apart the first is dropped, and a
/// range that is none matches every provider and no consumer. Each of these is a warning. For rules that must go on as they do in a running system.
///
/// # Errors
///
/// What Dubbo refuses too: an empty rule, and a separator with nothing to attach to. Also a rule that is too long.
///
/// ```
/// use pointsman::condition::{Dialect, parse_as_dubbo};
/// use pointsman::diagnostics::{Origin, SourceText};
/// let rule = parse_as_dubbo("=> host=a host=b", Dialect::V2, &Origin::whole(SourceText::new("a", "=> host=a host=b")))?;
/// assert_eq!(rule.to_string(), "=> host=b");
/// assert_eq!(rule.warnings().len(), 1);
/// # Ok::<(), pointsman::condition::ParseError>(())
/// ```
pub fn parse_as_dubbo(text: &str, dialect: Dialect, origin: &Origin) -> Result<Rule, ParseError> {
    read(text, dialect, origin, Reading::AsDubbo)
}

/// What becomes of a text that Dubbo accepts and nobody means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Strict,
    AsDubbo,
}

fn read(text: &str, dialect: Dialect, origin: &Origin, reading: Reading) -> Result<Rule, ParseError> {
    if text.len() > MAX_RULE_BYTES {
        let (source_code, span) = (origin.source().to_named_source(), origin.span(0..0));
        return Err(RuleTooLongError { found: text.len(), source_code, span }.into());
    }
    if is_blank(text) {
        let (source_code, span) = (origin.source().to_named_source(), origin.span(0..text.len()));
        return Err(EmptyRuleError { source_code, span }.into());
    }
    let mut lint = Lint::new(origin);
    lint.text(text);
    let arrow = text.find(ARROW);
    let (when, then_start) = match arrow {
        Some(at) => (text.get(..at).unwrap_or_default(), at + ARROW.len()),
        None => {
            lint.missing_arrow(text);
            ("", 0)
        }
    };
    let then = text.get(then_start..).unwrap_or_default();
    if let Some(at) = then.find(ARROW).map(|at| then_start + at) {
        let (source_code, span) = (origin.source().to_named_source(), origin.span(at..at + ARROW.len()));
        lint.doubt(SecondArrowError { source_code, span }, at, reading == Reading::Strict)?;
    }
    let mut side = |text, offset, side| SideParser::new(side, dialect, reading, &mut lint).parse(text, offset);
    let when = match is_word(when, "true") || is_blank(when) {
        true => When::Always,
        false => Some(side(when, 0, Side::When)?).filter(|pairs| !pairs.is_empty()).map_or(When::Always, When::Pairs),
    };
    let then = match is_word(then, "false") || is_blank(then) {
        true => Then::Blocked,
        false => Then::Pairs(side(then, then_start, Side::Then)?),
    };
    Ok(Rule { dialect, when, then, warnings: lint.finish() })
}

/// What `true` and `false` are compared with: the side without blanks around it and prefixes in front.
pub(super) fn is_word(side: &str, word: &str) -> bool {
    Key::strip_prefixes(side.trim_matches(|c| c <= ' ')) == word
}

/// Java's `isBlank`, which takes control characters too.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c <= ' ' || c.is_whitespace())
}

#[derive(Clone, Copy)]
enum List {
    Matches,
    Mismatches,
}

/// Which list a comma extends.
#[derive(Clone, Copy)]
struct Target {
    // The pair's index; none where the pair was replaced.
    pair: Option<usize>,
    list: List,
}

struct SideParser<'a, 'o> {
    side: Side,
    dialect: Dialect,
    reading: Reading,
    lint: &'a mut Lint<'o>,
    pairs: Vec<Pair>,
    // INVARIANT: where each pair's key stands first, in the order of `pairs`.
    keys: Vec<Range<usize>>,
    // INVARIANT: an index into `pairs`.
    current: Option<usize>,
    // What was written last; a new key does not clear it, for `parse_as_dubbo` a comma still extends it.
    target: Option<Target>,
}

// === impl SideParser ===

impl<'a, 'o> SideParser<'a, 'o> {
    fn new(side: Side, dialect: Dialect, reading: Reading, lint: &'a mut Lint<'o>) -> Self {
        Self { side, dialect, reading, lint, pairs: Vec::new(), keys: Vec::new(), current: None, target: None }
    }

    fn parse(mut self, text: &str, offset: usize) -> Result<Vec<Pair>, ParseError> {
        let mut tokens = tokens(text, offset).peekable();
        let mut before: Option<Token<'_>> = None;
        while let Some(token) = tokens.next() {
            match token.kind {
                TokenKind::Word => {
                    if let Some(before) = before {
                        let error = self.unjoined(&before, &token, tokens.peek());
                        self.doubt(error, &token)?;
                        self.forget(&token);
                    }
                    self.key(&token)?;
                    before = Some(token);
                }
                TokenKind::Separator => match tokens.next_if(|next| next.kind == TokenKind::Word) {
                    Some(word) => {
                        self.joined(&token, &word)?;
                        before = Some(word);
                    }
                    None => match tokens.peek() {
                        Some(next) => self.apart(&token, next, text, offset)?,
                        None => self.lint.ignored_separator(&token, before.is_some()),
                    },
                },
            }
        }
        self.lint.side(self.pairs.iter().zip(self.keys), self.side);
        Ok(self.pairs)
    }

    /// A word behind a separator.
    fn joined(&mut self, separator: &Token<'_>, word: &Token<'_>) -> Result<(), ParseError> {
        let list = match separator.text {
            "&" => return self.key(word),
            "=" => List::Matches,
            "!=" => List::Mismatches,
            "," => return self.further_value(separator, word),
            _ => return Err(self.unexpected_separator(separator)),
        };
        if self.current.is_none() {
            return Err(self.missing_key(separator));
        }
        let target = Target { pair: self.current, list };
        self.target = Some(target);
        self.value(target, word)
    }

    fn further_value(&mut self, comma: &Token<'_>, word: &Token<'_>) -> Result<(), ParseError> {
        let current = self.current_pair().map(|pair| pair.key.as_str());
        let (Some(key), target) = (current, self.target) else { return Err(self.missing_key(comma)) };
        let Some(target) = target else { return Err(self.missing_values(key, comma)) };
        if target.pair != self.current {
            let error = self.missing_values(key, comma);
            self.doubt(error, comma)?;
        }
        self.value(target, word)
    }

    fn value(&mut self, target: Target, word: &Token<'_>) -> Result<(), ParseError> {
        let pattern = self.pattern(word)?;
        let Some(pair) = target.pair.and_then(|at| self.pairs.get_mut(at)) else { return Ok(()) };
        let values = match target.list {
            List::Matches => &mut pair.matches,
            List::Mismatches => &mut pair.mismatches,
        };
        if !values.contains(&pattern) {
            values.push(pattern);
        }
        Ok(())
    }

    /// A separator that another one follows after blanks: in Dubbo the first means nothing.
    fn apart(&mut self, first: &Token<'_>, second: &Token<'_>, text: &str, offset: usize) -> Result<(), ParseError> {
        let error = if first.text == "&" && second.text != "&" {
            self.missing_key(second)
        } else {
            let range = first.range.start..second.range.end;
            let separator = text.get(range.start - offset..range.end - offset).unwrap_or_default();
            self.unexpected_separator(&Token { kind: TokenKind::Separator, text: separator, range })
        };
        self.doubt(error, first)
    }

    fn key(&mut self, word: &Token<'_>) -> Result<(), ParseError> {
        let text = Key::strip_prefixes(word.text);
        if text.is_empty() {
            let (source_code, span) = self.place(word.range.clone());
            return Err(MissingKeyError { place: "after", token: word.text.into(), source_code, span }.into());
        }
        let known = self.pairs.iter().position(|pair| pair.key.as_str() == text);
        self.current = known.or(Some(self.pairs.len()));
        if known.is_none() {
            let key = Key::parse(text, self.side, self.dialect);
            self.lint.key(&key, self.side, word.range.clone());
            self.keys.push(word.range.clone());
            self.pairs.push(Pair { key, matches: Vec::new(), mismatches: Vec::new() });
        }
        Ok(())
    }

    fn pattern(&mut self, word: &Token<'_>) -> Result<Pattern, ParseError> {
        let error = match Pattern::read(word.text, self.side, self.dialect) {
            Ok(pattern) => {
                self.lint.pattern(&pattern, word.text, self.dialect, word.range.clone());
                return Ok(pattern);
            }
            Err(RangeError::NoBound) => {
                let (source_code, span) = self.place(word.range.clone());
                EmptyRangeError { source_code, span }.into()
            }
            Err(RangeError::Bound(at, length)) => {
                let start = word.range.start + at;
                let found = word.text.get(at..at + length).unwrap_or_default().into();
                let (source_code, span) = self.place(start..start + length);
                InvalidBoundError { found, source_code, span }.into()
            }
        };
        self.doubt(error, word)?;
        Ok(Pattern::NoRange { text: word.text.into(), side: self.side })
    }

    /// Fails with `error`, or warns of it where the rule is read as Dubbo reads it.
    fn doubt(&mut self, error: ParseError, word: &Token<'_>) -> Result<(), ParseError> {
        self.lint.doubt(error, word.range.start, self.reading == Reading::Strict)
    }

    /// Drops what the key had: as in Dubbo, a key that nothing joins to the word before it replaces its namesake.
    fn forget(&mut self, word: &Token<'_>) {
        let text = Key::strip_prefixes(word.text);
        let Some(at) = self.pairs.iter().position(|pair| pair.key.as_str() == text) else { return };
        if let Some(pair) = self.pairs.get_mut(at) {
            pair.matches.clear();
            pair.mismatches.clear();
        }
        if let Some(target) = self.target.as_mut().filter(|target| target.pair == Some(at)) {
            target.pair = None;
        }
    }

    fn current_pair(&self) -> Option<&Pair> {
        self.current.and_then(|at| self.pairs.get(at))
    }

    /// Two words without a separator between them: a new pair where a value follows, else a blank too many.
    fn unjoined(&self, before: &Token<'_>, word: &Token<'_>, next: Option<&Token<'_>>) -> ParseError {
        let (source_code, span) = self.place(word.range.clone());
        let begins_pair = self.target.is_some() && next.is_some_and(|next| matches!(next.text, "=" | "!="));
        if begins_pair {
            return MissingAmpersandError { key: word.text.into(), source_code, span }.into();
        }
        let (before, after) = (before.text.into(), word.text.into());
        UnexpectedBlankError { before, after, source_code, span }.into()
    }

    fn missing_key(&self, separator: &Token<'_>) -> ParseError {
        let (source_code, span) = self.place(separator.range.clone());
        MissingKeyError { place: "before", token: separator.text.into(), source_code, span }.into()
    }

    fn missing_values(&self, key: &str, separator: &Token<'_>) -> ParseError {
        let (source_code, span) = self.place(separator.range.clone());
        MissingValuesError { key: key.into(), source_code, span }.into()
    }

    fn unexpected_separator(&self, separator: &Token<'_>) -> ParseError {
        let (source_code, span) = self.place(separator.range.clone());
        let advice = match separator.text {
            "==" | "===" => "equality is one `=`: `key=value`",
            "&&" => "pairs are joined with one `&`",
            "=!" | "!" | "!!=" | "!==" | "=!=" => "inequality is `!=`: `key!=value`",
            ",," => "between two values stands one `,`",
            _ => "write `key=a,b & other!=c`; a value cannot hold `&`, `!`, `=` or `,`",
        };
        UnexpectedSeparatorError { separator: separator.text.into(), advice, source_code, span }.into()
    }

    fn place(&self, range: Range<usize>) -> (miette::NamedSource<std::sync::Arc<str>>, miette::SourceSpan) {
        (self.lint.origin().source().to_named_source(), self.lint.origin().span(range))
    }
}
