//! An engine that follows a folder.

use std::io;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::disk::ContentHash;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::runtime::Engine;
use crate::runtime::ReloadEvent;
use crate::runtime::RuleSet;
use crate::runtime::keeper::Keeper;
use crate::runtime::source_status::FileState;
use crate::source::folder::FolderContents;
use crate::source::folder::FolderOptions;
use crate::source::folder::FolderWatcher;
use crate::source::folder::Follow;
use crate::source::folder::Held;
use crate::source::folder::KnownFiles;
use crate::source::folder::Look;
use crate::source::folder::WatchOptions;
use crate::source::folder::load_again;

/// How many rules a file has had where losing more than half of them is worth a word.
const MANY_RULES: usize = 4;

const SHRUNK: &str = "folder::shrunk";

const PROVIDERS: [&str; 3] = ["providers.txt", "providers.yaml", "providers.yml"];

/// Keeps an engine's rules and providers as a folder has them, until it is dropped.
#[derive(Debug)]
pub struct WatchedFolder {
    _watcher: FolderWatcher,
}

/// What a folder holds, compiled and not in force.
struct Draft {
    contents: FolderContents,
    rules: RuleSet,
}

/// Puts a folder's contents into force.
struct Follower<F> {
    engine: Engine,
    folder: PathBuf,
    options: FolderOptions,
    on_event: F,
    /// What is in force.
    rules: Option<RuleSet>,
    /// What was compiled last: reading again does not compile again.
    attempt: Option<RuleSet>,
    known: KnownFiles,
    /// Of each file that providers may stand in.
    providers: [Option<ContentHash>; 3],
    /// What was told last.
    told: Vec<Told>,
    /// The files with an error, as they were then.
    files_with_errors: Vec<Arc<str>>,
    /// Nothing was put into force yet.
    is_first: bool,
    keeper: Option<Keeper>,
    /// The providers that were kept over a restart, for a folder whose own cannot be read.
    kept_providers: Vec<String>,
}

/// As much of a finding as tells it from others.
type Told = (&'static str, Option<String>, Option<(usize, usize)>, String);

// === impl Engine ===

impl Engine {
    /// Loads rules and providers from `folder` now, and again whenever it changes; calls are never kept waiting.
    ///
    /// A change is taken over as a whole, rules and providers at once. What is wrong with a file keeps what was last
    /// good of it in force; see [`Engine::status`]. `on_event` is told of every change, the first one before this
    /// returns, later ones on the watching thread.
    ///
    /// ```
    /// use pointsman::runtime::Engine;
    /// use pointsman::source::folder::{FolderOptions, WatchOptions};
    /// let engine = Engine::builder().build().unwrap();
    /// let watched = engine
    ///     .watch("examples/shop".as_ref(), FolderOptions::default(), WatchOptions::default(), |event| {
    ///         assert!(event.rejected.is_empty());
    ///     })
    ///     .unwrap();
    /// assert_eq!(engine.services().len(), 5);
    /// drop(watched);
    /// ```
    ///
    /// # Errors
    ///
    /// The system gives no thread. A folder that is not there is none: it is followed as soon as it is.
    pub fn watch(
        &self,
        folder: &Path,
        options: FolderOptions,
        watch: WatchOptions,
        on_event: impl FnMut(ReloadEvent) + Send + 'static,
    ) -> io::Result<WatchedFolder> {
        let mut follower = Follower {
            engine: self.clone(),
            folder: folder.to_owned(),
            options,
            on_event,
            rules: None,
            attempt: None,
            known: KnownFiles::default(),
            providers: [None; 3],
            told: Vec::new(),
            files_with_errors: Vec::new(),
            is_first: true,
            keeper: watch.store.clone().map(Keeper::new),
            kept_providers: Vec::new(),
        };
        follower.restore();
        Ok(WatchedFolder { _watcher: FolderWatcher::start(folder, watch, follower)? })
    }
}

// === impl Follower ===

impl<F: FnMut(ReloadEvent) + Send + 'static> Follow for Follower<F> {
    type Draft = Option<Draft>;

    fn read(&mut self, held: &Held, look: &Look) -> (Self::Draft, Vec<PathBuf>) {
        // A router's factory may have a fault; the thread goes on, and so does what is in force.
        let draft = catch_unwind(AssertUnwindSafe(|| {
            let options = self.options.clone().holding(Held::clone(held));
            let mut contents = load_again(&self.folder, &options, &mut self.known, look);
            let (registry, previous) = (&self.engine.shared.registry, self.rules.as_ref());
            let rules = RuleSet::from_folder_again(&mut contents, registry, previous, self.attempt.as_ref());
            Draft { contents, rules }
        }));
        let rules = draft.as_ref().map_or(self.rules.as_ref(), |draft| Some(&draft.rules));
        let further = rules.into_iter().flat_map(RuleSet::further_files).cloned();
        let further = further.chain(self.engine.shared.registry.watched_files()).collect();
        self.attempt = rules.cloned();
        (draft.ok(), further)
    }

    fn accept(&mut self, draft: Self::Draft) {
        match catch_unwind(AssertUnwindSafe(|| draft.map(|draft| self.put_into_force(draft)))) {
            Ok(Some(event)) => {
                if let Some(event) = event {
                    self.tell(event);
                }
            }
            Ok(None) | Err(_) => {
                let findings = vec![panicked(&self.folder)];
                self.tell(ReloadEvent { generation: self.engine.generation(), findings, ..ReloadEvent::default() });
            }
        }
    }
}

