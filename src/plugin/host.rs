//! The plugins of one host: offered as files, checked, loaded, replaced, retired.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Weak;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use pointsman_plugin_api::write::TooLarge;

use crate::diagnostics::Finding;
use crate::disk::ContentHash;
use crate::disk::Identity;
use crate::plugin::AllowList;
use crate::plugin::Inspected;
use crate::plugin::Level;
use crate::plugin::Manifest;
use crate::plugin::PluginSettings;
use crate::plugin::answer::Refusal;
use crate::plugin::canary;
use crate::plugin::factory::PluginRouterFactory;
use crate::plugin::inspect;
use crate::plugin::instance::Instance;
use crate::plugin::loaded::Plugin;
use crate::plugin::loaded::label;
use crate::plugin::names::Configuration;
use crate::plugin::native::Image;
use crate::plugin::process::PluginProcess;
use crate::plugin::providers::ProviderBlob;
use crate::plugin::providers::ProviderBlobs;
use crate::plugin::seen::Seen;
use crate::plugin::sink::Place;
use crate::plugin::sink::Sink;
use crate::plugin::trust::admit;
use crate::plugin::trust::signature_of;
use crate::router::FactorySource;
use crate::router::InvokerList;
use crate::router::OfferedFile;
use crate::router::RouterFactory;
use crate::worker::Payload;
use crate::worker::SharedBytes;

/// The plugins of one host. Cheap to clone; all clones are one host. Given to a
/// [`RouterFactoryRegistry`](crate::router::RouterFactoryRegistry) as a source of factories.
#[derive(Clone)]
pub struct PluginHost(Arc<Shared>);

struct Shared {
    settings: PluginSettings,
    /// Those in force, by name.
    current: ArcSwap<BTreeMap<String, Arc<Plugin>>>,
    lists: ProviderBlobs,
    instances: Mutex<Vec<Weak<Instance>>>,
    state: Mutex<State>,
}

/// What only one thread changes at a time.
#[derive(Default)]
struct State {
    /// By the name that findings have for a file.
    files: BTreeMap<String, Looked>,
    seen: Option<Seen>,
    /// Images that were loaded into this process.
    images: usize,
}

/// A file as it was looked at last.
struct Looked {
    path: PathBuf,
    /// The file, its signature, and the list of hashes: none changes without being looked at again.
    identity: [Option<Identity>; 3],
    /// The name of the plugin that was loaded from it.
    name: Option<String>,
    findings: Vec<Finding>,
}

/// One plugin, or a file that is none, at one moment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PluginStatus {
    /// The file.
    pub file: String,
    /// What is in force of it.
    pub loaded: Option<LoadedStatus>,
    /// Why what stands in the file now is not in force.
    pub rejected: Option<Finding>,
}

/// A plugin in force.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedStatus {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The hash of the file it was loaded from.
    pub hash: ContentHash,
    /// Where it runs.
    pub level: Level,
    /// Why it is not called any more, if it is not.
    pub quarantine: Option<Arc<str>>,
    /// Calls that failed.
    pub failures: u64,
    /// Calls that panicked.
    pub panics: u64,
    /// Bits that were set for providers that were no candidates.
    pub stray_bits: u64,
    /// What it counted itself.
    pub counts: Vec<(String, i64)>,
    /// How many rules' configurations use it.
    pub instances: usize,
}

// === impl PluginHost ===

impl PluginHost {
    /// A host without plugins yet.
    #[must_use]
    pub fn new(settings: PluginSettings) -> Self {
        Self(Arc::new(Shared {
            settings,
            current: ArcSwap::default(),
            lists: ProviderBlobs::default(),
            instances: Mutex::default(),
            state: Mutex::default(),
        }))
    }

    /// The host's decisions.
    #[must_use]
    pub fn settings(&self) -> &PluginSettings {
        &self.0.settings
    }

