//! Calls while plugin and list are replaced again and again: no wrong answer, no error, no leak beyond the images.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use pointsman::plugin::Level;
use pointsman::plugin::Trust;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::runtime::RuleSet;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;

use crate::libraries::copy_of;
use crate::libraries::rust;
use crate::stage::FILE;
use crate::stage::SERVICE;
use crate::stage::Stage;

const REPLACEMENTS: usize = 200;
const THREADS: usize = 4;

/// `POINTSMAN_SOAK_SECONDS` makes it longer.
fn duration() -> Duration {
    let seconds = std::env::var("POINTSMAN_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(10))
}

fn list(round: usize) -> Vec<Url> {
    let zones = ["a", "b", "c"];
    let url = |at: usize| format!("dubbo://10.{}.0.{at}:20880/{SERVICE}?zone={}", round % 2, zones[at % 3]);
    (0..30 + round % 40).map(|at| Url::parse(&url(at)).unwrap()).collect()
}

fn soak(level: Level, seconds: Duration) {
    let mut stage = Stage::new();
    stage.settings.max_images = REPLACEMENTS + 1;
    stage.settings.trust = Trust::None;
    let library = rust("pointsman-area-code", "");
    let copies: Vec<Vec<u8>> = (0..REPLACEMENTS).map(|number| copy_of(&library, number)).collect();
    copies.iter().for_each(|bytes| stage.allow(bytes, level));
    stage.rule("areaCode://0.0.0.0/com.shop.OrderService?key=zone&on-error=fail&force=true");
    stage.write(FILE, &copies[0]);
    let (host, registry) = stage.host();
    let mut contents = load(stage.path(), &FolderOptions::default());
    let mut rules = RuleSet::from_folder(&mut contents, &registry, None);
    let engine = pointsman::Engine::builder()
        .registry(std::sync::Arc::clone(&registry))
        .rules(rules.clone())
        .providers(list(0))
        .memo_bytes(0)
        .build()
        .unwrap();
    let (stop, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (engine, stop, calls) = (&engine, &stop, &calls);
            scope.spawn(move || {
                let consumer = crate::stage::consumer();
                let mut session = engine.session();
                let mut round = thread;
                while !stop.load(Ordering::Relaxed) {
                    let zone = ["a", "b", "c"][round % 3];
                    let call = RpcInvocation::new(SERVICE, "create").with_attachment("zone", zone);
                    let decision = session.select(&consumer, &call).unwrap();
                    let total = decision.selection().list_length();
                    let kept: Vec<Url> = decision.providers().map(|(_, provider)| provider.url().clone()).collect();
                    assert!(kept.iter().all(|url| url.parameter("zone") == Some(zone)), "{kept:?}");
                    let expected = (0..total).filter(|at| at % 3 == round % 3).count();
                    assert_eq!(kept.len(), expected, "of {total}");
                    round += 1;
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let started = Instant::now();
        for (round, bytes) in copies.iter().enumerate() {
            stage.write(FILE, bytes);
            let mut contents = load(stage.path(), &FolderOptions::default());
            rules = RuleSet::from_folder(&mut contents, &registry, Some(&rules));
            assert!(!contents.findings().iter().any(|it| it.file() == Some(FILE)), "{:?}", contents.findings());
            engine.replace_rules(rules.clone()).unwrap();
            engine.replace_providers(list(round)).unwrap();
            let due = seconds.mul_f64((round + 1) as f64 / REPLACEMENTS as f64);
            while started.elapsed() < due {
                std::thread::park_timeout(due.saturating_sub(started.elapsed()));
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(calls.load(Ordering::Relaxed) > 1_000, "{calls:?}");
    let status = &host.status()[0];
    let loaded = status.loaded.as_ref().unwrap();
    assert_eq!((loaded.failures, loaded.instances), (0, 1), "one configuration is left");
    let images = if level == Level::Native { REPLACEMENTS } else { 0 };
    assert_eq!(host.images_resident(), images);
    println!("{level:?}: {} calls, {} KiB resident", calls.load(Ordering::Relaxed), resident_kib());
}

fn resident_kib() -> usize {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn calls_are_answered_right_while_a_native_plugin_is_replaced() {
    soak(Level::Native, duration());
}

#[test]
fn calls_are_answered_right_while_a_plugin_in_processes_is_replaced() {
    soak(Level::Process, duration());
}
