//! Scripts as routers: what is remembered, what never is, and that inline and workers answer alike.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;

use pointsman::Engine;
use pointsman::RpcInvocation;
use pointsman::RuleSet;
use pointsman::Session;
use pointsman::Url;
use pointsman::router::Clock;
use pointsman::router::RouterFactoryRegistry;
use pointsman::runtime::registry_with_scripts;
use pointsman::script::EngineKind;
use pointsman::script::ScriptHost;
use pointsman::script::ScriptRouterFactory;
use pointsman::script::ScriptSettings;

use crate::support::dropped::definition;
use crate::support::dropped::engines;

/// A clock that a test moves, in minutes since 1970.
#[derive(Debug, Default)]
struct Minutes(AtomicI64);

impl Clock for Minutes {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_second(self.0.load(Ordering::Relaxed) * 60).unwrap()
    }
}

/// Where a test runs its scripts.
fn hosts() -> Vec<(&'static str, ScriptSettings)> {
    let mut hosts = vec![("inline", ScriptSettings::inline_trusted())];
    #[cfg(target_os = "linux")]
    {
        use pointsman::worker::Pool;
        use pointsman::worker::PoolSettings;

        let mut settings = PoolSettings::new(env!("CARGO_BIN_EXE_pointsman"));
        settings.workers = 2;
        settings.queue = std::time::Duration::from_secs(5);
        hosts.push(("worker", ScriptSettings::workers(Pool::start(settings).unwrap())));
    }
    hosts
}

fn registry(settings: &ScriptSettings, engine: EngineKind) -> Arc<RouterFactoryRegistry> {
    let mut settings = settings.clone();
    if matches!(engine, EngineKind::Boa | EngineKind::QuickJs) {
        settings.javascript = engine;
    }
    // Machines that are busy elsewhere must not make a good rule late.
    settings.limits.deadline = std::time::Duration::from_secs(2);
    Arc::new(registry_with_scripts(ScriptRouterFactory::new(ScriptHost::new(settings))).unwrap())
}

fn engine(settings: &ScriptSettings, kind: EngineKind, texts: &[&str], clock: Arc<dyn Clock>) -> Engine {
    let registry = registry(settings, kind);
    let definitions: Vec<_> = texts.iter().map(|text| definition(kind, text)).collect();
    let (rules, findings) = RuleSet::compile(&definitions, &registry, None);
    assert!(findings.is_empty(), "{kind}: {findings:?}");
    let providers = ["hangzhou", "shanghai", "hangzhou"].into_iter().zip(1..);
    let providers = providers.map(|(region, at)| format!("dubbo://10.0.0.{at}:20880/S?region={region}"));
    let providers = providers.map(|text| Url::parse(&text).unwrap());
    Engine::builder().registry(registry).rules(rules).providers(providers).clock(clock).build().unwrap()
}

fn consumer() -> Url {
    Url::parse("consumer://10.9.9.9/S").unwrap()
}

fn select(session: &mut Session, call: &RpcInvocation<'_>) -> Vec<usize> {
    session.select(&consumer(), call).unwrap().selection().positions().collect()
}

fn call(region: Option<&'static str>) -> RpcInvocation<'static> {
    let call = RpcInvocation::new("S", "create");
    match region {
        Some(region) => call.with_attachment("region", region),
        None => call,
    }
}

/// Keeps the region that the attachment names, in each language.
fn by_region(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Boa | EngineKind::QuickJs => {
            "var region = invocation.attachment('region');\n\
             region == null ? invokers : invokers.filter(function (invoker) { return invoker.param('region') === region; })"
        }
        EngineKind::Rhai => {
            "let region = invocation.attachment(\"region\");\n\
             if region == () { return invokers; }\n\
             invokers.filter(|invoker| invoker.param(\"region\") == region)"
        }
        EngineKind::Luau => {
            "local region = invocation:attachment('region')\nif region == nil then return invokers end\n\
             local kept = {}\n\
             for _, invoker in ipairs(invokers) do\n\
               if invoker:param('region') == region then table.insert(kept, invoker) end\nend\nreturn kept"
        }
    }
}

