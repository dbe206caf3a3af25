//! What calls and lists cost in memory, counted by the allocator: a binary of its own, because it counts everything.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a test reports by panicking")]

#[path = "../benches/workload/mod.rs"]
mod workload;

#[path = "../benches/support/fixture.rs"]
mod fixture;

#[path = "../benches/support/at_once.rs"]
mod at_once;

#[path = "support/counting.rs"]
mod counting;

use std::sync::Arc;

use pointsman::filter::FilterRegistry;
use pointsman::filter::Side;
use pointsman::loadbalance::BalanceCall;
use pointsman::loadbalance::CandidateTable;
use pointsman::loadbalance::Candidates;
use pointsman::loadbalance::InvokerStates;
use pointsman::loadbalance::LoadBalance;
use pointsman::loadbalance::LoadBalanceRegistry;
use pointsman::loadbalance::RoundRobin;
use pointsman::router::CallBlob;
use pointsman::router::CallLayout;
use pointsman::router::CallParts;
use pointsman::router::FixedClock;
use pointsman::router::Input;
use pointsman::router::Inputs;
use pointsman::router::InvokerList;
use pointsman::router::RouteRequest;
use pointsman::rpc::AppResponse;
use pointsman::rpc::FunctionInvoker;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcContext;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::rpc::Value;
use pointsman::runtime::Engine;
use pointsman::runtime::EngineBuilder;

use counting::allocations;
use counting::live_bytes;

const RULES: [&str; 3] =
    ["method=sayHello => region=$region & env!=gray", "method=sayBye => zone=zone-1", "host=10.200.* => weight!=0"];

#[test]
fn a_remembered_call_allocates_nothing() {
    let engine =
        fixture::engine(&workload::providers(1_000), &RULES.map(fixture::rule), EngineBuilder::DEFAULT_MEMO_BYTES);
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    let mut session = engine.session();
    let mut call = || {
        let invocation = RpcInvocation::new(workload::INTERFACE, "sayHello")
            .with_argument("java.lang.String", "alice")
            .with_attachment("dubbo.tag", "gray");
        session.select(&consumer, &invocation).unwrap().selection().contains(0)
    };
    assert!(call());
    let before = allocations();
    for _ in 0..1_000 {
        assert!(call());
    }
    assert_eq!(allocations() - before, 0);
}

#[test]
fn a_call_without_memo_allocates_nothing_after_the_first() {
    let engine = fixture::engine(&workload::providers(1_000), &RULES.map(fixture::rule), 0);
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    let mut session = engine.session();
    let invocation = RpcInvocation::new(workload::INTERFACE, "sayHello");
    let mut call = || session.select(&consumer, &invocation).unwrap().is_empty();
    assert!(!call() && !call());
    let before = allocations();
    (0..1_000).for_each(|_| assert!(!call()));
    assert_eq!(allocations() - before, 0);
}

#[test]
fn a_whole_call_to_a_provider_that_answers_at_once_allocates_once() {
    let reference = at_once::reference(1_000, 0, true);
    let call = || {
        let invocation = RpcInvocation::new(workload::INTERFACE, "sayHello").with_argument("java.lang.String", "alice");
        at_once::now(reference.call(&invocation)).unwrap().outcome().is_ok()
    };
    assert!((0..100).all(|_| call()));
    let before = allocations();
    assert!((0..1_000).all(|_| call()));
    let count = allocations() - before;
    // The policy's future. Who is called for the first time has a state made: at most a chunk.
    assert!((1_000..1_010).contains(&count), "{count}");
}

#[test]
fn a_call_is_written_for_plugins_without_an_allocation() {
    let call = RpcInvocation::new(workload::INTERFACE, "create")
        .with_argument("long", -42_i64)
        .with_argument("java.lang.String", "text")
        .with_argument("boolean", true)
        .with_attachment("areaCode", "021");
    let inputs =
        (0..3).map(Input::Argument).chain([Input::Attachment("areaCode".into()), Input::TargetMethod]).collect();
    let layout = CallLayout::of(CallParts { inputs, ..CallParts::default() }, &ServiceKey::parse(workload::INTERFACE));
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    let (declared, clock, mut blob) = (Inputs::none(), FixedClock(jiff::Timestamp::UNIX_EPOCH), CallBlob::default());
    let mut write = || {
        blob.clear();
        let request = RouteRequest::new(&consumer, &call, &declared, 0, &clock).with_blob(&layout, &blob, false);
        request.blob().map_or(0, |bytes| bytes.len())
    };
    let length = write();
    let before = allocations();
    (0..1_000).for_each(|_| assert_eq!(write(), length));
    assert_eq!(allocations() - before, 0);
}

