//! Four threads call while rules and providers change a thousand times: each answer is that of one generation.
//!
//! `POINTSMAN_CHURN_CALLS=10000000 cargo test --release --test concurrency -- churn --nocapture` is the long run.

use std::env;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use pointsman::Engine;
use pointsman::EngineBuilder;
use pointsman::RpcInvocation;
use pointsman::RuleSet;
use pointsman::Session;
use pointsman::Url;

use crate::alone;
use crate::counting::live_bytes_of_all;
use crate::fixture;
use crate::workload;

const THREADS: u64 = 4;
const CHANGES: u64 = 1_000;
const RULES: usize = 6;
const LISTS: usize = 5;
/// In all; the long run has more.
const CALLS: u64 = 600_000;

/// Who calls what.
type Asked = (Url, RpcInvocation<'static>);

/// The length of the list, and the positions that are kept of it.
type Answer = (usize, Vec<usize>);

/// All that can be in force, and what calls come to then.
struct World {
    rules: Vec<RuleSet>,
    lists: Vec<Vec<String>>,
    asked: Vec<Asked>,
    /// By rules, list, and who asks.
    answers: Vec<Vec<Vec<Answer>>>,
}

/// What a thread saw.
#[derive(Debug, Default)]
struct Seen {
    calls: u64,
    generations: u64,
    slowest: Duration,
}

fn rules(version: usize) -> RuleSet {
    let region = ["hangzhou", "shanghai", "beijing"][version % 3];
    let conditions = |scope: &str, key: &str, lines: &[String]| {
        let lines: String = lines.iter().map(|line| format!("  - \"{line}\"\n")).collect();
        format!("scope: {scope}\nkey: {key}\nforce: true\nconditions:\n{lines}")
    };
    let service = [format!("method=say* => zone!=zone-{version}"), format!("method=get* => region={region}")];
    let application = [format!("method=find* => weight!={}", 50 << (version % 3)), "=> env!=gray".to_owned()];
    let mut documents = vec![
        conditions("service", "com.foo.BarService:1.0.0", &service),
        conditions("application", "provider-app", &application[..1 + version % 2]),
    ];
    if version.is_multiple_of(2) {
        documents.push(format!(
            "configVersion: v3.0\nkey: provider-app\ntags:\n  - name: gray\n    match: [{{key: zone, value: {{exact: zone-{version}}}}}]\n"
        ));
    }
    fixture::documents(&documents)
}

fn asked() -> Vec<Asked> {
    let consumer = Url::parse(workload::CONSUMER.trim()).unwrap();
    let other = Url::parse(&workload::CONSUMER.trim().replace("region=", "zone=zone-1&region=x")).unwrap();
    let call = |method: &'static str, tag: Option<&'static str>| {
        let call = RpcInvocation::new(workload::INTERFACE, method);
        tag.into_iter().fold(call, |call, tag| call.with_attachment("dubbo.tag", tag))
    };
    let calls = ["sayHello", "getOne", "findAll"]
        .into_iter()
        .flat_map(|method| [None, Some("gray")].map(|tag| call(method, tag)));
    calls.flat_map(|call| [(consumer.clone(), call.clone()), (other.clone(), call)]).collect()
}

fn answer(session: &mut Session, (consumer, call): &Asked) -> Answer {
    let decision = session.select(consumer, call).unwrap();
    (decision.list().unwrap().len(), decision.selection().positions().collect())
}

/// How far callers and writer are: the changes are spread over all calls, and neither runs away from the other.
struct Progress {
    calls: AtomicU64,
    changes: AtomicU64,
    until: u64,
}

// === impl Progress ===

impl Progress {
    /// How many changes a caller may be ahead of the writer.
    const AHEAD: u64 = 2;

    /// Counts a call; whether it is one of those that are asked for.
    fn goes_on(&self) -> bool {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed).min(self.until);
        while calls * CHANGES / self.until > self.changes.load(Ordering::Relaxed) + Self::AHEAD {
            thread::yield_now();
        }
        calls < self.until
    }

    /// Waits until the time of `change` has come.
    fn wait_for(&self, change: u64) {
        while self.calls.load(Ordering::Relaxed) < change * self.until / (CHANGES + 1) {
            thread::yield_now();
        }
        self.changes.store(change, Ordering::Relaxed);
    }
}

// === impl World ===

impl World {
    fn new() -> Self {
        let all = workload::providers(200);
        let (rules, asked): (Vec<_>, _) = ((0..RULES).map(rules).collect(), asked());
        let lists: Vec<_> = (0..LISTS).map(|list| all[list * 3..60 + list * 17].to_vec()).collect();
        let mut world = Self { rules, lists, asked, answers: Vec::new() };
        let fresh = |rules: usize, list: usize| {
            let mut session = world.engine((rules, list), 0).session();
            world.asked.iter().map(|asked| answer(&mut session, asked)).collect()
        };
        world.answers = (0..RULES).map(|rules| (0..LISTS).map(|list| fresh(rules, list)).collect()).collect();
        world
    }

