//! A folder with providers, rules and plugins, and an engine over it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use pointsman::diagnostics::Finding;
use pointsman::disk::ContentHash;
use pointsman::plugin::Allowed;
use pointsman::plugin::Level;
use pointsman::plugin::PluginHost;
use pointsman::plugin::PluginSettings;
use pointsman::router::RouterFactoryRegistry;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::Explanation;
use pointsman::runtime::RuleSet;
use pointsman::runtime::SelectError;
use pointsman::runtime::default_registry;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;
use tempfile::TempDir;

pub(crate) const SERVICE: &str = "com.shop.OrderService";
pub(crate) const FILE: &str = "plugins/p.so";

/// A folder, and what its host has decided.
pub(crate) struct Stage {
    folder: TempDir,
    pub(crate) settings: PluginSettings,
}

/// An engine over a stage, with the plugins it loads.
pub(crate) struct Running {
    pub(crate) engine: Engine,
    pub(crate) host: PluginHost,
    pub(crate) findings: Vec<Finding>,
}

// === impl Stage ===

impl Stage {
    /// Three providers in zones a, b, c; nothing is allowed.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("rules")).unwrap();
        fs::create_dir_all(folder.path().join("plugins")).unwrap();
        let mut settings = PluginSettings::new();
        settings.program = Some(PathBuf::from(env!("CARGO_BIN_EXE_pointsman")));
        settings.workers = 1;
        settings.limits.queue = std::time::Duration::from_secs(20);
        let stage = Self { folder, settings };
        stage.providers(3);
        stage
    }

    pub(crate) fn providers(&self, count: usize) {
        let zones = ["a", "b", "c"];
        let line = |at: usize| format!("dubbo://10.0.0.{at}:20880/{SERVICE}?zone={}&areaCode=0{at}0\n", zones[at % 3]);
        self.write("providers.txt", (0..count).map(line).collect::<String>().as_bytes());
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file as a deployer should: beside its place, then renamed.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path().join(name);
        let new = path.with_extension("tmp");
        fs::write(&new, bytes).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o644)).unwrap();
        fs::rename(&new, &path).unwrap();
    }

    pub(crate) fn rule(&self, text: &str) {
        self.write("rules/a.rules", format!("{text}\n").as_bytes());
    }

    /// Puts a library into the folder.
    pub(crate) fn put(&self, library: &Path) {
        self.write(FILE, &fs::read(library).unwrap());
    }

    pub(crate) fn allow(&mut self, bytes: &[u8], level: Level) {
        self.settings.allowed.push(Allowed { hash: ContentHash::of(bytes), level, may_downgrade: false });
    }

    /// A folder with one plugin that is allowed, and a rule for it.
    pub(crate) fn with(library: &Path, level: Level, rule: &str) -> Self {
        let mut stage = Self::new();
        stage.put(library);
        stage.allow(&fs::read(library).unwrap(), level);
        stage.rule(rule);
        stage
    }

    pub(crate) fn host(&self) -> (PluginHost, Arc<RouterFactoryRegistry>) {
        let host = PluginHost::new(self.settings.clone());
        let mut registry = default_registry().unwrap();
        registry.add_source(Arc::new(host.clone()));
        (host, Arc::new(registry))
    }

    pub(crate) fn start(&self) -> Running {
        let (host, registry) = self.host();
        let mut contents = load(self.path(), &FolderOptions::default());
        let rules = RuleSet::from_folder(&mut contents, &registry, None);
        let providers: Vec<Url> = contents.providers().cloned().collect();
        let engine = Engine::builder().registry(registry).rules(rules).providers(providers).build();
        Running { engine: engine.unwrap(), host, findings: contents.findings().to_vec() }
    }

    /// Why the plugin of this stage is refused.
    pub(crate) fn refusal(&self) -> String {
        let findings = self.start().findings;
        let of_plugin = |finding: &&Finding| finding.file().is_some_and(|file| file.starts_with("plugins"));
        findings.iter().find(of_plugin).map_or_else(String::new, text_of)
    }
}

// === impl Running ===

impl Running {
    /// The last numbers of the addresses that a call may go to.
    pub(crate) fn select(&self, zone: &str) -> Result<Vec<usize>, SelectError> {
        let mut session = self.engine.session();
        let call = RpcInvocation::new(SERVICE, "create").with_attachment("zone", zone);
        let decision = session.select(&consumer(), &call)?;
        let number = |url: &Url| url.host().unwrap().rsplit('.').next().unwrap().parse().unwrap();
        Ok(decision.providers().map(|(_, provider)| number(provider.url())).collect())
    }

    pub(crate) fn explain(&self, zone: &str) -> Explanation {
        let call = RpcInvocation::new(SERVICE, "create").with_attachment("zone", zone);
        self.engine.explain(&consumer(), &call, None).unwrap()
    }

    /// Everything that the rules said of a call.
    pub(crate) fn reasons(&self, zone: &str) -> Vec<String> {
        let explanation = self.explain(zone);
        explanation.steps.iter().flat_map(|step| step.reasons.iter().map(|reason| format!("{reason:?}"))).collect()
    }
}

pub(crate) fn consumer() -> Url {
    Url::parse(&format!("consumer://10.0.0.9/{SERVICE}?application=test&region=b")).unwrap()
}

/// Number and message of a finding.
pub(crate) fn text_of(finding: &Finding) -> String {
    format!("{} {}", finding.number(), finding.message())
}
