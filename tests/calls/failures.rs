//! What calls meet when providers fail, one by one.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use pointsman::Reference;
use pointsman::RpcError;
use pointsman::RpcInvocation;
use pointsman::RuleSet;
use pointsman::cluster::AttemptRecord;
use pointsman::cluster::CallObserver;
use pointsman::loadbalance::BalanceCall;
use pointsman::loadbalance::Candidates;
use pointsman::loadbalance::LoadBalance;
use pointsman::loadbalance::LoadBalanceRegistry;
use pointsman::rpc::RpcErrorKind;
use pointsman::rpc::RpcErrorKind::Network;
use pointsman::runtime::CallOptions;
use tokio::time::Instant;
use tokio::time::advance;
use tokio::time::sleep;

use crate::stage::Does;
use crate::stage::SERVICE;
use crate::stage::Stage;
use crate::stage::call;
use crate::stage::told;

fn who(stage: &Stage) -> Vec<usize> {
    stage.actors().iter().map(|actor| actor.asked()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_failure_names_service_method_providers_consumer_and_the_last_cause() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Fail(Network));
    stage.actor("b", "", |_| Does::Fail(Network));
    stage.actor("c", "region=x", |_| Does::Fail(Network));
    let rules = RuleSet::from_conditions(["=> region != x"]).unwrap();
    let engine = stage.engine().rules(rules).build().unwrap();
    let reference = stage.reference_to(engine, &[("application", "web"), ("retries", "4")]).build().unwrap();
    let error = reference.call(&call()).await.unwrap_err();
    let text = error.message();
    assert!(text.starts_with("`com.shop.OrderService.create` failed under failover: "), "{text}");
    assert!(text.contains("(5 attempts at 2 of 2 that rules leave of 3: "), "{text}");
    assert!(text.contains("a:1") && text.contains("b:1") && !text.contains("c:1"), "{text}");
    assert!(text.ends_with("; consumer web at 127.0.0.1)"), "{text}");
    assert_eq!(error.kind(), Network);
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<RpcError>()).unwrap();
    assert!(cause.message().ends_with("does not answer"), "{cause}");
}

#[tokio::test(start_paused = true)]
async fn retries_go_to_those_not_tried_and_then_round_again() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Fail(RpcErrorKind::Unknown));
    stage.actor("b", "", |_| Does::Fail(RpcErrorKind::Unknown));
    let reference = stage.reference(&[("retries", "4")]);
    for _ in 0..20 {
        let before = who(&stage);
        reference.call(&call()).await.unwrap_err();
        let after = who(&stage);
        let mut asked = [after[0] - before[0], after[1] - before[1]];
        asked.sort_unstable();
        assert_eq!(asked, [2, 3], "five attempts take turns");
    }
}