#[test]
fn picking_a_candidate_allocates_nothing_once_its_table_is_warm() {
    let provider = |host: usize| {
        let text = format!("dubbo://h{host}:20880/S?weight={}&timestamp=1&hash.arguments=0,1,2", 1 + host % 9);
        Provider::new(Url::parse(&text).unwrap())
    };
    let list = InvokerList::of(ServiceKey::parse("S"), (0..1_000).map(provider).collect());
    let states = InvokerStates::new(Arc::new(FixedClock(jiff::Timestamp::UNIX_EPOCH)));
    let registry = LoadBalanceRegistry::with_defaults();
    let invocation = RpcInvocation::new("S", "m")
        .with_argument("long", 4_711_i64)
        .with_argument("java.lang.String", "text")
        .with_argument("double", 1.5);
    for name in registry.names().filter(|name| *name != "roundrobin") {
        let policy = registry.policy(name).unwrap();
        let table = CandidateTable::build(&list, list.all(), "m", 0);
        let pick = |seed: u64| {
            let candidates = Candidates { list: &list, table: &table, states: &states, avoid: &[1, 2] };
            let call = BalanceCall { invocation: &invocation, consumer: None, method: "m", seed, now_ms: 0 };
            let picked = policy.select(&candidates, &call).unwrap();
            InvokerStates::begin(&states, list.ids()[picked]).succeed();
        };
        (0..3).for_each(pick);
        let before = allocations();
        (0..1_000).for_each(pick);
        assert_eq!(allocations() - before, 0, "{name}");
    }
}

#[test]
fn taking_turns_allocates_once_in_many_calls() {
    let provider = |host: usize| Provider::new(Url::parse(&format!("dubbo://h{host}:1/S?weight={host}")).unwrap());
    let list = InvokerList::of(ServiceKey::parse("S"), (1..=10).map(provider).collect());
    let states = InvokerStates::new(Arc::new(FixedClock(jiff::Timestamp::UNIX_EPOCH)));
    let (policy, table) = (RoundRobin::default(), CandidateTable::build(&list, list.all(), "m", 0));
    let invocation = RpcInvocation::new("S", "m");
    let pick = |seed: u64| {
        let candidates = Candidates { list: &list, table: &table, states: &states, avoid: &[] };
        let call = BalanceCall { invocation: &invocation, consumer: None, method: "m", seed, now_ms: 0 };
        policy.select(&candidates, &call).unwrap();
    };
    (0..4_096).for_each(pick);
    let before = allocations();
    (0..102_400).for_each(pick);
    // A block of 1,024 turns is worked out at a time.
    let count = allocations() - before;
    println!("{count} allocations in 102,400 turns");
    assert!(count <= 100 * 60, "{count}");
}

#[test]
fn all_filters_together_allocate_nothing_for_a_call_that_they_let_pass() {
    let query = "executes=9&tps=100000&token=t&timeout=5000&find.actives=2&actives=9";
    let url = Url::parse(&format!("dubbo://10.0.0.1:1/S?{query}")).unwrap();
    let consumer = Url::parse("consumer://10.0.0.9/S?application=shop&filter=-token").unwrap();
    let registry = FilterRegistry::with_defaults();
    let chains =
        [(Side::Consumer, &consumer), (Side::Provider, &url)].map(|(side, url)| registry.chain(side, url).unwrap());
    assert_eq!(chains.iter().map(|chain| chain.filters().len()).sum::<usize>(), 11);
    let invoker = FunctionInvoker::new(url, |_| Ok(AppResponse::new(Value::Null)));
    let invocation = RpcInvocation::new("S", "find").with_attachment("token", "t");
    let call = || {
        for chain in &chains {
            at_once::now(chain.invoke(&invoker, &mut RpcContext::new(&invocation))).unwrap();
        }
    };
    call();
    let before = allocations();
    (0..1_000).for_each(|_| call());
    assert_eq!(allocations() - before, 0);
}

#[test]
fn ten_thousand_providers_and_their_index_take_at_most_12_megabytes() {
    let texts = workload::providers(10_000);
    let rules = fixture::rule_set(&RULES.map(fixture::rule), None);
    let before = live_bytes();
    let engine = Engine::builder().rules(rules).build().unwrap();
    engine.replace_provider_texts(texts.iter().map(String::as_str)).unwrap();
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    assert!(!engine.select(&consumer, &RpcInvocation::new(workload::INTERFACE, "sayHello")).unwrap().is_empty());
    let bytes = live_bytes() - before;
    println!("{bytes} live bytes, of which {} are text", texts.iter().map(String::len).sum::<usize>());

    assert!(bytes <= 12_000_000, "{bytes} live bytes");
}
