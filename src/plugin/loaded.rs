//! A plugin that was loaded, at whichever level.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use crate::disk::ContentHash;
use crate::plugin::Level;
use crate::plugin::Manifest;
use crate::plugin::answer::Refusal;
use crate::plugin::native::Image;
use crate::plugin::native::NativeRouter;
use crate::plugin::native::NativeSnapshot;
use crate::plugin::process::PluginProcess;
use crate::plugin::process::RemoteRouter;
use crate::plugin::process::RemoteSnapshot;
use crate::plugin::providers::ProviderBlob;
use crate::plugin::sink::Sink;
use crate::router::Breaker;
use crate::router::RouteError;

/// A plugin in force, or one that was: rules that were built with it keep it.
#[derive(Debug)]
pub(crate) struct Plugin {
    pub(crate) manifest: Manifest,
    pub(crate) hash: ContentHash,
    /// The file it came from, as findings call it.
    pub(crate) file: String,
    code: Code,
    breaker: Breaker,
    /// Why it is not called any more.
    quarantine: Mutex<Option<Quarantine>>,
    is_quarantined: AtomicBool,
    /// Grows when the host takes its leave back or gives it again: what was remembered before is void.
    epoch: AtomicU64,
    pub(crate) counts: Counts,
}

#[derive(Debug)]
struct Quarantine {
    why: Arc<str>,
    /// The host took its leave back; it can give it again.
    is_revoked: bool,
}

/// What is counted of a plugin's calls.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) failures: AtomicU64,
    pub(crate) panics: AtomicU64,
    pub(crate) stray_bits: AtomicU64,
}

#[derive(Debug)]
enum Code {
    Native(Arc<Image>),
    Process(Arc<PluginProcess>),
}

/// A router that it made.
#[derive(Debug, Clone)]
pub(crate) enum MadeRouter {
    Native(Arc<NativeRouter>),
    Process(Arc<RemoteRouter>),
}

/// A router over a list.
#[derive(Debug)]
pub(crate) enum MadeSnapshot {
    Native(NativeSnapshot),
    Process(RemoteSnapshot),
}

// === impl Plugin ===

impl Plugin {
    pub(crate) fn native(manifest: Manifest, hash: ContentHash, file: &str, image: Arc<Image>) -> Self {
        Self::new(manifest, hash, file, Code::Native(image))
    }

    pub(crate) fn process(manifest: Manifest, hash: ContentHash, file: &str, process: Arc<PluginProcess>) -> Self {
        Self::new(manifest, hash, file, Code::Process(process))
    }

    fn new(manifest: Manifest, hash: ContentHash, file: &str, code: Code) -> Self {
        let (breaker, quarantine) = (Breaker::default(), Mutex::default());
        let (is_quarantined, epoch, counts) = (AtomicBool::new(false), AtomicU64::new(0), Counts::default());
        Self { manifest, hash, file: file.to_owned(), code, breaker, quarantine, is_quarantined, epoch, counts }
    }

    pub(crate) fn level(&self) -> Level {
        match &self.code {
            Code::Native(_) => Level::Native,
            Code::Process(_) => Level::Process,
        }
    }

    pub(crate) fn sink(&self) -> &Sink {
        match &self.code {
            Code::Native(image) => image.sink(),
            Code::Process(process) => process.sink(),
        }
    }

    pub(crate) fn new_router(&self, config: &str) -> Result<MadeRouter, Refusal> {
        match &self.code {
            Code::Native(image) => image.new_router(config).map(MadeRouter::Native),
            Code::Process(process) => process.new_router(config).map(MadeRouter::Process),
        }
    }