#[tokio::test(start_paused = true)]
async fn what_business_code_threw_is_never_asked_again() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Throw);
    stage.actor("b", "", |_| Does::Throw);
    let reference = stage.reference(&[]);
    assert_eq!(told(&reference.call(&call()).await), "threw com.shop.SoldOut");
    assert_eq!(who(&stage).iter().sum::<usize>(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_answers_costs_its_timeout_and_no_more() {
    let stage = Stage::default();
    stage.actor("a", "weight=1000000&timeout=300", |_| Does::Hang);
    stage.actor("b", "weight=1", |_| Does::Answer);
    let reference = stage.reference(&[]);
    let start = Instant::now();
    assert_eq!(told(&reference.call(&call()).await), "b");
    assert_eq!(start.elapsed(), Duration::from_millis(300));
    assert_eq!(stage.running(), 0, "the attempt was given up");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_all_attempts() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Hang);
    stage.actor("b", "", |_| Does::Hang);
    let reference = stage.reference(&[("retries", "9"), ("timeout", "400")]);
    let deadline = Some(Instant::now() + Duration::from_millis(1_000));
    let start = Instant::now();
    let error = reference.call_with(&call(), CallOptions { deadline, ..CallOptions::default() }).await.unwrap_err();
    assert_eq!((start.elapsed(), who(&stage).iter().sum()), (Duration::from_millis(1_000), 3_usize), "{error}");
}

#[tokio::test(start_paused = true)]
async fn one_that_cannot_be_reached_is_set_aside_and_comes_back() {
    let stage = Stage::default();
    let away = stage.actor("a", "weight=1000000", |n| if n == 0 { Does::Fail(Network) } else { Does::Answer });
    stage.actor("b", "weight=1", |_| Does::Answer);
    let reference = stage.reference(&[]);
    away.is_available.store(false, SeqCst);
    for _ in 0..50 {
        assert_eq!(told(&reference.call(&call()).await), "b");
    }
    assert_eq!(away.asked(), 1, "nobody asks it while it is away");
    sleep(Duration::from_secs(10)).await;
    assert_eq!((away.asked(), told(&reference.call(&call()).await)), (1, "b".to_owned()), "it was looked at in vain");
    away.is_available.store(true, SeqCst);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(told(&reference.call(&call()).await), "a");
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_again_whenever_it_is_back_is_tried_less_and_less_often() {
    let stage = Stage::default();
    let flapping = stage.actor("a", "weight=1000000", |_| Does::Fail(Network));
    stage.actor("b", "weight=1", |_| Does::Answer);
    let reference = stage.reference(&[]);
    let mut asked = Vec::new();
    for _ in 0..600 {
        assert_eq!(told(&reference.call(&call()).await), "b");
        asked.push(flapping.asked());
        sleep(Duration::from_secs(1)).await;
    }
    let (first, last) = (asked[99], asked[599] - asked[499]);
    assert!((5..=9).contains(&first) && (1..=2).contains(&last), "{first} in the first 100 s, {last} in the last");
}

#[tokio::test(start_paused = true)]
async fn when_all_are_set_aside_they_are_asked_all_the_same() {
    let stage = Stage::default();
    for name in ["a", "b"] {
        stage.actor(name, "", |_| Does::Fail(Network)).is_available.store(false, SeqCst);
    }
    let reference = stage.reference(&[("retries", "1")]);
    for n in 1..=5 {
        reference.call(&call()).await.unwrap_err();
        assert_eq!(who(&stage), [n, n]);
    }
}

#[tokio::test(start_paused = true)]
async fn one_alive_among_ten_thousand_is_found() {
    let stage = Stage::default();
    let hosts: Vec<String> = (0..10_000).map(|n| format!("h{n}")).collect();
    for name in &hosts {
        let is_alive = name == "h7777";
        let actor = stage.actor(name, "", move |_| if is_alive { Does::Answer } else { Does::Fail(Network) });
        actor.is_available.store(is_alive, SeqCst);
    }
    let reference = stage.reference(&[("retries", "99")]);
    let mut calls = 0;
    while who(&stage).iter().filter(|asked| **asked > 0).count() < 10_000 {
        calls += 1;
        assert!(calls <= 110, "each call sets a hundred aside, or finds the one");
        let _ = reference.call(&call()).await;
    }
    let asked: usize = who(&stage).iter().sum();
    for _ in 0..100 {
        assert_eq!(told(&reference.call(&call()).await), "h7777");
    }
    assert_eq!(who(&stage).iter().sum::<usize>() - asked, 100, "the others are set aside");
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_goes_in_the_middle_of_a_retry_is_not_asked_again() {
    let stage = Stage::default();
    let first = stage.actor("a", "weight=1000000", |_| Does::FailAfter(100));
    stage.actor("b", "weight=1", |_| Does::Answer);
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[]).build().unwrap();
    let calling = tokio::spawn({
        let reference = reference.clone();
        async move { reference.call(&call()).await }
    });
    sleep(Duration::from_millis(50)).await;
    assert_eq!(first.asked(), 1);
    engine.replace_providers(stage.urls().into_iter().skip(1)).unwrap();
    assert_eq!(told(&calling.await.unwrap()), "b");
    assert_eq!(first.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_becomes_empty_and_comes_back_is_followed() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Answer);
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[]).build().unwrap();
    assert_eq!(told(&reference.call(&call()).await), "a");
    let service = pointsman::ServiceKey::parse(SERVICE);
    engine.replace_service(&service, Vec::<pointsman::Url>::new()).unwrap();
    let error = reference.call(&call()).await.unwrap_err();
    assert_eq!(error.kind(), RpcErrorKind::Forbidden);
    assert_eq!(error.message(), "`com.shop.OrderService` is forbidden: it has no provider now");
    engine.replace_providers(stage.urls()).unwrap();
    assert_eq!(told(&reference.call(&call()).await), "a");
}

#[tokio::test(start_paused = true)]
async fn rules_that_leave_nobody_are_named_with_counts() {
    let stage = Stage::default();
    stage.actor("a", "region=x", |_| Does::Answer);
    stage.actor("b", "region=x", |_| Does::Answer);
    let rules = RuleSet::from_conditions(["method=create =>"]).unwrap();
    let reference = stage.reference_to(stage.engine().rules(rules).build().unwrap(), &[]).build().unwrap();
    let error = reference.call(&call()).await.unwrap_err();
    assert_eq!(error.kind(), RpcErrorKind::NoInvokerAvailableAfterFilter);
    let text = error.message();
    assert!(text.starts_with("rules leave none of 2 providers to `com.shop.OrderService.create` of "), "{text}");
    assert!(text.contains("\n  condition ") && text.ends_with(": 2 -> 0"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_retry_budget_bounds_retries_and_its_absence_does_not() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Fail(RpcErrorKind::Unknown));
    stage.actor("b", "", |_| Does::Fail(RpcErrorKind::Unknown));
    let total = |stage: &Stage| who(stage).iter().sum::<usize>();
    let reference = stage.reference(&[("retry.budget", "0.1")]);
    for _ in 0..1_000 {
        reference.call(&call()).await.unwrap_err();
    }
    let retries = total(&stage) - 1_000;
    assert!((100..=111).contains(&retries), "{retries}");
    let unbounded = stage.reference(&[]);
    for _ in 0..100 {
        unbounded.call(&call()).await.unwrap_err();
    }
    assert_eq!(total(&stage), 1_000 + retries + 300);
}

#[tokio::test(start_paused = true)]
async fn forks_larger_than_the_list_ask_everybody_and_losers_are_given_up() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::AnswerAfter(500));
    stage.actor("b", "", |_| Does::AnswerAfter(20));
    stage.actor("c", "", |_| Does::Hang);
    let reference = stage.reference(&[("cluster", "forking"), ("forks", "9")]);
    let start = Instant::now();
    assert_eq!(told(&reference.call(&call()).await), "b");
    assert_eq!((start.elapsed(), who(&stage), stage.running()), (Duration::from_millis(20), vec![1, 1, 1], 0));
}

