//! What the value of a parameter must be like.

use regex::Regex;
use serde::Deserialize;
use serde::Serialize;

use crate::tag::RegexBudget;
use crate::tag::RegexProblem;

/// The forms of a `match` in tag documents of Dubbo 3. Of several, a value that is there is judged by the first of
/// `exact`, `prefix`, `regex` and `wildcard`; without any form nothing fits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TextMatch {
    /// This value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// A value that begins so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// A value that the expression describes as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Any value for `*`; another text stands for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wildcard: Option<String>,
    /// No value, or an empty one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// A value that is not empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub noempty: bool,
}

/// A [`TextMatch`] that is ready to be asked.
#[derive(Debug)]
pub(crate) struct CompiledMatch {
    /// How a value that is there is judged, where not by being there.
    form: Option<Form>,
    empty: bool,
    noempty: bool,
}

#[derive(Debug)]
enum Form {
    Exact(String),
    Prefix(String),
    Regex(Regex),
    Anything,
}

// === impl TextMatch ===

impl TextMatch {
    /// Makes it ready.
    ///
    /// # Errors
    ///
    /// The expression cannot be used.
    pub(crate) fn compile(&self, budget: &mut RegexBudget) -> Result<CompiledMatch, RegexProblem> {
        let form = match self {
            Self { exact: Some(text), .. } => Some(Form::Exact(text.clone())),
            Self { prefix: Some(text), .. } => Some(Form::Prefix(text.clone())),
            Self { regex: Some(text), .. } => Some(Form::Regex(budget.compile(text)?)),
            Self { wildcard: Some(text), .. } if text == "*" => Some(Form::Anything),
            Self { wildcard: Some(text), .. } => Some(Form::Exact(text.clone())),
            _ => None,
        };
        Ok(CompiledMatch { form, empty: self.empty, noempty: self.noempty })
    }

    /// How many forms it has.
    #[must_use]
    pub fn form_count(&self) -> usize {
        let texts = [&self.exact, &self.prefix, &self.regex, &self.wildcard];
        let flags = [self.empty, self.noempty];
        texts.iter().filter(|text| text.is_some()).count() + flags.iter().filter(|flag| **flag).count()
    }

    /// Why the expression cannot be used; none if it can, and where there is none.
    #[must_use]
    pub fn problem(&self, budget: &mut RegexBudget) -> Option<RegexProblem> {
        self.compile(budget).err()
    }
}

// === impl CompiledMatch ===

impl CompiledMatch {
    /// Whether a value that is there fits.
    pub(crate) fn is_match(&self, value: &str) -> bool {
        match &self.form {
            Some(Form::Exact(text)) => value == text,
            Some(Form::Prefix(text)) => value.starts_with(text.as_str()),
            Some(Form::Regex(regex)) => regex.is_match(value),
            Some(Form::Anything) => true,
            None if self.empty => value.is_empty(),
            None => self.noempty && !value.is_empty(),
        }
    }

    /// Whether a provider without the parameter fits.
    pub(crate) const fn accepts_absent(&self) -> bool {
        self.empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> TextMatch {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn every_form_fits_what_it_says() {
        for (form, value, expected) in [
            (r#"{"exact": "gray"}"#, Some("gray"), true),
            (r#"{"exact": "gray"}"#, Some("gray1"), false),
            (r#"{"exact": ""}"#, None, false),
            (r#"{"prefix": "gr"}"#, Some("gray"), true),
            (r#"{"prefix": ""}"#, None, false),
            (r#"{"regex": "gr"}"#, Some("gray"), false),
            (r#"{"regex": "gr.*|b"}"#, Some("gray"), true),
            (r#"{"noempty": true}"#, Some(""), false),
            (r#"{"noempty": true}"#, None, false),
            (r#"{"noempty": true}"#, Some("x"), true),
            (r#"{"empty": true}"#, None, true),
            (r#"{"empty": true}"#, Some(""), true),
            (r#"{"empty": true}"#, Some("x"), false),
            (r#"{"wildcard": "*"}"#, Some("x"), true),
            (r#"{"wildcard": "*"}"#, None, false),
            (r#"{"wildcard": "gr*"}"#, Some("gray"), false),
            (r#"{"exact": "a", "prefix": "b"}"#, Some("bc"), false),
            (r#"{"exact": "a", "empty": true}"#, None, true),
            (r#"{"exact": "a", "empty": true}"#, Some(""), false),
            ("{}", Some("x"), false),
        ] {
            let compiled = of(form).compile(&mut RegexBudget::default()).unwrap();
            let found = value.map_or(compiled.accepts_absent(), |value| compiled.is_match(value));
            assert_eq!(found, expected, "{form} on {value:?}");
        }
    }

    #[test]
    fn an_expression_without_end_is_a_problem_in_words() {
        let problem = |form: &str| of(form).problem(&mut RegexBudget::default()).map(|problem| problem.to_string());
        assert_eq!(problem(r#"{"regex": "("}"#).as_deref(), Some("unclosed group"));
        assert!(problem(r#"{"regex": "a)(b"}"#).is_some());
        assert_eq!(problem(r#"{"exact": "("}"#), None);
    }
}