impl<F: FnMut(ReloadEvent) + Send + 'static> Follower<F> {
    /// Begins with what was in force last, if that was kept: not for calls, but for files that are broken now.
    fn restore(&mut self) {
        let Some(keeper) = &mut self.keeper else { return };
        let restored = keeper.restore(&self.folder, &self.options, &self.engine.shared.registry);
        if let Some((contents, rules)) = restored {
            self.kept_providers = contents.providers().map(ToString::to_string).collect();
            self.rules = Some(rules);
        }
    }

    /// What changed; none if nothing did.
    fn put_into_force(&mut self, draft: Draft) -> Option<ReloadEvent> {
        let Draft { mut contents, rules } = draft;
        let is_first = self.is_first;
        let before = self.rules.clone().filter(|_| !is_first).unwrap_or_default();
        let providers = PROVIDERS.map(|name| rules.applied_hash(name));
        let has_new_providers = providers.iter().any(Option::is_some) && providers != self.providers;
        let generation = self.engine.generation();
        let mut event = ReloadEvent { generation, ..ReloadEvent::default() };
        let has_news = has_new_providers || !ReloadEvent::is_needless(&before, &rules);
        if is_first || has_news || self.engine.has_stale_bindings() {
            let has_providers =
                contents.files().iter().any(|file| PROVIDERS.contains(&file.name()) && !file.is_broken());
            let texts: Vec<&str> = match has_providers {
                true => contents.providers().map(Url::as_str).collect(),
                false => self.kept_providers.iter().map(String::as_str).collect(),
            };
            let offered = self.engine.services();
            let (taken, refused) = self.replace(&rules, has_new_providers.then_some(&texts));
            event = match taken {
                Some((generation, rules)) => {
                    let files = ReloadEvent::between(before.files(), rules.files());
                    contents.add_findings(shrunk(before.files(), rules.files()));
                    let offers = self.engine.services();
                    let only = |one: &[ServiceKey], other: &[ServiceKey]| -> Vec<ServiceKey> {
                        one.iter().filter(|key| other.binary_search(key).is_err()).cloned().collect()
                    };
                    let (services_lost, services_found) = (only(&offered, &offers), only(&offers, &offered));
                    if has_new_providers {
                        self.providers = providers;
                    }
                    self.rules = Some(rules);
                    self.is_first = false;
                    let services = self.engine.services_of(generation);
                    ReloadEvent { generation, services, services_lost, services_found, ..files }
                }
                None => event.refusing(before.files(), rules.files()),
            };
            contents.add_findings(refused);
        }
        let errors = files_with_errors(&contents);
        if let Some(rules) = &self.rules {
            event = event.with_unread(&errors, &self.files_with_errors, rules.files());
        }
        self.files_with_errors = errors;
        // That a file shrank is told of this one change.
        let lasting = contents.findings().iter().filter(|finding| finding.slug() != SHRUNK);
        let told: Vec<Told> = lasting.map(told_of).collect();
        let is_news = is_first
            || event.generation != generation
            || !(event.rejected.is_empty() && event.removed.is_empty())
            || told != self.told;
        self.told = told;
        event.findings = contents.findings().to_vec();
        if is_news && let (Some(keeper), Some(rules)) = (&mut self.keeper, &self.rules) {
            keeper.note(&mut event, &contents, rules);
        }
        is_news.then_some(event)
    }

    /// Puts rules and providers into force, without the files whose rules cannot be had over the providers. Answers
    /// with what is in force then, if anything of it is, and with what is wrong with the rest.
    fn replace(&self, rules: &RuleSet, texts: Option<&Vec<&str>>) -> (Option<(u64, RuleSet)>, Vec<Finding>) {
        let (mut rules, mut findings, mut refused) = (rules.clone(), Vec::new(), HashSet::new());
        loop {
            let texts = texts.map(|texts| texts.iter().copied());
            let error = match self.engine.replace_rules_and_providers(rules.clone(), texts) {
                Ok(generation) => return (Some((generation, rules)), findings),
                Err(error) => error,
            };
            let first = error.findings.first().cloned();
            findings.extend(error.findings);
            match (error.rule_source, first) {
                // Once: where its last good version fails as well, nothing of the change can be had.
                (Some(file), Some(finding)) if rules.has_file(&file) && refused.insert(file.clone()) => {
                    rules = rules.refusing(&file, &finding, self.rules.as_ref());
                }
                _ => return (None, findings),
            }
        }
    }

    fn tell(&mut self, event: ReloadEvent) {
        let ReloadEvent { generation, added, removed, changed, rejected, services_lost, findings, .. } = &event;
        let counts = (added.len(), removed.len(), changed.len());
        tracing::info!(folder = %self.folder.display(), generation, files = ?counts, "folder reloaded");
        if !rejected.is_empty() {
            let error = findings.iter().find(|finding| finding.severity() == Severity::Error).map(ToString::to_string);
            tracing::warn!(folder = %self.folder.display(), ?rejected, error, "the last good versions stay in force");
        }
        if !services_lost.is_empty() {
            let services: Vec<String> = services_lost.iter().map(ToString::to_string).collect();
            tracing::warn!(folder = %self.folder.display(), ?services, "no provider is left");
        }
        (self.on_event)(event);
    }
}

