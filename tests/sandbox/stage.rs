//! One engine of scripts, a few providers, one call: what a text comes to, and whether a good rule still answers.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use pointsman::diagnostics::Severity;
use pointsman::router::Clock;
use pointsman::router::Language;
use pointsman::router::Limit;
use pointsman::router::RouteError;
use pointsman::router::RouterFactoryRegistry;
use pointsman::router::RuleDefinition;
use pointsman::router::SystemClock;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use pointsman::runtime::SelectError;
use pointsman::runtime::registry_with_scripts;
use pointsman::script::EngineKind;
use pointsman::script::ScriptHost;
use pointsman::script::ScriptRouterFactory;
use pointsman::script::ScriptSettings;

pub(crate) const SERVICE: &str = "com.shop.OrderService";

/// An engine of scripts and where it runs.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) engine: EngineKind,
    pub(crate) registry: Arc<RouterFactoryRegistry>,
}

/// What a text came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// So many providers.
    Kept(usize),
    /// It is no rule.
    Refused(String),
    /// It was stopped: by which limit, how much was used and allowed.
    Stopped(Limit, u64, u64),
    /// It failed by itself.
    Failed(String),
    /// Its worker died, or could not be understood.
    Died(String),
    /// Anything else: no text may cause it.
    Wrong(String),
}

/// A rule that keeps the providers in the caller's region.
pub(crate) fn good(language: Language) -> &'static str {
    match language {
        Language::JavaScript => {
            "invokers.filter(function (i) { return i.url.param('region') == invocation.attachment('region'); })"
        }
        Language::Rhai => "invokers.filter(|i| i.param(\"region\") == invocation.attachment(\"region\"))",
        Language::Lua => {
            "local kept = {}\n\
             for _, i in ipairs(invokers) do\n\
             if i:param('region') == invocation:attachment('region') then table.insert(kept, i) end\n\
             end\n\
             return kept"
        }
    }
}

/// The language of an engine, and how its files end.
pub(crate) fn language(engine: EngineKind) -> (Language, &'static str) {
    match engine {
        EngineKind::Boa | EngineKind::QuickJs => (Language::JavaScript, "js"),
        EngineKind::Rhai => (Language::Rhai, "rhai"),
        EngineKind::Luau => (Language::Lua, "lua"),
    }
}

/// Six providers; every second one is in Hangzhou.
pub(crate) fn providers(count: usize) -> impl Iterator<Item = Url> {
    (0..count).map(|at| {
        let region = if at % 2 == 0 { "hangzhou" } else { "beijing" };
        Url::parse(&format!("dubbo://10.{}.{}.1:20880/{SERVICE}?region={region}", at / 256, at % 256)).unwrap()
    })
}

pub(crate) fn consumer() -> Url {
    Url::parse(&format!("consumer://10.9.9.9/{SERVICE}")).unwrap()
}

pub(crate) fn call() -> RpcInvocation<'static> {
    RpcInvocation::new(SERVICE, "create").with_attachment("region", "hangzhou")
}

// === impl Stage ===

impl Stage {
    pub(crate) fn new(engine: EngineKind, mut settings: ScriptSettings) -> Self {
        if EngineKind::of(Language::JavaScript).contains(&engine) {
            settings.javascript = engine;
        }
        let registry = registry_with_scripts(ScriptRouterFactory::new(ScriptHost::new(settings))).unwrap();
        Self { engine, registry: Arc::new(registry) }
    }

    /// A rule of `text`, with more `parameters`.
    pub(crate) fn definition(&self, line: u32, parameters: &str, text: &str) -> RuleDefinition {
        let (language, _) = language(self.engine);
        let text: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let url = format!("script://0.0.0.0/*?type={}&force=true{parameters}&rule={text}", language.as_str());
        RuleDefinition::parse("hostile", line, None, &url).unwrap()
    }

    /// Rules, or what is wrong with the first that is none.
    pub(crate) fn rules(&self, definitions: &[RuleDefinition]) -> Result<RuleSet, String> {
        let (rules, findings) = RuleSet::compile(definitions, &self.registry, None);
        match findings.iter().find(|finding| finding.severity() == Severity::Error) {
            Some(finding) => Err(finding.message().to_owned()),
            None => Ok(rules),
        }
    }

    /// An engine over these rules, without a memo, at the time of `clock`.
    pub(crate) fn over(&self, rules: RuleSet, count: usize, clock: Arc<dyn Clock>) -> Engine {
        let builder = Engine::builder().registry(Arc::clone(&self.registry)).rules(rules).providers(providers(count));
        builder.memo_bytes(0).clock(clock).build().unwrap()
    }

    /// An engine over one rule whose failure is the call's.
    pub(crate) fn engine_of(&self, text: &str, count: usize) -> Result<Engine, String> {
        let rules = self.rules(&[self.definition(1, "&on-error=fail", text)])?;
        Ok(self.over(rules, count, Arc::new(SystemClock)))
    }

    /// An engine over the good rule.
    pub(crate) fn good(&self, count: usize) -> Engine {
        self.engine_of(good(language(self.engine).0), count).unwrap()
    }

    /// What `text` comes to.
    pub(crate) fn outcome(&self, text: &str) -> Outcome {
        match self.engine_of(text, 6) {
            Ok(engine) => outcome_of(&engine),
            Err(message) => Outcome::Refused(message),
        }
    }
}

/// What a call comes to.
pub(crate) fn outcome_of(engine: &Engine) -> Outcome {
    match engine.select(&consumer(), &call()) {
        Ok(decision) => Outcome::Kept(decision.selection().count()),
        Err(SelectError::Route(RouteError::Limit { which, used, allowed, .. })) => {
            Outcome::Stopped(which, used, allowed)
        }
        Err(SelectError::Route(RouteError::Script { message, .. })) => Outcome::Failed(message.as_ref().to_owned()),
        Err(SelectError::Route(RouteError::Failed { message })) => Outcome::Died(message.as_ref().to_owned()),
        Err(error) => Outcome::Wrong(error.to_string()),
    }
}

/// The positions that a call keeps.
pub(crate) fn kept(engine: &Engine) -> Result<Vec<usize>, String> {
    let decision = engine.select(&consumer(), &call()).map_err(|error| error.to_string())?;
    Ok(decision.selection().positions().collect())
}

/// The folder of hostile scripts, below which there is one for each language.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile")
}

/// Names and texts of the files for an engine in `folder`, in order.
pub(crate) fn files(folder: &Path, engine: EngineKind) -> Vec<(String, String)> {
    let suffix = language(engine).1;
    let Ok(entries) = std::fs::read_dir(folder.join(suffix)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == suffix));
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned())
    };
    paths.into_iter().map(read).collect()
}
