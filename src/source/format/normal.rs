//! The normal form of one rule text.

use crate::condition;
use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Reading;
use crate::condition::When;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::rule::TextPart;

/// What becomes of a rule text.
pub(super) enum Form {
    /// It stays.
    Same,
    /// It says the same in other words.
    New(String),
    /// It stays, because something is wrong with it.
    Left(Box<Finding>),
}

/// The normal form of `text`, which stands at `origin`.
pub(super) fn normal_form(text: &str, part: TextPart, dialect: Dialect, origin: &Origin) -> Form {
    match printed(text, part, dialect, origin) {
        Err(finding) => Form::Left(Box::new(left_alone(&finding, text, origin))),
        Ok(new) if new == text || new.is_empty() => Form::Same,
        Ok(new) if is_equal(text, &new, part, dialect, origin) => Form::New(new),
        Ok(_) => Form::Same,
    }
}

/// The normal form of the text of a rule, where it says the same in other words.
pub(crate) fn normal_text(text: &str, dialect: Dialect, origin: &Origin) -> Option<String> {
    match normal_form(text, TextPart::Rule, dialect, origin) {
        Form::New(new) => Some(new),
        Form::Same | Form::Left(_) => None,
    }
}

/// The finding that tells why a rule text stays as it is.
pub(super) fn left_alone(why: &Finding, text: &str, origin: &Origin) -> Finding {
    let message = format!("this rule stays as it is: {}", why.message());
    let finding = Finding::warning("fmt::left_alone", message);
    let finding = finding.with_help(why.help_text().unwrap_or("`pointsman check` tells more"));
    match why.place() {
        Some(place) => {
            let (start, end) = (place.span.offset(), place.span.offset() + place.span.len());
            finding.at(&Origin::whole(place.source.clone()), start..end, place.label.clone())
        }
        None => finding.at(origin, 0..text.len(), "this rule"),
    }
}

fn printed(text: &str, part: TextPart, dialect: Dialect, origin: &Origin) -> Result<String, Finding> {
    let (new, warnings) = match part {
        TextPart::Rule => {
            let rule = condition::parse(text, dialect, origin)?;
            (rule.to_string(), rule.warnings().to_vec())
        }
        TextPart::From => match condition::parse_when(text, dialect, Reading::Strict, origin)? {
            (When::Always, warnings) => (String::new(), warnings),
            (When::Pairs(pairs), warnings) => (joined(&pairs), warnings),
        },
        TextPart::To => {
            let (pairs, warnings) = condition::parse_destination(text, dialect, Reading::Strict, origin)?;
            (joined(&pairs), warnings)
        }
    };
    warnings.into_iter().next().map_or(Ok(new), Err)
}

fn joined(pairs: &[Pair]) -> String {
    pairs.iter().map(Pair::to_string).collect::<Vec<_>>().join(" & ")
}

fn is_equal(text: &str, new: &str, part: TextPart, dialect: Dialect, origin: &Origin) -> bool {
    let strict = Reading::Strict;
    match part {
        TextPart::Rule => {
            let read = |text: &str| condition::parse(text, dialect, origin).ok();
            read(text) == read(new) && read(new).is_some_and(|rule| rule.warnings().is_empty())
        }
        TextPart::From => {
            let read = |text: &str| condition::parse_when(text, dialect, strict, origin).ok().map(|(when, _)| when);
            read(text) == read(new)
        }
        TextPart::To => {
            let read =
                |text: &str| condition::parse_destination(text, dialect, strict, origin).ok().map(|(pairs, _)| pairs);
            read(text) == read(new)
        }
    }
}
