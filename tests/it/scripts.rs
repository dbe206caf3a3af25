//! The rules below `scripts/`: each answers the same in every language and engine, and reads what its README says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use pointsman::router::ClockGranularity;
use pointsman::router::Input;
use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::router::Zone;
use pointsman::rpc::Invocation as _;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::script::CapturedCall;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::Program;
use pointsman::script::ProgramId;
use pointsman::script::ProviderTable;
use pointsman::script::Run;
use pointsman::script::RunReport;
use pointsman::source::cases::Case;
use pointsman::source::cases::TableRule;
use pointsman::source::cases::WantedProviders;

use crate::conformance::table;
use crate::support::dropped::clock;
use crate::support::dropped::drop_in;
use crate::support::dropped::engines;
use crate::support::dropped::kept;
use crate::support::dropped::suffix;

const SERVICE: &str = "com.shop.OrderService";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

/// The rules that are shipped.
fn rules() -> BTreeSet<String> {
    let names = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.collect();
    assert!(names.len() >= 8, "{names:?}");
    names
}

fn text(rule: &str, suffix: &str) -> String {
    fs::read_to_string(folder().join(rule).join(format!("route.{suffix}"))).unwrap()
}

#[test]
fn the_same_in_the_words_of_dubbo_answers_as_the_table_says() {
    let readme = fs::read_to_string(folder().join("same-region-first/README.md")).unwrap();
    let (_, block) = readme.split_once("```js\n").unwrap();
    let (script, _) = block.split_once("```").unwrap();
    for engine in engines().filter(|engine| suffix(*engine) == "js") {
        for case in table("scripts/same-region-first.yaml") {
            let attach = |call: RpcInvocation<'static>, (key, value): &(String, String)| {
                call.with_attachment(key.clone(), value.clone())
            };
            let call = RpcInvocation::new(SERVICE, case.call.method.clone());
            let call = case.call.attachments.iter().fold(call, attach);
            let invokers = case.table.unwrap().invokers;
            let (positions, failure) = kept(&drop_in(engine, script, &invokers, clock("2026-03-02T00:00:00Z")), &call);
            let answer = Some(WantedProviders::Positions(positions));
            assert_eq!((answer, failure), (case.want.providers, None), "{engine}: {}", case.note);
        }
    }
}

#[test]
fn every_rule_has_each_language_a_table_and_a_readme() {
    for rule in rules() {
        let files: BTreeSet<_> =
            fs::read_dir(folder().join(&rule)).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, ["README.md", "route.js", "route.lua", "route.rhai"].map(Into::into).into(), "{rule}");
        let cases = table(&format!("scripts/{rule}.yaml"));
        let is_own =
            |case: &Case| case.table.as_ref().is_some_and(|table| table.rule == TableRule::Script(rule.clone()));
        assert!(cases.len() >= 6 && cases.iter().all(is_own), "{rule}");
    }
}

#[test]
fn every_rule_is_short_and_names_itself() {
    for (rule, suffix) in rules().iter().flat_map(|rule| ["js", "rhai", "lua"].map(|suffix| (rule, suffix))) {
        let text = text(rule, suffix);
        let code = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(['/', '-'])).count();
        assert!(code <= 30, "{rule}/route.{suffix}: {code} lines of code");
        let name = format!(" @name {rule}\n");
        assert!(text.lines().next().is_some_and(|line| format!("{line}\n").ends_with(&name)), "{rule}/route.{suffix}");
    }
}

/// A run of a rule over one provider, by itself.
fn run(executor: &mut Executor, engine: EngineKind, rule: &str, call: CapturedCall, providers: &[&str]) -> RunReport {
    let providers: Vec<Provider> = providers.iter().map(|url| Url::parse(url).unwrap().into()).collect();
    let table = ProviderTable::of(&InvokerList::of(ServiceKey::parse(SERVICE), providers), 1);
    if !executor.knows(ProgramId(1)) {
        let program = Program { engine, name: rule.into(), text: text(rule, suffix(engine)).into() };
        executor.compile(ProgramId(1), &program).unwrap();
    }
    let candidates = Selection::all(table.len());
    executor.run(ProgramId(1), Run::start(Arc::new(table), candidates, call, Limits::default().for_run(2, None)))
}

fn captured(call: &RpcInvocation<'_>, moment: &str) -> CapturedCall {
    CapturedCall {
        service: call.service().to_owned(),
        method: call.method().to_owned(),
        target_method: call.target_method().to_owned(),
        parameter_types: Vec::new(),
        arguments: Vec::new(),
        attachments: call.attachments().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        consumer: String::new(),
        now_ms: clock(moment).0.as_millisecond(),
        zone: "UTC".to_owned(),
        seed: 1,
        unavailable: Vec::new(),
    }
}

