//! Where scripts run, and within what: the host's decision, never a rule's.

use std::fmt;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::router::InvokerList;
use crate::router::RouteError;
use crate::router::Routed;
use crate::router::Selection;
use crate::script::CapturedCall;
use crate::script::CompileError;
use crate::script::EngineKind;
use crate::script::Language;
use crate::script::Limits;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::RunLimits;
use crate::script::inline::Forgotten;
use crate::script::inline::Inline;
use crate::script::report::settle;
use crate::script::router::ScriptRule;

/// Where scripts run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Isolation {
    /// On the calling thread. No engine bounds every script there, so this is for text that the host trusts.
    InlineTrusted,
}

/// What a host allows scripts.
#[derive(Debug, Clone)]
pub struct ScriptSettings {
    /// Where they run. There is no default: whoever embeds the library decides.
    pub isolation: Isolation,
    /// Within what.
    pub limits: Limits,
    /// What runs JavaScript where a rule does not say.
    pub javascript: EngineKind,
}

/// Compiles and runs scripts as the host allows. Cheap to clone; all clones are one host.
#[derive(Clone)]
pub struct ScriptHost(Arc<Shared>);

struct Shared {
    settings: ScriptSettings,
    inline: Arc<Inline>,
    next: AtomicU64,
    tables: Mutex<HashMap<usize, Weak<TableHandle>>>,
}

/// A program that a host has compiled; dropping the last one forgets it.
pub(crate) struct ProgramHandle {
    id: ProgramId,
    program: Program,
    inline: Arc<Inline>,
}

/// The providers of one list, as a host's engines know them; dropping the last one forgets them.
pub(crate) struct TableHandle {
    table: Arc<ProviderTable>,
    /// Kept, so that no other list can have its address.
    list: Arc<InvokerList>,
    inline: Arc<Inline>,
}

/// One run, ready to begin.
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Arc<ProgramHandle>,
    pub(crate) table: &'a Arc<TableHandle>,
    pub(crate) candidates: &'a Selection,
    pub(crate) call: CapturedCall,
    pub(crate) limits: RunLimits,
}

// === impl ScriptSettings ===

impl ScriptSettings {
    /// These scripts are trusted and run on the calling thread, within the default limits.
    #[must_use]
    pub fn inline_trusted() -> Self {
        Self::of(Isolation::InlineTrusted)
    }

    fn of(isolation: Isolation) -> Self {
        let engines = Language::JavaScript.engines();
        let javascript = engines.iter().copied().find(|kind| kind.is_built_in()).unwrap_or(EngineKind::Boa);
        Self { isolation, limits: Limits::default(), javascript }
    }
}

// === impl ScriptHost ===

impl ScriptHost {
    /// A host of these settings.
    #[must_use]
    pub fn new(settings: ScriptSettings) -> Self {
        let (next, tables) = (AtomicU64::new(1), Mutex::default());
        Self(Arc::new(Shared { settings, inline: Arc::default(), next, tables }))
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.settings.limits
    }

    /// The engine for rules in `language` that name none.
    #[must_use]
    pub fn default_engine(&self, language: Language) -> EngineKind {
        match language {
            Language::JavaScript => self.0.settings.javascript,
            Language::Rhai => EngineKind::Rhai,
            Language::Lua => EngineKind::Luau,
        }
    }

    /// Where scripts run, in a word.
    #[must_use]
    pub fn isolation(&self) -> &'static str {
        match self.0.settings.isolation {
            Isolation::InlineTrusted => "inline",
        }
    }

    /// Compiles a program.
    pub(crate) fn compile(&self, program: Program) -> Result<Arc<ProgramHandle>, CompileError> {
        let id = ProgramId(self.next_number());
        self.0.inline.compile(id, &program)?;
        Ok(Arc::new(ProgramHandle { id, program, inline: Arc::clone(&self.0.inline) }))
    }

    /// The table of `list`; made once a list.
    pub(crate) fn table(&self, list: &Arc<InvokerList>) -> Arc<TableHandle> {
        let mut tables = self.0.tables.lock();
        let address = Arc::as_ptr(list).addr();
        let known = tables.get(&address).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.list, list)) {
            return known;
        }
        let table = Arc::new(ProviderTable::of(list, self.next_number()));
        let handle = Arc::new(TableHandle { table, list: Arc::clone(list), inline: Arc::clone(&self.0.inline) });
        tables.retain(|_, known| known.strong_count() > 0);
        tables.insert(address, Arc::downgrade(&handle));
        handle
    }

    /// Runs a job of `rule`, here or in a worker.
    pub(crate) fn start(&self, job: Job<'_>, rule: &Arc<ScriptRule>) -> Result<Routed<'static>, RouteError> {
        match &self.0.settings.isolation {
            Isolation::InlineTrusted => {
                let table = Arc::clone(&job.table.table);
                let run = Run::start(table, job.candidates.clone(), job.call.clone(), job.limits);
                let report = self.0.inline.run(job.program.id, &job.program.program, run);
                settle(rule, &job.call, job.candidates, &job.limits, report).map(Routed::Settled)
            }
        }
    }

    fn next_number(&self) -> u64 {
        self.0.next.fetch_add(1, Ordering::Relaxed)
    }
}

impl fmt::Debug for ScriptHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptHost").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

// === impl ProgramHandle ===

impl ProgramHandle {
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }
}

impl fmt::Debug for ProgramHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramHandle").field("id", &self.id).field("name", &self.program.name).finish_non_exhaustive()
    }
}

impl Drop for ProgramHandle {
    fn drop(&mut self) {
        self.inline.forget(Forgotten::Program(self.id));
    }
}

// === impl TableHandle ===

impl fmt::Debug for TableHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableHandle").field("number", &self.table.number()).finish_non_exhaustive()
    }
}

impl Drop for TableHandle {
    fn drop(&mut self) {
        self.inline.forget(Forgotten::Table(self.table.number()));
    }
}
