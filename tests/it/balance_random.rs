//! Drawing by weight, and what holds for every policy.

use std::sync::Arc;

use pointsman::loadbalance::Adaptive;
use pointsman::loadbalance::BalanceCall;
use pointsman::loadbalance::Candidates;
use pointsman::loadbalance::ConsistentHash;
use pointsman::loadbalance::LeastActive;
use pointsman::loadbalance::LoadBalance;
use pointsman::loadbalance::LoadBalanceRegistry;
use pointsman::loadbalance::Random;
use pointsman::loadbalance::RoundRobin;
use pointsman::loadbalance::ShortestResponse;

use crate::support::balancing::Balancing;
use crate::support::balancing::NOW_MS;
use crate::support::balancing::deviation;

/// Every policy that there is.
fn policies() -> [Arc<dyn LoadBalance>; 6] {
    [
        Arc::new(Random),
        Arc::new(RoundRobin::default()),
        Arc::new(LeastActive),
        Arc::new(ShortestResponse),
        Arc::new(ConsistentHash::default()),
        Arc::new(Adaptive),
    ]
}

/// Answers with whatever it was made of.
#[derive(Debug)]
struct Always(Option<usize>);

impl LoadBalance for Always {
    fn name(&self) -> &str {
        "always"
    }

    fn pick(&self, _: &Candidates<'_>, _: &BalanceCall<'_>) -> Option<usize> {
        self.0
    }
}

#[test]
fn shares_are_those_of_the_weights() {
    for (parameters, weights) in [
        (&["weight=1", "weight=2", "weight=5"][..], &[1, 2, 5][..]),
        (&["", "weight=300", "m.weight=50&weight=9"], &[100, 300, 50]),
        (&["weight=10", "weight=90"], &[10, 90]),
        (&["weight=0", "weight=7", "weight=-4", "weight=7"], &[0, 7, 0, 7]),
        (&["weight=0", "weight=-1", "weight=0"], &[1, 1, 1]),
        (&["weight=abc", "weight=", "weight=200"], &[100, 100, 200]),
        (&["weight=2147483647", "weight=99999999999999999999", "weight=2147483647"], &[1, 1, 1]),
    ] {
        let counts = Balancing::with(parameters).counts(&Random, 100_000);
        assert!(deviation(&counts, weights) < 5.0, "{parameters:?}: {counts:?}");
    }
}

#[test]
fn shares_of_many_are_those_of_their_weights() {
    let weights: Vec<u64> = (0..1_000).map(|index| 1 + index % 20).collect();
    let parameters: Vec<String> = weights.iter().map(|weight| format!("weight={weight}")).collect();
    let balancing = Balancing::with(&parameters.iter().map(String::as_str).collect::<Vec<_>>());
    let counts = balancing.counts(&Random, 1_000_000);
    assert!(deviation(&counts, &weights).abs() < 5.0, "{}", deviation(&counts, &weights));
}

// apache/dubbo#463, #8485, #10604.
#[test]
fn a_provider_gets_as_much_as_it_has_warmed_up() {
    let started = |minutes: i64| format!("timestamp={}", NOW_MS - minutes * 60_000);
    let parameters = [started(1), started(5), started(10), started(60), format!("timestamp={}", NOW_MS + 5_000)];
    let balancing = Balancing::with(&parameters.iter().map(String::as_str).collect::<Vec<_>>());
    let counts = balancing.counts(&Random, 200_000);
    assert!(deviation(&counts, &[10, 50, 100, 100, 1]) < 5.0, "{counts:?}");

    // The same table ten minutes later.
    balancing.clock.advance_ms(11 * 60_000);
    let counts = balancing.counts(&Random, 100_000);
    assert!(deviation(&counts, &[1; 5]) < 5.0, "{counts:?}");
}

#[test]
fn providers_that_all_just_started_share_by_what_counts_of_their_weights() {
    let parameters = [1, 2, 4].map(|seconds| format!("weight=2000&timestamp={}", NOW_MS - seconds * 600));
    let balancing = Balancing::with(&parameters.each_ref().map(String::as_str));
    let counts = balancing.counts(&Random, 50_000);
    assert!(deviation(&counts, &[2, 4, 8]) < 5.0, "{counts:?}");
}

#[test]
fn the_same_seed_picks_the_same() {
    for policy in policies() {
        if policy.name() == RoundRobin::NAME {
            continue;
        }
        let pick = || Balancing::equal(50).select(&*policy, 42);
        assert_eq!(pick(), pick(), "{}", policy.name());
    }
}

