//! Where the command runs scripts: what configuration and arguments say.

use crate::diagnostics::Finding;
use crate::script::EngineKind;
use crate::script::Limits;
use crate::script::ScriptHost;
use crate::script::ScriptRouterFactory;
use crate::script::ScriptSettings;
use crate::source::config::JavaScriptEngine;
use crate::source::config::ScriptConfig;
use crate::source::config::ScriptIsolation;

/// How long a call of the command waits for a worker where the configuration does not say.
#[cfg(target_os = "linux")]
const QUEUE: std::time::Duration = std::time::Duration::from_secs(10);

/// The factory of scripts; worker processes are started for the first of them.
pub(crate) fn factory(config: &ScriptConfig) -> ScriptRouterFactory {
    let config = config.clone();
    ScriptRouterFactory::when_needed(move || {
        let mut settings = settings(&config)?;
        settings.limits = limits(&config);
        if let Some(engine) = config.javascript {
            settings.javascript = match engine {
                JavaScriptEngine::Boa => EngineKind::Boa,
                JavaScriptEngine::QuickJs => EngineKind::QuickJs,
            };
        }
        Ok(ScriptHost::new(settings))
    })
}

fn settings(config: &ScriptConfig) -> Result<ScriptSettings, Finding> {
    match config.isolation {
        ScriptIsolation::Inline => Ok(ScriptSettings::inline_trusted()),
        ScriptIsolation::Worker => workers(config),
    }
}

#[cfg(target_os = "linux")]
fn workers(config: &ScriptConfig) -> Result<ScriptSettings, Finding> {
    use crate::script::Domain;
    use crate::script::Isolation;
    use crate::source::config::ScriptDomain;
    use crate::worker::Pool;
    use crate::worker::PoolSettings;

    // This very program, even if its file was replaced since it started.
    let mut pool = PoolSettings::new("/proc/self/exe");
    // A command asks one thing after the other, and has nobody else to serve: it rather waits than answers without a rule.
    pool.workers = config.workers.map_or(1, |workers| usize::try_from(workers).unwrap_or(usize::MAX));
    pool.queue = config.queue.unwrap_or(QUEUE);
    let pool = Pool::start(pool).map_err(|error| {
        Finding::error("script::no_workers", error.to_string())
            .with_help("mend what the message says, or trust the scripts with `--isolation inline`")
    })?;
    let domain = match config.domain {
        ScriptDomain::Rule => Domain::Rule,
        ScriptDomain::Source => Domain::Source,
        ScriptDomain::All => Domain::All,
    };
    let mut settings = ScriptSettings::workers(pool.clone());
    settings.isolation = Isolation::Worker { pool, domain };
    Ok(settings)
}

#[cfg(not(target_os = "linux"))]
fn workers(_config: &ScriptConfig) -> Result<ScriptSettings, Finding> {
    let message = "worker processes are not supported on this platform";
    Err(Finding::error("script::no_workers", message).with_help("trust the scripts with `--isolation inline`"))
}

fn limits(config: &ScriptConfig) -> Limits {
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let default = Limits::default();
    Limits {
        deadline: config.deadline.unwrap_or(default.deadline),
        deadline_per_candidate: config.deadline_per_candidate.unwrap_or(default.deadline_per_candidate),
        memory_bytes: config.memory_bytes.unwrap_or(default.memory_bytes),
        operations: config.operations.unwrap_or(default.operations),
        call_depth: config.call_depth.map_or(default.call_depth, small),
        source_bytes: config.source_bytes.unwrap_or(default.source_bytes),
        log_lines: config.log_lines.map_or(default.log_lines, small),
        log_bytes: config.log_bytes.map_or(default.log_bytes, small),
    }
}