#[tokio::test(start_paused = true)]
async fn forks_that_all_hang_are_a_timeout() {
    let stage = Stage::default();
    for name in ["a", "b", "c"] {
        stage.actor(name, "", |_| Does::Hang);
    }
    let reference = stage.reference(&[("cluster", "forking"), ("forks", "2")]);
    assert_eq!(told(&reference.call(&call()).await), "error: timeout");
    assert_eq!(who(&stage).iter().sum::<usize>(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_broadcast_reaches_everybody_with_the_call_as_it_was() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Fail(Network));
    stage.actor("b", "", |_| Does::Answer);
    stage.actor("c", "", |_| Does::Answer);
    let reference = stage.reference(&[("cluster", "broadcast")]);
    let with = call().with_attachment("seen", "original");
    assert_eq!(told(&reference.call(&with).await), "error: network");
    assert_eq!(who(&stage), [1, 1, 1]);
    assert!(stage.actors().iter().all(|actor| actor.seen() == ["original"]));
    let early = stage.reference(&[("cluster", "broadcast"), ("broadcast.fail.percent", "20")]);
    early.call(&with).await.unwrap_err();
    assert_eq!(who(&stage), [2, 1, 1], "one in five is enough to stop");
}

#[tokio::test(start_paused = true)]
async fn a_panicking_provider_is_a_failure_of_the_attempt() {
    let (stage, before) = (Stage::default(), pointsman::rpc::contained_panics());
    stage.actor("a", "weight=1000000", |_| Does::Panic);
    stage.actor("b", "weight=1", |_| Does::Answer);
    assert_eq!(told(&stage.reference(&[]).call(&call()).await), "b");
    let failfast = stage.reference(&[("cluster", "failfast")]);
    let error = failfast.call(&call()).await.unwrap_err();
    assert!(error.message().contains("a:1 panicked: a fell over"), "{error}");
    // Others of this process may have panicked meanwhile.
    let counted = stage.engine().build().unwrap().status().contained_panics - before;
    assert!(counted >= 2, "{counted}");
}

/// Picks by panicking.
#[derive(Debug)]
struct Rash;

impl LoadBalance for Rash {
    fn name(&self) -> &str {
        "rash"
    }

    fn pick(&self, _: &Candidates<'_>, _: &BalanceCall<'_>) -> Option<usize> {
        panic!("no idea")
    }
}

impl CallObserver for Rash {
    fn attempted(&self, _: &AttemptRecord<'_>) {
        panic!("not again")
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_else_panics_is_an_error_of_the_call() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Answer);
    stage.actor("b", "", |_| Does::Answer);
    let mut balances = LoadBalanceRegistry::with_defaults();
    balances.register(Arc::new(Rash)).unwrap();
    let engine = stage.engine().build().unwrap();
    let rash = stage.reference_to(engine, &[("find.loadbalance", "rash")]).load_balances(balances).build().unwrap();
    let error = rash.call(&RpcInvocation::new(SERVICE, "find")).await.unwrap_err();
    assert_eq!(error.message(), "failover panicked: no idea");
    let observed = CallOptions { observer: Some(&Rash), ..CallOptions::default() };
    let error = rash.call_with(&call(), observed).await.unwrap_err();
    assert_eq!(error.message(), "failover panicked: not again");
    assert!(rash.call(&call()).await.is_ok(), "the reference lives");
}

#[tokio::test(start_paused = true)]
async fn a_destroyed_reference_says_so() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Answer);
    let reference: Reference = stage.reference(&[]);
    reference.destroy();
    let error = reference.call(&call()).await.unwrap_err();
    assert!(error.message().contains("destroyed"), "{error}");
    assert_eq!(who(&stage), [0]);
}

