//! What calls get while rules are missing.

/// What calls get while rules are missing that have no earlier good version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnEmpty {
    /// An error: traffic never runs past a rule that could not be read.
    #[default]
    Fail,
    /// The rules that could be read are followed.
    Pass,
}
