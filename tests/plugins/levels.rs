//! Both levels, and the router written inside the crate, give the same answers.

use pointsman::plugin::Level;

use crate::libraries::c;
use crate::libraries::rust;
use crate::stage::FILE;
use crate::stage::Stage;

const RULE: &str = "areaCode://0.0.0.0/com.shop.OrderService?priority=10&key=zone";

#[test]
fn a_plugin_in_rust_and_one_in_c_answer_alike_at_both_levels() {
    let c = crate::libraries::c("../../examples/plugin-c/area_code.c", &["-fvisibility=hidden"]);
    for library in [rust("pointsman-area-code", ""), c] {
        for level in [Level::Native, Level::Process] {
            let running = Stage::with(&library, level, RULE).start();
            assert!(running.findings.is_empty(), "{:?}", running.findings);
            for (zone, expected) in [("b", &[1][..]), ("a", &[0]), ("nowhere", &[0, 1, 2])] {
                assert_eq!(running.select(zone).unwrap(), expected, "{} at {level:?}", library.display());
            }
            let reasons = running.reasons("b").join("\n");
            let who = format!("areaCode 0.1.0 (sha256 {:.12}), {}", hash_of(&library), level.as_str());
            assert!(reasons.contains(&who), "{reasons}");
            assert!(reasons.contains("says: "), "{reasons}");
        }
    }
}

fn hash_of(library: &std::path::Path) -> String {
    pointsman::disk::ContentHash::of(&std::fs::read(library).unwrap()).to_string()
}

#[test]
fn answers_over_many_providers_are_the_same_at_both_levels() {
    let library = rust("pointsman-area-code", "");
    let stages = [Level::Native, Level::Process].map(|level| Stage::with(&library, level, RULE));
    for count in [1, 63, 64, 65, 1_000] {
        let answers = stages.each_ref().map(|stage| {
            stage.providers(count);
            let running = stage.start();
            ["a", "b", "c", "d"].map(|zone| running.select(zone).unwrap())
        });
        assert_eq!(answers[0], answers[1], "{count}");
        assert_eq!(answers[0][0].len(), count.div_ceil(3), "{count}");
        assert_eq!(answers[0][3].len(), count, "{count}");
    }
}

#[test]
fn a_chain_with_a_plugin_keeps_its_memo_by_what_the_plugin_declares() {
    for level in [Level::Native, Level::Process] {
        let running = Stage::with(&rust("pointsman-area-code", ""), level, RULE).start();
        let mut session = running.engine.session();
        let mut positions = |zone: &str, other: &str| {
            let call = pointsman::rpc::RpcInvocation::new(crate::stage::SERVICE, "create")
                .with_attachment("zone", zone.to_owned())
                .with_attachment("other", other.to_owned());
            session.select(&crate::stage::consumer(), &call).unwrap().selection().positions().collect::<Vec<_>>()
        };
        let consumer = crate::stage::consumer();
        drop(consumer);
        for round in 0..10 {
            assert_eq!(positions("b", &round.to_string()), [1]);
            assert_eq!(positions("c", &round.to_string()), [2]);
        }
        drop(session);
        let status = running.engine.status();
        assert_eq!((status.calls, status.memo_hits), (20, 18), "{level:?}");
    }
}

#[test]
fn a_call_that_is_awaited_gets_the_same_answer() {
    for level in [Level::Native, Level::Process] {
        let running = Stage::with(&rust("pointsman-area-code", ""), level, RULE).start();
        for (zone, expected) in [("b", &[1][..]), ("nowhere", &[0, 1, 2])] {
            let call =
                pointsman::rpc::RpcInvocation::new(crate::stage::SERVICE, "create").with_attachment("zone", zone);
            let consumer = crate::stage::consumer();
            let decision = pollster::block_on(running.engine.select_async(&consumer, &call)).unwrap();
            assert_eq!(decision.selection().positions().collect::<Vec<_>>(), expected, "{zone} at {level:?}");
        }
    }
}

#[test]
fn the_consumers_url_adds_a_plugin_with_its_parameters() {
    let stage = Stage::with(&rust("pointsman-area-code", ""), Level::Process, "# none");
    let running = stage.start();
    let text = format!("consumer://10.0.0.9/{}?router=areaCode,-tag&areaCode.key=zone", crate::stage::SERVICE);
    let consumer = pointsman::rpc::Url::parse(&text).unwrap();
    let call = pointsman::rpc::RpcInvocation::new(crate::stage::SERVICE, "create").with_attachment("zone", "c");
    let mut session = running.engine.session();
    let decision = session.select(&consumer, &call).unwrap();
    assert_eq!(decision.selection().positions().collect::<Vec<_>>(), [2]);
}