#[test]
fn nobody_gives_none_and_one_is_picked_whatever_is_known_of_it() {
    for policy in policies() {
        assert_eq!(Balancing::equal(0).select(&*policy, 1), None, "{}", policy.name());
        let one = Balancing::with(&["", "weight=0", ""]).only([1]);
        one.states.set_available(one.list.ids()[1], false);
        assert_eq!(one.select_at(&*policy, 1, NOW_MS, &[1]), Some(1), "{}", policy.name());
    }
}

#[test]
fn who_is_not_left_is_never_picked() {
    for policy in policies() {
        let balancing = Balancing::equal(100).only([3, 64, 99]);
        let counts = balancing.counts(&*policy, 1_000);
        let picked: Vec<usize> = (0..100).filter(|position| counts[*position] > 0).collect();
        assert!(picked.iter().all(|position| [3, 64, 99].contains(position)), "{}: {picked:?}", policy.name());
    }
}

// apache/dubbo#1737.
#[test]
fn a_call_that_fails_everywhere_takes_turns() {
    for policy in policies() {
        let balancing = Balancing::equal(2);
        for seed in 0..100 {
            let mut tried = Vec::new();
            for attempt in 0..5 {
                tried.push(balancing.select_at(&*policy, seed + attempt, NOW_MS, &tried).unwrap());
            }
            let other = 1 - tried[0];
            assert_eq!(tried, [tried[0], other, tried[0], other, tried[0]], "{}", policy.name());
        }
    }
}

#[test]
fn the_unavailable_are_left_out_while_somebody_is_available() {
    for policy in policies() {
        let balancing = Balancing::equal(4);
        let set = |position: usize, is_available| {
            balancing.states.set_available(balancing.list.ids()[position], is_available);
        };
        [0, 1, 3].into_iter().for_each(|position| set(position, false));
        // Saying it twice counts once.
        set(0, false);
        assert_eq!(balancing.counts(&*policy, 100), [0, 0, 100, 0], "{}", policy.name());
        // A provider that was tried is better than one that cannot be reached.
        assert_eq!(balancing.select_at(&*policy, 1, NOW_MS, &[2]), Some(2), "{}", policy.name());
        set(2, false);
        assert!(balancing.select(&*policy, 1).is_some(), "{}", policy.name());
        (0..4).for_each(|position| set(position, true));
        assert!(balancing.states.all_available());
    }
}

#[test]
fn the_one_of_10_000_that_is_alive_is_found() {
    for policy in policies() {
        let balancing = Balancing::equal(10_000);
        for id in balancing.list.ids() {
            balancing.states.set_available(*id, false);
        }
        balancing.states.set_available(balancing.list.ids()[7_777], true);
        assert!((0..50).all(|seed| balancing.select(&*policy, seed) == Some(7_777)), "{}", policy.name());
    }
}

#[test]
fn the_shares_of_the_rest_stay_when_most_are_unavailable() {
    let balancing = Balancing::with(&["weight=1", "weight=2", "weight=5", "weight=100000"]);
    balancing.states.set_available(balancing.list.ids()[3], false);
    let counts = balancing.counts(&Random, 50_000);
    assert!(deviation(&counts, &[1, 2, 5, 0]) < 5.0, "{counts:?}");
}

// apache/dubbo-go#3591.
#[test]
fn a_policy_that_answers_nonsense_means_the_first_candidate() {
    for nonsense in [None, Some(0), Some(3), Some(usize::MAX)] {
        let balancing = Balancing::equal(3).only([1, 2]);
        assert_eq!(balancing.select(&Always(nonsense), 1), Some(1), "{nonsense:?}");
        assert_eq!(balancing.select_at(&Always(nonsense), 1, NOW_MS, &[1]), Some(2), "{nonsense:?}");
    }
}

#[test]
fn a_policy_of_ones_own_is_asked_for_by_name() {
    let mut registry = LoadBalanceRegistry::with_defaults();
    registry.register(Arc::new(Always(Some(2)))).unwrap();
    let consumer = "consumer://10.0.0.9/S?loadbalance=always".parse().unwrap();
    let policy = registry.choose(&consumer, None, "m").unwrap();
    assert_eq!(Balancing::equal(3).select(&*policy, 1), Some(2));
    for policy in policies() {
        assert_eq!(registry.policy(policy.name()).unwrap().name(), policy.name());
    }
}
