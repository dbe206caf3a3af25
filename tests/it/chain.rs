//! What the chain makes of its routers' answers: force, failures, draws, answers that come later, order.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::task::Context;
use std::task::Poll;
use std::task::Waker;

use pointsman::chain::PriorityOrder;
use pointsman::router::Draw;
use pointsman::router::Effect;
use pointsman::router::Input;
use pointsman::router::Inputs;
use pointsman::router::RouteError;
use pointsman::router::Routed;
use pointsman::router::Router;
use pointsman::router::Selection;
use pointsman::router::Settled;
use pointsman::router::Ticket;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::runtime::Engine;
use pointsman::runtime::SelectError;

use crate::support::engine::condition;
use crate::support::engine::engine_of;
use crate::support::engine::rules;
use crate::support::engine::url;
use crate::support::stand_in::StandIn;

const PROVIDERS: [&str; 3] = ["dubbo://10.0.1.1:20880/S", "dubbo://10.0.1.2:20880/S", "dubbo://10.0.1.3:20881/S"];

fn consumer() -> Url {
    url("consumer://10.0.0.1/S")
}

fn call() -> RpcInvocation<'static> {
    RpcInvocation::new("S", "find")
}

fn positions(selection: &Selection) -> Vec<usize> {
    selection.positions().collect()
}

fn failing(on_error: &str) -> Arc<dyn Router> {
    StandIn::router(&format!("on-error={on_error}&force=true"), Inputs::none(), |_| {
        Err(RouteError::Failed { message: "out of coal".into() })
    })
}