#[test]
fn an_equal_call_is_answered_without_a_run_and_another_value_runs() {
    for (place, settings) in hosts() {
        for kind in engines() {
            let engine = engine(&settings, kind, &[by_region(kind)], Arc::new(Minutes::default()));
            let mut session = engine.session();
            for (region, expected, hits) in [
                (Some("hangzhou"), vec![0, 2], 0),
                (Some("hangzhou"), vec![0, 2], 1),
                (Some("shanghai"), vec![1], 1),
                (None, vec![0, 1, 2], 1),
                (None, vec![0, 1, 2], 2),
                (Some("shanghai"), vec![1], 3),
            ] {
                assert_eq!(select(&mut session, &call(region)), expected, "{place} {kind} {region:?}");
                assert_eq!(engine.status().memo_hits, hits, "{place} {kind} {region:?}");
            }
            // What was not read makes no difference.
            let other = call(Some("shanghai")).with_attachment("other", "1").with_argument("int", 5);
            assert_eq!(select(&mut session, &other), [1]);
            assert_eq!(engine.status().memo_hits, 4, "{place} {kind}");
        }
    }
}

#[test]
fn the_second_read_may_depend_on_the_first() {
    let text = "var kept = [invokers.get(0)];\n\
                if (invocation.attachment('a') === '1' && invocation.attachment('b') === '1') { kept = [invokers.get(1)]; }\n\
                kept";
    for kind in engines().filter(|kind| matches!(kind, EngineKind::Boa | EngineKind::QuickJs)) {
        let settings = ScriptSettings::inline_trusted();
        let engine = engine(&settings, kind, &[text], Arc::new(Minutes::default()));
        let mut session = engine.session();
        let with = |pairs: &[(&'static str, &'static str)]| {
            pairs
                .iter()
                .fold(RpcInvocation::new("S", "create"), |call, (key, value)| call.with_attachment(*key, *value))
        };
        for (pairs, expected) in [
            (&[("a", "0"), ("b", "1")][..], 0),
            (&[("a", "1"), ("b", "1")], 1),
            (&[("a", "1"), ("b", "0")], 0),
            (&[("a", "1")], 0),
            (&[], 0),
            (&[("b", "1")], 0),
        ] {
            for _ in 0..2 {
                assert_eq!(select(&mut session, &with(pairs)), [expected], "{kind} {pairs:?}");
            }
        }
        assert_eq!(engine.status().memo_hits, 7, "{kind}: `b` is no input where `a` is not 1");
    }
}

/// A clock that tells one time after the other, and then the last one.
#[derive(Debug)]
struct Leaping(parking_lot::Mutex<Vec<i64>>);

impl Clock for Leaping {
    fn now(&self) -> jiff::Timestamp {
        let mut hours = self.0.lock();
        let hour = if hours.len() > 1 { hours.remove(0) } else { hours[0] };
        jiff::Timestamp::from_second(hour * 3_600).unwrap()
    }
}

/// Keeps those that can be reached, in each language.
fn by_availability(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Boa => "invokers.filter(function (invoker) { return invoker.isAvailable() && invoker.available; })",
        EngineKind::QuickJs => "invokers.filter(function (invoker) { return invoker.IsAvailable(); })",
        EngineKind::Rhai => "invokers.filter(|invoker| invoker.available)",
        EngineKind::Luau => {
            "local kept = {}\n\
             for _, invoker in ipairs(invokers) do\n\
               if invoker.available then table.insert(kept, invoker) end\nend\nreturn kept"
        }
    }
}