    /// How files and plugins stand, by file.
    #[must_use]
    pub fn status(&self) -> Vec<PluginStatus> {
        let state = self.0.state.lock();
        let current = self.0.current.load();
        let status = |(file, looked): (&String, &Looked)| {
            let loaded = current.values().find(|plugin| plugin.file == *file);
            PluginStatus {
                file: file.clone(),
                loaded: loaded.map(|plugin| self.loaded_status(plugin)),
                rejected: looked.findings.first().cloned(),
            }
        };
        state.files.iter().map(status).collect()
    }

    /// How many images of native plugins are loaded into this process; none is ever unloaded.
    #[must_use]
    pub fn images_resident(&self) -> usize {
        self.0.state.lock().images
    }

    fn loaded_status(&self, plugin: &Arc<Plugin>) -> LoadedStatus {
        use std::sync::atomic::Ordering::Relaxed;

        LoadedStatus {
            name: plugin.manifest.name.clone(),
            version: plugin.manifest.version.to_string(),
            hash: plugin.hash,
            level: plugin.level(),
            quarantine: plugin.quarantine(),
            failures: plugin.counts.failures.load(Relaxed),
            panics: plugin.counts.panics.load(Relaxed),
            stray_bits: plugin.counts.stray_bits.load(Relaxed),
            counts: plugin.sink().counts(),
            instances: self.live().iter().filter(|instance| Arc::ptr_eq(&instance.plugin, plugin)).count(),
        }
    }

    /// The plugin with one configuration; shared by all rules that have it.
    pub(crate) fn instance(
        &self,
        plugin: &Arc<Plugin>,
        configuration: Configuration,
    ) -> Result<Arc<Instance>, Refusal> {
        let is_it =
            |instance: &Arc<Instance>| Arc::ptr_eq(&instance.plugin, plugin) && instance.configuration == configuration;
        if let Some(known) = self.live().into_iter().find(is_it) {
            return Ok(known);
        }
        let made = plugin.new_router(&json_of(&configuration))?;
        let instance = Arc::new(Instance::new(Arc::clone(plugin), configuration, made));
        let mut instances = self.0.instances.lock();
        instances.retain(|instance| instance.strong_count() > 0);
        instances.push(Arc::downgrade(&instance));
        Ok(instance)
    }

    pub(crate) fn is_current(&self, plugin: &Arc<Plugin>) -> bool {
        self.0.current.load().get(&plugin.manifest.name).is_some_and(|current| Arc::ptr_eq(current, plugin))
    }

    pub(crate) fn blob_of(&self, list: &Arc<InvokerList>) -> Result<Arc<ProviderBlob>, TooLarge> {
        self.0.lists.of(list)
    }

