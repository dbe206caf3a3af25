//! Runs a script over some providers, on an engine of the caller's choice.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use pointsman::router::InvokerList;
use pointsman::router::Selection;
use pointsman::rpc::Invocation;
use pointsman::rpc::Provider;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::ServiceKey;
use pointsman::rpc::Url;
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

/// The engines for JavaScript that this build has.
pub(crate) fn javascript_engines() -> impl Iterator<Item = EngineKind> {
    [EngineKind::Boa, EngineKind::QuickJs].into_iter().filter(|kind| kind.is_built_in())
}

/// Providers and a call.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) table: Arc<ProviderTable>,
    pub(crate) call: CapturedCall,
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// It did not compile.
    Refused(CompileError),
    /// It ran and came to nothing.
    Failed(RunError),
    /// It kept these positions.
    Kept(Vec<usize>),
}

impl Scene {
    pub(crate) fn new(providers: &[&str], call: &RpcInvocation<'_>) -> Self {
        let urls: Vec<Url> = providers.iter().map(|text| Url::parse(text).unwrap()).collect();
        Self::of(&urls, &Url::parse("consumer://10.0.0.9/S?region=hangzhou").unwrap(), call)
    }

    pub(crate) fn of(providers: &[Url], consumer: &Url, call: &RpcInvocation<'_>) -> Self {
        let service = ServiceKey::parse("com.foo.BarService");
        let providers = providers.iter().cloned().map(Provider::from).collect();
        // Engines keep what they make of a table under its number.
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let table = Arc::new(ProviderTable::of(&InvokerList::of(service, providers), number));
        let mut attachments = Vec::new();
        call.for_each_attachment(&mut |key, value| attachments.push((key.to_owned(), value.to_owned())));
        let count = call.argument_count();
        let types = (0..count).map(|index| call.parameter_type(index).unwrap_or_default().to_owned());
        let call = CapturedCall {
            service: "com.foo.BarService".to_owned(),
            method: call.method().to_owned(),
            target_method: call.target_method().to_owned(),
            parameter_types: types.collect(),
            arguments: (0..count).map(|index| call.argument(index).unwrap().clone().into_owned()).collect(),
            attachments,
            consumer: consumer.as_str().to_owned(),
            now_ms: 1_764_541_800_000,
            zone: "Asia/Shanghai".to_owned(),
            seed: 7,
            unavailable: Vec::new(),
        };
        Self { table, call }
    }

    pub(crate) fn start(&self) -> Run {
        let count = self.table.len();
        Run::start(self.table.clone(), Selection::all(count), self.call.clone(), Limits::default().for_run(count, None))
    }

    /// Compiles `text` on an engine of its own and runs it.
    pub(crate) fn run(&self, engine: EngineKind, text: &str) -> Outcome {
        self.run_on(&mut Executor::default(), engine, text)
    }

    /// Compiles `text` in place of what `executor` ran before and runs it.
    pub(crate) fn run_on(&self, executor: &mut Executor, engine: EngineKind, text: &str) -> Outcome {
        match compile(executor, 1, engine, text) {
            Err(error) => Outcome::Refused(error),
            Ok(()) => outcome(executor.run(ProgramId(1), self.start()), self.table.len()),
        }
    }

    /// Compiles `text` on an engine of its own, runs it, and gives all that is known of the run.
    pub(crate) fn report(&self, engine: EngineKind, text: &str) -> RunReport {
        let mut executor = Executor::default();
        compile(&mut executor, 1, engine, text).unwrap_or_else(|error| panic!("`{text}`: {error:?}"));
        executor.run(ProgramId(1), self.start())
    }
}

pub(crate) fn compile(executor: &mut Executor, id: u64, engine: EngineKind, text: &str) -> Result<(), CompileError> {
    executor.compile(ProgramId(id), &Program { engine, name: "case".into(), text: text.into() })
}

pub(crate) fn outcome(report: RunReport, count: usize) -> Outcome {
    match report.result {
        Err(error) => Outcome::Failed(error),
        Ok(words) => Outcome::Kept(Selection::from_words(count, &words).positions().collect()),
    }
}
