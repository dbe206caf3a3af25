//! What consumers and providers may set of calls.

use pointsman::rpc::RpcErrorKind;

use crate::stage::Does;
use crate::stage::Stage;
use crate::stage::call;
use crate::stage::told;

fn asked(stage: &Stage) -> usize {
    stage.actors().iter().map(|actor| actor.asked()).sum()
}

fn failing() -> Stage {
    let stage = Stage::default();
    stage.actor("a", "retries=7", |_| Does::Fail(RpcErrorKind::Unknown));
    stage
}

#[tokio::test(start_paused = true)]
async fn retries_are_the_calls_own_then_the_methods_then_the_consumers_then_the_providers() {
    for (parameters, attachment, attempts) in [
        (&[][..], None, 8),
        (&[("retries", "")], None, 8),
        (&[("retries", "0")], None, 1),
        (&[("retries", "-3")], None, 1),
        (&[("retries", "1"), ("create.retries", "3")], None, 4),
        (&[("retries", "1")], Some("5"), 6),
    ] {
        let stage = failing();
        let mut call = call();
        if let Some(retries) = attachment {
            call = call.with_attachment("retries", retries);
        }
        stage.reference(parameters).call(&call).await.unwrap_err();
        assert_eq!(asked(&stage), attempts, "{parameters:?} {attachment:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_the_calls_own_then_the_methods_then_the_consumers_then_the_providers() {
    for (parameters, provider, attachment, millis) in [
        (&[][..], "", None, 1_000),
        (&[], "timeout=300", None, 300),
        (&[("timeout", "200")], "timeout=300", None, 200),
        (&[("timeout", "200")], "create.timeout=300", None, 300),
        (&[("timeout", "x"), ("create.timeout", "0")], "", None, 1_000),
        (&[("timeout", "200")], "", Some("50"), 50),
        (&[("timeout", "200")], "", Some("-1"), 200),
    ] {
        let stage = Stage::default();
        stage.actor("a", provider, |_| Does::Hang);
        let reference = stage.reference(&[parameters, &[("cluster", "failfast")]].concat());
        for _ in 0..2 {
            let mut call = call();
            if let Some(timeout) = attachment {
                call = call.with_attachment("timeout", timeout);
            }
            let start = tokio::time::Instant::now();
            reference.call(&call).await.unwrap_err();
            assert_eq!(start.elapsed().as_millis(), millis, "{parameters:?} {provider} {attachment:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_references_with_different_policies_do_not_meet() {
    let stage = failing();
    let engine = stage.engine().build().unwrap();
    let failover = stage.reference_to(engine.clone(), &[]).build().unwrap();
    let failfast = stage.reference_to(engine, &[("cluster", "failfast")]).build().unwrap();
    failover.call(&call()).await.unwrap_err();
    failfast.call(&call()).await.unwrap_err();
    assert_eq!(asked(&stage), 9);
}

#[tokio::test(start_paused = true)]
async fn sticky_calls_stay_until_their_provider_fails_or_is_routed_out() {
    let stage = Stage::default();
    for name in ["a", "b", "c", "d"] {
        stage.actor(name, &format!("host.name={name}"), |n| {
            if n < 40 { Does::Answer } else { Does::Fail(RpcErrorKind::Network) }
        });
    }
    let engine = stage.engine().build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[("sticky", "true")]).build().unwrap();
    let first = told(&reference.call(&call()).await);
    for _ in 1..40 {
        assert_eq!(told(&reference.call(&call()).await), first);
    }
    let second = told(&reference.call(&call()).await);
    assert_ne!(second, first, "it failed, and another one took the call");
    let rule = format!("=> host.name != {second}");
    engine.replace_rules(pointsman::RuleSet::from_conditions([rule.as_str()]).unwrap()).unwrap();
    assert_ne!(told(&reference.call(&call()).await), second, "rules come first");
}

#[tokio::test(start_paused = true)]
async fn mocks_answer_instead_of_providers_or_of_failures() {
    let stage = failing();
    for (mock, answer, attempts) in [
        ("force:return 12", "12", 0),
        ("fail:return null", "null", 8),
        ("return {\"a\":1}", "{a=1}", 8),
        ("force:throw com.shop.Closed", "threw com.shop.Closed", 0),
        ("false", "error: unknown", 8),
        // What cannot answer does no harm before it has to.
        ("true", "error: unknown", 8),
        ("force", "error: unknown", 0),
    ] {
        let before = asked(&stage);
        let answered = told(&stage.reference(&[("create.mock", mock)]).call(&call()).await);
        assert_eq!((answered.as_str(), asked(&stage) - before), (answer, attempts), "{mock}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_mock_of_a_method_goes_before_that_of_all_wherever_it_stands() {
    let stage = Stage::default();
    stage.actor("a", "", |_| Does::Answer);
    let all = ("mock", "force:return 2");
    for mocks in [[("create.mock", "false"), all], [all, ("create.mock", "false")]] {
        assert_eq!(told(&stage.reference(&mocks).call(&call()).await), "a");
    }
    let error = failing().reference(&[("mock", "true")]).call(&call()).await.unwrap_err();
    assert!(error.message().contains("; and its mock cannot answer: `mock=true`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn options_are_those_of_the_first_provider_that_rules_leave() {
    let stage = Stage::default();
    stage.actor("gray", "retries=0&loadbalance=bogus", |_| Does::Answer);
    stage.actor("off", "disabled=true&retries=1", |_| Does::Answer);
    stage.actor("a", "retries=4", |_| Does::Fail(RpcErrorKind::Unknown));
    let rules = pointsman::RuleSet::from_conditions(["=> host != gray"]).unwrap();
    let engine = stage.engine().rules(rules).build().unwrap();
    let reference = stage.reference_to(engine.clone(), &[]).build().unwrap();
    reference.call(&call()).await.unwrap_err();
    assert_eq!(stage.actors()[2].asked(), 5);
    engine.replace_rules(pointsman::RuleSet::default()).unwrap();
    let error = reference.call(&call()).await.unwrap_err();
    assert!(error.message().contains("`com.shop.OrderService.create` of"), "{error}");
    assert!(error.message().contains("found `bogus`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn which_arguments_are_hashed_the_consumer_says() {
    let stage = Stage::default();
    for name in ["a", "b", "c", "d"] {
        stage.actor(name, "hash.arguments=0", |_| Does::Answer);
    }
    for (parameter, is_spread) in [("hash.arguments", true), ("create.hash.arguments", true), ("x", false)] {
        let reference = stage.reference(&[("loadbalance", "consistenthash"), (parameter, "1")]);
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..40_i64 {
            let call = call().with_argument("java.lang.String", "same").with_argument("long", number);
            seen.insert(told(&reference.call(&call).await));
        }
        assert_eq!(seen.len() > 1, is_spread, "{parameter}: {seen:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_load_balance_or_policy_is_told_with_the_nearest() {
    let stage = failing();
    let error = stage.reference(&[("loadbalance", "round-robin")]).call(&call()).await.unwrap_err();
    assert!(error.message().ends_with("did you mean `roundrobin`?"), "{error}");
    let engine = stage.engine().build().unwrap();
    let error = stage.reference_to(engine, &[("cluster", "failsave")]).build().unwrap_err();
    assert!(error.message().ends_with("did you mean `failsafe`?"), "{error}");
}
