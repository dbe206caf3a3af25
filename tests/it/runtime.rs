//! The engine while it runs: swaps, sessions, services asked for, status.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use pointsman::chain::OnEmpty;
use pointsman::router::Draw;
use pointsman::router::Inputs;
use pointsman::router::InvokerList;
use pointsman::router::RouteError;
use pointsman::router::Routed;
use pointsman::router::Selection;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::RuleSet;
use pointsman::runtime::SelectError;
use pointsman::runtime::Session;
use pointsman::runtime::default_registry;

use crate::support::engine::condition;
use crate::support::engine::engine;
use crate::support::engine::engine_of;
use crate::support::engine::rules;
use crate::support::engine::url;
use crate::support::stand_in::StandIn;

const P1: &str = "dubbo://10.0.1.1:20880/S?region=a";
const P2: &str = "dubbo://10.0.1.2:20880/S?region=b";
const P3: &str = "dubbo://10.0.1.3:20880/S?region=a";

fn consumer() -> Url {
    url("consumer://10.0.0.1/S?region=a")
}

fn call() -> RpcInvocation<'static> {
    RpcInvocation::new("S", "find")
}

fn hosts(engine: &Engine, consumer: &Url) -> Vec<String> {
    let decision = engine.select(consumer, &call()).unwrap();
    decision.providers().map(|(_, provider)| provider.url().host().unwrap().to_owned()).collect()
}

#[test]
fn idle_sessions_do_not_keep_an_old_list_alive() {
    let engine = engine(&["=> region=$region"], &[P1, P2, P3]);
    let stop = AtomicBool::new(false);
    let ready = std::sync::Barrier::new(65);
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut session = engine.session();
                assert_eq!(session.select(&consumer(), &call()).unwrap().selection().count(), 2);
                ready.wait();
                while !stop.load(Ordering::Relaxed) {
                    thread::park_timeout(Duration::from_millis(20));
                }
                drop(session);
            });
        }
        ready.wait();
        let old: std::sync::Weak<InvokerList> = {
            let decision = engine.select(&consumer(), &call()).unwrap();
            Arc::downgrade(decision.list())
        };
        assert!(old.upgrade().is_some());
        engine.replace_providers([url(P2)]).unwrap();
        thread::park_timeout(Duration::from_secs(1));
        let is_gone = old.upgrade().is_none();
        stop.store(true, Ordering::Relaxed);
        assert!(is_gone, "the old list is still alive a second after the swap");
    });
}

// apache/dubbo#15881, #14470: during a deployment calls were rejected
#[test]
fn every_call_sees_one_consistent_pair_of_list_and_rules_while_both_are_replaced() {
    let engine = engine(&["=> region=a"], &[P1, P2]);
    let sets = ["=> region=a", "=> region=b"].map(|rule| rules(&[condition("force=true", rule)], None));
    let lists = [vec![url(P1), url(P2)], vec![url(P2), url(P1), url(P3)]];
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (mut session, consumer) = (engine.session(), consumer());
                while !stop.load(Ordering::Relaxed) {
                    let decision = session.select(&consumer, &call()).unwrap();
                    let regions: Vec<_> =
                        decision.providers().map(|(_, provider)| provider.raw("region").unwrap().to_owned()).collect();
                    let wanted = if decision.rule_set() == sets[0].id() { "a" } else { "b" };
                    assert!(!regions.is_empty() && regions.iter().all(|region| region == wanted), "{regions:?}");
                }
            });
        }
        for round in 0..500 {
            engine.replace_rules(sets[round % 2].clone()).unwrap();
            engine.replace_providers(lists[round / 2 % 2].clone()).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(engine.status().generation, 1_001);
}

#[test]
fn a_call_follows_a_change_at_once_and_the_memo_never_answers_for_an_older_list() {
    let engine = engine(&["=> region=$region"], &[P1, P2]);
    let (mut session, consumer) = (engine.session(), consumer());
    assert_eq!(session.select(&consumer, &call()).unwrap().selection().count(), 1);
    engine.replace_providers([url(P2), url(P1), url(P3)]).unwrap();
    let decision = session.select(&consumer, &call()).unwrap();
    assert_eq!(decision.selection().positions().collect::<Vec<_>>(), [1, 2]);
    drop(decision);
    engine.replace_rules(RuleSet::default()).unwrap();
    assert_eq!(session.select(&consumer, &call()).unwrap().selection().count(), 3);
}