#[test]
fn without_a_runtime_a_call_that_must_wait_is_an_error_and_one_that_need_not_is_answered() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::AnswerAfter(1));
    let error = pollster::block_on(stage.reference(&[("cluster", "failfast")]).call(&call())).unwrap_err();
    assert!(error.message().contains("needs a tokio runtime with its timer enabled"), "{error}");
    let no_timer = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let error = no_timer.block_on(stage.reference(&[("cluster", "failfast")]).call(&call())).unwrap_err();
    assert!(error.message().contains("needs a tokio runtime with its timer enabled"), "{error}");
    let at_once = Stage::default();
    at_once.actor("a", "", |_| Does::Answer);
    assert_eq!(told(&pollster::block_on(at_once.reference(&[]).call(&call()))), "a");
}

#[tokio::test]
async fn a_blocking_call_where_nobody_may_block_is_an_error() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Answer);
    let blocking = stage.reference(&[]).blocking().unwrap();
    let error = blocking.call(&call()).unwrap_err();
    assert!(error.message().contains("a blocking call panicked: Cannot start a runtime"), "{error}");
}

#[test]
fn threads_without_a_runtime_call_too() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::AnswerAfter(1));
    stage.actor("b", "", |_| Does::AnswerAfter(1));
    let blocking = Arc::new(stage.reference(&[]).blocking().unwrap());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let blocking = Arc::clone(&blocking);
            std::thread::spawn(move || (0..20).filter(|_| blocking.call(&call()).is_ok()).count())
        })
        .collect();
    assert_eq!(threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>(), 80);
}

#[tokio::test(start_paused = true)]
async fn a_warm_list_that_is_replaced_by_itself_keeps_what_is_known() {
    let stage = Stage::default();
    let away = stage.actor("a", "weight=1000000", |_| Does::Fail(Network));
    away.is_available.store(false, SeqCst);
    stage.actor("b", "weight=1", |_| Does::Answer);
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[]).build().unwrap();
    reference.call(&call()).await.unwrap();
    engine.replace_providers(stage.urls()).unwrap();
    advance(Duration::from_millis(1)).await;
    reference.call(&call()).await.unwrap();
    assert_eq!(away.asked(), 1, "it is still set aside");
}
