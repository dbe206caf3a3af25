//! An engine that follows a folder, and what it tells.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::sync::mpsc::channel;
use std::time::Duration;
use std::time::Instant;

use pointsman::OnEmpty;
use pointsman::rpc::RpcInvocation;
use pointsman::runtime::Engine;
use pointsman::runtime::ReloadEvent;
use pointsman::runtime::SourceStatus;
use pointsman::runtime::WatchedFolder;
use pointsman::source::folder::Events;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::WatchOptions;

use crate::support::engine::url;
use crate::support::folder::TestFolder;
use crate::support::scripts::Scripts;
use crate::support::scripts::registry;

/// Longer than anything takes that works.
pub(crate) const HANG: Duration = Duration::from_secs(20);

/// Providers in three regions.
pub(crate) const PROVIDERS: &str = "dubbo://10.0.0.1:1/S?region=a\ndubbo://10.0.0.2:1/S?region=b\n\
                                    dubbo://10.0.0.3:1/S?region=c\n";

/// The folder, the engine and the events.
pub(crate) struct Watched {
    pub(crate) folder: TestFolder,
    pub(crate) engine: Engine,
    pub(crate) events: Receiver<ReloadEvent>,
    pub(crate) scripts: Arc<Scripts>,
    _watched: WatchedFolder,
}

/// A folder of [`PROVIDERS`] and a rule for region `a`.
pub(crate) fn shop() -> TestFolder {
    TestFolder::empty().with("providers.txt", PROVIDERS).with("rules/a.rules", rule("a"))
}

/// A rule that keeps one region.
pub(crate) fn rule(region: &str) -> String {
    format!("=> region={region}\n")
}

// === impl Watched ===

impl Watched {
    /// Follows `folder`; the first event is taken.
    pub(crate) fn start(folder: TestFolder, events: Events) -> Self {
        Self::with(folder, events, FolderOptions::default())
    }

    pub(crate) fn with(folder: TestFolder, events: Events, options: FolderOptions) -> Self {
        let quick = WatchOptions {
            events,
            debounce: Duration::from_millis(10),
            poll: Duration::from_millis(30),
            ..WatchOptions::default()
        };
        Self::follow(folder, quick, options)
    }

    pub(crate) fn follow(folder: TestFolder, watch: WatchOptions, options: FolderOptions) -> Self {
        let scripts = Arc::default();
        let engine = Engine::builder().registry(registry(&scripts)).on_empty(OnEmpty::Fail).build().unwrap();
        let (sender, events_of) = channel();
        let tell = move |event| drop(sender.send(event));
        let watched = engine.watch(folder.path(), options, watch, tell).unwrap();
        let watched = Self { folder, engine, events: events_of, scripts, _watched: watched };
        watched.events.try_recv().unwrap();
        watched
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and closes it.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes another file and renames it.
    pub(crate) fn replace(&self, name: &str, text: impl AsRef<[u8]>) {
        let other = self.path(&format!("{name}.tmp"));
        fs::write(&other, text).unwrap();
        fs::rename(other, self.path(name)).unwrap();
    }

    /// The hosts that a call may go to, their last numbers only.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let consumer = url("consumer://10.9.9.9/S");
        let decision = self.engine.select(&consumer, &RpcInvocation::new("S", "find")).unwrap();
        let hosts = decision.providers().map(|(_, provider)| provider.url().host().unwrap_or_default().to_owned());
        hosts.map(|host| host.rsplit('.').next().unwrap().to_owned()).collect()
    }

    /// The next event for which `is_it` holds; those before are thrown away.
    pub(crate) fn event(&self, what: &str, is_it: impl Fn(&ReloadEvent) -> bool) -> ReloadEvent {
        let end = Instant::now() + HANG;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let event = self.events.recv_timeout(left).unwrap_or_else(|_| panic!("no event: {what}"));
            if is_it(&event) {
                return event;
            }
        }
    }

    /// Waits for an event in which `name` is new.
    pub(crate) fn changed(&self, name: &str) -> ReloadEvent {
        let is_it = |event: &ReloadEvent| {
            let mut names = event.added.iter().chain(&event.changed).chain(&event.removed);
            names.any(|changed| &**changed == name)
        };
        self.event(&format!("{name} changed"), is_it)
    }

    /// Waits for an event in which `name` is refused.
    pub(crate) fn rejected(&self, name: &str) -> ReloadEvent {
        self.event(&format!("{name} rejected"), |event| event.rejected.iter().any(|refused| &**refused == name))
    }

    /// Waits until calls go to `hosts`, event by event.
    pub(crate) fn becomes(&self, hosts: &[&str]) {
        let end = Instant::now() + HANG;
        while self.hosts() != hosts {
            let left = end.saturating_duration_since(Instant::now());
            assert!(self.events.recv_timeout(left).is_ok(), "still {:?} and not {hosts:?}", self.hosts());
        }
    }

    pub(crate) fn source(&self, name: &str) -> SourceStatus {
        let status = self.engine.status();
        status.sources.into_iter().find(|source| &*source.source == name).unwrap()
    }
}
