//! The thread that watches.

use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::mpsc::SyncSender;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use hashbrown::HashSet;

use crate::source::folder::Follow;
use crate::source::folder::watch::events::EventSource;
use crate::source::folder::watch::events::Message;
use crate::source::folder::watch::events::Signal;
use crate::source::folder::watch::events::TELLS_CLOSING;
use crate::source::folder::watch::holds::Holds;
use crate::source::folder::watch::look::Difference;
use crate::source::folder::watch::look::Look;
use crate::source::folder::watch::look::Root;
use crate::source::folder::watch::look::Scope;
use crate::source::folder::watch::options::Events;
use crate::source::folder::watch::options::WatchOptions;

/// How many signals wait for the thread.
const MAX_MESSAGES: usize = 4_096;
/// How often contents are read before they are left for later.
const MAX_ATTEMPTS: usize = 6;
/// From this attempt on, a file that never comes to rest waits alone.
const PATIENT_ATTEMPTS: usize = 3;
/// Between the two looks that must be equal after an event: time for the events of a file that is being written.
const SETTLING: Duration = Duration::from_millis(10);
/// A look may take this part of the time.
const LOOK_SHARE: u32 = 20;

/// Follows a folder until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderWatcher {
    messages: SyncSender<Message>,
    thread: Option<JoinHandle<()>>,
}

struct Watching<F: Follow> {
    folder: PathBuf,
    options: WatchOptions,
    follower: F,
    messages: Receiver<Message>,
    /// For the events, when they have to be asked for anew.
    sender: SyncSender<Message>,
    /// Signals were lost.
    is_lossy: Arc<AtomicBool>,
    events: Option<EventSource>,
    /// The folder for which events were asked for last.
    asked_for: Option<Root>,
    holds: Holds,
    /// What is in force.
    applied: Look,
    /// The look before, while it differs from what is in force.
    pending: Option<Look>,
    /// Further files that rules are made of, as they were named; and their real paths.
    further: Vec<PathBuf>,
    further_real: Vec<PathBuf>,
    /// Real paths of files that changed of late: the times of the file system are coarse, so that they are read again.
    closely: HashSet<PathBuf>,
    is_stopped: bool,
    /// When the first event came that was not looked into yet, and when that is to be done.
    due: Option<(Instant, Instant)>,
    next_poll: Instant,
}

// === impl FolderWatcher ===

impl FolderWatcher {
    /// Lets `follower` read the folder now, and again whenever it changes.
    ///
    /// # Errors
    ///
    /// No thread can be had.
    pub(crate) fn start(folder: &Path, options: WatchOptions, follower: impl Follow) -> io::Result<Self> {
        let (sender, messages) = sync_channel(MAX_MESSAGES);
        let mut watching = Watching::new(folder, options, follower, sender.clone(), messages);
        watching.begin();
        let thread = thread::Builder::new().name("pointsman-folder".to_owned()).spawn(move || watching.run())?;
        Ok(Self { messages: sender, thread: Some(thread) })
    }
}