fn told_of(finding: &Finding) -> Told {
    (finding.slug(), finding.file().map(str::to_owned), finding.line_and_column(), finding.message().to_owned())
}

fn files_with_errors(contents: &FolderContents) -> Vec<Arc<str>> {
    let errors = contents.findings().iter().filter(|finding| finding.severity() == Severity::Error);
    let mut files: Vec<Arc<str>> = errors.filter_map(|finding| finding.file().map(Arc::from)).collect();
    files.sort();
    files.dedup();
    files
}

/// Files that lost more than half of their rules at once, which is more often a slip than a wish.
fn shrunk(before: &[FileState], now: &[FileState]) -> Vec<Finding> {
    let lost = |file: &FileState| {
        let (was, is) = (FileState::find(before, &file.name)?.rules.len(), file.rules.len());
        (was >= MANY_RULES && is * 2 < was && !file.is_refused()).then(|| {
            Finding::warning(SHRUNK, format!("expected about {was} rules, as before, found {is}"))
                .with_help(
                    "nothing is to be done if that is meant; `pointsman rollback` brings the earlier version back",
                )
                .in_file(&*file.name)
        })
    };
    now.iter().filter_map(lost).collect()
}

fn panicked(folder: &Path) -> Finding {
    Finding::error("folder::panicked", "a fault in a router or its factory broke the reload off; nothing changed")
        .with_help("take away what changed last, and report it")
        .in_file(folder.to_string_lossy())
}
