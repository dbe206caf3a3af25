//! Smooth weighted round robin: its order, its shares, and what it remembers.

use std::thread;

use pointsman::loadbalance::CandidateTable;
use pointsman::loadbalance::Candidates;
use pointsman::loadbalance::RoundRobin;
use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::rpc::InvokerSlots;
use pointsman::rpc::Provider;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;

use crate::support::balancing::Balancing;
use crate::support::balancing::NOW_MS;

fn picks(policy: &RoundRobin, balancing: &Balancing, calls: u64) -> Vec<usize> {
    (0..calls).map(|seed| balancing.select(policy, seed).unwrap()).collect()
}

fn counts(picks: &[usize], of: usize) -> Vec<usize> {
    (0..of).map(|position| picks.iter().filter(|pick| **pick == position).count()).collect()
}

// apache/dubbo#2578.
#[test]
fn weights_5_1_1_give_a_a_b_a_c_a_a() {
    let balancing = Balancing::with(&["weight=5", "weight=1", "weight=1"]);
    assert_eq!(picks(&RoundRobin::default(), &balancing, 14), [0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
}

// apache/dubbo#215, #14.
#[test]
fn weights_1_and_2_share_300_calls_100_to_200() {
    let balancing = Balancing::with(&["weight=1", "weight=2"]);
    assert_eq!(counts(&picks(&RoundRobin::default(), &balancing, 300), 2), [100, 200]);
}

// apache/dubbo-go#3435, #3453, #3461.
#[test]
fn eight_tasks_share_one_order_exactly() {
    let (policy, balancing) = (RoundRobin::default(), Balancing::with(&["weight=1", "weight=2"]));
    let all: Vec<usize> = thread::scope(|scope| {
        let tasks: Vec<_> = (0..8).map(|_| scope.spawn(|| picks(&policy, &balancing, 3_000))).collect();
        tasks.into_iter().flat_map(|task| task.join().unwrap()).collect()
    });
    assert_eq!(counts(&all, 2), [8_000, 16_000]);
}

#[test]
fn tables_of_equal_candidates_share_one_order() {
    let policy = RoundRobin::default();
    let tables = [(); 2].map(|()| Balancing::with(&["weight=5", "weight=1", "weight=1"]));
    let all: Vec<usize> = (0..14).map(|turn| tables[turn % 2].select(&policy, 0).unwrap()).collect();
    assert_eq!(all, [0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
}

#[test]
fn weights_beyond_any_table_keep_their_shares() {
    let balancing = Balancing::with(&["weight=2147483647", "weight=2147483647", "weight=1", "weight=-7"]);
    let picks = picks(&RoundRobin::default(), &balancing, 10_000);
    assert_eq!(counts(&picks, 4), [5_000, 5_000, 0, 0]);
    let thousand: Vec<String> = (1..=1_000).map(|weight| format!("weight={}", weight * 1_000_003 % 9_973)).collect();
    let balancing = Balancing::with(&thousand.iter().map(String::as_str).collect::<Vec<_>>());
    let picks = self::picks(&RoundRobin::default(), &balancing, 20_000);
    let weights: Vec<u64> = (0..1_000).map(|position| balancing.table.weights().full(position).into()).collect();
    let total: u64 = weights.iter().sum();
    for (count, weight) in counts(&picks, 1_000).iter().zip(&weights) {
        let exact = 20_000.0 * *weight as f64 / total as f64;
        assert!((*count as f64 - exact).abs() < 2.0, "{count} of {exact}");
    }
}

/// A list whose slots are those of `slots`.
fn list(slots: &InvokerSlots, urls: &[String]) -> InvokerList {
    let providers = urls.iter().map(|text| Provider::new(Url::parse(text).unwrap())).collect();
    InvokerList::build(ServiceKey::parse("S"), providers, slots, None)
}

/// Picks of one policy for one call after another, each over candidates of its own.
struct Changing {
    policy: RoundRobin,
    slots: InvokerSlots,
    balancing: Balancing,
}

impl Changing {
    fn new() -> Self {
        Self { policy: RoundRobin::default(), slots: InvokerSlots::default(), balancing: Balancing::equal(1) }
    }

    fn pick(&self, urls: &[String], left: &[usize], now_ms: i64) -> usize {
        let list = list(&self.slots, urls);
        let selection = Selection::from_positions(list.len(), left.iter().copied());
        let table = CandidateTable::build(&list, &selection, "m", now_ms);
        let candidates = Candidates { list: &list, table: &table, states: &self.balancing.states, avoid: &[] };
        let invocation = pointsman::RpcInvocation::new("S", "m");
        let call = pointsman::loadbalance::BalanceCall {
            invocation: &invocation,
            consumer: None,
            method: "m",
            seed: 0,
            now_ms,
        };
        pointsman::loadbalance::LoadBalance::select(&self.policy, &candidates, &call).unwrap()
    }
}

fn urls(parameters: impl IntoIterator<Item = String>) -> Vec<String> {
    (0..).zip(parameters).map(|(host, parameters): (u32, _)| format!("dubbo://h{host}:1/S?{parameters}")).collect()
}

#[test]
fn candidates_that_differ_from_call_to_call_still_share_evenly() {
    let (changing, urls) = (Changing::new(), urls(vec![String::new(); 12]));
    let mut counts = [0_i32; 12];
    // Every set of four neighbours out of twelve, in an order that has no period of its own.
    for call in 0..1_200_usize {
        let first = call * call % 12;
        let left: Vec<usize> = (0..4).map(|step| (first + step * (1 + call % 2)) % 12).collect();
        counts[changing.pick(&urls, &left, NOW_MS)] += 1;
    }
    let expected: Vec<i32> = {
        // What the candidates were offered: each call is worth a quarter to each of its four.
        let mut offered = [0_i32; 12];
        for call in 0..1_200_usize {
            let first = call * call % 12;
            (0..4).for_each(|step| offered[(first + step * (1 + call % 2)) % 12] += 1);
        }
        offered.iter().map(|offered| offered / 4).collect()
    };
    for (count, expected) in counts.iter().zip(&expected) {
        assert!((count - expected).abs() <= 12, "{counts:?} of {expected:?}");
    }
}

#[test]
fn weights_that_change_at_every_call_keep_the_shares() {
    let changing = Changing::new();
    let mut counts = [0_u32; 3];
    for call in 0..3_000_u32 {
        // 1 : 2 : 3 in the mean, never the same twice.
        let parameters = [10, 20, 30].map(|weight| format!("weight={}", weight * 10_000 + call));
        counts[changing.pick(&urls(parameters), &[0, 1, 2], NOW_MS)] += 1;
    }
    for (count, expected) in counts.iter().zip([500_u32, 1_000, 1_500]) {
        assert!(count.abs_diff(expected) < 10, "{counts:?}");
    }
}

#[test]
fn sets_that_take_turns_do_not_all_begin_with_the_same_provider() {
    let changing = Changing::new();
    let mut counts = [0_u32; 3];
    for call in 0..300_u32 {
        // A hundred sets, each three times.
        let parameters = [10, 20, 30].map(|weight| format!("weight={}", weight * 10_000 + call % 100));
        counts[changing.pick(&urls(parameters), &[0, 1, 2], NOW_MS)] += 1;
    }
    for (count, expected) in counts.iter().zip([50_u32, 100, 150]) {
        assert!(count.abs_diff(expected) < 10, "{counts:?}");
    }
}

#[test]
fn who_warms_up_gets_more_from_step_to_step() {
    let parameters = [format!("timestamp={}", NOW_MS - 60_000), "timestamp=1".to_owned()];
    let balancing = Balancing::with(&parameters.each_ref().map(String::as_str));
    let policy = RoundRobin::default();
    for (minute, weight) in [(1, 10), (2, 20), (5, 50), (9, 90), (10, 100), (30, 100)] {
        balancing.clock.advance_ms(NOW_MS + (minute - 1) * 60_000 - balancing.clock.now_ms());
        let calls = (100 + weight) * 10;
        let counts = counts(&picks(&policy, &balancing, calls), 2);
        assert!(counts[0].abs_diff(10 * weight as usize) <= 2, "minute {minute}: {counts:?} of {weight}:100");
    }
}

// apache/dubbo-go#3053.
#[test]
fn what_was_given_is_remembered_for_a_minute_and_then_forgotten() {
    for (later, expected) in [(1, 1), (59_000, 1), (61_000, 0)] {
        let (changing, urls) = (Changing::new(), urls(vec![String::new(); 3]));
        assert_eq!(changing.pick(&urls, &[0, 1], NOW_MS), 0);
        assert_eq!(changing.pick(&urls, &[0, 1, 2], NOW_MS + later), expected, "after {later} ms");
    }
}

#[test]
fn sets_that_are_met_once_do_not_fill_the_memory() {
    let (changing, urls) = (Changing::new(), urls(vec![String::new(); 16]));
    for set in 3..20_000_usize {
        let left: Vec<usize> = (0..16).filter(|position| set >> position & 1 == 1).collect();
        changing.pick(&urls, &left, NOW_MS + set as i64);
    }
    let shown = format!("{:?}", changing.policy);
    assert!(shown.matches("KnownSet").count() <= 4_096, "{}", shown.matches("KnownSet").count());
}

#[test]
fn who_is_tried_or_unavailable_leaves_its_turn_to_the_next() {
    let balancing = Balancing::with(&["weight=5", "weight=1", "weight=1"]);
    let policy = RoundRobin::default();
    balancing.states.set_available(balancing.list.ids()[0], false);
    let picks = picks(&policy, &balancing, 100);
    let counts = counts(&picks, 3);
    assert!(counts[0] == 0 && counts[1].abs_diff(counts[2]) <= 1, "{counts:?}");
}
