//! Why a condition rule does not load.

use miette::Diagnostic;
use thiserror::Error;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;

/// A condition rule that does not load.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ParseError {
    /// The text is empty or blank
    #[error(transparent)]
    #[diagnostic(transparent)]
    EmptyRule(#[from] condition_errors::EmptyRuleError),
    /// A separator stands where a key was expected
    #[error(transparent)]
    #[diagnostic(transparent)]
    MissingKey(#[from] condition_errors::MissingKeyError),
    /// A run of separators that means nothing
    #[error(transparent)]
    #[diagnostic(transparent)]
    UnexpectedSeparator(#[from] condition_errors::UnexpectedSeparatorError),
    /// A comma after a key that has no values
    #[error(transparent)]
    #[diagnostic(transparent)]
    MissingValues(#[from] condition_errors::MissingValuesError),
    /// More than one `=>`
    #[error(transparent)]
    #[diagnostic(transparent)]
    SecondArrow(#[from] condition_errors::SecondArrowError),
    /// A blank inside a value or a key
    #[error(transparent)]
    #[diagnostic(transparent)]
    UnexpectedBlank(#[from] condition_errors::UnexpectedBlankError),
    /// Two pairs that nothing joins
    #[error(transparent)]
    #[diagnostic(transparent)]
    MissingAmpersand(#[from] condition_errors::MissingAmpersandError),
    /// A bound of a range that is no integer
    #[error(transparent)]
    #[diagnostic(transparent)]
    InvalidBound(#[from] condition_errors::InvalidBoundError),
    /// A range without bounds
    #[error(transparent)]
    #[diagnostic(transparent)]
    EmptyRange(#[from] condition_errors::EmptyRangeError),
    /// The text is too long
    #[error(transparent)]
    #[diagnostic(transparent)]
    RuleTooLong(#[from] condition_errors::RuleTooLongError),
}

// === impl ParseError ===

impl ParseError {
    /// The slug, `condition::missing_key`.
    #[must_use]
    pub const fn slug(&self) -> &'static str {
        match self {
            Self::EmptyRule(_) => "condition::empty_rule",
            Self::MissingKey(_) => "condition::missing_key",
            Self::UnexpectedSeparator(_) => "condition::unexpected_separator",
            Self::MissingValues(_) => "condition::missing_values",
            Self::SecondArrow(_) => "condition::second_arrow",
            Self::UnexpectedBlank(_) => "condition::unexpected_blank",
            Self::MissingAmpersand(_) => "condition::missing_ampersand",
            Self::InvalidBound(_) => "condition::invalid_bound",
            Self::EmptyRange(_) => "condition::empty_range",
            Self::RuleTooLong(_) => "condition::rule_too_long",
        }
    }

    fn source_text(&self) -> SourceText {
        let source = match self {
            Self::EmptyRule(error) => &error.source_code,
            Self::MissingKey(error) => &error.source_code,
            Self::UnexpectedSeparator(error) => &error.source_code,
            Self::MissingValues(error) => &error.source_code,
            Self::SecondArrow(error) => &error.source_code,
            Self::UnexpectedBlank(error) => &error.source_code,
            Self::MissingAmpersand(error) => &error.source_code,
            Self::InvalidBound(error) => &error.source_code,
            Self::EmptyRange(error) => &error.source_code,
            Self::RuleTooLong(error) => &error.source_code,
        };
        SourceText::new(source.name(), std::sync::Arc::clone(source.inner()))
    }
}

impl From<ParseError> for Finding {
    fn from(error: ParseError) -> Self {
        Self::from_diagnostic(error.slug(), &Origin::whole(error.source_text()), &error)
    }
}

/// Error subtypes for [`ParseError`].
pub mod condition_errors {
    use std::sync::Arc;

    use miette::Diagnostic;
    use miette::NamedSource;
    use miette::SourceSpan;
    use thiserror::Error;

    use crate::condition::MAX_RULE_BYTES;

    /// The text is empty or blank.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected a rule, found nothing")]
    #[diagnostic(
        code(condition::empty_rule),
        help("write `when => then`, for example `method=find* => region=hangzhou`; a lone `=>` blocks every call")
    )]
    pub struct EmptyRuleError {
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("no rule here")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// A separator stands where a key was expected.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected a key {place} `{token}`")]
    #[diagnostic(
        code(condition::missing_key),
        help("write `key=value` or `key!=value`, for example `method=sayHello`")
    )]
    pub struct MissingKeyError {
        pub(in crate::condition) place: &'static str,
        pub(in crate::condition) token: Box<str>,
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("no key here")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// A run of separators that means nothing.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected `=`, `!=`, `,` or `&`, found `{separator}`")]
    #[diagnostic(code(condition::unexpected_separator))]
    pub struct UnexpectedSeparatorError {
        pub(in crate::condition) separator: Box<str>,
        #[help]
        pub(in crate::condition) advice: &'static str,
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("no such separator")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// A comma after a key that has no values.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected `=` or `!=` after the key `{key}`, found `,`")]
    #[diagnostic(code(condition::missing_values), help("`,` separates the values of one key; between keys write `&`"))]
    pub struct MissingValuesError {
        pub(in crate::condition) key: Box<str>,
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("no value before this")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// More than one `=>`.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected one `=>`, found a second")]
    #[diagnostic(
        code(condition::second_arrow),
        help("a rule has one `when` side and one `then` side; write two rules, or join the pairs of a side with `&`")
    )]
    pub struct SecondArrowError {
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("the second `=>`")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// A blank inside a value or a key.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected `&` or `,` between `{before}` and `{after}`, found a blank")]
    #[diagnostic(
        code(condition::unexpected_blank),
        help("`{before},{after}` is two values, `& {after}=…` begins a new key; keys and values hold no blanks")
    )]
    pub struct UnexpectedBlankError {
        pub(in crate::condition) before: Box<str>,
        pub(in crate::condition) after: Box<str>,
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("a blank before this")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// Two pairs that nothing joins.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected `&` before the key `{key}`")]
    #[diagnostic(
        code(condition::missing_ampersand),
        help("join pairs with `&`: `… & {key}=…`; several values of one key are joined with `,`")
    )]
    pub struct MissingAmpersandError {
        pub(in crate::condition) key: Box<str>,
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("a new pair begins here")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// A bound of a range that is no integer.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected an integer of 64 bits as the bound of a range, found `{found}`")]
    #[diagnostic(
        code(condition::invalid_bound),
        help("write `1~100`, `1~` or `~100`; in the dialect `v2` a `~` is an ordinary character")
    )]
    pub struct InvalidBoundError {
        pub(in crate::condition) found: Box<str>,
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("no integer")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// A range without bounds.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected a bound on at least one side of `~`")]
    #[diagnostic(code(condition::empty_range), help("write `1~100`, `1~` or `~100`; any value at all is `*`"))]
    pub struct EmptyRangeError {
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("no bound here")]
        pub(in crate::condition) span: SourceSpan,
    }

    /// The text is too long.
    #[derive(Debug, Error, Diagnostic)]
    #[error("expected a rule of at most {limit} bytes, found {found}", limit = MAX_RULE_BYTES)]
    #[diagnostic(
        code(condition::rule_too_long),
        help("split the rule, or give the providers a parameter in common and route by that")
    )]
    pub struct RuleTooLongError {
        pub(in crate::condition) found: usize,
        #[source_code]
        pub(in crate::condition) source_code: NamedSource<Arc<str>>,
        #[label("the rule begins here")]
        pub(in crate::condition) span: SourceSpan,
    }
}
