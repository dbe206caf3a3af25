//! The system's events, and what of them matters.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;
use std::sync::mpsc::TrySendError;

use hashbrown::HashSet;
use notify::EventKind;
use notify::RecommendedWatcher;
use notify::RecursiveMode;
use notify::Watcher as _;
use notify::event::AccessKind;
use notify::event::AccessMode;
use notify::event::ModifyKind;

/// Whether the system tells when a writer closes a file.
pub(crate) const TELLS_CLOSING: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// What an event says of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Signal {
    Created(PathBuf),
    Writing(PathBuf),
    Closed(PathBuf),
    /// Renamed to, renamed from, or removed.
    Moved(PathBuf),
    /// Something else is new about it.
    Touched(PathBuf),
    /// Some events are missing.
    Lost,
}

/// What the watching thread is sent.
#[derive(Debug)]
pub(crate) enum Message {
    Signal(Signal),
    Stop,
}

/// The system's events about a folder and about the folders of further files.
#[derive(Debug)]
pub(crate) struct EventSource {
    watcher: RecommendedWatcher,
    root: PathBuf,
    /// Folders outside of the root.
    further: HashSet<PathBuf>,
}

// === impl Signal ===

impl Signal {
    /// The signals in an event; what only says that somebody reads is none.
    fn of(event: &notify::Event) -> Vec<Self> {
        if event.need_rescan() {
            return vec![Self::Lost];
        }
        let wrap: fn(PathBuf) -> Self = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Self::Closed,
            EventKind::Access(_) => return Vec::new(),
            EventKind::Create(_) if TELLS_CLOSING => Self::Created,
            EventKind::Modify(ModifyKind::Data(_)) if TELLS_CLOSING => Self::Writing,
            EventKind::Modify(ModifyKind::Name(_)) | EventKind::Remove(_) => Self::Moved,
            _ => Self::Touched,
        };
        event.paths.iter().cloned().map(wrap).collect()
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Created(path)
            | Self::Writing(path)
            | Self::Closed(path)
            | Self::Moved(path)
            | Self::Touched(path) => Some(path),
            Self::Lost => None,
        }
    }
}

// === impl EventSource ===

impl EventSource {
    /// Asks for events about `root`, a real path, and all below it.
    ///
    /// Signals go to `messages`; where there is no room, `is_lossy` is set instead. Nothing may wait here: the thread
    /// that takes the messages waits for this one when it asks for events.
    pub(crate) fn start(root: &Path, messages: SyncSender<Message>, is_lossy: Arc<AtomicBool>) -> notify::Result<Self> {
        let forward = move |event: notify::Result<notify::Event>| {
            let signals = event.map_or_else(|_| vec![Signal::Lost], |event| Signal::of(&event));
            for signal in signals {
                if let Err(TrySendError::Full(_)) = messages.try_send(Message::Signal(signal)) {
                    is_lossy.store(true, Ordering::Release);
                }
            }
        };
        let mut watcher = notify::recommended_watcher(forward)?;
        watcher.watch(root, RecursiveMode::Recursive)?;
        Ok(Self { watcher, root: root.to_owned(), further: HashSet::new() })
    }

    /// Also asks for events about these files, real paths, where they lie outside of the root.
    pub(crate) fn follow(&mut self, files: &[PathBuf]) {
        let outside = files.iter().filter(|file| !file.starts_with(&self.root));
        let wanted: HashSet<PathBuf> = outside.filter_map(|file| Some(file.parent()?.to_owned())).collect();
        for folder in self.further.difference(&wanted) {
            // It may be gone.
            let _ = self.watcher.unwatch(folder);
        }
        let watcher = &mut self.watcher;
        let is_watched = |folder: &&PathBuf| {
            self.further.contains(*folder) || watcher.watch(folder, RecursiveMode::NonRecursive).is_ok()
        };
        self.further = wanted.iter().filter(is_watched).cloned().collect();
    }

    /// Whether an event about `path` is asked for: further folders hold other files too.
    pub(crate) fn concerns(&self, path: &Path, files: &[PathBuf]) -> bool {
        path.starts_with(&self.root) || files.iter().any(|file| file == path)
    }
}