#[test]
fn a_rule_cannot_widen_what_the_manifest_declares() {
    let library = rust("pointsman-area-code", "");
    let rule = "areaCode://0.0.0.0/com.shop.OrderService?key=*";
    let running = Stage::with(&library, Level::Process, rule).start();
    // With everything it would find an attachment or a parameter of that name; it finds none, and passes.
    assert_eq!(running.select("b").unwrap(), [0, 1, 2]);
    assert!(!running.reasons("b").iter().any(|reason| reason.contains("says: ")));
}

#[test]
fn a_rule_may_not_leave_out_what_the_manifest_needs() {
    let manifest = "{\"abi\":1,\"name\":\"variants\",\"version\":\"0.1.0\",\"panic\":\"unwind\",\
                    \"inputs\":{\"attachments\":[\"{key}\"]}}";
    let escaped = manifest.replace('"', "\\\"");
    let library = c("variants.c", &[&format!("-DMANIFEST_TEXT=\"{escaped}\"")]);
    let running = Stage::with(&library, Level::Native, "variants://0.0.0.0/com.shop.OrderService").start();
    let finding = running.findings.iter().find(|finding| finding.slug() == "plugin::missing_parameter").unwrap();
    assert_eq!(finding.message(), "expected a parameter `key`, which tells variants 0.1.0 what to read");
    assert_eq!(finding.line_and_column(), Some((1, 1)));
}

#[test]
fn two_plugins_with_one_symbol_use_their_own() {
    let mut stage = Stage::new();
    let mut rules = String::new();
    for (number, name) in [(1, "one"), (2, "two")] {
        let clash = format!("-DCLASH={number}");
        let library = c("variants.c", &["-DSYMBOL_CLASH", &clash, &format!("-DNAME=\"{name}\"")]);
        let bytes = std::fs::read(library).unwrap();
        stage.allow(&bytes, Level::Native);
        stage.write(&format!("plugins/{name}.so"), &bytes);
        rules += &format!("{name}://0.0.0.0/{}?application={name}\n", crate::stage::SERVICE);
    }
    stage.write("rules/a.rules", rules.as_bytes());
    let running = stage.start();
    for (name, expected) in [("one", 1), ("two", 2)] {
        let text = format!("consumer://10.0.0.9/{}?application={name}", crate::stage::SERVICE);
        let call = pointsman::rpc::RpcInvocation::new(crate::stage::SERVICE, "create");
        let mut session = running.engine.session();
        let decision = session.select(&pointsman::rpc::Url::parse(&text).unwrap(), &call).unwrap();
        assert_eq!(decision.selection().positions().collect::<Vec<_>>(), [expected], "{name}");
    }
}

#[test]
fn a_plugin_that_no_rule_may_use_takes_nothing_away() {
    let stage = Stage::new();
    stage.put(&c("variants.c", &[]));
    stage.rule("zone = b => zone = b");
    let running = stage.start();
    assert!(running.findings.iter().any(|finding| finding.file() == Some(FILE)));
    assert_eq!(running.select("b").unwrap(), [0, 1, 2], "the engine answers by the rules that it has");
}

#[test]
fn calls_of_one_plugin_use_all_of_its_processes() {
    use std::time::Duration;

    let rule = format!("misbehave://0.0.0.0/{}?on-error=fail&in=route&do=slow", crate::stage::SERVICE);
    let mut stage = Stage::with(&c("misbehave.c", &[]), Level::Process, &rule);
    stage.settings.workers = 2;
    stage.settings.limits.queue = Duration::from_millis(100);
    stage.settings.limits.deadline = Duration::from_secs(10);
    let running = stage.start();
    // Each takes 200 ms, and waits 100 for a process. The second process may still be on its way at first.
    let both = || {
        std::thread::scope(|scope| {
            let calls = [(); 2].map(|()| scope.spawn(|| running.select("b").is_ok()));
            calls.into_iter().all(|call| call.join().unwrap())
        })
    };
    assert!((0..50).any(|_| both()), "never two at a time");
}