#[test]
fn a_change_of_one_service_leaves_the_others_as_they_are() {
    let other = "dubbo://10.0.2.1:20880/T";
    let engine = engine(&["=> region=$region"], &[P1, other]);
    let consumer_of_other = url("consumer://10.0.0.1/T");
    let before = engine.select(&consumer_of_other, &call()).unwrap();
    engine.replace_service(&ServiceKey::parse("S"), [url(P3)]).unwrap();
    let after = engine.select(&consumer_of_other, &call()).unwrap();
    assert!(Arc::ptr_eq(before.list(), after.list()));
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.3"]);
}

#[test]
fn an_invoker_keeps_its_slot_over_generations() {
    let engine = engine(&[], &[P1, P2]);
    let slot_of = |host: &str| {
        let decision = engine.select(&consumer(), &call()).unwrap();
        decision.providers().find(|(_, provider)| provider.url().host() == Some(host)).map(|(id, _)| id)
    };
    let before = slot_of("10.0.1.2");
    engine.replace_providers([url(P3)]).unwrap();
    engine.replace_providers([url(P3), url("dubbo://10.0.1.2:20880/S?region=z")]).unwrap();
    assert_eq!(slot_of("10.0.1.2"), before);
}

#[test]
fn a_consumer_may_ask_for_several_services_with_wildcards_and_lists() {
    let providers =
        ["dubbo://10.0.1.1:1/S?group=a&version=1", "dubbo://10.0.1.2:1/S?group=b&version=1", "dubbo://10.0.1.3:1/S"];
    let engine = engine(&[], &providers);
    for (consumer, expected) in [
        ("consumer://10.0.0.1/S?group=*&version=*", vec!["10.0.1.3", "10.0.1.1", "10.0.1.2"]),
        ("consumer://10.0.0.1/S?group=b,c&version=1", vec!["10.0.1.2"]),
        ("consumer://10.0.0.1/S?group=a&version=*", vec!["10.0.1.1"]),
        ("consumer://10.0.0.1/S", vec!["10.0.1.3"]),
    ] {
        assert_eq!(hosts(&engine, &url(consumer)), expected, "{consumer}");
    }
    engine.replace_service(&ServiceKey::parse("b/S:1"), [url("dubbo://10.0.1.9:1/S?group=b&version=1")]).unwrap();
    assert_eq!(hosts(&engine, &url("consumer://10.0.0.1/S?group=b,c&version=1")), ["10.0.1.9"]);
}

#[test]
fn an_unknown_service_is_an_error_that_names_those_there_are() {
    let error = engine(&[], &[P1]).select(&url("consumer://10.0.0.1/X"), &call()).unwrap_err();
    assert_eq!(error.to_string(), "no provider offers `X`; known services: S");
    let error = engine(&[], &[P1]).select(&url("consumer://10.0.0.1"), &call()).unwrap_err();
    assert!(matches!(error, SelectError::NoService));
}

#[test]
fn a_wrong_provider_text_leaves_the_old_list_in_force() {
    let engine = engine(&[], &[P1]);
    let error = engine.replace_provider_texts([P2, "dubbo://h:x/S"]).unwrap_err();
    assert_eq!(error.generation, 1);
    assert!(error.to_string().contains("provider 2"), "{error}");
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.1"]);
}

#[test]
fn missing_rules_stop_calls_unless_the_host_lets_them_pass() {
    let builder = || Engine::builder().rules(RuleSet::default().incomplete()).providers([url(P1)]);
    let engine = builder().build().unwrap();
    assert!(matches!(engine.select(&consumer(), &call()), Err(SelectError::RulesMissing)));
    let engine = builder().on_empty(OnEmpty::Pass).build().unwrap();
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.1"]);
}

#[test]
fn a_rule_that_did_not_change_is_not_compiled_again() {
    let urls = [condition("", "=> region=a"), condition("", "=> region=b")];
    let first = rules(&urls, None);
    let second = rules(&[urls[0].clone(), condition("", "=> region=c")], Some(&first));
    assert!(Arc::ptr_eq(&first.routers()[0], &second.routers()[0]));
    assert!(!Arc::ptr_eq(&first.routers()[1], &second.routers()[1]));
    assert_ne!(first.id(), second.id());
}

