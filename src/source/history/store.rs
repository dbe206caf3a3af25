//! The store on disk.

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::io::Read as _;
use std::io::Write as _;
use std::path::Path;
use std::path::PathBuf;

use hashbrown::HashSet;
use jiff::Timestamp;
use serde::Deserialize;
use serde::Serialize;

use crate::disk::ContentHash;
use crate::source::history::HistoryRecord;

/// How many records of a folder are kept; beyond that the older half goes.
pub const MAX_RECORDS: usize = 2_000;

const RECORDS: &str = "history.jsonl";
const IN_FORCE: &str = "in-force.json";
const CONTENTS: &str = "contents";
/// What an older process left, or another one writes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The history of one rules folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleStore {
    folder: PathBuf,
    is_read_only: bool,
}

/// A version of a file that was in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// The file, by its path relative to the rules folder.
    pub name: String,
    /// What it held.
    pub text: String,
    /// Since when it was in force.
    pub since: Timestamp,
}

/// An entry of what is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    hash: String,
    since: Timestamp,
}

// === impl RuleStore ===

impl RuleStore {
    /// The store of the rules folder at `rules`, below the host's `state` folder. Nothing is written yet.
    ///
    /// ```
    /// use pointsman::source::history::RuleStore;
    /// let store = RuleStore::of("/var/lib/pointsman".as_ref(), "examples/shop".as_ref());
    /// assert!(store.folder().starts_with("/var/lib/pointsman/folders"));
    /// ```
    #[must_use]
    pub fn of(state: &Path, rules: &Path) -> Self {
        let absolute = std::path::absolute(rules).unwrap_or_else(|_| rules.to_owned());
        let real = absolute.canonicalize().unwrap_or(absolute);
        let name = ContentHash::of(real.as_os_str().as_encoded_bytes()).to_string();
        let name = name.get(..16).unwrap_or(&name);
        Self { folder: state.join("folders").join(name), is_read_only: false }
    }

    /// The same, into which nothing is written: who only looks takes nothing down.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    /// Where it lies.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files that were in force last, with what they held; those whose contents are lost or changed are left out.
    #[must_use]
    pub fn kept(&self) -> Vec<KeptFile> {
        let read = |(name, entry): (String, Entry)| {
            let text = self.contents(&entry.hash)?;
            Some(KeptFile { name, text, since: entry.since })
        };
        self.entries().into_iter().filter_map(read).collect()
    }

    /// The records, oldest first. Lines that are none are left out.
    #[must_use]
    pub fn records(&self) -> Vec<HistoryRecord> {
        let text = read(&self.folder.join(RECORDS)).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// What a version held; none if it is not kept, or was changed.
    #[must_use]
    pub fn contents(&self, hash: &str) -> Option<String> {
        let wanted = ContentHash::parse(hash)?;
        let text = read(&self.folder.join(CONTENTS).join(hash))?;
        (ContentHash::of(text.as_bytes()) == wanted).then_some(text)
    }

    /// Takes down what is in force now: every file with its hash and its text. Files that stayed as they were keep their
    /// time.
    ///
    /// # Errors
    ///
    /// The store cannot be written; what stood in it is still whole.
    pub fn keep<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a str, ContentHash, &'a str)>,
        now: Timestamp,
    ) -> io::Result<()> {
        if self.is_read_only {
            return Ok(());
        }
        let before = self.entries();
        let mut entries = BTreeMap::new();
        for (name, hash, text) in files {
            let hash = hash.to_string();
            let entry = match before.get(name).filter(|entry| entry.hash == hash) {
                Some(entry) => entry.clone(),
                None => Entry { hash: self.keep_contents(text)?, since: now },
            };
            entries.insert(name.to_owned(), entry);
        }
        if entries == before && self.folder.join(IN_FORCE).exists() {
            return Ok(());
        }
        self.write(IN_FORCE, serde_json::to_string_pretty(&entries)?.as_bytes())
    }

