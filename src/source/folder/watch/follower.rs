//! Who is told of changes.

use std::path::PathBuf;

use crate::source::folder::Held;

/// Takes the contents of a folder over, in two steps: what was read may turn out to be half a change.
pub(crate) trait Follow: Send + 'static {
    /// What was read and is not in force yet.
    type Draft;

    /// Reads the folder, but not the files in `held`; answers with the further files that it read.
    fn read(&mut self, held: &Held) -> (Self::Draft, Vec<PathBuf>);

    /// What was read is whole.
    fn accept(&mut self, draft: Self::Draft);
}
