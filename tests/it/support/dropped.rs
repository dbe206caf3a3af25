//! A script dropped into a folder, and what it does with calls.

use std::sync::Arc;

use pointsman::diagnostics::Severity;
use pointsman::router::FixedClock;
use pointsman::router::Language;
use pointsman::router::RouterFactoryRegistry;
use pointsman::router::RuleDefinition;
use pointsman::rpc::Invocation as _;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use pointsman::runtime::registry_with_scripts;
use pointsman::script::EngineKind;
use pointsman::script::ScriptHost;
use pointsman::script::ScriptRouterFactory;
use pointsman::script::ScriptSettings;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;

use crate::support::folder::TestFolder;

/// The engines of this build.
pub(crate) fn engines() -> impl Iterator<Item = EngineKind> {
    EngineKind::ALL.into_iter().filter(|engine| engine.is_built_in())
}

/// How files for an engine end.
pub(crate) fn suffix(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Boa | EngineKind::QuickJs => "js",
        EngineKind::Rhai => "rhai",
        EngineKind::Luau => "lua",
    }
}

/// The moment `text`.
pub(crate) fn clock(text: &str) -> FixedClock {
    FixedClock(text.parse().unwrap())
}

/// The host whose JavaScript runs on `engine`: one for all tests, so that a thread makes each engine once.
fn host(engine: EngineKind) -> ScriptHost {
    static HOSTS: parking_lot::Mutex<Vec<(EngineKind, ScriptHost)>> = parking_lot::Mutex::new(Vec::new());
    let mut hosts = HOSTS.lock();
    if let Some((_, host)) = hosts.iter().find(|(kind, _)| *kind == engine) {
        return host.clone();
    }
    let mut settings = ScriptSettings::inline_trusted();
    if EngineKind::of(Language::JavaScript).contains(&engine) {
        settings.javascript = engine;
    }
    let host = ScriptHost::new(settings);
    hosts.push((engine, host.clone()));
    host
}

/// The kinds of rules there are; scripts run inline, JavaScript on `engine`.
pub(crate) fn registry(engine: EngineKind) -> Arc<RouterFactoryRegistry> {
    Arc::new(registry_with_scripts(ScriptRouterFactory::new(host(engine))).unwrap())
}

/// The rule that a script is when it is dropped into a folder, with its tags.
pub(crate) fn definition(engine: EngineKind, text: &str) -> RuleDefinition {
    let folder = TestFolder::new().with(&format!("rules/route.{}", suffix(engine)), text);
    let contents = load(folder.path(), &FolderOptions::default());
    let wrong: Vec<_> = contents.findings().iter().filter(|found| found.severity() != Severity::Info).collect();
    assert!(wrong.is_empty(), "{engine}: {wrong:?}");
    contents.entries().next().unwrap().to_definition()
}

/// An engine over these providers and this script, at `clock`.
pub(crate) fn drop_in(engine: EngineKind, text: &str, providers: &[String], clock: FixedClock) -> Engine {
    let registry = registry(engine);
    let (rules, findings) = RuleSet::compile(&[definition(engine, text)], &registry, None);
    assert!(findings.is_empty(), "{engine}: {findings:?}");
    let providers = providers.iter().map(|text| Url::parse(text).unwrap());
    Engine::builder().registry(registry).rules(rules).providers(providers).clock(Arc::new(clock)).build().unwrap()
}

/// The positions that are kept of a call, and what the only rule said of it, if it failed.
pub(crate) fn kept(engine: &Engine, call: &RpcInvocation<'_>) -> (Vec<usize>, Option<String>) {
    // The only service of the folder is the one that is asked for.
    let service = engine.services().remove(0);
    let version = service.version().map(|version| format!("?version={version}")).unwrap_or_default();
    let consumer = Url::parse(&format!("consumer://10.9.9.9/{}{version}", call.service())).unwrap();
    let explained = engine.explain(&consumer, call, None).unwrap();
    let reasons = explained.steps.iter().flat_map(|step| &step.reasons);
    let mut failed = reasons.filter_map(|reason| match reason {
        pointsman::chain::KeptReason::Failed(error) => Some(error.to_string()),
        _ => None,
    });
    (explained.selection.positions().collect(), failed.next_back())
}