#[test]
fn who_cannot_be_reached_is_an_input_like_any_other() {
    for (place, settings) in hosts() {
        for kind in engines() {
            let engine = engine(&settings, kind, &[by_availability(kind)], Arc::new(Minutes::default()));
            let mut session = engine.session();
            // Their slots are numbered in the order of the list.
            let ids = pointsman::router::InvokerList::of(
                pointsman::ServiceKey::parse("S"),
                (1..4).map(|at| Url::parse(&format!("dubbo://10.0.0.{at}:20880/S")).unwrap().into()).collect(),
            );
            let set = |position: usize, is_available| {
                engine.invoker_states().set_available(ids.id(position).unwrap(), is_available);
            };
            let calls = |session: &mut Session| select(session, &call(None));
            assert_eq!(calls(&mut session), [0, 1, 2], "{place} {kind}");
            set(1, false);
            assert_eq!(calls(&mut session), [0, 2], "{place} {kind}");
            set(2, false);
            assert_eq!(calls(&mut session), [0], "{place} {kind}");
            assert_eq!(engine.status().memo_hits, 0, "{place} {kind}");
            set(2, true);
            assert_eq!(calls(&mut session), [0, 2], "{place} {kind}");
            set(1, true);
            assert_eq!(calls(&mut session), [0, 1, 2], "{place} {kind}");
            assert_eq!(engine.status().memo_hits, 2, "{place} {kind}: states that were there before are remembered");
            set(0, false);
            let explained = engine.explain(&consumer(), &call(None), None).unwrap();
            assert_eq!(explained.selection.positions().collect::<Vec<_>>(), [1, 2], "{place} {kind}");
            let reasons = format!("{:?}", explained.steps);
            assert!(reasons.contains("read of the call who can be reached"), "{place} {kind}: {reasons}");
        }
    }
}

#[test]
fn an_hour_that_turns_during_a_look_into_the_memo_gives_no_other_call_s_answer() {
    let texts = [
        (EngineKind::QuickJs, "[invokers[now.hour < 6 ? 0 : now.hour < 12 ? 1 : 2]]"),
        (EngineKind::Luau, "return { invokers[if now.hour < 6 then 1 elseif now.hour < 12 then 2 else 3] }"),
    ];
    for (kind, text) in texts.into_iter().filter(|(kind, _)| kind.is_built_in()) {
        let clock = Arc::new(Leaping(parking_lot::Mutex::new(vec![1])));
        let settings = ScriptSettings::inline_trusted();
        let engine = engine(&settings, kind, &[text], Arc::clone(&clock) as Arc<dyn Clock>);
        let mut session = engine.session();
        for (hour, kept) in [(1, 0), (7, 1)] {
            *clock.0.lock() = vec![hour];
            assert_eq!(select(&mut session, &call(None)), [kept], "{kind} at {hour}");
        }
        *clock.0.lock() = vec![1, 14];
        assert_eq!(select(&mut session, &call(None)), [0], "{kind}");
    }
}

