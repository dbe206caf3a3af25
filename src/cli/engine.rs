//! The adapter between the engine's types and what the command prints; nothing else here knows the engine.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use crate::chain::ExplainedStep;
use crate::chain::KeptReason;
use crate::chain::OnEmpty;
use crate::cli::explanation::Effect;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Reason;
use crate::cli::explanation::Rule;
use crate::cli::explanation::Step;
use crate::cli::requested_call::RequestedCall;
use crate::cli::scripts;
use crate::diagnostics::Finding;
use crate::router;
use crate::router::Clock;
use crate::router::Input;
use crate::router::InvokerList;
use crate::router::Reads;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleHeader;
use crate::router::Selection;
use crate::router::SystemClock;
use crate::rpc::Invocation as _;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::runtime;
use crate::runtime::Engine;
use crate::runtime::EngineBuilder;
use crate::runtime::ReloadError;
use crate::runtime::RuleSet;
use crate::runtime::SelectError;
use crate::runtime::registry_with_scripts;
use crate::source::config::HostConfig;
use crate::source::folder::FolderContents;
use crate::tag;

/// Rules, and what made them: consumers may ask for further ones.
pub(crate) struct Compiled {
    rules: RuleSet,
    registry: Arc<RouterFactoryRegistry>,
}

impl Deref for Compiled {
    type Target = RuleSet;

    fn deref(&self) -> &RuleSet {
        &self.rules
    }
}

/// Compiles all rules of a folder; what is wrong with them joins the folder's findings.
pub(crate) fn compile(contents: &mut FolderContents, config: &HostConfig) -> Compiled {
    match registry_with_scripts(scripts::factory(&config.scripts)) {
        Ok(registry) => {
            let registry = with_plugins(registry, config);
            Compiled { rules: RuleSet::from_folder(contents, &registry, None), registry: Arc::new(registry) }
        }
        Err(error) => {
            contents.add_findings([Finding::error(error.slug(), error.to_string())]);
            Compiled { rules: RuleSet::default().incomplete(), registry: Arc::default() }
        }
    }
}

/// An engine without rules and providers, which a folder will fill.
pub(crate) fn empty(config: &HostConfig) -> Result<Engine, Vec<Finding>> {
    let registry = registry_with_scripts(scripts::factory(&config.scripts))
        .map_err(|error| vec![Finding::error(error.slug(), error.to_string())])?;
    Engine::builder()
        .registry(Arc::new(with_plugins(registry, config)))
        .priority_order(config.priority_order)
        .on_empty(config.on_empty)
        .guard(config.guard)
        .build()
        .map_err(|error| error.findings)
}

/// An engine if the rules can be had over the providers; what is wrong joins the folder's findings.
pub(crate) fn try_out(compiled: Compiled, contents: &mut FolderContents, config: &HostConfig) -> Option<Engine> {
    match start(compiled, contents, config, Arc::new(SystemClock)) {
        Ok(engine) => Some(engine),
        Err(error) => {
            contents.add_findings(error.findings);
            None
        }
    }
}

#[cfg(all(feature = "plugins", target_os = "linux"))]
fn with_plugins(mut registry: RouterFactoryRegistry, config: &HostConfig) -> RouterFactoryRegistry {
    crate::cli::plugins::add_to(&mut registry, config);
    registry
}

#[cfg(not(all(feature = "plugins", target_os = "linux")))]
fn with_plugins(registry: RouterFactoryRegistry, _config: &HostConfig) -> RouterFactoryRegistry {
    registry
}

/// An engine over the folder's providers and `rules`; the command has asked already whether it may go on without some.
pub(crate) fn start(
    compiled: Compiled,
    contents: &FolderContents,
    config: &HostConfig,
    clock: Arc<dyn Clock>,
) -> Result<Engine, ReloadError> {
    builder(compiled, config, clock).providers(contents.providers().cloned()).build()
}

/// The same over other providers, with the draws of `seed`.
pub(crate) fn start_over(
    compiled: Compiled,
    providers: Vec<Url>,
    config: &HostConfig,
    clock: Arc<dyn Clock>,
    seed: u64,
) -> Result<Engine, ReloadError> {
    builder(compiled, config, clock).providers(providers).seed(seed).build()
}

