//! What is known of invokers, and the policies that go by it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use pointsman::loadbalance::Adaptive;
use pointsman::loadbalance::BalanceCall;
use pointsman::loadbalance::CandidateTable;
use pointsman::loadbalance::Candidates;
use pointsman::loadbalance::InvokerStates;
use pointsman::loadbalance::LeastActive;
use pointsman::loadbalance::LoadBalance;
use pointsman::loadbalance::LoadBalanceRegistry;
use pointsman::loadbalance::MeanResponse;
use pointsman::loadbalance::ShortestResponse;
use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::router::SystemClock;
use pointsman::rpc::InvokerSlots;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;

use crate::support::balancing::Balancing;
use crate::support::balancing::deviation;

#[test]
fn a_call_counts_while_its_guard_lives_however_it_ends() {
    let balancing = Balancing::equal(1);
    let (states, id) = (&balancing.states, balancing.list.ids()[0]);
    let [one, two, three] = [(); 3].map(|()| InvokerStates::begin(states, id));
    assert_eq!(states.active(id), 3);
    one.succeed();
    two.fail();
    let cancelled = async move {
        let _call = three;
        std::future::pending::<()>().await;
    };
    drop(cancelled);
    assert_eq!(states.active(id), 0);
    let share = states.success_share(id, balancing.clock.now_ms());
    assert!((share - 1.0 / 3.0).abs() < 1e-9, "{share}");
}

#[test]
fn a_panic_does_not_leave_a_call_behind() {
    let balancing = Balancing::equal(1);
    let states = Arc::new(InvokerStates::new(Arc::new(SystemClock)));
    let id = balancing.list.ids()[0];
    let shared = Arc::clone(&states);
    let panicked = thread::spawn(move || {
        let _call = InvokerStates::begin(shared, id);
        std::panic::resume_unwind(Box::new("gone"));
    });
    assert!(panicked.join().is_err());
    assert_eq!(states.active(id), 0);
}

#[test]
fn calls_to_the_former_owner_of_a_slot_do_not_count_for_the_next() {
    let balancing = Balancing::equal(1);
    let (states, id) = (&balancing.states, balancing.list.ids()[0]);
    let former = InvokerStates::begin(states, id);
    states.set_available(id, false);
    states.report_load(id, 7.0);
    balancing.answer(0, 50);
    states.reset(id);
    let now_ms = balancing.clock.now_ms();
    assert_eq!((states.active(id), states.mean_response(id, now_ms)), (0, MeanResponse::Unknown));
    assert_eq!((states.is_available(id), states.reported_load(id)), (true, 0.0));
    let own = InvokerStates::begin(states, id);
    former.succeed();
    assert_eq!((states.active(id), states.mean_response(id, now_ms)), (1, MeanResponse::Unknown));
    drop(own);
    assert_eq!(states.active(id), 0);
}

#[test]
fn slots_that_are_taken_back_are_named_so_that_they_can_be_forgotten() {
    let slots = InvokerSlots::default();
    let provider = |host: usize| Provider::new(Url::parse(&format!("dubbo://h{host}:1/S")).unwrap());
    let ids = slots.assign([provider(0), provider(1), provider(2)].iter());
    let mut freed = slots.reclaim([ids[1]].into_iter());
    freed.sort_unstable();
    assert_eq!(freed, [ids[0], ids[2]]);
}

#[test]
fn the_least_active_is_picked_and_ties_are_settled_by_weight() {
    let balancing = Balancing::with(&["weight=1", "weight=2", "weight=5", "weight=100"]);
    let busy = |position: usize| InvokerStates::begin(&balancing.states, balancing.list.ids()[position]);
    let all: Vec<_> = (0..4).map(busy).chain([busy(3)]).collect();
    let counts = balancing.counts(&LeastActive, 50_000);
    assert!(deviation(&counts, &[1, 2, 5, 0]) < 5.0, "{counts:?}");
    drop(all);
    let counts = balancing.counts(&LeastActive, 50_000);
    assert!(deviation(&counts, &[1, 2, 5, 100]) < 5.0, "{counts:?}");
}