#[test]
fn memos_stay_within_the_engines_budget_and_answers_stay_right() {
    let set = rules(&[condition("force=true", "method=find* => region=$region")], None);
    let engine = Engine::builder().rules(set).providers([url(P1), url(P2)]).memo_bytes(4_096).build().unwrap();
    let (mut session, consumer) = (engine.session(), consumer());
    for round in 0..2_000 {
        let method = format!("find{round}");
        let call = RpcInvocation::new("S", method.as_str());
        assert_eq!(session.select(&consumer, &call).unwrap().selection().count(), 1);
        assert!(engine.status().memo_bytes <= 4_096 + 256, "{}", engine.status().memo_bytes);
    }
    drop(session);
    assert_eq!((engine.status().memo_bytes, engine.status().calls), (0, 2_000));
}

#[test]
fn status_counts_calls_hits_and_sessions() {
    let engine = engine(&["=> region=$region"], &[P1, P2]);
    let mut session = engine.session();
    for _ in 0..5 {
        session.select(&consumer(), &call()).unwrap();
    }
    let status = engine.status();
    assert_eq!((status.calls, status.memo_hits, status.sessions, status.services.len()), (5, 4, 1, 1));
    assert_eq!(status.services[0].rules.last().unwrap().to_string(), "test.rules:1");
}

#[test]
fn bare_conditions_become_rules_for_everybody() {
    let rules = RuleSet::from_conditions(["method = find => region = $region", "host = 10.9.* => false"]).unwrap();
    let engine = Engine::builder().rules(rules).providers([P1, P2, P3].map(url)).build().unwrap();
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.1", "10.0.1.3"]);
    assert!(hosts(&engine, &url("consumer://10.9.0.1/S?region=b")).is_empty());
}

#[test]
fn bare_conditions_tell_all_their_errors_with_line_and_column() {
    let error = RuleSet::from_conditions(["=x => a=b", "a=b", "a=b => c=d => e=f"]).unwrap_err();
    let places: Vec<_> = error.findings().iter().map(|finding| (finding.slug(), finding.line_and_column())).collect();
    assert_eq!(
        places.iter().filter(|(slug, _)| *slug != "condition::missing_arrow").collect::<Vec<_>>(),
        [&("condition::missing_key", Some((1, 1))), &("condition::second_arrow", Some((3, 12)))]
    );
    assert!(error.findings().iter().all(|finding| finding.file() == Some("conditions")), "{error:?}");
}

#[test]
fn a_router_that_is_new_takes_effect_even_if_its_url_is_the_old_one() {
    let keeping = |positions: &'static [usize]| {
        let kept = Selection::from_positions(2, positions.iter().copied());
        RuleSet::of(vec![StandIn::router("", Inputs::none(), move |_| Ok(Routed::Made(kept.clone().into())))])
    };
    let engine = Engine::builder().rules(keeping(&[0])).providers([url(P1), url(P2)]).build().unwrap();
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.1"]);
    engine.replace_rules(keeping(&[1])).unwrap();
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.2"]);
}

#[test]
fn an_answer_that_a_failure_shaped_is_not_remembered() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let flaky = StandIn::router("", Inputs::none(), move |_| match counter.fetch_add(1, Ordering::Relaxed) {
        0 => Err(RouteError::Failed { message: "not yet".into() }),
        _ => Ok(Routed::Made(Selection::from_positions(2, [1]).into())),
    });
    let engine = engine_of(vec![flaky], &[P1, P2]);
    let (mut session, consumer) = (engine.session(), consumer());
    let counts = [0, 1, 2].map(|_| session.select(&consumer, &call()).unwrap().selection().count());
    assert_eq!((counts, asked.load(Ordering::Relaxed)), ([2, 1, 1], 2));
}

#[test]
fn an_invoker_has_one_slot_in_whatever_list_it_stands() {
    let engine = engine(&[], &["dubbo://h:1/S?group=a", "dubbo://h:1/S?group=b"]);
    let slots = |consumer: &str| {
        let decision = engine.select(&url(consumer), &call()).unwrap();
        decision.providers().map(|(id, _)| id).collect::<Vec<_>>()
    };
    let (a, b) = (slots("consumer://c/S?group=a"), slots("consumer://c/S?group=b"));
    assert_ne!(a, b);
    for consumer in ["consumer://c/S?group=*", "consumer://c/S?group=a,b"] {
        assert_eq!(slots(consumer), [a[0], b[0]], "{consumer}");
    }
}

