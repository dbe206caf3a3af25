//! Consistent hashing: keys stay, rings are built once, bounds are kept.

use std::collections::HashSet;

use pointsman::loadbalance::ConsistentHash;
use pointsman::loadbalance::InvokerStates;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Value;

use crate::support::balancing::Balancing;
use crate::support::balancing::NOW_MS;

fn call(argument: impl Into<Value<'static>>) -> RpcInvocation<'static> {
    RpcInvocation::new("com.ex.BarService", "m").with_argument("java.lang.Object", argument)
}

fn pick(policy: &ConsistentHash, balancing: &Balancing, argument: impl Into<Value<'static>>) -> usize {
    balancing.select_for(policy, &call(argument), 0, NOW_MS, &[]).unwrap()
}

// apache/dubbo#590.
#[test]
fn a_provider_that_restarts_keeps_its_keys() {
    let policy = ConsistentHash::default();
    let before = Balancing::with(&["timestamp=1", "timestamp=1", "timestamp=1"]);
    let after = Balancing::with(&["timestamp=1699999999999", "timestamp=1&pid=9", "timestamp=1"]);
    for key in 0..1_000 {
        assert_eq!(pick(&policy, &before, key), pick(&policy, &after, key), "{key}");
    }
    assert_eq!(policy.built_rings(), 1);
}

// apache/dubbo#5424, #1123, #1144, #1157.
#[test]
fn an_equal_list_in_a_new_object_finds_its_ring() {
    let policy = ConsistentHash::default();
    for key in 0..1_000 {
        pick(&policy, &Balancing::equal(5), key);
    }
    assert_eq!(policy.built_rings(), 1);
    pick(&policy, &Balancing::equal(6), 1);
    pick(&policy, &Balancing::with(&["hash.nodes=320"; 5]), 1);
    assert_eq!(policy.built_rings(), 3);
}

#[test]
fn rings_that_are_no_longer_used_are_let_go() {
    let policy = ConsistentHash::default();
    for count in 2..200 {
        pick(&policy, &Balancing::with(&vec!["hash.nodes=4"; count]), 1);
    }
    let shown = format!("{policy:?}");
    assert!(shown.matches("HashRing").count() <= 64, "{}", shown.matches("HashRing").count());
}

// apache/dubbo#13750.
#[test]
fn keys_spread_over_the_providers() {
    let (policy, balancing) = (ConsistentHash::default(), Balancing::equal(5));
    let mut counts = [0; 5];
    (0..10_000).for_each(|key| counts[pick(&policy, &balancing, format!("user-{key}"))] += 1);
    assert!(counts.iter().all(|count| (1_200..2_800).contains(count)), "{counts:?}");
}

// apache/dubbo-go#3430.
#[test]
fn an_argument_of_any_type_is_a_key() {
    let (policy, balancing) = (ConsistentHash::default(), Balancing::equal(50));
    assert_eq!(pick(&policy, &balancing, 42), pick(&policy, &balancing, "42"));
    assert_eq!(pick(&policy, &balancing, Value::Null), pick(&policy, &balancing, "null"));
    let list = Value::List(vec![Value::from(1), Value::from("b")]);
    assert_eq!(pick(&policy, &balancing, list), pick(&policy, &balancing, "[1, b]"));
    let none = RpcInvocation::new("com.ex.BarService", "m");
    assert_eq!(balancing.select_for(&policy, &none, 0, NOW_MS, &[]), Some(pick(&policy, &balancing, "")));
}

#[test]
fn only_the_keys_of_a_provider_that_goes_move() {
    let (policy, all) = (ConsistentHash::default(), Balancing::equal(10));
    let rest = Balancing::equal(10).only((0..10).filter(|position| *position != 4));
    for key in 0..2_000 {
        let (before, after) = (pick(&policy, &all, key), pick(&policy, &rest, key));
        assert!(before == after || before == 4, "{key}: {before} to {after}");
    }
}

#[test]
fn one_that_is_unavailable_or_was_tried_is_passed_as_if_it_were_gone() {
    let policy = ConsistentHash::default();
    let (down, all) = (Balancing::equal(10), Balancing::equal(10));
    let rest = Balancing::equal(10).only((0..10).filter(|position| *position != 4));
    down.states.set_available(down.list.ids()[4], false);
    for key in 0..2_000 {
        let expected = pick(&policy, &rest, key);
        assert_eq!(pick(&policy, &down, key), expected, "{key}");
        assert_eq!(all.select_for(&policy, &call(key), 0, NOW_MS, &[4]), Some(expected), "{key}");
    }
}

// apache/dubbo#8948, #11947.
#[test]
fn the_same_key_stays_for_10_000_calls() {
    for bounded in ["hash.bounded=false", "hash.bounded=active", ""] {
        let (policy, balancing) = (ConsistentHash::default(), Balancing::with(&[bounded; 5]));
        let picked: HashSet<usize> = (0..10_000).map(|_| pick(&policy, &balancing, "key")).collect();
        assert_eq!(picked.len(), 1, "`{bounded}`");
    }
}

#[test]
fn a_bound_on_requests_keeps_everybody_below_one_and_a_half_times_the_mean() {
    let (policy, balancing) = (ConsistentHash::default(), Balancing::with(&["hash.bounded=true"; 5]));
    let mut counts = [0_u32; 5];
    for call in 1..=10_000 {
        counts[pick(&policy, &balancing, "key")] += 1;
        let most = f64::from(*counts.iter().max().unwrap());
        assert!(most <= 1.5 * f64::from(call) / 5.0 + 1.0, "{counts:?}");
    }
}

#[test]
fn a_bound_on_calls_in_flight_sends_on_what_is_too_much_and_lets_it_come_back() {
    let (policy, balancing) = (ConsistentHash::default(), Balancing::with(&["hash.bounded=active"; 5]));
    let home = pick(&policy, &balancing, "key");
    let mut calls = Vec::new();
    for _ in 0..100 {
        let picked = pick(&policy, &balancing, "key");
        calls.push(InvokerStates::begin(&balancing.states, balancing.list.ids()[picked]));
        let active = |id| balancing.states.active(id);
        let most = balancing.list.ids().iter().map(|id| active(*id)).max().unwrap();
        assert!(most as f64 <= 1.5 * calls.len() as f64 / 5.0 + 1.0, "{most} of {}", calls.len());
    }
    drop(calls);
    assert_eq!(pick(&policy, &balancing, "key"), home);
}

#[test]
fn nodes_that_are_none_or_too_many_still_make_a_ring() {
    for nodes in ["0", "3", "-8", "many", "999999999999999999999", "18446744073709551615"] {
        let parameters = format!("hash.nodes={nodes}");
        let balancing = Balancing::with(&[parameters.as_str(); 3]);
        let picked = pick(&ConsistentHash::default(), &balancing, "key");
        assert!(picked < 3, "{nodes}");
    }
}
