//! Who is told of changes.

use std::path::PathBuf;

use crate::source::folder::Held;
use crate::source::folder::Look;

/// Takes the contents of a folder over, in two steps: what was read may turn out to be half a change.
pub(crate) trait Follow: Send + 'static {
    /// What was read and is not in force yet.
    type Draft;

    /// Reads the folder, but not the files in `held`, and none again that `look` saw as it was read before; answers with
    /// the further files that it read.
    fn read(&mut self, held: &Held, look: &Look) -> (Self::Draft, Vec<PathBuf>);

    /// What was read is whole.
    fn accept(&mut self, draft: Self::Draft);
}
