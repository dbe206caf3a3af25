//! The tables of `tests/conformance`: what a rule means, in a form that needs no Rust.
//!
//! Each case brings its rule and its providers. A case with `script: NAME` runs once for each engine of this build that has
//! a file `scripts/NAME/route.*`, with the tags in it, as if the file were dropped into a folder; any other runs once.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pointsman::chain::KeptReason;
use pointsman::diagnostics::Finding;
use pointsman::diagnostics::Severity;
use pointsman::diagnostics::SourceText;
use pointsman::router::FixedClock;
use pointsman::router::RouterFactoryRegistry;
use pointsman::router::RuleDefinition;
use pointsman::rpc::RpcInvocation;
use pointsman::runtime::Engine;
use pointsman::runtime::Explanation;
use pointsman::runtime::RuleSet;
use pointsman::runtime::default_registry;
use pointsman::source::cases::Case;
use pointsman::source::cases::CaseKind;
use pointsman::source::cases::Table;
use pointsman::source::cases::TableRule;
use pointsman::source::cases::WantedProviders;
use pointsman::source::cases::read_cases;

use crate::support::dropped;
use crate::support::dropped::engines;
use crate::support::dropped::suffix;
use crate::support::engine::definition;
use crate::support::engine::encode;
use crate::support::engine::url;
use crate::support::folder::TestFolder;

