//! What the file system says of a folder at one moment.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;

use hashbrown::HashSet;

use crate::diagnostics::Severity;
use crate::disk::ContentHash;
use crate::disk::Identity;
use crate::disk::read_hashed;
use crate::source::folder::FileKind;
use crate::source::folder::walk::FoundFile;
use crate::source::folder::walk::Walk;

/// All files that matter, by the name they have in the folder; further ones by their path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Look {
    /// None where there is no folder.
    pub(crate) root: Option<Root>,
    entries: BTreeMap<OsString, Entry>,
}

/// Where a folder really is, and which it is.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    identity: Identity,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    File {
        /// Links followed.
        real: PathBuf,
        identity: Identity,
        /// None if it was not read, or could not be: one that is too large to count is known by its identity alone.
        hash: Option<ContentHash>,
    },
    /// Something that is no rule, named by its finding.
    Other(&'static str),
}

/// What is to be looked at, and how closely.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) further: &'a [PathBuf],
    /// Real paths of files whose hash is taken though they look as before.
    pub(crate) closely: &'a HashSet<PathBuf>,
    /// Real paths of files whose hash is not taken.
    pub(crate) held: &'a HashSet<PathBuf>,
}

/// How two looks differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Only in what these files, real paths, hold; none is no difference.
    Contents(HashSet<PathBuf>),
    /// Also in which files there are: half of a swap may have been seen.
    Places,
}

// === impl Root ===

impl Root {
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        let path = folder.canonicalize().ok()?;
        let identity = Identity::of(&path.metadata().ok()?);
        Some(Self { path, identity })
    }
}

/// The same folder in the same place; what is in it does not matter.
impl PartialEq for Root {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.identity.is_same_file(&other.identity)
    }
}

// === impl Look ===

impl Look {
    /// Looks at the folder; hashes of files that are as in `before` are taken from there.
    pub(crate) fn take(scope: &Scope<'_>, before: &Self) -> Self {
        let mut look = Self { root: Root::of(scope.folder), entries: BTreeMap::new() };
        match Walk::start(scope.folder) {
            Ok(walk) => look.add(walk, scope, before),
            Err(finding) => {
                look.entries.insert(OsString::new(), Entry::Other(finding.slug()));
            }
        }
        for path in scope.further {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            let found = FoundFile { name: String::new(), path: real, kind: FileKind::Unknown, identity: None };
            look.add_file(path.clone().into(), found, scope, before);
        }
        look
    }

    fn add(&mut self, walk: Walk, scope: &Scope<'_>, before: &Self) {
        for finding in walk.findings.iter().filter(|finding| finding.severity() == Severity::Error) {
            self.entries.insert(finding.file().unwrap_or_default().into(), Entry::Other(finding.slug()));
        }
        for file in walk.files {
            match file.kind {
                FileKind::Rules
                | FileKind::Document
                | FileKind::Providers
                | FileKind::ProvidersDocument
                | FileKind::Script(_)
                | FileKind::Plugin => {
                    self.add_file(OsString::from(&file.name), file, scope, before);
                }
                FileKind::Unsupported(what) => {
                    self.entries.insert(file.name.into(), Entry::Other(what));
                }
                FileKind::Unknown | FileKind::Cases | FileKind::StandIns => {}
            }
        }
    }

    fn add_file(&mut self, name: OsString, file: FoundFile, scope: &Scope<'_>, before: &Self) {
        let FoundFile { path: real, kind, identity, .. } = file;
        // PERF: the walk has asked the system already; of a thousand files this is half of a look (`runtime/reload`).
        let identity = identity.map_or_else(|| identity_of(&real), Ok);
        let entry = match identity {
            Ok(identity) => {
                let known = before.entries.get(&name).and_then(|entry| entry.hash_of(&real, &identity));
                let hash = match known {
                    Some(hash) if !scope.closely.contains(&real) => Some(hash),
                    _ if scope.held.contains(&real) => None,
                    _ => read_hashed(&real, "", kind.max_bytes(), &|_| Ok(())).hash,
                };
                Entry::File { real, identity, hash }
            }
            Err(what) => Entry::Other(what),
        };
        self.entries.insert(name, entry);
    }

    /// The hash of the file called `name`, if it was read.
    pub(crate) fn hash(&self, name: &str) -> Option<ContentHash> {
        match self.entries.get(OsStr::new(name))? {
            Entry::File { hash, .. } => *hash,
            Entry::Other(_) => None,
        }
    }

    /// Whether this look holds the same contents as `applied`, but for those of `waiting` files.
    pub(crate) fn is_as(&self, applied: &Self, waiting: &HashSet<PathBuf>) -> bool {
        let is_waiting = |entry: &Entry| entry.real().is_some_and(|real| waiting.contains(real));
        let is_new =
            |name: &OsString, entry: &Entry| applied.entries.get(name).is_none_or(|old| !old.holds_the_same(entry));
        let changed = self.entries.iter().any(|(name, entry)| !is_waiting(entry) && is_new(name, entry));
        !changed && applied.entries.keys().all(|name| self.entries.contains_key(name))
    }

    /// How `later` differs from this look, files that are held not counted.
    pub(crate) fn difference(&self, later: &Self, held: &HashSet<PathBuf>) -> Difference {
        let mut contents = HashSet::new();
        if self.root != later.root || self.entries.len() != later.entries.len() {
            return Difference::Places;
        }
        for ((name, one), (other_name, other)) in self.entries.iter().zip(&later.entries) {
            match (one, other) {
                _ if name != other_name => return Difference::Places,
                (Entry::File { real, .. }, Entry::File { real: other_real, .. }) if real == other_real => {
                    if one != other && !held.contains(real) {
                        contents.insert(real.clone());
                    }
                }
                _ if one == other => {}
                _ => return Difference::Places,
            }
        }
        Difference::Contents(contents)
    }

    /// This look as what is in force: `waiting` files are still as in `applied`. Answers with the files that are new.
    pub(crate) fn in_force(mut self, applied: &Self, waiting: &HashSet<PathBuf>) -> (Self, HashSet<PathBuf>) {
        let mut new = HashSet::new();
        self.entries.retain(|name, entry| {
            let old = applied.entries.get(name);
            let Some(real) = entry.real() else { return true };
            if waiting.contains(real) {
                let Some(old) = old else { return false };
                *entry = old.clone();
            } else if old != Some(entry) {
                new.insert(real.clone());
            }
            true
        });
        (self, new)
    }
}

fn identity_of(path: &Path) -> Result<Identity, &'static str> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(Identity::of(&metadata)),
        Ok(_) => Err("not a file"),
        Err(_) => Err("not there"),
    }
}

// === impl Entry ===

impl Entry {
    fn real(&self) -> Option<&PathBuf> {
        match self {
            Self::File { real, .. } => Some(real),
            Self::Other(_) => None,
        }
    }

    /// The hash of a file that is still the same.
    fn hash_of(&self, now: &Path, identity_now: &Identity) -> Option<ContentHash> {
        match self {
            Self::File { real, identity, hash } if real == now && identity == identity_now => *hash,
            _ => None,
        }
    }

    fn holds_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { hash: Some(one), .. }, Self::File { hash: Some(other), .. }) => one == other,
            _ => self == other,
        }
    }
}
