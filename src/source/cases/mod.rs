//! Case files: calls, and the answers that they must get.
//!
//! A file is YAML: a list of cases, or several documents that are one each. [`read_cases`] reads one text in two ways
//! ([`CaseKind`]): the `tests/*.yaml` of a rules folder, which speak of the folder's services, rules and addresses; and
//! tables that bring their own rule and providers, which is how the project states what a rule means. `docs/testing.md`
//! has the table of keys.
//!
//! - A case wants something, or it is an error: a case that cannot fail proves nothing.
//! - Unknown keys are errors that name the nearest key; all findings of a file come at once, each with its place.
//! - Nothing is run here and no rule is looked up: what a case speaks of may or may not be there.

mod case;
mod clock;
mod load;
mod reader;
mod want;
mod writer;

pub use case::Argument;
pub use case::Call;
pub use case::Case;
pub use case::CaseKind;
pub use case::Table;
pub use case::TableRule;
pub use clock::read_time;
pub use load::LoadedCases;
pub use load::MAX_CASES_BYTES;
pub use load::load_cases;
pub use load::read_case_file;
pub use reader::read_cases;
pub use want::Want;
pub use want::WantedProviders;
pub use writer::write_case;