    fn engine(&self, (rules, list): (usize, usize), memo_bytes: usize) -> Engine {
        let urls = self.lists[list].iter().map(|text| Url::parse(text).unwrap());
        Engine::builder().rules(self.rules[rules].clone()).providers(urls).memo_bytes(memo_bytes).build().unwrap()
    }

    /// What is in force after so many changes: of three changes one is of rules, one of providers, one of both.
    fn state(changes: u64) -> (usize, usize) {
        let (rules, lists) = (changes - changes / 3, changes - changes.div_ceil(3));
        (rules as usize % RULES, lists as usize % LISTS)
    }

    fn publish(&self, engine: &Engine, change: u64) -> u64 {
        let ((rules, list), before) = (Self::state(change), Self::state(change - 1));
        let texts = || self.lists[list].iter().map(String::as_str);
        let set = self.rules[rules].clone();
        if list == before.1 {
            engine.replace_rules(set).unwrap()
        } else if rules == before.0 {
            engine.replace_provider_texts(texts()).unwrap()
        } else {
            engine.replace_rules_and_providers(set, Some(texts())).unwrap()
        }
    }

    /// Calls until `until`, and compares each answer with the one of its generation.
    fn call(&self, engine: &Engine, first: u64, seed: u64, progress: &Progress) -> Seen {
        let (mut session, mut seen, mut last, mut random) = (engine.session(), Seen::default(), first, seed);
        while progress.goes_on() || last < first + CHANGES {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let who = (random >> 33) as usize % self.asked.len();
            let (consumer, call) = &self.asked[who];
            let began = Instant::now();
            let decision = session.select(consumer, call).unwrap();
            seen.slowest = seen.slowest.max(began.elapsed());
            let generation = decision.generation();
            assert!(generation >= last, "generation {generation} after {last}");
            let (rules, list) = Self::state(generation - first);
            let (length, positions) = &self.answers[rules][list][who];
            let is_right = decision.list().unwrap().len() == *length
                && decision.selection().positions().eq(positions.iter().copied());
            assert!(
                is_right,
                "generation {generation}, call {who}: {:?} instead of {positions:?}",
                decision.selection()
            );
            seen.calls += 1;
            seen.generations += u64::from(generation != last);
            last = generation;
        }
        seen
    }
}

#[test]
fn every_answer_is_that_of_one_generation() {
    let _alone = alone();
    let until: u64 = env::var("POINTSMAN_CHURN_CALLS").map_or(CALLS, |calls| calls.parse().unwrap());
    let world = World::new();
    assert!((1..=CHANGES).all(|change| World::state(change) != World::state(change - 1)));
    for memo_bytes in [EngineBuilder::DEFAULT_MEMO_BYTES, 0] {
        let before = live_bytes_of_all();
        let engine = world.engine(World::state(0), memo_bytes);
        let (first, until) = (engine.generation(), until / 2);
        let progress = Progress { calls: AtomicU64::new(0), changes: AtomicU64::new(0), until };
        let seen: Vec<Seen> = thread::scope(|scope| {
            let (world, engine, progress) = (&world, &engine, &progress);
            let callers: Vec<_> =
                (0..THREADS).map(|seed| scope.spawn(move || world.call(engine, first, seed, progress))).collect();
            for change in 1..=CHANGES {
                progress.wait_for(change);
                assert_eq!(world.publish(engine, change), first + change);
            }
            callers.into_iter().map(|caller| caller.join().unwrap()).collect()
        });
        let slowest = seen.iter().map(|seen| seen.slowest).max();
        let calls: u64 = seen.iter().map(|seen| seen.calls).sum();
        println!("memo of {memo_bytes} bytes: {calls} calls, the slowest {slowest:?}; {seen:?}");
        let generations: u64 = seen.iter().map(|seen| seen.generations).sum();
        assert!(generations >= CHANGES / 2, "{generations} generations were seen");
        let churned = live_bytes_of_all() - before;
        let before = live_bytes_of_all();
        let fresh = world.engine(World::state(CHANGES), memo_bytes);
        world.asked.iter().for_each(|asked| drop(answer(&mut fresh.session(), asked)));
        let bytes = live_bytes_of_all() - before;
        println!("{churned} bytes live afterwards, {bytes} of a fresh engine");
        assert!(churned < bytes * 2 + 100_000, "{churned} bytes live, {bytes} of a fresh engine");
    }
}
