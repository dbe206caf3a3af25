//! Tokens to [`Rule`].
//!
//! Follows `ConditionRouter.parseRule`: a separator at the end of a side is ignored (and warned of); a run of separators
//! in front of a word must be `&`, `=`, `!=` or `,`. What Dubbo accepts and nobody means (a second `=>`, words that
//! nothing joins, two separators with a blank between, a range that is none) is refused, or warned of by
//! [`parse_as_dubbo`].

use memchr::memmem;

use crate::condition::Dialect;
use crate::condition::Key;
use crate::condition::Pair;
use crate::condition::ParseError;
use crate::condition::Reading;
use crate::condition::Rule;
use crate::condition::Side;
use crate::condition::Then;
use crate::condition::When;
use crate::condition::condition_errors::EmptyRuleError;
use crate::condition::condition_errors::RuleTooLongError;
use crate::condition::condition_errors::SecondArrowError;
use crate::condition::lint::Lint;
use crate::condition::side::SideParser;
use crate::diagnostics::Finding;
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

/// Reads a rule as strictly as `reading` says: [`parse`] or [`parse_as_dubbo`].
///
/// # Errors
///
/// As theirs.
pub fn parse_with(text: &str, dialect: Dialect, reading: Reading, origin: &Origin) -> Result<Rule, ParseError> {
    read(text, dialect, origin, reading)
}

fn read(text: &str, dialect: Dialect, origin: &Origin, reading: Reading) -> Result<Rule, ParseError> {
    if text.len() > MAX_RULE_BYTES {
        let (source_code, span) = (origin.source().to_named_source(), origin.span(0..0));
        return Err(RuleTooLongError { found: text.len(), source_code, span }.into());
    }
    // As in Dubbo, other white space than this is a blank side, not an empty rule.
    if text.chars().all(|c| c <= ' ') {
        let (source_code, span) = (origin.source().to_named_source(), origin.span(0..text.len()));
        return Err(EmptyRuleError { source_code, span }.into());
    }
    let mut lint = Lint::new(origin);
    lint.text(text);
    let arrow = memmem::find(text.as_bytes(), ARROW.as_bytes());
    let (when, then_start) = match arrow {
        Some(at) => (text.get(..at).unwrap_or_default(), at + ARROW.len()),
        None => {
            lint.missing_arrow(text);
            ("", 0)
        }
    };
    let then = text.get(then_start..).unwrap_or_default();
    if let Some(at) = memmem::find(then.as_bytes(), ARROW.as_bytes()).map(|at| then_start + at) {
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

/// Reads a `when` side that stands alone, with what is probably not meant in it.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_when(
    text: &str,
    dialect: Dialect,
    reading: Reading,
    origin: &Origin,
) -> Result<(When, Vec<Finding>), ParseError> {
    let (mut lint, when) = (Lint::new(origin), When::Always);
    if text.trim_matches(|c| c <= ' ') == "true" || is_blank(text) {
        return Ok((when, Vec::new()));
    }
    lint.text(text);
    let pairs = SideParser::new(Side::When, dialect, reading, &mut lint).keeping_prefixes().parse(text, 0)?;
    Ok((if pairs.is_empty() { when } else { When::Pairs(pairs) }, lint.finish()))
}

/// Reads the providers of a destination: every pair must be fulfilled, and without any all providers are meant.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_destination(
    text: &str,
    dialect: Dialect,
    reading: Reading,
    origin: &Origin,
) -> Result<(Vec<Pair>, Vec<Finding>), ParseError> {
    let mut lint = Lint::new(origin);
    if text.trim_matches(|c| c <= ' ') == "false" {
        lint.false_destination(text);
        return Ok((Vec::new(), lint.finish()));
    }
    if is_blank(text) {
        return Ok((Vec::new(), Vec::new()));
    }
    lint.text(text);
    let pairs = SideParser::new(Side::Then, dialect, reading, &mut lint).keeping_prefixes().parse(text, 0)?;
    Ok((pairs, lint.finish()))
}

/// What `true` and `false` are compared with: the side without blanks around it and prefixes in front.
pub(super) fn is_word(side: &str, word: &str) -> bool {
    Key::strip_prefixes(side.trim_matches(|c| c <= ' ')) == word
}

/// Java's `isBlank`, which takes control characters too and knows blanks that do not break as characters.
pub(super) fn is_blank(text: &str) -> bool {
    let is_unbroken = |c| matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}');
    text.chars().all(|c| c <= ' ' || (c.is_whitespace() && !is_unbroken(c)))
}
