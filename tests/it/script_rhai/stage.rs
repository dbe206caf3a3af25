//! A list, a call and an executor for scripts.

use std::sync::Arc;
use std::time::Duration;

use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::rpc::Provider;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
use pointsman::rpc::Value;
use pointsman::script::CapturedCall;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::Program;
use pointsman::script::ProgramId;
use pointsman::script::ProviderTable;
use pointsman::script::Run;
use pointsman::script::RunError;
use pointsman::script::RunLimits;
use pointsman::script::RunReport;

/// Three providers and a call of `create(7, …)` from Hangzhou, on 1 December 2025, 06:30 in Shanghai.
pub(crate) struct Stage {
    table: Arc<ProviderTable>,
    executor: Executor,
    pub(crate) limits: RunLimits,
    attachments: Vec<(String, String)>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(&[
            "dubbo://10.0.0.1:20880/com.shop.OrderService?region=hangzhou&version=1.2&group=g&password=secret&empty=",
            "dubbo://10.0.0.2:20880/com.shop.OrderService?region=beijing&weight=200",
            "tri://10.0.0.3/com.shop.OrderService?region=hangzhou&gray=true",
        ])
    }

    pub(crate) fn with(urls: &[&str]) -> Self {
        let providers = urls.iter().map(|url| Provider::from(Url::parse(url).unwrap())).collect();
        let list = InvokerList::of(ServiceKey::parse("com.shop.OrderService"), providers);
        let mut limits = Limits::default().for_run(urls.len(), None);
        // Builds without optimization on busy cores need more than a rule may use.
        limits.deadline = Duration::from_millis(400);
        let attachments = [("region", "hangzhou"), ("user-id", "1042"), ("empty", "")];
        Self {
            table: Arc::new(ProviderTable::of(&list, 1)),
            executor: Executor::default(),
            limits,
            attachments: attachments.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
        }
    }

    fn call(&self) -> CapturedCall {
        let map =
            Value::Map(vec![("vip".into(), Value::Bool(true)), ("tags".into(), Value::List(vec!["a".into_value()]))]);
        CapturedCall {
            service: "com.shop.OrderService".to_owned(),
            method: "create".to_owned(),
            target_method: "create".to_owned(),
            parameter_types: vec!["int".to_owned(), "java.util.Map".to_owned()],
            arguments: vec![Value::Int(7), map, Value::Null, Value::Double(1.5)],
            attachments: self.attachments.clone(),
            consumer: "consumer://10.0.0.9/com.shop.OrderService?application=shop".to_owned(),
            now_ms: 1_764_541_800_000,
            zone: "Asia/Shanghai".to_owned(),
            seed: 1,
            unavailable: Vec::new(),
        }
    }

    pub(crate) fn compile(&mut self, id: u64, text: &str) -> Result<(), pointsman::script::CompileError> {
        let program = Program { engine: EngineKind::Rhai, name: "case.rhai".into(), text: text.into() };
        self.executor.compile(ProgramId(id), &program)
    }

    pub(crate) fn run(&mut self, id: u64) -> RunReport {
        let candidates = Selection::all(self.table.len());
        let run = Run::start(self.table.clone(), candidates, self.call(), self.limits);
        self.executor.run(ProgramId(id), run)
    }

    /// Compiles `text` and runs it once.
    pub(crate) fn report(&mut self, text: &str) -> RunReport {
        self.compile(0, text).unwrap_or_else(|error| panic!("{error:?} in `{text}`"));
        self.run(0)
    }

    /// The positions that `text` keeps.
    pub(crate) fn keeps(&mut self, text: &str) -> Vec<usize> {
        let words = self.report(text).result.unwrap_or_else(|error| panic!("{error:?} in `{text}`"));
        Selection::from_words(self.table.len(), &words).positions().collect()
    }

    /// What `text` prints, joined by `;`.
    pub(crate) fn prints(&mut self, text: &str) -> String {
        let report = self.report(&format!("{text}; invokers"));
        report.result.unwrap_or_else(|error| panic!("{error:?} in `{text}`"));
        report.log.join(";")
    }

    /// Why `text` came to nothing.
    pub(crate) fn fails(&mut self, text: &str) -> RunError {
        self.report(text).result.expect_err(text)
    }
}

/// A word as a value.
trait IntoValue {
    fn into_value(self) -> Value<'static>;
}

impl IntoValue for &'static str {
    fn into_value(self) -> Value<'static> {
        Value::Text(self.into())
    }
}