#[test]
fn rules_read_what_their_readmes_say_and_no_more() {
    let attachment = |key: &str| Input::Attachment(key.into());
    let now = |part| Input::Now(part, Zone::utc());
    let wednesday = "2026-03-04T03:00:00Z";
    for (rule, expected) in [
        ("same-region-first", vec![attachment("region")]),
        ("area-code", vec![attachment("areaCode")]),
        ("night-shift", vec![now(ClockGranularity::Hour)]),
        ("canary-percent", vec![attachment("user_id")]),
        ("pin-to-address", vec![attachment("pin")]),
        ("version-at-least", vec![attachment("min.version")]),
        ("user-id-range", vec![attachment("user_id")]),
        ("weekday-maintenance", vec![now(ClockGranularity::Weekday), now(ClockGranularity::Hour)]),
    ] {
        for engine in engines() {
            let call =
                RpcInvocation::new(SERVICE, "create").with_attachment("user_id", "7").with_attachment("pin", "x");
            let report =
                run(&mut Executor::default(), engine, rule, captured(&call, wednesday), &["dubbo://10.0.0.1:1/S"]);
            assert_eq!((&report.inputs, &report.impurity), (&expected, &None), "{rule} in {engine}");
            let readme = fs::read_to_string(folder().join(rule).join("README.md")).unwrap();
            for input in &expected {
                let word = match input {
                    Input::Attachment(key) => format!("`{key}`"),
                    Input::Now(part, _) => format!("`now.{}`", part.as_str()),
                    other => panic!("{other:?}"),
                };
                assert!(readme.contains(&word), "{rule}/README.md says nothing of {word}");
            }
        }
    }
}

/// FNV-1a over code points, as `canary-percent` has it.
fn hash(text: &str) -> u32 {
    text.chars().fold(2_166_136_261, |hash, character| (hash ^ u32::from(character)).wrapping_mul(16_777_619))
}

#[test]
fn canaries_get_the_same_tenth_of_the_users_in_every_language() {
    let users: Vec<String> = (0..300).map(|at| format!("{}-{at}", ["user", "u", "客户"][at % 3])).collect();
    let is_chosen = |user: &String| hash(&format!("canary-1{user}")) % 100 < 10;
    let chosen = users.iter().filter(|user| is_chosen(user)).count();
    assert!((20..=40).contains(&chosen), "{chosen} of 300");
    for engine in engines() {
        let mut executor = Executor::default();
        for user in &users {
            let call = RpcInvocation::new(SERVICE, "create").with_attachment("user_id", user);
            let providers = ["dubbo://10.0.0.1:1/S", "dubbo://10.0.0.2:1/S?canary=true"];
            let call = captured(&call, "2026-03-04T03:00:00Z");
            let report = run(&mut executor, engine, "canary-percent", call, &providers);
            assert_eq!(report.result, Ok(vec![if is_chosen(user) { 0b10 } else { 0b01 }]), "{user} in {engine}");
        }
    }
}

#[test]
fn the_night_follows_the_clocks_of_another_zone_also_when_they_change() {
    let providers =
        ["dubbo://10.0.0.1:1/com.shop.OrderService?shift=night", "dubbo://10.0.0.2:1/com.shop.OrderService"];
    let providers = providers.map(str::to_owned);
    for (moment, kept_at) in [
        // Winter: five hours behind UTC.
        ("2026-01-15T02:59:59Z", 1),
        ("2026-01-15T03:00:00Z", 0),
        ("2026-01-15T10:59:59Z", 0),
        ("2026-01-15T11:00:00Z", 1),
        // Summer: four hours.
        ("2026-07-15T01:59:59Z", 1),
        ("2026-07-15T02:00:00Z", 0),
        ("2026-07-15T09:59:59Z", 0),
        ("2026-07-15T10:00:00Z", 1),
    ] {
        for engine in engines() {
            let text = text("night-shift", suffix(engine)).replace("Asia/Shanghai", "America/New_York");
            let answer =
                kept(&drop_in(engine, &text, &providers, clock(moment)), &RpcInvocation::new(SERVICE, "create"));
            assert_eq!(answer, (vec![kept_at], None), "{moment} in {engine}");
        }
    }
}

#[test]
fn a_window_within_one_day_and_an_empty_one_are_windows_too() {
    let providers =
        ["dubbo://10.0.0.1:1/com.shop.OrderService?shift=night", "dubbo://10.0.0.2:1/com.shop.OrderService"];
    let providers = providers.map(str::to_owned);
    for (from, until, hour, kept_at) in [
        ("1", "5", "00", 1),
        ("1", "5", "01", 0),
        ("1", "5", "04", 0),
        ("1", "5", "05", 1),
        ("0", "24", "23", 0),
        ("0", "24", "00", 0),
    ] {
        for engine in engines() {
            let text = text("night-shift", suffix(engine));
            let text =
                text.replace("FROM = 22", &format!("FROM = {from}")).replace("UNTIL = 6", &format!("UNTIL = {until}"));
            let moment = clock(&format!("2026-03-02T{hour}:30:00+08:00"));
            let answer = kept(&drop_in(engine, &text, &providers, moment), &RpcInvocation::new(SERVICE, "create"));
            assert_eq!(answer, (vec![kept_at], None), "{from} to {until} at {hour} in {engine}");
        }
    }
}

#[test]
fn a_thread_that_ran_scripts_ends_while_their_host_goes_on() {
    let providers = ["dubbo://10.0.0.1:1/com.shop.OrderService".to_owned()];
    for engine in engines() {
        let text = text("area-code", suffix(engine));
        let dropped = drop_in(engine, &text, &providers, clock("2026-03-04T03:00:00Z"));
        let run = || kept(&dropped, &RpcInvocation::new(SERVICE, "create"));
        // The thread ends with engines of its own; one that fails then takes the process with it.
        let answer = std::thread::scope(|scope| scope.spawn(run).join().unwrap());
        assert_eq!((answer, run()), ((vec![0], None), (vec![0], None)), "{engine}");
    }
}