    /// Whether it may be called; asks the clock only when something went wrong before.
    pub(crate) fn admit(&self, now_ms: impl FnOnce() -> i64) -> Result<(), RouteError> {
        if self.is_quarantined.load(Ordering::Relaxed) {
            let why = self.quarantine().unwrap_or_default();
            return Err(RouteError::Failed { message: format!("{} is quarantined: {why}", self.manifest).into() });
        }
        if self.breaker.is_quiet() {
            return Ok(());
        }
        self.breaker.admit(now_ms()).map_err(|error| match error {
            RouteError::Breaker { hits, trial_in_ms } => {
                let why = format!("its breaker is open after {hits} panics or losses in a minute");
                let message = format!("{}: {why}; next trial in {trial_in_ms} ms", self.manifest);
                RouteError::Failed { message: message.into() }
            }
            other => other,
        })
    }

    /// Takes note of what a route came to; the error that it is, if it is one.
    pub(crate) fn settle(
        &self,
        refusal: Option<&Refusal>,
        stray_bits: u32,
        now_ms: impl Fn() -> i64,
    ) -> Result<(), RouteError> {
        if stray_bits > 0 {
            self.counts.stray_bits.fetch_add(u64::from(stray_bits), Ordering::Relaxed);
        }
        let Some(refusal) = refusal else {
            if !self.breaker.is_quiet() {
                self.breaker.count_success(now_ms());
            }
            return Ok(());
        };
        self.counts.failures.fetch_add(1, Ordering::Relaxed);
        if refusal.is_breach() {
            self.put_into_quarantine(&refusal.to_string());
        } else if refusal.is_panic() {
            self.counts.panics.fetch_add(1, Ordering::Relaxed);
            self.breaker.count_hit(now_ms());
        }
        Err(RouteError::Failed { message: format!("{} {refusal}", self.manifest).into() })
    }

    /// Takes note of a process that was lost.
    pub(crate) fn count_loss(&self, now_ms: i64) {
        self.counts.failures.fetch_add(1, Ordering::Relaxed);
        self.breaker.count_hit(now_ms);
    }

    pub(crate) fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    /// Why it is not called any more, if it is not.
    pub(crate) fn quarantine(&self) -> Option<Arc<str>> {
        self.quarantine.lock().as_ref().map(|quarantine| Arc::clone(&quarantine.why))
    }

    /// The host does not allow it any more.
    pub(crate) fn revoke(&self) {
        self.quarantine_for("the host does not allow it any more", true);
        self.epoch.fetch_add(1, Ordering::Relaxed);
    }

    /// The host allows it again.
    pub(crate) fn admit_again(&self) {
        let mut quarantine = self.quarantine.lock();
        if quarantine.as_ref().is_some_and(|quarantine| quarantine.is_revoked) {
            *quarantine = None;
            self.is_quarantined.store(false, Ordering::Relaxed);
            self.epoch.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Relaxed)
    }

    fn put_into_quarantine(&self, why: &str) {
        self.quarantine_for(why, false);
    }

    fn quarantine_for(&self, why: &str, is_revoked: bool) {
        let mut quarantine = self.quarantine.lock();
        if quarantine.is_none() {
            tracing::error!(plugin = %label(&self.manifest, self.hash), why, "plugin is quarantined");
            *quarantine = Some(Quarantine { why: why.into(), is_revoked });
        }
        self.is_quarantined.store(true, Ordering::Relaxed);
    }
}

// === impl MadeRouter ===

impl MadeRouter {
    pub(crate) fn snapshot(&self, providers: &ProviderBlob) -> Result<MadeSnapshot, Refusal> {
        match self {
            Self::Native(router) => {
                router.snapshot(providers.bytes(), providers.list().len()).map(MadeSnapshot::Native)
            }
            Self::Process(router) => router.snapshot(providers).map(MadeSnapshot::Process),
        }
    }
}

/// `areaCode 0.1.0 (sha256 0123456789ab)`: what logs and explanations call a plugin.
pub(crate) fn label(manifest: &Manifest, hash: ContentHash) -> String {
    format!("{manifest} (sha256 {:.12})", hash.to_string())
}