/// Answers {1} one poll after it was asked.
fn later(asked: &Arc<AtomicUsize>) -> Arc<dyn Router> {
    let asked = Arc::clone(asked);
    StandIn::router("", Inputs::declared([Input::Method]), move |_| {
        asked.fetch_add(1, Ordering::Relaxed);
        let mut is_ready = false;
        Ok(Routed::Later(Ticket::new(std::future::poll_fn(move |cx| {
            if !std::mem::replace(&mut is_ready, true) {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            let selection = Some(Selection::from_positions(3, [1]));
            Poll::Ready(Ok(Settled { selection, reasons: vec!["took its time".to_owned()], ..Settled::default() }))
        }))))
    })
}

fn drawing(weights: [u32; 3]) -> Arc<dyn Router> {
    let alternatives = weights.into_iter().enumerate();
    let alternatives = alternatives.map(|(at, weight)| (Selection::from_positions(3, [at]), weight)).collect();
    let draw: &'static Draw = Box::leak(Box::new(Draw::new(alternatives)));
    StandIn::router("", Inputs { random: true, ..Inputs::none() }, move |_| Ok(Routed::Draw(draw)))
}

#[test]
fn on_error_decides_what_a_failing_router_means_whatever_force_says() {
    let engine = engine_of(vec![failing("pass")], &PROVIDERS);
    assert_eq!(engine.select(&consumer(), &call()).unwrap().selection().count(), 3);
    let engine = engine_of(vec![failing("empty")], &PROVIDERS);
    assert!(engine.select(&consumer(), &call()).unwrap().is_empty());
    let engine = engine_of(vec![failing("fail")], &PROVIDERS);
    assert!(matches!(engine.select(&consumer(), &call()), Err(SelectError::Route(RouteError::Failed { .. }))));
    assert_eq!(engine.status().rules[0].failures, 1);
}

#[test]
fn an_answer_that_comes_later_is_waited_for_and_remembered() {
    let asked = Arc::new(AtomicUsize::new(0));
    let engine = engine_of(vec![later(&asked)], &PROVIDERS);
    let mut session = engine.session();
    for _ in 0..3 {
        assert_eq!(positions(session.select(&consumer(), &call()).unwrap().selection()), [1]);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let explanation = engine.explain(&consumer(), &call(), None).unwrap();
    assert_eq!((positions(&explanation.selection), explanation.steps[2].effect), (vec![1], Effect::Narrowed));
    assert!(format!("{:?}", explanation.steps[2].reasons).contains("took its time"));
}

#[test]
fn an_answer_that_comes_later_blocks_no_executor() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let engine = engine_of(vec![later(&Arc::default())], &PROVIDERS);
    let (consumer, call) = (consumer(), call());
    let mut future = pin!(is_send(engine.select_async(&consumer, &call)));
    let mut context = Context::from_waker(Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    let Poll::Ready(decision) = future.poll(&mut context) else { panic!("still pending") };
    assert_eq!(positions(decision.unwrap().selection()), [1]);
}

#[test]
fn a_session_that_waits_without_blocking_remembers_what_came() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let engine = engine_of(vec![later(&asked)], &PROVIDERS);
    let (mut session, consumer, call) = (engine.session(), consumer(), call());
    let mut context = Context::from_waker(Waker::noop());
    // One that is dropped before it is over leaves nothing behind.
    assert!(pin!(is_send(session.select_async(&consumer, &call))).poll(&mut context).is_pending());
    {
        let mut future = pin!(session.select_async(&consumer, &call));
        assert!(future.as_mut().poll(&mut context).is_pending());
        let Poll::Ready(decision) = future.poll(&mut context) else { panic!("still pending") };
        assert_eq!(positions(decision.unwrap().selection()), [1]);
    }
    for _ in 0..3 {
        let Poll::Ready(decision) = pin!(session.select_async(&consumer, &call)).poll(&mut context) else {
            panic!("what is remembered needs no time")
        };
        assert_eq!(positions(decision.unwrap().selection()), [1]);
    }
    assert_eq!(positions(session.select(&consumer, &call).unwrap().selection()), [1]);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn an_undeclared_input_is_an_error_of_the_router() {
    let nosy = StandIn::router("on-error=fail", Inputs::declared([Input::Method]), |request| {
        request.read(&Input::Attachment("dubbo.tag".into())).map(|_| Routed::Pass)
    });
    let error = engine_of(vec![nosy], &PROVIDERS).select(&consumer(), &call()).unwrap_err();
    assert!(matches!(error, SelectError::Route(RouteError::UndeclaredInput { .. })), "{error}");
}

#[test]
fn an_answer_over_another_list_is_an_error_of_the_router() {
    let lost = StandIn::router("on-error=fail", Inputs::none(), |_| Ok(Routed::Made(Selection::all(4).into())));
    let error = engine_of(vec![lost], &PROVIDERS).select(&consumer(), &call()).unwrap_err();
    assert_eq!(error.to_string(), "answered about 4 providers instead of 3");
}

#[test]
fn draws_have_exact_shares_with_and_without_the_memo() {
    for memo_bytes in [0, 1 << 20] {
        let rules = pointsman::runtime::RuleSet::of(vec![drawing([1, 0, 3])]);
        let engine = Engine::builder().rules(rules).providers(PROVIDERS.map(url)).memo_bytes(memo_bytes);
        let engine = engine.build().unwrap();
        let (mut session, consumer) = (engine.session(), consumer());
        let mut counts = [0; 3];
        for _ in 0..8_000 {
            let decision = session.select(&consumer, &call()).unwrap();
            counts[decision.selection().positions().next().unwrap()] += 1;
        }
        assert!((1_850..2_150).contains(&counts[0]) && counts[1] == 0, "{counts:?} with {memo_bytes} bytes");
    }
}

#[test]
fn the_seed_of_a_decision_gives_the_same_answer_again() {
    let engine = engine_of(vec![drawing([1, 1, 1]), drawing([2, 1, 0])], &PROVIDERS);
    let (mut session, consumer) = (engine.session(), consumer());
    for _ in 0..50 {
        let decision = session.select(&consumer, &call()).unwrap();
        let (seed, first) = (decision.seed().unwrap(), positions(decision.selection()));
        assert_eq!(positions(session.replay(&consumer, &call(), seed).unwrap().selection()), first);
        assert_eq!(positions(&engine.explain(&consumer, &call(), Some(seed)).unwrap().selection), first);
    }
}

#[test]
fn a_draw_is_among_the_destinations_that_still_have_somebody() {
    let only_last =
        StandIn::router("priority=1", Inputs::none(), |_| Ok(Routed::Made(Selection::from_positions(3, [2]).into())));
    let engine = engine_of(vec![drawing([1_000, 1_000, 1]), only_last], &PROVIDERS);
    assert_eq!(positions(engine.select(&consumer(), &call()).unwrap().selection()), [2]);
}

// apache/dubbo#2720
#[test]
fn the_greater_priority_runs_first_unless_the_host_says_otherwise() {
    let urls = [condition("priority=0", "=> port = 20880"), condition("priority=4", "=> port = 20881")];
    for (order, expected) in [(PriorityOrder::Descending, vec![2]), (PriorityOrder::Ascending, vec![0, 1])] {
        let engine = Engine::builder().rules(rules(&urls, None)).providers(PROVIDERS.map(url)).priority_order(order);
        assert_eq!(positions(engine.build().unwrap().select(&consumer(), &call()).unwrap().selection()), expected);
    }
}

#[test]
fn an_empty_result_ends_the_chain() {
    let urls = [condition("force=true&priority=1", "=> host = 10.9.9.9"), condition("", "=> port = 20880")];
    let engine = Engine::builder().rules(rules(&urls, None)).providers(PROVIDERS.map(url)).build().unwrap();
    let explanation = engine.explain(&consumer(), &call(), None).unwrap();
    assert_eq!(explanation.steps.last().map(|step| step.effect), Some(Effect::Emptied));
    assert_eq!((explanation.not_asked, explanation.selection.count()), (1, 0));
}

#[test]
fn the_router_parameter_takes_default_routers_away_and_adds_others() {
    let mock = "mock://10.0.1.9:20880/S";
    let engine = engine_of(Vec::new(), &[PROVIDERS[0], mock]);
    let select =
        |consumer: &str| engine.select(&url(consumer), &call()).map(|decision| positions(decision.selection()));
    assert_eq!(select("consumer://10.0.0.1/S").unwrap(), [0]);
    assert_eq!(select("consumer://10.0.0.1/S?router=-mock").unwrap(), [0, 1]);
    assert_eq!(select("consumer://10.0.0.1/S?router=-default").unwrap(), [0, 1]);
    let added = format!(
        "consumer://10.0.0.1/S?router=condition,-mock&condition.rule={}",
        crate::support::engine::encode("=> protocol = mock")
    );
    assert_eq!(select(&added).unwrap(), [1]);
    let error = select("consumer://10.0.0.1/S?router=areaCode").unwrap_err();
    assert!(error.to_string().contains("areaCode"), "{error}");
}

#[test]
fn a_name_that_the_router_parameter_does_not_know_is_an_error_that_lists_those_it_knows() {
    let engine = engine_of(Vec::new(), &PROVIDERS);
    for (names, expected) in [
        ("-tagg,-foo", Some("found `-tagg`; did you mean `-tag`? known are affinity, app, ")),
        ("-mock,-foo", Some("found `-foo`; known are affinity, app, condition, default, destinations, file, mock, ")),
        ("areaCode", Some("found `areaCode`; known are affinity, ")),
        ("condtion", Some("found `condtion`; did you mean `condition`? known are ")),
        ("-mock,-tag,-service,-provider-app,-app,-script,-affinity,-default,-condition,default,tag", None),
    ] {
        let answer = engine.select(&url(&format!("consumer://10.0.0.1/S?router={names}")), &call());
        match expected {
            Some(expected) => {
                let error = answer.unwrap_err().to_string();
                assert!(error.contains(expected), "{names}: {error}");
            }
            None => assert!(answer.is_ok(), "{names}"),
        }
    }
}

#[test]
fn a_rule_of_another_consumer_or_service_changes_nothing() {
    for scope in [
        "condition://10.0.0.2/S?",
        "condition://0.0.0.0/T?",
        "condition://0.0.0.0/S?application=a&",
        "condition://0.0.0.0/S?enabled=false&",
    ] {
        let rule = format!("{scope}force=true&rule={}", crate::support::engine::encode("=> host = 1.1.1.1"));
        let engine = Engine::builder().rules(rules(&[rule], None)).providers(PROVIDERS.map(url)).build().unwrap();
        assert_eq!(engine.select(&consumer(), &call()).unwrap().selection().count(), 3, "{scope}");
    }
}

fn select(urls: &[String]) -> Vec<usize> {
    let engine = Engine::builder().rules(rules(urls, None)).providers(PROVIDERS.map(url)).build().unwrap();
    positions(engine.select(&consumer(), &call()).unwrap().selection())
}

// apache/dubbo#1059
#[test]
fn any_number_of_rules_apply_one_after_the_other() {
    let both = [condition("", "=> host = 10.0.1.1,10.0.1.2"), condition("", "=> port = 20880")];
    assert_eq!(select(&both), [0, 1]);
    assert_eq!(select(&[both[0].clone(), condition("", "=> host = 10.0.1.2,10.0.1.3")]), [1]);
}

// apache/dubbo#16130
#[test]
fn what_one_rule_removes_no_later_rule_brings_back() {
    assert_eq!(select(&[condition("priority=1", "=> host = 10.0.1.1"), condition("", "=> host = 10.0.1.*")]), [0]);
}

// apache/dubbo#4753
#[test]
fn runtime_is_kept_and_shown_and_changes_no_answer() {
    for runtime in ["true", "false"] {
        let urls = [condition(&format!("runtime={runtime}"), "method = find => port = 20881")];
        assert_eq!(rules(&urls, None).routers()[0].header().is_runtime, runtime == "true");
        assert_eq!(select(&urls), [2]);
    }
}

// apache/dubbo-go#2338, #3221
#[test]
fn an_absent_flag_is_its_default_and_each_flag_sets_its_own_field() {
    for (parameters, expected) in [
        ("", (true, false, false)),
        ("runtime=true", (true, false, true)),
        ("enabled=false", (false, false, false)),
        ("enable=false", (false, false, false)),
        ("force=true", (true, true, false)),
        ("force=&runtime=", (true, false, false)),
    ] {
        let set = rules(&[condition(parameters, "=> port = 1")], None);
        let header = set.routers()[0].header();
        assert_eq!((header.is_enabled, header.is_force, header.is_runtime), expected, "{parameters}");
    }
}