    /// The instances that rules hold.
    fn live(&self) -> Vec<Arc<Instance>> {
        self.0.instances.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Looks at a file, unless it was looked at as it is.
    fn look(&self, state: &mut State, file: &OfferedFile) {
        let identity_of = |path: &Path| path.metadata().ok().map(|metadata| Identity::of(&metadata));
        let list = self.settings().allow_list.as_deref().and_then(identity_of);
        let identity = [identity_of(&file.path), identity_of(&signature_of(&file.path)), list];
        let known = state.files.get(&file.name);
        if known.is_some_and(|known| known.path == file.path && known.identity == identity) {
            return;
        }
        let before = known.and_then(|known| known.name.clone());
        let (name, findings) = match self.consider(state, file) {
            Ok(name) => (Some(name), Vec::new()),
            Err(finding) => {
                self.revoke(&finding, file);
                tracing::warn!(file = %file.name, why = finding.message(), "plugin is rejected");
                // What was loaded from this file before keeps serving.
                (before, vec![finding.in_file(&file.name)])
            }
        };
        state.files.insert(file.name.clone(), Looked { path: file.path.clone(), identity, name, findings });
    }

    /// What the host does not allow any more is not called any more.
    fn revoke(&self, finding: &Finding, file: &OfferedFile) {
        let is_about_trust =
            ["plugin::denied", "plugin::not_allowed", "plugin::wrong_signature"].contains(&finding.slug());
        let current = self.0.current.load();
        let Some(plugin) = current.values().find(|plugin| plugin.file == file.name).filter(|_| is_about_trust) else {
            return;
        };
        let now = std::fs::read(&file.path).ok().map(|bytes| ContentHash::of(&bytes));
        if now == Some(plugin.hash) {
            plugin.revoke();
        }
    }

    /// Checks a file and loads it; the name under which rules find it then.
    fn consider(&self, state: &mut State, file: &OfferedFile) -> Result<String, Finding> {
        let settings = self.settings();
        let plugin = inspect(&file.path, &file.name, settings)?;
        let list = AllowList::of(settings)?;
        let allowed = admit(&plugin, &file.path, settings, &list)?;
        let manifest = plugin.manifest();
        let name = manifest.name.clone();
        let current = self.0.current.load().get(&name).cloned();
        if let Some(current) = &current {
            if current.file != file.name && state.files.get(&current.file).is_some_and(|other| other.path.exists()) {
                let message = format!("the name `{name}` is taken by {}", current.file);
                return Err(Finding::error("plugin::wrong_name", message).with_help("take one of the two files away"));
            }
            // One in quarantine stays there: the same bytes would do the same.
            let same = (current.hash, current.level(), &current.file) == (plugin.hash(), allowed.level, &file.name);
            if same {
                current.admit_again();
                return Ok(name);
            }
        }
        check_threads(manifest, allowed.level)?;
        let seen = match &mut state.seen {
            Some(seen) => seen,
            none => none.insert(Seen::load(settings.state.as_deref())?),
        };
        seen.check(manifest, &file.path, allowed.may_downgrade)?;
        if allowed.level == Level::Native && state.images >= settings.max_images {
            let message = format!("{} images of plugins are loaded, and none can be unloaded", state.images);
            let finding = Finding::error("plugin::too_many_images", message);
            return Err(
                finding.with_help("restart the host, allow the plugin without `--native`, or raise `max-images`")
            );
        }
        let rules: Vec<Arc<Instance>> =
            self.live().into_iter().filter(|instance| instance.plugin.manifest.name == name).collect();
        let loaded = self.load(state, &plugin, allowed.level, &file.name, &rules).map_err(|refusal| {
            let message = format!("{manifest} {refusal}");
            Finding::error("plugin::refused", message).with_help("`pointsman plugin verify FILE` tries it alone")
        })?;
        tracing::info!(plugin = %label(manifest, plugin.hash()), level = allowed.level.as_str(), "plugin loaded");
        let loaded = Arc::new(loaded);
        self.0.current.rcu(|current| {
            let mut next = BTreeMap::clone(current);
            next.insert(name.clone(), Arc::clone(&loaded));
            next
        });
        if let Some(seen) = &mut state.seen {
            seen.remember(manifest);
        }
        Ok(name)
    }

    /// Loads a plugin and tries it: in a process of its own first, whatever its level.
    fn load(
        &self,
        state: &mut State,
        plugin: &Inspected,
        level: Level,
        file: &str,
        rules: &[Arc<Instance>],
    ) -> Result<Plugin, Refusal> {
        let settings = self.settings();
        let (manifest, hash) = (plugin.manifest().clone(), plugin.hash());
        let no_memory = |error| Refusal::unusable(format!("cannot be copied: {error}"));
        let memory = Arc::new(SharedBytes::of(&plugin.file.bytes, &manifest.name).map_err(no_memory)?);
        let sink = || Sink::new(label(&manifest, hash), Place::Log);
        // What starts threads cannot be tried where none may be started.
        let is_tried_alone = settings.program.is_some() && !manifest.has_threads;
        if level == Level::Process || is_tried_alone {
            let process = PluginProcess::start(Payload::Shared(Arc::clone(&memory)), settings, sink())?;
            let remote = Plugin::process(manifest.clone(), hash, file, process);
            canary::try_out(&remote, rules, self)?;
            if level == Level::Process {
                return Ok(remote);
            }
        }
        state.images += 1;
        let image = Image::load(std::os::fd::AsFd::as_fd(&*memory), manifest.is_serial, sink(), || Ok(()))?;
        image.self_test()?;
        let native = Plugin::native(manifest, hash, file, image);
        if !is_tried_alone {
            canary::try_out(&native, rules, self)?;
        }
        Ok(native)
    }

    /// Lets go of what was loaded from files that are gone, unless rules need it.
    fn retire(&self, state: &mut State, files: &[OfferedFile]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let is_offered = |name: &str| files.iter().any(|file| file.name == name);
        let used: Vec<Arc<Instance>> = self.live();
        let current = self.0.current.load_full();
        let mut gone = Vec::new();
        for plugin in current.values().filter(|plugin| !is_offered(&plugin.file) || !state.owns(plugin)) {
            if used.iter().any(|instance| Arc::ptr_eq(&instance.plugin, plugin)) {
                let message = format!("the file is gone, and rules use {}: it stays in force", plugin.manifest);
                let finding = Finding::warning("plugin::still_used", message);
                findings.push(finding.with_help("remove the rules first, or put the file back").in_file(&plugin.file));
            } else {
                gone.push(plugin.manifest.name.clone());
            }
        }
        state.files.retain(|name, _| is_offered(name));
        if !gone.is_empty() {
            self.0.current.rcu(|current| {
                let mut next = BTreeMap::clone(current);
                next.retain(|name, _| !gone.contains(name));
                next
            });
        }
        findings
    }
}

impl FactorySource for PluginHost {
    fn factory(&self, protocol: &str) -> Option<Arc<dyn RouterFactory>> {
        let plugin = Arc::clone(self.0.current.load().get(protocol)?);
        Some(Arc::new(PluginRouterFactory { host: self.clone(), plugin }))
    }

