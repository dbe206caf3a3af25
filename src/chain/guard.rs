//! Which changes are refused although nothing is wrong with them.

/// What a change of rules or providers must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Guard {
    /// It may do everything.
    #[default]
    Off,
    /// It may leave no service with nobody that had somebody before.
    NotEmpty,
}
