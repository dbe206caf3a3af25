//! `--deny`: findings that count as errors.

use std::str::FromStr;

use thiserror::Error;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::codes::CODES;
use crate::diagnostics::codes::label;
use crate::diagnostics::nearest;

const WARNINGS: &str = "warnings";

/// What is denied: the findings of one number, or all warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Every warning.
    Warnings,
    /// Every finding with this slug.
    Slug(&'static str),
}

/// A text that names no finding.
#[derive(Debug, Error)]
#[error("expected a finding's number or name, or `{WARNINGS}`{}", advice(.near))]
pub(crate) struct UnknownFinding {
    near: Option<String>,
}

// === impl Deny ===

impl Deny {
    /// The findings with those that are denied as errors.
    pub(crate) fn raise(denied: &[Self], findings: &[Finding]) -> Vec<Finding> {
        let is_denied = |finding: &Finding| denied.iter().any(|deny| deny.covers(finding));
        let raise = |finding: &Finding| match is_denied(finding) {
            true => finding.clone().with_severity(Severity::Error),
            false => finding.clone(),
        };
        findings.iter().map(raise).collect()
    }

    fn covers(self, finding: &Finding) -> bool {
        match self {
            Self::Warnings => finding.severity() == Severity::Warning,
            Self::Slug(slug) => finding.slug() == slug,
        }
    }
}

impl FromStr for Deny {
    type Err = UnknownFinding;

    fn from_str(text: &str) -> Result<Self, UnknownFinding> {
        if text == WARNINGS {
            return Ok(Self::Warnings);
        }
        let is_meant = |slug: &str| slug == text || label(slug).eq_ignore_ascii_case(text);
        let found = CODES.iter().find(|(slug, _)| is_meant(slug)).map(|(slug, _)| Self::Slug(slug));
        found.ok_or_else(|| {
            let labels: Vec<String> = CODES.iter().map(|(slug, _)| label(slug)).collect();
            let near_number = number_in(text).and_then(|number| {
                let near = CODES.iter().min_by_key(|(_, other)| other.abs_diff(number));
                near.map(|(slug, _)| label(slug))
            });
            let names = CODES.iter().map(|(slug, _)| *slug).chain(labels.iter().map(String::as_str));
            // Without its module a name says the same.
            let is_last = |slug: &&str| slug.rsplit("::").next().is_some_and(|last| last.eq_ignore_ascii_case(text));
            let by_last = CODES.iter().map(|(slug, _)| *slug).find(is_last).map(str::to_owned);
            let near = near_number.or(by_last);
            let near = near.or_else(|| nearest(text, names.chain([WARNINGS])).map(str::to_owned));
            UnknownFinding { near }
        })
    }
}

/// The number of `PM0999`.
fn number_in(text: &str) -> Option<u16> {
    let digits = text.get(2..).filter(|_| text.get(..2).is_some_and(|head| head.eq_ignore_ascii_case("PM")))?;
    digits.parse().ok()
}

fn advice(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_all_warnings_can_be_denied() {
        for (text, expected) in [
            ("PM0101", Deny::Slug("condition::missing_key")),
            ("pm0101", Deny::Slug("condition::missing_key")),
            ("condition::missing_key", Deny::Slug("condition::missing_key")),
            ("warnings", Deny::Warnings),
        ] {
            assert_eq!(text.parse::<Deny>().ok(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_names_no_finding_is_refused_with_the_nearest() {
        for (text, near) in [
            ("PM0110", Some("PM0109")),
            ("Condition::mising_key", Some("condition::missing_key")),
            ("warning", Some("warnings")),
            ("full_width", Some("condition::full_width")),
            ("nothing like it", None),
        ] {
            assert_eq!(text.parse::<Deny>().unwrap_err().near.as_deref(), near, "{text}");
        }
    }
}