    fn protocols(&self) -> Vec<String> {
        self.0.current.load().keys().cloned().collect()
    }

    fn offer(&self, files: &[OfferedFile]) -> Vec<Finding> {
        let mut state = self.0.state.lock();
        for file in files.iter().filter(|file| !file.is_held) {
            self.look(&mut state, file);
        }
        let mut findings = self.retire(&mut state, files);
        findings.extend(state.files.values().flat_map(|looked| looked.findings.iter().cloned()));
        findings
    }

    fn watched_files(&self) -> Vec<PathBuf> {
        self.settings().allow_list.iter().cloned().collect()
    }
}

impl fmt::Debug for PluginHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.protocols();
        f.debug_struct("PluginHost").field("plugins", &names).finish_non_exhaustive()
    }
}

// === impl State ===

impl State {
    /// Whether the file that a plugin came from still stands for it.
    fn owns(&self, plugin: &Plugin) -> bool {
        self.files.get(&plugin.file).is_none_or(|looked| looked.name.as_ref() == Some(&plugin.manifest.name))
    }
}

/// A confined process may not start threads.
pub(crate) fn check_threads(manifest: &Manifest, level: Level) -> Result<(), Finding> {
    if level == Level::Native || !manifest.has_threads {
        return Ok(());
    }
    let message = format!("{manifest} starts threads of its own, which a confined process may not");
    let finding = Finding::error("plugin::needs_native", message);
    Err(finding.with_help("`pointsman plugin allow --native FILE`, if it is trusted with all that the host may do"))
}

/// A configuration as plugins get it: a JSON object of texts.
pub(crate) fn json_of(configuration: &Configuration) -> String {
    // Texts in memory can always be written.
    serde_json::to_string(configuration).unwrap_or_else(|_| "{}".to_owned())
}
