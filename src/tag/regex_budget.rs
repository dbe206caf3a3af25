//! What regular expressions may take once they are compiled.

use regex::Regex;
use regex::RegexBuilder;
use thiserror::Error;

/// What one expression may take once it is compiled: 1 MiB.
pub const MAX_REGEX_BYTES: usize = 1 << 20;

/// What the expressions of one file may take together: 16 MiB.
pub const MAX_REGEXES_BYTES: usize = 16 << 20;

/// What an expression remembers while it looks at values; beyond it goes on more slowly.
const CACHE_BYTES: usize = 64 << 10;

/// How large expressions are taken to be: the smallest step into which one fits.
const STEPS: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, MAX_REGEX_BYTES];

/// What is left to the expressions of a file, or of a rule that a program makes.
#[derive(Debug, Clone)]
pub struct RegexBudget {
    left: usize,
}

/// Why an expression cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegexProblem {
    /// It is none that can be run in time that grows with the text only; or it is too large alone.
    #[error("{0}")]
    Wrong(String),
    /// There is no room left for it.
    #[error("the expressions take more than {} MiB once they are compiled", MAX_REGEXES_BYTES >> 20)]
    NoRoom,
}

// === impl RegexBudget ===

impl Default for RegexBudget {
    fn default() -> Self {
        Self { left: MAX_REGEXES_BYTES }
    }
}

impl RegexBudget {
    /// An expression that describes a value as a whole, as Java's `String.matches` takes it.
    ///
    /// # Errors
    ///
    /// The text is no expression, or there is no room left for it.
    pub(crate) fn compile(&mut self, text: &str) -> Result<Regex, RegexProblem> {
        // Alone first: a text like `a)(b` would be an expression only inside of ours.
        regex_syntax_of(text)?;
        let whole = format!("^(?:{text})$");
        for step in STEPS {
            if step > self.left {
                return Err(RegexProblem::NoRoom);
            }
            match RegexBuilder::new(&whole).size_limit(step).dfa_size_limit(CACHE_BYTES).build() {
                Ok(regex) => {
                    self.left -= step;
                    return Ok(regex);
                }
                Err(regex::Error::CompiledTooBig(_)) if step < MAX_REGEX_BYTES => {}
                Err(error) => return Err(RegexProblem::Wrong(in_words(&error))),
            }
        }
        Err(RegexProblem::NoRoom)
    }
}

/// Whether a text is an expression, however large; nothing is compiled that takes more than the smallest step.
fn regex_syntax_of(text: &str) -> Result<(), RegexProblem> {
    match RegexBuilder::new(text).size_limit(0).build() {
        Ok(_) | Err(regex::Error::CompiledTooBig(_)) => Ok(()),
        Err(error) => Err(RegexProblem::Wrong(in_words(&error))),
    }
}

/// The crate prints the expression and marks the place; its last line says what is wrong.
fn in_words(error: &regex::Error) -> String {
    if let regex::Error::CompiledTooBig(_) = error {
        return format!("it takes more than {} MiB once it is compiled", MAX_REGEX_BYTES >> 20);
    }
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error:").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_expressions_share_a_room_that_ends() {
        let mut budget = RegexBudget::default();
        let compiled = (0..20_000).take_while(|_| budget.compile(r"\w{20}").is_ok()).count();
        assert!((16..1_000).contains(&compiled), "{compiled}");
        assert_eq!(budget.compile(r"\w{20}").unwrap_err(), RegexProblem::NoRoom);
        assert!(matches!(budget.compile("("), Err(RegexProblem::Wrong(_))));
    }

    #[test]
    fn small_expressions_are_many() {
        let mut budget = RegexBudget::default();
        assert!((0..2_000).all(|number| budget.compile(&format!("gray-{number}.*")).is_ok()));
    }

    #[test]
    fn one_that_is_too_large_is_told_so() {
        let error = RegexBudget::default().compile(r"(\w{100}){100}").unwrap_err();
        assert_eq!(error.to_string(), "it takes more than 1 MiB once it is compiled");
    }
}