fn builder(compiled: Compiled, config: &HostConfig, clock: Arc<dyn Clock>) -> EngineBuilder {
    Engine::builder()
        .registry(compiled.registry)
        .rules(compiled.rules)
        .priority_order(config.priority_order)
        .on_empty(OnEmpty::Pass)
        .clock(clock)
}

/// The services that providers offer, in order.
pub(crate) fn services_of(contents: &FolderContents) -> Vec<ServiceKey> {
    let mut services: Vec<ServiceKey> = contents.providers().filter_map(Url::service_key).collect();
    services.sort();
    services.dedup();
    services
}

/// Whether an answer may depend on the time at which it is asked for.
pub(crate) fn may_read_clock(rules: &RuleSet) -> bool {
    rules.routers().iter().any(|router| {
        let inputs = router.inputs();
        let looks = |input: &Input| matches!(input, Input::Now(..));
        match &inputs.reads {
            Reads::Declared(declared) => inputs.clock.is_some() || declared.iter().any(looks),
            _ => true,
        }
    })
}

/// The rules that can decide something: all but those that are switched off.
pub(crate) fn rules_of(rules: &RuleSet) -> Vec<Rule> {
    let enabled = rules.routers().iter().map(|router| router.header()).filter(|header| header.is_enabled);
    let rule = |header: &Arc<RuleHeader>| {
        let line = usize::try_from(header.id.line()).unwrap_or_default();
        Rule { name: header.id.name().map(str::to_owned), file: header.id.source().to_owned(), line }
    };
    let mut rules: Vec<Rule> = enabled.map(rule).collect();
    // An application's document is there for its providers, and for consumers of its name.
    let mut seen = hashbrown::HashSet::new();
    rules.retain(|rule| seen.insert((rule.file.clone(), rule.line, rule.name.clone())));
    rules
}

/// Routes the call and tells why.
pub(crate) fn explain(engine: &Engine, call: &RequestedCall, seed: Option<u64>) -> Result<Explanation, SelectError> {
    Ok(told(&engine.explain(&call.consumer, &call.invocation, seed)?, call))
}

/// How the call is explained, in plain data.
pub(crate) fn told(found: &runtime::Explanation, call: &RequestedCall) -> Explanation {
    Explanation {
        service: call.service.to_string(),
        method: call.invocation.method().to_owned(),
        consumer: call.consumer.to_string(),
        generation: found.generation,
        seed: found.seed,
        total: found.list.len(),
        steps: found.steps.iter().filter(|step| is_told(step)).map(|step| step_of(step, &found.list)).collect(),
        not_asked: found.not_asked,
        kept: urls(&found.selection, &found.list).map(ToString::to_string).collect(),
        telling: telling_keys(&found.list),
        unmemoisable: found.unmemoisable.as_ref().map(|header| header.id.to_string()),
    }
}

/// What is told of a call that could not be routed.
pub(crate) fn failed(error: &SelectError) -> Finding {
    Finding::error("call::failed", error.to_string())
}

/// Routes the call `times` times through one session: each distinct answer with its count, in order of appearance.
pub(crate) fn repeat(
    engine: &Engine,
    call: &RequestedCall,
    times: u32,
) -> Result<Vec<(u32, Vec<String>)>, SelectError> {
    let mut session = engine.session();
    let mut answers: Vec<(u32, Selection, Vec<String>)> = Vec::new();
    for _ in 0..times {
        let decision = session.select(&call.consumer, &call.invocation)?;
        match answers.iter_mut().find(|(_, selection, _)| selection == decision.selection()) {
            Some((count, _, _)) => *count += 1,
            None => {
                let urls = decision.providers().map(|(_, provider)| provider.url().to_string()).collect();
                answers.push((1, decision.selection().clone(), urls));
            }
        }
    }
    Ok(answers.into_iter().map(|(count, _, urls)| (count, urls)).collect())
}

