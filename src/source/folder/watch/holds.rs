//! Files that somebody is writing, as far as events tell.

use std::path::Path;
use std::path::PathBuf;

use hashbrown::HashMap;
use hashbrown::HashSet;

use crate::source::folder::watch::events::Signal;

/// Why a file is not read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// It is new; as long as it is empty, its writer has not begun.
    New,
    /// It was written to and not closed.
    Written,
}

/// The files that are not read yet.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    by_path: HashMap<PathBuf, Hold>,
}

// === impl Holds ===

impl Holds {
    /// Takes in what an event says.
    pub(crate) fn note(&mut self, signal: &Signal) {
        match signal {
            Signal::Created(path) => {
                self.by_path.entry(path.clone()).or_insert(Hold::New);
            }
            Signal::Writing(path) => {
                self.by_path.insert(path.clone(), Hold::Written);
            }
            Signal::Closed(path) | Signal::Moved(path) => {
                self.by_path.remove(path);
            }
            // Ends of writing may be among the events that were lost.
            Signal::Lost => self.by_path.clear(),
            Signal::Touched(_) => {}
        }
    }

    /// The files that are held now; those that are gone, or were linked with all they hold, are forgotten.
    pub(crate) fn current(&mut self) -> HashSet<PathBuf> {
        self.by_path.retain(|path, hold| still_holds(path, *hold));
        self.by_path.keys().cloned().collect()
    }
}

fn still_holds(path: &Path, hold: Hold) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && (hold == Hold::Written || found.len() == 0))
}