#[test]
fn the_few_least_active_of_many_are_found_and_share_by_weight() {
    let parameters: Vec<String> = (0..2_000).map(|position| format!("weight={}", 1 + position % 3)).collect();
    let balancing = Balancing::with(&parameters.iter().map(String::as_str).collect::<Vec<_>>());
    let idle = [300, 1_100, 1_999];
    let busy = (0..2_000).filter(|position| !idle.contains(position));
    let all: Vec<_> = busy.map(|at| InvokerStates::begin(&balancing.states, balancing.list.ids()[at])).collect();
    let counts = balancing.counts(&LeastActive, 20_000);
    let weights = [300, 1_100, 1_999].map(|position| 1 + position % 3);
    assert!(deviation(&idle.map(|position| counts[position]), &weights) < 5.0, "{:?}", idle.map(|at| counts[at]));
    drop(all);
}

// apache/dubbo#737, #9650, #9330.
#[test]
fn calls_one_after_another_spread_evenly_even_with_a_slow_node() {
    let balancing = Balancing::equal(2);
    let mut counts = [0_u64; 2];
    for seed in 0..1_000 {
        let picked = balancing.select(&LeastActive, seed).unwrap();
        balancing.answer(picked, if picked == 0 { 100 } else { 1 });
        counts[picked] += 1;
    }
    assert!(deviation(&counts, &[1, 1]) < 5.0, "{counts:?}");
}

// apache/dubbo#8318, #8441.
#[test]
fn the_shorter_response_is_picked_though_nobody_is_busy() {
    let balancing = Balancing::equal(2);
    balancing.answer(0, 10);
    balancing.answer(1, 100);
    assert_eq!(balancing.counts(&ShortestResponse, 100), [100, 0]);
    // Eleven calls at once make the fast one slower than the idle slow one.
    let ids = balancing.list.ids();
    let calls: Vec<_> = (0..10).map(|_| InvokerStates::begin(&balancing.states, ids[0])).collect();
    assert_eq!(balancing.counts(&ShortestResponse, 100), [0, 100]);
    drop(calls);
}

// apache/dubbo#8820.
#[test]
fn what_was_long_ago_does_not_count() {
    let balancing = Balancing::equal(2);
    (0..100).for_each(|_| balancing.answer(0, 10));
    balancing.clock.advance_ms(31_000);
    balancing.answer(0, 200);
    balancing.answer(1, 100);
    assert_eq!(balancing.counts(&ShortestResponse, 100), [0, 100]);
}

// apache/dubbo#6201.
#[test]
fn a_new_node_gets_a_chance_and_no_more() {
    let balancing = Balancing::equal(3);
    balancing.answer(0, 10);
    balancing.answer(1, 100);
    let counts = balancing.counts(&ShortestResponse, 10_000);
    assert!(deviation(&counts, &[1, 0, 1]) < 5.0, "{counts:?}");
    // While it has not answered, the next call goes elsewhere.
    let asked = InvokerStates::begin(&balancing.states, balancing.list.ids()[2]);
    assert_eq!(balancing.counts(&ShortestResponse, 100), [100, 0, 0]);
    drop(asked);
}

#[test]
fn a_node_that_always_fails_is_not_the_fastest() {
    let balancing = Balancing::equal(2);
    balancing.answer(0, 500);
    InvokerStates::begin(&balancing.states, balancing.list.ids()[1]).fail();
    assert_eq!(balancing.counts(&ShortestResponse, 100), [100, 0]);
    // When the failures are old it is asked again.
    balancing.clock.advance_ms(31_000);
    balancing.answer(0, 500);
    assert!(balancing.counts(&ShortestResponse, 100)[1] > 0);
}

#[test]
fn equal_responses_are_settled_by_weight() {
    let balancing = Balancing::with(&["weight=1", "weight=3", "weight=6"]);
    let counts = balancing.counts(&ShortestResponse, 50_000);
    assert!(deviation(&counts, &[1, 3, 6]) < 5.0, "nothing known: {counts:?}");
    (0..3).for_each(|position| balancing.answer(position, 20));
    let counts = balancing.counts(&ShortestResponse, 50_000);
    assert!(deviation(&counts, &[1, 3, 6]) < 5.0, "all the same: {counts:?}");
}

#[test]
fn the_better_of_two_gets_most_and_weights_count() {
    let balancing = Balancing::with(&["weight=1", "weight=3"]);
    let counts = balancing.counts(&Adaptive, 50_000);
    // Both are always drawn; equal costs leave the first drawn, which is drawn by weight.
    assert!(deviation(&counts, &[1, 3]) < 5.0, "{counts:?}");
    // Once in a hundred calls the light one is in none of the draws.
    let most = |position: usize| assert!(balancing.counts(&Adaptive, 100)[position] >= 95);
    balancing.states.report_load(balancing.list.ids()[1], 50.0);
    most(0);
    balancing.states.report_load(balancing.list.ids()[1], 0.0);
    let call = InvokerStates::begin(&balancing.states, balancing.list.ids()[0]);
    most(1);
    drop(call);
    (0..3).for_each(|_| InvokerStates::begin(&balancing.states, balancing.list.ids()[1]).fail());
    balancing.answer(0, 0);
    most(0);
}