/// The rules of a case, for one of the engines that they are written for.
struct Variant {
    engine: String,
    rules: Vec<RuleDefinition>,
    registry: Arc<RouterFactoryRegistry>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn table(name: &str) -> Vec<Case> {
    let text = fs::read_to_string(root().join("tests/conformance").join(name)).unwrap();
    let (cases, findings) = read_cases(&SourceText::new(name, text), CaseKind::Table);
    assert!(findings.is_empty() && !cases.is_empty(), "{name}: {findings:?}");
    cases
}

/// Runs every case of a table, and names all that fail.
fn hold(name: &str) {
    let mut failures = Vec::new();
    for case in table(name) {
        let table = case.table.clone().unwrap();
        for variant in variants(&table, &root().join("scripts")) {
            let place = format!("{name}:{} \"{}\"{}", case.line, case.note, variant.engine);
            failures.extend(problems(&case, &table, &variant).iter().map(|what| format!("{place}: {what}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The rules of a case, once for each engine that they are written for.
fn variants(table: &Table, scripts: &Path) -> Vec<Variant> {
    let parameters = format!("force={}", table.force)
        + table.dialect.as_ref().map(|dialect| format!("&dialect={dialect}")).unwrap_or_default().as_str()
        + table.priority.map(|priority| format!("&priority={priority}")).unwrap_or_default().as_str();
    match &table.rule {
        TableRule::Texts(texts) => {
            let is_url = |text: &str| text.split_once(":/").is_some_and(|(scheme, _)| !scheme.contains([' ', '=']));
            let to_url = |text: &String| match is_url(text) {
                true => text.clone(),
                false => format!("condition://0.0.0.0/*?{parameters}&rule={}", encode(text)),
            };
            let rules = (1..).zip(texts).map(|(line, text)| definition(line, &to_url(text))).collect();
            vec![Variant { engine: String::new(), rules, registry: Arc::new(default_registry().unwrap()) }]
        }
        TableRule::Script(name) => {
            let folder = scripts.join(name);
            let written = engines().filter_map(|engine| {
                let text = fs::read_to_string(folder.join(format!("route.{}", suffix(engine)))).ok()?;
                let rules = vec![dropped::definition(engine, &text)];
                Some(Variant { engine: format!(" ({engine})"), rules, registry: dropped::registry(engine) })
            });
            let variants: Vec<_> = written.collect();
            assert!(!variants.is_empty(), "{}: no `route.js`, `route.rhai` or `route.lua`", folder.display());
            variants
        }
    }
}

/// What is not as the case wants it.
fn problems(case: &Case, table: &Table, variant: &Variant) -> Vec<String> {
    let (set, findings) = RuleSet::compile(&variant.rules, &variant.registry, None);
    let errors: Vec<&Finding> = findings.iter().filter(|found| found.severity() == Severity::Error).collect();
    if let Some(error) = &case.want.error {
        let is_it = errors.iter().any(|found| found.slug() == error || found.message().contains(error.as_str()));
        return if is_it { Vec::new() } else { vec![format!("wanted the error `{error}`, came {errors:?}")] };
    }
    if !errors.is_empty() {
        return vec![format!("the rule does not load: {errors:?}")];
    }
    let found = explain(case, table, set);
    let kept: Vec<usize> = found.selection.positions().collect();
    let mut problems = Vec::new();
    if let TableRule::Script(_) = table.rule {
        // The call went on without the script; the answer may be right all the same.
        problems.extend(found.steps.iter().flat_map(|step| &step.reasons).filter_map(|reason| match reason {
            KeptReason::Failed(error) => Some(error.to_string()),
            _ => None,
        }));
    }
    match &case.want.providers {
        Some(WantedProviders::Positions(wanted)) if *wanted != kept => {
            problems.push(format!("wanted {wanted:?}, came {kept:?}"));
        }
        Some(WantedProviders::Positions(_)) | None => {}
        Some(other) => problems.push(format!("a table keeps positions, this wants {other:?}")),
    }
    if let Some(wanted) = &case.want.reason {
        let reasons: Vec<&str> = found.steps.iter().flat_map(|step| &step.reasons).map(reason).collect();
        if !reasons.contains(&wanted.as_str()) {
            problems.push(format!("wanted the reason `{wanted}`, came {reasons:?}"));
        }
    }
    problems
}

fn explain(case: &Case, table: &Table, rules: RuleSet) -> Explanation {
    let providers: Vec<_> = table.invokers.iter().map(|text| url(text)).collect();
    let mut builder = Engine::builder().rules(rules).providers(providers.clone());
    if let Some(time) = case.clock {
        builder = builder.clock(Arc::new(FixedClock(time)));
    }
    let service = providers[0].service_interface().unwrap();
    let consumer = case.consumer.clone().unwrap_or_else(|| format!("consumer://10.0.0.1/{service}"));
    let mut call = RpcInvocation::new(service, case.call.method.as_str());
    for argument in &case.call.arguments {
        call = call.with_argument(argument.parameter_type.as_str(), argument.value.clone());
    }
    for (key, value) in &case.call.attachments {
        call = call.with_attachment(key.as_str(), value.as_str());
    }
    builder.build().unwrap().explain(&url(&consumer), &call, case.seed).unwrap()
}

fn reason(reason: &KeptReason) -> &'static str {
    match reason {
        KeptReason::Disabled => "disabled",
        KeptReason::OtherConsumer(_) => "other-consumer",
        KeptReason::Mismatch { .. } => "mismatch",
        KeptReason::Matched => "matched",
        KeptReason::BlocksEverybody => "blocks-everybody",
        KeptReason::Note(_) => "note",
        KeptReason::Failed(_) => "failed",
        other => panic!("{other:?} has no name in tables"),
    }
}

#[test]
fn condition_when() {
    hold("condition-when.yaml");
}

#[test]
fn condition_then() {
    hold("condition-then.yaml");
}

#[test]
fn script_same_region_first() {
    hold("scripts/same-region-first.yaml");
}

#[test]
fn script_area_code() {
    hold("scripts/area-code.yaml");
}

#[test]
fn script_night_shift() {
    hold("scripts/night-shift.yaml");
}

#[test]
fn script_canary_percent() {
    hold("scripts/canary-percent.yaml");
}

#[test]
fn script_pin_to_address() {
    hold("scripts/pin-to-address.yaml");
}

#[test]
fn script_version_at_least() {
    hold("scripts/version-at-least.yaml");
}

#[test]
fn script_user_id_range() {
    hold("scripts/user-id-range.yaml");
}

#[test]
fn script_weekday_maintenance() {
    hold("scripts/weekday-maintenance.yaml");
}

#[test]
fn every_table_is_held() {
    let source = fs::read_to_string(root().join("tests/it/conformance.rs")).unwrap();
    for folder in ["", "scripts/"] {
        for entry in fs::read_dir(root().join("tests/conformance").join(folder)).unwrap() {
            let name = format!("{folder}{}", entry.unwrap().file_name().into_string().unwrap());
            assert!(name == "scripts" || source.contains(&format!("hold(\"{name}\");")), "{name} has no test");
        }
    }
}

#[test]
fn a_case_that_is_wrong_fails() {
    let text = "- note: a\n  rule: \"=> port = 20881\"\n  invokers: [\"dubbo://h:20880/S\", \"dubbo://h:20881/S\"]\n  call: m\n";
    for (want, expected) in [
        ("{keep: [0], reason: matched}", 1),
        ("{keep: [1], reason: mismatch}", 1),
        ("{keep: [0], reason: mismatch}", 2),
        ("{error: condition::missing_key}", 1),
        ("{count: 1}", 1),
        ("{keep: [1], reason: matched}", 0),
    ] {
        let source = SourceText::new("a.yaml", format!("{text}  want: {want}\n"));
        let (cases, findings) = read_cases(&source, CaseKind::Table);
        assert!(findings.is_empty(), "{findings:?}");
        let table = cases[0].table.clone().unwrap();
        let problems = problems(&cases[0], &table, &variants(&table, root())[0]);
        assert_eq!(problems.len(), expected, "{want}: {problems:?}");
    }
}

#[test]
fn a_script_is_tried_by_each_engine_that_has_a_file() {
    let Some(first) = engines().next() else { return };
    let empty = if suffix(first) == "lua" { "return {}" } else { "[]" };
    let folder = TestFolder::empty().with(&format!("pick/route.{}", suffix(first)), empty);
    let rule = TableRule::Script("pick".to_owned());
    let table = Table { rule, invokers: Vec::new(), dialect: None, force: false, priority: None };
    let tried: Vec<String> = variants(&table, folder.path()).into_iter().map(|variant| variant.engine).collect();
    let of_file = engines().filter(|engine| suffix(*engine) == suffix(first));
    assert_eq!(tried, of_file.map(|engine| format!(" ({engine})")).collect::<Vec<_>>());
}
