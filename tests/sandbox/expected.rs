//! What texts may come to.

use pointsman::script::EngineKind;

use crate::stage::Outcome;

/// Whether `outcome` of the text called `name` is as it should be.
pub(crate) fn is_allowed(_engine: EngineKind, _name: &str, outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Wrong(_))
}
