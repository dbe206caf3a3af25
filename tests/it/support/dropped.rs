//! A script dropped into a folder, and what it does with calls.

use std::sync::Arc;

use pointsman::diagnostics::Severity;
use pointsman::router::FixedClock;
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

/// A folder with these providers and this script, over which JavaScript is run by `engine`, at `clock`.
pub(crate) fn drop_in(engine: EngineKind, text: &str, providers: &[String], clock: FixedClock) -> Engine {
    let folder = TestFolder::empty()
        .with("providers.txt", providers.join("\n"))
        .with(&format!("rules/route.{}", suffix(engine)), text);
    let mut settings = ScriptSettings::inline_trusted();
    settings.javascript = engine;
    let factory = ScriptRouterFactory::new(ScriptHost::new(settings));
    let registry = Arc::new(registry_with_scripts(factory).unwrap());
    let mut contents = load(folder.path(), &FolderOptions::default());
    let rules = RuleSet::from_folder(&mut contents, &registry, None);
    let wrong: Vec<_> = contents.findings().iter().filter(|found| found.severity() != Severity::Info).collect();
    assert!(wrong.is_empty(), "{engine}: {wrong:?}");
    let providers = contents.providers().cloned();
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
    let failed = reasons.filter_map(|reason| match reason {
        pointsman::chain::KeptReason::Failed(error) => Some(error.to_string()),
        _ => None,
    });
    (explained.selection.positions().collect(), failed.last())
}