    /// Keeps the contents of a version; their hash.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn keep_contents(&self, text: &str) -> io::Result<String> {
        let hash = ContentHash::of(text.as_bytes()).to_string();
        let path = self.folder.join(CONTENTS).join(&hash);
        if self.is_read_only || path.metadata().is_ok_and(|metadata| metadata.len() == text.len() as u64) {
            return Ok(hash);
        }
        self.write(&format!("{CONTENTS}/{hash}"), text.as_bytes())?;
        Ok(hash)
    }

    /// Appends records; their versions are numbered on from the last one. Beyond [`MAX_RECORDS`] the older half goes, and
    /// with it the contents that nobody names any more.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn append(&self, records: impl IntoIterator<Item = HistoryRecord>) -> io::Result<()> {
        let known = self.records();
        let next = known.last().map_or(0, |record| record.version) + 1;
        let mut lines = String::new();
        for (version, record) in (next..).zip(records) {
            lines.push_str(&serde_json::to_string(&HistoryRecord { version, ..record })?);
            lines.push('\n');
        }
        if lines.is_empty() || self.is_read_only {
            return Ok(());
        }
        self.make()?;
        let mut file = OpenOptions::new().create(true).append(true).open(self.folder.join(RECORDS))?;
        file.write_all(lines.as_bytes())?;
        file.sync_data()?;
        if known.len() > MAX_RECORDS { self.forget(&known) } else { Ok(()) }
    }

    fn forget(&self, known: &[HistoryRecord]) -> io::Result<()> {
        let recent = known.get(known.len() / 2..).unwrap_or_default();
        let mut lines = String::new();
        for record in recent {
            lines.push_str(&serde_json::to_string(record)?);
            lines.push('\n');
        }
        self.write(RECORDS, lines.as_bytes())?;
        let of_records = recent.iter().flat_map(|record| [record.hash.clone(), record.previous.clone()]).flatten();
        let named: HashSet<String> = of_records.chain(self.entries().into_values().map(|entry| entry.hash)).collect();
        for entry in fs::read_dir(self.folder.join(CONTENTS))?.flatten() {
            if !named.contains(&*entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn entries(&self) -> BTreeMap<String, Entry> {
        let text = read(&self.folder.join(IN_FORCE)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Replaces a file as a whole.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.make()?;
        let path = self.folder.join(name);
        let draft = path.with_extension("draft");
        let written = File::create(&draft).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_data()
        });
        written.and_then(|()| fs::rename(&draft, &path)).inspect_err(|_| {
            // Half a file takes room that is wanted.
            let _ = fs::remove_file(&draft);
        })
    }

    /// Makes the folders, for nobody else: rules may hold secrets.
    fn make(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        builder.create(self.folder.join(CONTENTS))
    }
}

/// The text of a file of the store; none of one that is not there, too large, or no text.
fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::history::Operation;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn record(file: &str, hash: Option<String>) -> HistoryRecord {
        HistoryRecord {
            version: 0,
            time: at("2026-11-30T20:00:00Z"),
            file: file.to_owned(),
            operation: Operation::Changed,
            hash,
            previous: None,
            generation: 2,
            source: "/shop/rules".to_owned(),
            reason: None,
        }
    }

    #[test]
    fn what_was_in_force_is_there_again_with_its_age() {
        let state = tempfile::tempdir().unwrap();
        let store = RuleStore::of(state.path(), "/shop".as_ref());
        assert_eq!(store.kept(), []);
        let (one, two) = (at("2026-11-30T20:00:00Z"), at("2026-11-30T21:00:00Z"));
        let file = |name, text: &'static str| (name, ContentHash::of(text.as_bytes()), text);
        store.keep([file("rules/a.rules", "a=b => c=d\n"), file("providers.txt", "x")], one).unwrap();
        store.keep([file("rules/a.rules", "a=b => c=d\n"), file("providers.txt", "y")], two).unwrap();
        let kept: Vec<_> = store.kept().into_iter().map(|file| (file.name, file.text, file.since)).collect();
        let expected = [("providers.txt", "y", two), ("rules/a.rules", "a=b => c=d\n", one)]
            .map(|(name, text, since)| (name.to_owned(), text.to_owned(), since));
        assert_eq!(kept, expected);
    }

    #[test]
    fn contents_that_were_changed_are_not_taken() {
        let state = tempfile::tempdir().unwrap();
        let store = RuleStore::of(state.path(), "/shop".as_ref());
        let hash = store.keep_contents("a=b => c=d\n").unwrap();
        assert!(store.contents(&hash).is_some());
        fs::write(store.folder().join(CONTENTS).join(&hash), "a=b => false\n").unwrap();
        assert_eq!(store.contents(&hash), None);
        assert_eq!(store.contents("../../../etc/passwd"), None);
    }

    #[test]
    fn records_are_numbered_and_bounded() {
        let state = tempfile::tempdir().unwrap();
        let store = RuleStore::of(state.path(), "/shop".as_ref());
        let old = store.keep_contents("old").unwrap();
        store.append([record("a", Some(old.clone()))]).unwrap();
        let new = store.keep_contents("new").unwrap();
        store.append((0..MAX_RECORDS).map(|_| record("a", Some(new.clone())))).unwrap();
        assert_eq!(store.records().len(), MAX_RECORDS + 1);
        store.append([record("b", None)]).unwrap();
        let records = store.records();
        assert!(records.len() <= MAX_RECORDS / 2 + 2, "{}", records.len());
        assert!(records.windows(2).all(|pair| pair[0].version < pair[1].version));
        assert_eq!((store.contents(&old), store.contents(&new)), (None, Some("new".to_owned())));
    }
}
