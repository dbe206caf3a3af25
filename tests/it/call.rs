//! `pointsman call`: a transcript of the real binary over the example shop, which stands in `tests/golden/call.txt`
//! (`POINTSMAN_UPDATE=1` writes it anew), and whether the spread is the one that weights give.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::documents::words_of;
use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const TRANSCRIPT: &str = "tests/golden/call.txt";
const SHOP: &str = "examples/shop";
const CATALOG: &str = "com.shop.CatalogService";

fn call(args: &[&str]) -> (Option<i32>, String, String) {
    told(pointsman(&["call"]).args(args).output().unwrap())
}

/// What a run in virtual time comes to.
fn report(folder: &str, args: &[&str]) -> Value {
    let (_, out, log) = call(&[&[folder, "--virtual-time", "--format", "json"], args].concat());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{log}"))
}

fn folder_with(stand_ins: &str) -> TestFolder {
    let providers: Vec<String> = (1..=3).map(|at| format!("dubbo://10.0.0.{at}:20880/S\n")).collect();
    TestFolder::empty().with("providers.txt", providers.concat()).with("stand-ins.yaml", stand_ins)
}

#[test]
fn calls_through_the_shop_are_told_as_they_happen() {
    let mut transcript = String::new();
    for line in [
        "call examples/shop --service com.shop.CatalogService -m item -a 42 --seed 2 --virtual-time --explain",
        "call examples/shop --service com.shop.CatalogService -m item -a 42 --repeat 10000 --concurrency 64 --seed 7 --virtual-time",
        "call examples/shop --service com.shop.CatalogService -m item -a 42 --repeat 10000 --concurrency 64 --seed 7 --virtual-time --consumer consumer://10.1.0.9?loadbalance=leastactive",
        "call examples/shop --service com.shop.PaymentService:2.0.0 -m pay --repeat 500 --concurrency 8 --seed 7 --virtual-time --format plain",
        "call examples/shop --service com.shop.PaymentService:2.0.0 -m refund --repeat 2 --virtual-time --seed 1",
    ] {
        let words = words_of(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (code, out, log) = told(pointsman(&words).output().unwrap());
        transcript.push_str(&format!("$ pointsman {line}\n{out}{log}exit code {}\n\n", code.unwrap()));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TRANSCRIPT);
    if std::env::var_os("POINTSMAN_UPDATE").is_some() {
        fs::write(&path, &transcript).unwrap();
    }
    assert_eq!(transcript, fs::read_to_string(path).unwrap());
}

#[test]
fn the_spread_is_the_one_that_weights_give() {
    // 99.9 % of honest spreads lie below, for 5 degrees of freedom.
    const MOST: f64 = 20.515;
    let mut above = 0;
    for seed in ["1", "2", "3", "4", "5"] {
        let args = ["--service", CATALOG, "-m", "item", "--repeat", "10000", "--concurrency", "64", "--seed", seed];
        let document = report(SHOP, &args);
        let spread = document["report"]["spread"].as_array().unwrap();
        let asked: Vec<&Value> = spread.iter().filter(|row| row["set_aside"] == false).collect();
        assert_eq!((spread.len(), asked.len()), (7, 6), "seed {seed}");
        let count = |row: &Value| row["attempts"].as_f64().unwrap();
        let sum: f64 = asked.iter().map(|row| count(row)).sum();
        let expected: f64 = asked.iter().map(|row| row["expected"].as_f64().unwrap()).sum();
        assert!((expected - 1.0).abs() < 1e-9, "seed {seed}: {expected}");
        let distance = |row: &&Value| {
            let wanted = row["expected"].as_f64().unwrap() * sum;
            (count(row) - wanted).powi(2) / wanted
        };
        let distance: f64 = asked.iter().map(distance).sum();
        above += usize::from(distance > MOST);
        // Who cannot be reached is asked by those that are under way, and hardly ever again.
        let aside = spread.iter().find(|row| row["set_aside"] == true).unwrap();
        assert!(count(aside) < 20.0 && aside["answered"] == 0, "seed {seed}: {aside}");
        assert_eq!(document["report"]["answered"], 10_000, "seed {seed}");
    }
    assert_eq!(above, 0);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let folder = folder_with("- latency: 1ms..90ms\n  failure: {kind: network, rate: 10%}\n");
    let folder = folder.path().to_str().unwrap();
    let of = |seed: &str| report(folder, &["-m", "find", "--repeat", "2000", "--concurrency", "16", "--seed", seed]);
    let first = of("5");
    assert_eq!(first, of("5"));
    assert_ne!(first["report"]["spread"], of("6")["report"]["spread"]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_tells_what_came_until_then() {
    use std::io::Read as _;
    use std::process::Stdio;

    let folder = folder_with("- latency: 1ms\n");
    let mut command = pointsman(&["call", folder.path().to_str().unwrap(), "-m", "find", "--repeat", "10000000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    // Until the signal is caught it would end the process, which then says nothing: so it is sent when calls run.
    let is_caught = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim).unwrap_or("0");
        u64::from_str_radix(mask, 16).unwrap() >> 1 & 1 == 1
    };
    let start = std::time::Instant::now();
    while !is_caught() {
        assert!(start.elapsed().as_secs() < 60, "it never began");
        std::thread::yield_now();
    }
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{out}");
    assert!(out.contains(" of S.find\n  interrupted: 10,000,000 were wanted\n") && out.contains("Latency"), "{out}");
}

#[test]
fn several_that_are_asked_at_once_are_no_retries() {
    for policy in ["broadcast", "forking"] {
        let consumer = format!("consumer://10.1.0.9/S?cluster={policy}");
        let folder = folder_with("- latency: 1ms\n");
        let args = ["-m", "find", "--repeat", "10", "--consumer", &consumer];
        let document = report(folder.path().to_str().unwrap(), &args);
        assert_eq!(
            (&document["report"]["retries"], &document["report"]["answered"]),
            (&0.into(), &10.into()),
            "{policy}"
        );
    }
}

#[test]
fn who_is_disabled_has_no_share_and_is_told() {
    let folder =
        TestFolder::empty().with("providers.txt", "dubbo://10.0.0.1:20880/S\ndubbo://10.0.0.2:20880/S?enabled=false\n");
    let document = report(folder.path().to_str().unwrap(), &["-m", "find", "--repeat", "10"]);
    let spread = document["report"]["spread"].as_array().unwrap();
    let row =
        |at: usize| (spread[at]["expected"].as_f64(), spread[at]["disabled"] == true, spread[at]["attempts"] == 10);
    assert_eq!((row(0), row(1)), ((Some(1.0), false, true), (None, true, false)));
    let (_, out, _) = call(&[folder.path().to_str().unwrap(), "-m", "find", "--explain"]);
    assert!(out.contains("10.0.0.2:20880     100        -  disabled"), "{out}");
}

#[test]
fn what_rules_draw_is_explained_as_it_was_drawn() {
    let document = "configVersion: v3.1\nscope: service\nkey: S\nforce: true\nconditions:\n  \
                    - from: {match: method=find}\n    to: [{match: host=10.0.0.1}, {match: host=10.0.0.2}, {match: host=10.0.0.3}]\n";
    let folder = folder_with("- latency: 1ms\n").with("rules/spread.yaml", document);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..30_u8 {
        let seed = seed.to_string();
        let args = ["-m", "find", "--seed", &seed, "--explain"];
        let document = report(folder.path().to_str().unwrap(), &args);
        let asked = document["call"]["attempts"][0]["provider"].as_str().unwrap();
        let kept: Vec<&str> = document["kept"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(kept, [asked], "seed {seed}: {document:#}");
        seen.insert(asked.to_owned());
    }
    assert_eq!(seen.len(), 3);
}

#[test]
fn each_kind_of_failure_is_counted_and_ends_the_command() {
    for (stand_ins, kind, attempts, calls, code) in [
        ("- failure: network\n", "network", 12, 4, 1),
        ("- failure: timeout\n", "timeout", 12, 4, 1),
        ("- failure: hang\n", "timeout", 12, 4, 1),
        ("- failure: exception\n", "exception", 4, 4, 1),
        ("- latency: 1ms\n", "", 0, 0, 0),
        ("- {provider: '*.1', failure: timeout}\n- {provider: '*.2', failure: timeout}\n", "timeout", 4, 0, 0),
    ] {
        let folder = folder_with(stand_ins);
        let args = [folder.path().to_str().unwrap(), "-m", "find", "--repeat", "4", "--seed", "3", "--virtual-time"];
        let (came, out, _) = call(&[&args[..], &["--format", "json"]].concat());
        assert_eq!(came, Some(code), "{stand_ins}: {out}");
        let document: Value = serde_json::from_str(&out).unwrap();
        let failures = document["report"]["failures"].as_array().unwrap();
        match failures.as_slice() {
            [] => assert_eq!(kind, "", "{stand_ins}"),
            [failure] => {
                let came = (failure["kind"].as_str().unwrap(), failure["calls"].as_u64().unwrap());
                assert_eq!(came, (kind, calls), "{stand_ins}: {out}");
                let tried = failure["attempts"].as_u64().unwrap();
                assert!(if calls > 0 { tried == attempts } else { tried > 0 }, "{stand_ins}: {out}");
            }
            _ => panic!("{stand_ins}: {out}"),
        }
    }
}

#[test]
fn the_consumer_chooses_the_policies() {
    let folder = folder_with("- failure: timeout\n");
    let folder = folder.path().to_str().unwrap();
    for (parameters, cluster, attempts, outcome) in [
        ("", "failover", 3, "failed"),
        ("?retries=1", "failover", 2, "failed"),
        ("?cluster=failfast", "failfast", 1, "failed"),
        ("?cluster=failsafe", "failsafe", 1, "answered"),
        ("?cluster=broadcast", "broadcast", 3, "failed"),
    ] {
        let document = report(folder, &["-m", "find", "--consumer", &format!("consumer://10.1.0.9{parameters}")]);
        let made = document["call"]["attempts"].as_array().unwrap().len();
        let came = (document["cluster"].as_str().unwrap(), made, document["call"]["outcome"].as_str().unwrap());
        assert_eq!(came, (cluster, attempts, outcome), "{parameters}");
    }
    let (code, _, log) = call(&[folder, "-m", "find", "--consumer", "consumer://h?cluster=failovr"]);
    assert!(code == Some(2) && log.contains("you mean `failover`?"), "{code:?} {log}");
}

#[test]
fn a_call_is_over_when_its_time_is() {
    let folder = folder_with("- failure: hang\n");
    let document = report(folder.path().to_str().unwrap(), &["-m", "find", "--timeout", "1500ms"]);
    let times: Vec<u64> =
        document["call"]["attempts"].as_array().unwrap().iter().map(|it| it["elapsed_us"].as_u64().unwrap()).collect();
    assert_eq!((times, document["call"]["elapsed_us"].as_u64()), (vec![1_000_000, 500_000], Some(1_500_000)));
}

#[test]
fn what_is_wrong_with_stand_ins_stops_a_call_and_no_route() {
    let folder = folder_with("- latencey: 5ms\n");
    let folder = folder.path().to_str().unwrap();
    let (code, _, log) = call(&[folder, "-m", "find", "--format", "plain"]);
    let told_of = "stand-ins.yaml:1:3: error PM1701 standin::unknown_key: unknown key `latencey` in an entry";
    assert!(code == Some(4) && log.contains(told_of) && log.contains("did you mean `latency`?"), "{code:?} {log}");
    let (code, out, _) = told(pointsman(&["check", folder, "--format", "plain"]).output().unwrap());
    assert!(code == Some(4) && out.contains(told_of), "{code:?} {out}");
    assert_eq!(told(pointsman(&["route", folder, "-m", "find"]).output().unwrap()).0, Some(0));
    assert_eq!(call(&[folder, "-m", "find", "--keep-going"]).0, Some(0));
}

#[test]
fn options_that_cannot_be_are_refused() {
    for args in [
        vec!["--concurrency", "4"],
        vec!["--repeat", "0"],
        vec!["--repeat", "10000001"],
        vec!["--timeout", "0ms"],
        vec!["--timeout", "5"],
        vec!["--seed", "-1"],
    ] {
        let (code, _, log) = call(&[&[SHOP, "--service", CATALOG, "-m", "item"], args.as_slice()].concat());
        assert!(code == Some(2) && log.starts_with("error: "), "{args:?}: {code:?} {log}");
    }
}

#[test]
fn no_secret_is_told() {
    let folder = TestFolder::empty()
        .with("providers.txt", "dubbo://10.0.0.1:20880/S?token=hunter2\n")
        .with("stand-ins.yaml", "- failure: {kind: network, message: 'refused: token=hunter2'}\n");
    for format in ["human", "plain", "json"] {
        let args = [folder.path().to_str().unwrap(), "-m", "find", "--explain", "--repeat", "2", "--format", format];
        let (code, out, log) = call(&args);
        assert!(code == Some(1) && !out.contains("hunter2") && !log.contains("hunter2"), "{format}: {out}{log}");
    }
}
