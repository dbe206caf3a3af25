//! boa: what it makes of hostile texts, each in a process of its own, and that nothing of a run is left for the next.

use std::io::Read;
use std::path::Path;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use pointsman::router::Selection;
use pointsman::rpc::Value;
use pointsman::script::CapturedCall;
use pointsman::script::CompileError;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::Program;
use pointsman::script::ProgramId;
use pointsman::script::ProviderTable;
use pointsman::script::Run;
use pointsman::script::RunError;
use pointsman::script::RunReport;

/// Names the text that a child process runs.
const TEXT: &str = "POINTSMAN_HOSTILE_TEXT";

/// What boa cannot bound in its own process, and why; a worker process bounds these.
const UNBOUNDED: &[(&str, &str)] = &[];

/// What a child may take before it counts as hung.
const GUARD: Duration = Duration::from_secs(5);

/// An executor over a few providers.
struct Scene {
    executor: Executor,
    table: Arc<ProviderTable>,
    limits: Limits,
    next: u64,
}

// === impl Scene ===

impl Scene {
    fn new() -> Self {
        let urls: Vec<String> = (1..=6)
            .map(|at| {
                format!(
                    "dubbo://10.0.0.{at}:20880/com.foo.Bar?region={}",
                    if at % 2 == 0 { "hangzhou" } else { "beijing" }
                )
            })
            .collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let bytes = postcard::to_stdvec(&("com.foo.Bar", urls)).unwrap();
        // Slow machines run these tests; what is stopped by time alone is stopped here as well.
        let limits = Limits { deadline: Duration::from_millis(100), ..Limits::default() };
        Self {
            executor: Executor::default(),
            table: Arc::new(ProviderTable::from_bytes(1, &bytes).unwrap()),
            limits,
            next: 0,
        }
    }

    fn compile(&mut self, text: &str) -> Result<ProgramId, CompileError> {
        self.next += 1;
        let program = Program { engine: EngineKind::Boa, name: "rule.js".into(), text: text.into() };
        self.executor.compile(ProgramId(self.next), &program).map(|()| ProgramId(self.next))
    }

    fn run(&mut self, id: ProgramId) -> RunReport {
        let call = CapturedCall {
            service: "com.foo.Bar".to_owned(),
            method: "create".to_owned(),
            target_method: "create".to_owned(),
            parameter_types: vec!["long".to_owned()],
            arguments: vec![Value::Int(7)],
            attachments: vec![("region".to_owned(), "hangzhou".to_owned())],
            consumer: String::new(),
            now_ms: 1_764_541_800_000,
            zone: "Asia/Shanghai".to_owned(),
            seed: 1,
        };
        let count = self.table.len();
        let limits = self.limits.for_run(count, None);
        self.executor.run(id, Run::start(Arc::clone(&self.table), Selection::all(count), call, limits))
    }

    fn answer(&mut self, text: &str) -> Result<Vec<u64>, RunError> {
        let id = self.compile(text).map_err(|error| RunError::failed(&error.message, error.line, error.column))?;
        self.run(id).result
    }
}

/// A rule that keeps every second provider.
const GOOD: &str =
    "invokers.filter(function (it) { return it.url.param('region') == invocation.attachment('region') })";

fn outcome(scene: &mut Scene, text: &str) -> String {
    let id = match scene.compile(text) {
        Ok(id) => id,
        Err(error) => return format!("refused: {}", error.message),
    };
    match scene.run(id).result {
        Ok(words) => format!("kept {words:?}"),
        Err(RunError::Limit { which, line, .. }) => format!("limit {which:?} at {line:?}"),
        Err(RunError::Failed { message, line, .. }) => format!("failed at {line:?}: {message}"),
        Err(RunError::WrongResult { found }) => format!("no list: {found}"),
    }
}

/// The child's part: does nothing unless it is asked to by name.
#[test]
fn a_child_runs_one_text_and_then_a_good_rule() {
    let Some(path) = std::env::var_os(TEXT) else { return };
    bound_memory();
    let text = std::fs::read_to_string(path).unwrap();
    let mut scene = Scene::new();
    let outcome = outcome(&mut scene, &text);
    assert_eq!(scene.answer(GOOD), Ok(vec![0b10_1010]), "after {outcome}");
    println!("outcome: {}", outcome.chars().take(300).collect::<String>().replace('\n', " "));
    drop(scene);
    println!("dropped");
}

/// So that a text without a bound takes the child with it and not the machine.
fn bound_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::Resource;
        use rustix::process::Rlimit;
        let bytes = Some(2 << 30);
        rustix::process::setrlimit(Resource::As, Rlimit { current: bytes, maximum: bytes }).unwrap();
    }
}

/// What became of a child over the text at `path`.
fn outcome_of_child(path: &Path) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "script_boa::a_child_runs_one_text_and_then_a_good_rule", "--nocapture"])
        .env(TEXT, path)
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ended = wait(&mut child);
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    let outcome = printed.lines().find_map(|line| line.split("outcome: ").nth(1)).unwrap_or("nothing").to_owned();
    match ended {
        None => format!("HUNG after {outcome}"),
        Some(status) if status.success() && printed.contains("dropped") => outcome,
        Some(status) => format!("DIED ({status}) after {outcome}"),
    }
}

fn wait(child: &mut Child) -> Option<std::process::ExitStatus> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if started.elapsed() > GUARD {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn every_hostile_text_is_bounded_or_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/js");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 50, "the folder holds the texts");
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let outcome = outcome_of_child(&path);
        println!("{name}: {outcome}");
        let is_bounded = !outcome.starts_with("HUNG") && !outcome.starts_with("DIED");
        let is_listed = UNBOUNDED.iter().any(|(listed, _)| *listed == name);
        if is_bounded == is_listed {
            wrong.push(format!("{name}: {outcome}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