#[test]
fn services_asked_for_with_lists_are_bounded_and_go_with_their_providers() {
    let engine = engine(&[], &["dubbo://h:1/S?group=a"]);
    for round in 0..1_500 {
        let consumer = url(&format!("consumer://c/S?group=a,x{round}"));
        assert_eq!(engine.select(&consumer, &call()).unwrap().selection().count(), 1);
    }
    assert!(engine.status().services.len() <= 1_025, "{}", engine.status().services.len());
    engine.replace_providers([url("dubbo://h:1/T")]).unwrap();
    assert_eq!(engine.status().services.len(), 1);
    let error = engine.select(&url("consumer://c/S?group=a,x9"), &call()).unwrap_err();
    assert!(matches!(error, SelectError::UnknownService { .. }), "{error}");
}

#[test]
fn a_service_without_providers_is_an_error_that_says_so() {
    let engine = engine(&["=> region=a"], &[P1]);
    engine.replace_service(&ServiceKey::parse("S"), Vec::<Url>::new()).unwrap();
    let error = engine.select(&consumer(), &call()).unwrap_err();
    assert_eq!(error.to_string(), "`S` has no provider");
    assert!(engine.session().select(&consumer(), &call()).is_err());
    engine.remove_service(&ServiceKey::parse("S")).unwrap();
    assert!(matches!(engine.select(&consumer(), &call()), Err(SelectError::UnknownService { .. })));
}

#[test]
fn a_provider_of_another_service_is_refused_where_one_service_is_replaced() {
    let engine = engine(&[], &[P1]);
    let error = engine.replace_service(&ServiceKey::parse("S"), [url("dubbo://h:1/OTHER")]).unwrap_err();
    assert_eq!(error.findings[0].message(), "expected providers of `S`, found `OTHER` at h:1");
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.1"]);
}

#[test]
fn a_panic_while_a_change_is_built_leaves_nothing_of_it_behind() {
    let engine = engine(&[], &[P1]);
    let explosive = RuleSet::of(vec![StandIn::that_panics_when_prepared()]);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine.replace_rules(explosive)));
    assert!(result.is_err());
    engine.replace_providers([url(P1), url(P2)]).unwrap();
    assert_eq!(hosts(&engine, &consumer()), ["10.0.1.1", "10.0.1.2"]);
}

#[test]
fn a_call_too_large_to_remember_leaves_the_memo_alone() {
    let set = rules(&[condition("", "method=find* => region = $region")], None);
    let engine = Engine::builder().rules(set).providers([url(P1), url(P2)]).memo_bytes(4_096).build().unwrap();
    let (mut session, consumer) = (engine.session(), consumer());
    session.select(&consumer, &call()).unwrap();
    let method = "find".repeat(4_096);
    session.select(&consumer, &RpcInvocation::new("S", method.as_str())).unwrap();
    session.select(&consumer, &call()).unwrap();
    assert_eq!(engine.status().memo_hits, 1);
}

#[test]
fn more_consumers_than_are_remembered_are_still_answered_rightly() {
    let engine = engine(&["=> region = $region"], &[P1, P2, P3]);
    let consumers: Vec<Url> =
        (0..2_500).map(|at| url(&format!("consumer://c/S?region={}&pid={at}", ["a", "b"][at % 2]))).collect();
    let mut session = engine.session();
    for (at, consumer) in consumers.iter().enumerate().chain(consumers.iter().enumerate()) {
        let kept = session.select(consumer, &call()).unwrap().selection().count();
        assert_eq!(kept, [2, 1][at % 2], "{consumer}");
    }
}

#[test]
fn sessions_of_one_engine_do_not_draw_the_same() {
    let draw: &'static Draw =
        Box::leak(Box::new(Draw::new((0..2).map(|at| (Selection::from_positions(2, [at]), 1)).collect())));
    let inputs = Inputs { random: true, ..Inputs::none() };
    let engine = engine_of(vec![StandIn::router("", inputs, move |_| Ok(Routed::Draw(draw)))], &[P1, P2]);
    let draws = |mut session: Session| -> String {
        let mut one = || session.select(&consumer(), &call()).unwrap().selection().contains(0);
        (0..64).map(|_| if one() { '0' } else { '1' }).collect()
    };
    let (first, second) = (draws(engine.session()), draws(engine.session()));
    assert!(!first.contains(&second[..48]) && !second.contains(&first[..48]), "{first} {second}");
}

#[test]
fn a_rule_that_is_taken_over_still_tells_its_warnings() {
    let definitions = [crate::support::engine::definition(1, &condition("", "region=a"))];
    let registry = default_registry().unwrap();
    let (first, told) = RuleSet::compile(&definitions, &registry, None);
    let (_, again) = RuleSet::compile(&definitions, &registry, Some(&first));
    assert_eq!((told.len(), again.len()), (1, 1));
}