/// The router of tags stands in every chain; where neither call nor providers have tags, it is not worth a line.
fn is_told(step: &ExplainedStep) -> bool {
    let is_built_in_tag = step.header.id.line() == 0 && &*step.header.kind == "tag";
    let has_tag = |reason: &KeptReason| !matches!(reason, KeptReason::Note(note) if **note == *tag::NO_TAG);
    !is_built_in_tag || step.effect != router::Effect::Passed || step.reasons.iter().any(has_tag)
}

fn step_of(step: &ExplainedStep, list: &InvokerList) -> Step {
    let header: &RuleHeader = &step.header;
    let line = usize::try_from(header.id.line()).unwrap_or_default();
    let removed = step.removed();
    Step {
        name: header.id.name().map(str::to_owned),
        kind: header.kind.to_string(),
        file: (line > 0).then(|| header.id.source().to_owned()),
        line: (line > 0).then_some(line),
        // A script is a file of its own; its text is no line of an explanation.
        rule: header.url.parameter_decoded(keys::RULE).and_then(Result::ok).filter(|text| !text.contains('\n')),
        priority: header.priority,
        is_forced: header.is_force,
        on_error: header.on_error.as_str(),
        reasons: step.reasons.iter().filter_map(reason_of).collect(),
        effect: effect_of(step.effect),
        candidates: step.before.count(),
        selected: step.after.count(),
        removed: urls(&removed, list).take(Explanation::REMOVED_SHOWN).map(address_of).collect(),
        removed_count: removed.count(),
    }
}

fn reason_of(reason: &KeptReason) -> Option<Reason> {
    Some(match reason {
        KeptReason::Disabled => Reason::Disabled,
        KeptReason::OtherConsumer(mismatch) => Reason::OtherConsumer {
            key: mismatch.key.to_owned(),
            seen: mismatch.seen.clone(),
            wanted: mismatch.wanted.clone(),
        },
        KeptReason::Mismatch { key, wanted, seen } => Reason::Mismatch {
            key: key.to_string(),
            seen: seen.as_deref().map(str::to_owned),
            wanted: wanted.to_string(),
        },
        KeptReason::Matched => Reason::Matched,
        KeptReason::BlocksEverybody => Reason::BlocksEverybody,
        KeptReason::Note(text) => Reason::Note { text: text.to_string() },
        KeptReason::Failed(error) => Reason::Failed { text: error.to_string() },
    })
}

fn effect_of(effect: router::Effect) -> Effect {
    match effect {
        router::Effect::Passed => Effect::Passed,
        router::Effect::Narrowed => Effect::Narrowed,
        router::Effect::Fallback => Effect::Fallback,
        router::Effect::Emptied => Effect::Emptied,
        router::Effect::FailedOpen => Effect::FailedOpen,
    }
}

fn urls<'a>(selection: &'a Selection, list: &'a InvokerList) -> impl Iterator<Item = &'a Url> {
    selection.positions().filter_map(|position| list.provider(position)).map(Provider::url)
}

/// The parameters by which the providers of a list differ in a way that a person can take in.
fn telling_keys(list: &InvokerList) -> Vec<String> {
    // A sample is enough: this only chooses what is shown.
    const SAMPLE: usize = 1_000;
    const MAX_VALUES: usize = 20;
    let mut values: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    for (key, value) in list.providers().iter().take(SAMPLE).flat_map(|provider| provider.url().parameters()) {
        match values.iter_mut().find(|(known, _)| *known == key) {
            Some((_, seen)) if seen.len() <= MAX_VALUES => {
                seen.insert(value);
            }
            Some(_) => {}
            None => values.push((key, BTreeSet::from([value]))),
        }
    }
    let count = list.len().min(SAMPLE);
    let has_all =
        |key: &str| list.providers().iter().take(count).all(|provider| provider.url().parameter(key).is_some());
    values.retain(|(key, seen)| (2..=MAX_VALUES).contains(&seen.len()) || (seen.len() == 1 && !has_all(key)));
    values.into_iter().map(|(key, _)| key.to_owned()).collect()
}

fn address_of(url: &Url) -> String {
    url.protocol().map_or_else(String::new, |protocol| format!("{protocol}://")) + url.address().unwrap_or_default()
}