#[test]
fn the_worst_of_ten_is_hardly_ever_picked() {
    let balancing = Balancing::equal(10);
    for (position, id) in balancing.list.ids().iter().enumerate() {
        balancing.states.report_load(*id, position as f64);
    }
    // Of two drawn out of ten the better is taken: the shares fall evenly, from 9 to 0 in 45.
    let counts = balancing.counts(&Adaptive, 90_000);
    assert!(deviation(&counts, &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]) < 5.0, "{counts:?}");
}

// apache/dubbo-go#3591.
#[test]
fn a_load_that_is_nonsense_leaves_the_first_drawn() {
    for nonsense in [f64::NAN, f64::INFINITY, -1.0, f64::NEG_INFINITY] {
        let balancing = Balancing::with(&["weight=1", "weight=3"]);
        balancing.states.report_load(balancing.list.ids()[0], nonsense);
        let counts = balancing.counts(&Adaptive, 20_000);
        assert!(deviation(&counts, &[1, 3]) < 5.0, "{nonsense}: {counts:?}");
    }
}

/// Four threads call while the candidates change under them.
#[test]
fn after_100_000_calls_by_four_threads_nobody_has_a_call_in_flight() {
    let slots = InvokerSlots::default();
    let provider = |host: usize| {
        let text = format!("dubbo://h{host}:1/S?weight={}&timestamp=1", host % 7);
        Provider::new(Url::parse(&text).unwrap())
    };
    let lists: Vec<InvokerList> = (0..8)
        .map(|first| {
            let providers = (first * 5..first * 5 + 40).map(provider).collect();
            InvokerList::build(ServiceKey::parse("S"), providers, &slots, None)
        })
        .collect();
    let states = Arc::new(InvokerStates::new(Arc::new(SystemClock)));
    let (registry, is_over) = (LoadBalanceRegistry::with_defaults(), AtomicBool::new(false));
    thread::scope(|scope| {
        let flapping = scope.spawn(|| {
            for round in 0_usize.. {
                if is_over.load(Relaxed) {
                    break;
                }
                let id = lists[round % 8].ids()[round % 40];
                states.set_available(id, round % 3 == 0);
                thread::yield_now();
            }
        });
        let callers: Vec<_> = (0..4_u64)
            .map(|caller| {
                let (states, lists, registry) = (&states, &lists, &registry);
                scope.spawn(move || {
                    let names: Vec<&str> = registry.names().collect();
                    for round in 0..25_000 / 50 {
                        let list = &lists[(round + caller as usize) % 8];
                        let left = Selection::from_positions(40, (0..40).filter(|at| at % (1 + round % 5) == 0));
                        let table = CandidateTable::build(list, &left, "m", 0);
                        let policy = registry.policy(names[round % names.len()]).unwrap();
                        call_50_times(&*policy, list, &table, states, caller);
                    }
                })
            })
            .collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        is_over.store(true, Relaxed);
        flapping.join().unwrap();
    });
    for list in &lists {
        assert!(list.ids().iter().all(|id| states.active(*id) == 0));
    }
    for list in &lists {
        list.ids().iter().for_each(|id| states.set_available(*id, true));
    }
    assert!(states.all_available());
}

fn call_50_times(
    policy: &dyn LoadBalance,
    list: &InvokerList,
    table: &CandidateTable,
    states: &Arc<InvokerStates>,
    caller: u64,
) {
    let mut open = Vec::new();
    for seed in 0..50_i64 {
        let invocation = RpcInvocation::new("S", "m").with_argument("long", seed);
        let call = BalanceCall {
            invocation: &invocation,
            consumer: None,
            method: "m",
            seed: caller << 32 | seed as u64,
            now_ms: seed,
        };
        let picked = policy.select(&Candidates { list, table, states, avoid: &[] }, &call).unwrap();
        assert!(table.contains(picked), "{}", policy.name());
        open.push(InvokerStates::begin(Arc::clone(states), list.ids()[picked]));
        if seed % 3 == 0 {
            open.swap_remove(0).succeed();
        }
    }
}