#[test]
fn the_hour_is_an_input_and_finer_looks_are_never_remembered() {
    let by_hour = [
        (EngineKind::Boa, "now.hour < 12 ? [invokers.get(0)] : [invokers.get(1)]"),
        (EngineKind::QuickJs, "now.hour < 12 ? [invokers.get(0)] : [invokers.get(1)]"),
        (EngineKind::Rhai, "if now.hour < 12 { [invokers[0]] } else { [invokers[1]] }"),
        (EngineKind::Luau, "if now.hour < 12 then return { invokers[1] } else return { invokers[2] } end"),
    ];
    for (kind, text) in by_hour.into_iter().filter(|(kind, _)| kind.is_built_in()) {
        let clock = Arc::new(Minutes::default());
        let settings = ScriptSettings::inline_trusted();
        let engine = engine(&settings, kind, &[text], Arc::clone(&clock) as Arc<dyn Clock>);
        let mut session = engine.session();
        for (minute, expected, hits) in
            [(0, 0, 0), (59, 0, 1), (11 * 60 + 59, 0, 1), (12 * 60, 1, 1), (12 * 60 + 30, 1, 2)]
        {
            clock.0.store(minute, Ordering::Relaxed);
            assert_eq!(select(&mut session, &call(None)), [expected], "{kind} at minute {minute}");
            assert_eq!(engine.status().memo_hits, hits, "{kind} at minute {minute}");
        }
    }
    let impure = [
        (EngineKind::Boa, "now.ms < 0 ? [] : invokers"),
        (EngineKind::Boa, "Math.random() < 2 ? invokers : []"),
        (EngineKind::QuickJs, "now.ms < 0 ? [] : invokers"),
        (EngineKind::QuickJs, "Math.random() < 2 ? invokers : []"),
        (EngineKind::QuickJs, "print('x'); invokers"),
        (EngineKind::Rhai, "if now.ms < 0 { [] } else { invokers }"),
        (EngineKind::Rhai, "print(\"x\"); invokers"),
        (EngineKind::Luau, "if math.random() < 2 then return invokers end"),
        (EngineKind::Luau, "print('x') return invokers"),
    ];
    for (kind, text) in impure.into_iter().filter(|(kind, _)| kind.is_built_in()) {
        let settings = ScriptSettings::inline_trusted();
        let engine = engine(&settings, kind, &[text], Arc::new(Minutes::default()));
        let mut session = engine.session();
        for _ in 0..3 {
            assert_eq!(select(&mut session, &call(None)), [0, 1, 2], "{kind}: {text}");
        }
        assert_eq!(engine.status().memo_hits, 0, "{kind}: {text}");
        let explained = engine.explain(&consumer(), &call(None), None).unwrap();
        assert!(explained.unmemoisable.is_some(), "{kind}: {text}");
    }
}

#[test]
fn a_failing_run_is_never_remembered() {
    for (kind, text) in [
        (EngineKind::Boa, "invocation.method; throw 'x'"),
        (EngineKind::QuickJs, "invocation.method; throw 'x'"),
        (EngineKind::Rhai, "invocation.method; throw \"x\""),
        (EngineKind::Luau, "local m = invocation.method error('x')"),
    ] {
        if !kind.is_built_in() {
            continue;
        }
        let engine = engine(&ScriptSettings::inline_trusted(), kind, &[text], Arc::new(Minutes::default()));
        let mut session = engine.session();
        for failures in 1..=3 {
            assert_eq!(select(&mut session, &call(None)), [0, 1, 2], "{kind}");
            assert_eq!(engine.status().rules[0].failures, failures, "{kind}");
        }
        assert_eq!(engine.status().memo_hits, 0, "{kind}");
    }
}

#[test]
fn a_second_script_sees_what_the_first_has_left() {
    for (place, settings) in hosts() {
        let first = "[invokers.get(2), invokers.get(0)]";
        let second = "[invokers.get(invokers.size() - 1)]";
        for kind in engines().filter(|kind| matches!(kind, EngineKind::Boa | EngineKind::QuickJs)) {
            let texts = [format!("// @priority 2\n{first}"), format!("// @priority 1\n{second}")];
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let engine = engine(&settings, kind, &texts, Arc::new(Minutes::default()));
            assert_eq!(select(&mut engine.session(), &call(None)), [2], "{place} {kind}");
        }
    }
}

#[test]
fn inline_runs_on_every_thread_and_forgets_what_is_gone() {
    let settings = ScriptSettings::inline_trusted();
    for kind in engines() {
        let engine = engine(&settings, kind, &[by_region(kind)], Arc::new(Minutes::default()));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..3 {
                        let decision = engine.select(&consumer(), &call(Some("shanghai"))).unwrap();
                        assert_eq!(decision.selection().positions().collect::<Vec<_>>(), [1], "{kind}");
                    }
                });
            }
        });
        for round in 0..3 {
            let providers = (0..=round).map(|at| format!("dubbo://10.0.0.{at}:1/S?region=shanghai"));
            let providers: Vec<Url> = providers.map(|text| Url::parse(&text).unwrap()).collect();
            engine.replace_providers(providers).unwrap();
            let decision = engine.select(&consumer(), &call(Some("shanghai"))).unwrap();
            assert_eq!(decision.selection().count(), round + 1, "{kind}");
        }
    }
}