impl Drop for FolderWatcher {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::Stop);
        // The follower may drop the watcher; a thread does not wait for itself.
        if let Some(thread) = self.thread.take().filter(|thread| thread.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

// === impl Watching ===

impl<F: Follow> Watching<F> {
    fn new(
        folder: &Path,
        options: WatchOptions,
        follower: F,
        sender: SyncSender<Message>,
        messages: Receiver<Message>,
    ) -> Self {
        Self {
            folder: folder.to_owned(),
            options,
            follower,
            messages,
            sender,
            is_lossy: Arc::default(),
            events: None,
            asked_for: None,
            holds: Holds::default(),
            applied: Look::default(),
            pending: None,
            further: Vec::new(),
            further_real: Vec::new(),
            closely: HashSet::new(),
            is_stopped: false,
            due: None,
            next_poll: Instant::now(),
        }
    }

    /// The first reading; events are asked for before, so that no change is missed.
    fn begin(&mut self) {
        self.ask_for_events(Root::of(&self.folder));
        let look = self.look();
        if !self.follow(look, HashSet::new()) {
            // It never came to rest. Better half a folder than none; it is read again at once.
            let held = Arc::default();
            let (draft, further) = self.follower.read(&held, &Look::default());
            self.set_further(further);
            self.follower.accept(draft);
            self.due = Some((Instant::now(), Instant::now()));
        }
        self.next_poll = Instant::now() + self.options.poll;
    }

    fn run(mut self) {
        while !self.is_stopped {
            match self.messages.recv_timeout(self.next_look().saturating_duration_since(Instant::now())) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            // Where events never end, looks come all the same.
            if !self.is_stopped && self.next_look() <= Instant::now() {
                self.look_and_follow();
            }
        }
    }

    fn next_look(&self) -> Instant {
        self.due.map_or(self.next_poll, |(_, due)| due.min(self.next_poll))
    }

    fn take(&mut self, message: Message) {
        let signal = match message {
            Message::Signal(signal) => signal,
            Message::Stop => {
                self.is_stopped = true;
                return;
            }
        };
        let concerns = |path| self.events.as_ref().is_some_and(|events| events.concerns(path, &self.further_real));
        if !signal.path().is_none_or(concerns) {
            return;
        }
        self.holds.note(&signal);
        if let Signal::Closed(path) = &signal {
            self.closely.insert(path.clone());
        }
        let now = Instant::now();
        let first = self.due.map_or(now, |(first, _)| first);
        self.due = Some((first, (now + self.options.debounce).min(first + self.options.debounce * 10)));
    }

    fn take_all(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            self.take(message);
        }
        if self.is_lossy.swap(false, Ordering::Acquire) {
            self.take(Message::Signal(Signal::Lost));
        }
    }

    fn look_and_follow(&mut self) {
        let is_by_event = self.due.take().is_some();
        self.take_all();
        let started = Instant::now();
        let look = self.look();
        self.next_poll = started + self.options.poll.max(started.elapsed() * LOOK_SHARE);
        if look.root != self.asked_for {
            self.ask_for_events(look.root.clone());
        }
        let held = self.holds.current();
        if look.is_as(&self.applied, &held) {
            self.pending = None;
            self.applied = look.in_force(&self.applied, &held).0;
            return;
        }
        let again = |now: Instant| (now, now + SETTLING);
        let mut waiting = held.clone();
        match self.pending.replace(look.clone()).map(|before| before.difference(&look, &held)) {
            Some(Difference::Contents(moving)) => waiting.extend(moving),
            Some(Difference::Places) | None => {
                // Without events the next poll is the second look.
                if is_by_event && TELLS_CLOSING {
                    self.due = self.due.or(Some(again(Instant::now())));
                }
                return;
            }
        }
        if look.is_as(&self.applied, &waiting) || self.follow(look, waiting) {
            return;
        }
        self.due = self.due.or(Some(again(Instant::now())));
    }

    /// Reads and takes over what `look` saw; `waiting` files are left as they are. Whether that worked out.
    fn follow(&mut self, mut look: Look, mut waiting: HashSet<PathBuf>) -> bool {
        for attempt in 0..MAX_ATTEMPTS {
            self.take_all();
            waiting.extend(self.holds.current());
            let (draft, further) = self.follower.read(&Arc::new(waiting.clone()), &look);
            let is_seen = further.iter().all(|file| self.further.contains(file));
            self.set_further(further);
            let after = self.look();
            match look.difference(&after, &waiting) {
                // What was not looked at before it was read may have changed since.
                Difference::Contents(moving) if moving.is_empty() && is_seen => {
                    self.follower.accept(draft);
                    let (applied, new) = after.in_force(&self.applied, &waiting);
                    self.applied = applied;
                    self.closely.extend(new);
                    self.pending = None;
                    return true;
                }
                Difference::Contents(moving) if attempt >= PATIENT_ATTEMPTS => waiting.extend(moving),
                _ => {}
            }
            look = after;
        }
        false
    }

    fn look(&mut self) -> Look {
        let closely = std::mem::take(&mut self.closely);
        let held = self.holds.current();
        let scope = Scope { folder: &self.folder, further: &self.further, closely: &closely, held: &held };
        let before = self.pending.as_ref().unwrap_or(&self.applied);
        Look::take(&scope, before)
    }

    fn set_further(&mut self, mut further: Vec<PathBuf>) {
        further.sort();
        further.dedup();
        if further == self.further {
            return;
        }
        self.further_real = further.iter().filter_map(|file| file.canonicalize().ok()).collect();
        self.further = further;
        if let Some(events) = &mut self.events {
            events.follow(&self.further_real);
        }
    }

    fn ask_for_events(&mut self, root: Option<Root>) {
        if self.options.events == Events::Off {
            self.asked_for = root;
            return;
        }
        // The old ones end first: nothing of the old folder may hold a file of the new one.
        self.events = None;
        self.holds = Holds::default();
        self.asked_for = root;
        let Some(root) = &self.asked_for else { return };
        match EventSource::start(&root.path, self.sender.clone(), Arc::clone(&self.is_lossy)) {
            Ok(mut events) => {
                events.follow(&self.further_real);
                self.events = Some(events);
            }
            Err(error) => {
                tracing::warn!(folder = %root.path.display(), error = %error, "no events, the folder is polled");
            }
        }
    }
}
