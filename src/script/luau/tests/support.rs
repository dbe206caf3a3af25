//! A bench to run rules on.

use std::sync::Arc;

use crate::router::Selection;
use crate::rpc::Value;
use crate::script::CapturedCall;
use crate::script::CompileError;
use crate::script::EngineKind;
use crate::script::Executor;
use crate::script::Limits;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunError;
use crate::script::RunReport;

pub(super) const URLS: [&str; 4] = [
    "dubbo://10.0.1.1:20880/com.ex.BarService?region=hangzhou&weight=100&find.timeout=3&timeout=1&group=g&version=1.0",
    "dubbo://10.0.1.2:20880/com.ex.BarService?region=beijing&empty=&password=x&a=b",
    "tri://10.0.1.3:20881/com.ex.BarService?region=hangzhou",
    "10.0.1.4",
];

/// An executor with its lists.
pub(super) struct Bench {
    pub(super) executor: Executor,
    pub(super) table: Arc<ProviderTable>,
    pub(super) call: CapturedCall,
    pub(super) limits: Limits,
    pub(super) candidates: Selection,
    next: u64,
}

pub(super) fn table(number: u64, urls: &[&str]) -> Arc<ProviderTable> {
    let bytes = postcard::to_stdvec(&("g/com.ex.BarService:1.0", urls)).unwrap();
    Arc::new(ProviderTable::from_bytes(number, &bytes).unwrap())
}

pub(super) fn call() -> CapturedCall {
    CapturedCall {
        service: "com.ex.BarService".to_owned(),
        method: "$invoke".to_owned(),
        target_method: "find".to_owned(),
        parameter_types: vec!["long".to_owned(), "java.lang.String".to_owned()],
        arguments: vec![
            Value::Int(7),
            Value::from("abc"),
            Value::List(vec![Value::from(true), Value::Null, Value::from(1.5)]),
            Value::Map(vec![("id".into(), Value::Int(42))]),
        ],
        attachments: vec![("region".to_owned(), "hangzhou".to_owned()), ("user".to_owned(), "ann".to_owned())],
        consumer: String::new(),
        // 2025-12-01, a Monday, 06:30:15.250 in Shanghai.
        now_ms: 1_764_541_815_250,
        zone: "Asia/Shanghai".to_owned(),
        seed: 1,
        unavailable: Vec::new(),
    }
}

// === impl Bench ===

impl Bench {
    pub(super) fn new() -> Self {
        Self::over(&URLS)
    }

    pub(super) fn over(urls: &[&str]) -> Self {
        Self {
            executor: Executor::default(),
            table: table(1, urls),
            call: call(),
            limits: Limits::default(),
            candidates: Selection::all(urls.len()),
            next: 0,
        }
    }

    pub(super) fn compile(&mut self, text: &str) -> Result<ProgramId, CompileError> {
        self.next += 1;
        let program = Program { engine: EngineKind::Luau, name: "rules/x.lua".into(), text: text.into() };
        self.executor.compile(ProgramId(self.next), &program).map(|()| ProgramId(self.next))
    }

    pub(super) fn run(&mut self, id: ProgramId) -> RunReport {
        let limits = self.limits.for_run(self.candidates.count(), None);
        let run = Run::start(Arc::clone(&self.table), self.candidates.clone(), self.call.clone(), limits);
        self.executor.run(id, run)
    }

    /// Compiles and runs.
    pub(super) fn report(&mut self, text: &str) -> RunReport {
        let id = self.compile(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        self.run(id)
    }

    pub(super) fn kept(&mut self, text: &str) -> Vec<usize> {
        let report = self.report(text);
        let words = report.result.unwrap_or_else(|error| panic!("{text}: {error:?}"));
        Selection::from_words(self.table.len(), &words).positions().collect()
    }

    pub(super) fn error(&mut self, text: &str) -> RunError {
        self.report(text).result.expect_err(text)
    }

    /// The value of an expression, as `print` shows it.
    pub(super) fn value(&mut self, expression: &str) -> String {
        let report = self.report(&format!("print({expression}) return invokers"));
        assert!(report.result.is_ok(), "{expression}: {:?}", report.result);
        report.log.join("\n")
    }
}
