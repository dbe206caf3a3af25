//! Tokens of one side to its pairs.

use std::ops::Range;
use std::sync::Arc;

use miette::NamedSource;
use miette::SourceSpan;

use crate::condition::Dialect;
use crate::condition::Key;
use crate::condition::Pair;
use crate::condition::ParseError;
use crate::condition::Pattern;
use crate::condition::Reading;
use crate::condition::Side;
use crate::condition::condition_errors::EmptyRangeError;
use crate::condition::condition_errors::InvalidBoundError;
use crate::condition::condition_errors::MissingAmpersandError;
use crate::condition::condition_errors::MissingKeyError;
use crate::condition::condition_errors::MissingValuesError;
use crate::condition::condition_errors::UnexpectedBlankError;
use crate::condition::condition_errors::UnexpectedSeparatorError;
use crate::condition::lexer::Token;
use crate::condition::lexer::TokenKind;
use crate::condition::lexer::tokens;
use crate::condition::lint::Lint;
use crate::condition::pattern::RangeError;

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

/// Reads one side.
pub(super) struct SideParser<'a, 'o> {
    side: Side,
    dialect: Dialect,
    reading: Reading,
    /// Whether `consumer.` and `provider.` belong to the keys.
    keeps_prefixes: bool,
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
    pub(super) fn new(side: Side, dialect: Dialect, reading: Reading, lint: &'a mut Lint<'o>) -> Self {
        let keeps_prefixes = false;
        let (pairs, keys) = (Vec::new(), Vec::new());
        Self { side, dialect, reading, keeps_prefixes, lint, pairs, keys, current: None, target: None }
    }

    /// The same for rules with destinations: Dubbo takes `consumer.` and `provider.` for parts of their keys.
    pub(super) fn keeping_prefixes(self) -> Self {
        Self { keeps_prefixes: true, ..self }
    }

    fn key_of<'t>(&self, word: &'t str) -> &'t str {
        if self.keeps_prefixes { word } else { Key::strip_prefixes(word) }
    }

    pub(super) fn parse(mut self, text: &str, offset: usize) -> Result<Vec<Pair>, ParseError> {
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
        let text = self.key_of(word.text);
        if text.is_empty() {
            let (source_code, span) = self.place(word.range.clone());
            return Err(MissingKeyError { place: "after", token: word.text.into(), source_code, span }.into());
        }
        let known = self.pairs.iter().position(|pair| pair.key.as_str() == text);
        self.current = known.or(Some(self.pairs.len()));
        if known.is_none() {
            let key = Key::parse(text, self.side, self.dialect);
            if self.keeps_prefixes && text != Key::strip_prefixes(text) {
                self.lint.kept_prefix(text, word.range.clone());
            }
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
        let text = self.key_of(word.text);
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

    fn place(&self, range: Range<usize>) -> (NamedSource<Arc<str>>, SourceSpan) {
        (self.lint.origin().source().to_named_source(), self.lint.origin().span(range))
    }
}
