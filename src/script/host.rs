//! Where scripts run, and within what: the host's decision, never a rule's.

use std::fmt;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use hashbrown::HashMap;
use parking_lot::Mutex;

use crate::router::InvokerList;
use crate::router::Language;
use crate::router::RouteError;
use crate::router::Routed;
use crate::router::Selection;
use crate::script;
use crate::script::CapturedCall;
use crate::script::CompileError;
use crate::script::EngineKind;
use crate::script::Limits;
use crate::script::Program;
use crate::script::ProgramId;
use crate::script::ProviderTable;
use crate::script::RunLimits;
use crate::script::inline::Forgotten;
use crate::script::inline::Inline;
use crate::script::report::settle;
use crate::script::router::ScriptRule;
#[cfg(target_os = "linux")]
use crate::script::workers::Domain;
#[cfg(target_os = "linux")]
use crate::script::workers::PlacedProgram;
#[cfg(target_os = "linux")]
use crate::script::workers::PlacedTable;
#[cfg(target_os = "linux")]
use crate::script::workers::Workers;
#[cfg(target_os = "linux")]
use crate::worker::Part;
#[cfg(target_os = "linux")]
use crate::worker::Pool;

/// Where scripts run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Isolation {
    /// On the calling thread. No engine bounds every script there, so this is for text that the host trusts.
    InlineTrusted,
    /// In supervised processes: whatever a script does, only its own budget is used up.
    #[cfg(target_os = "linux")]
    Worker {
        /// The processes; one pool serves any number of hosts.
        pool: Pool,
        /// Which rules may share one.
        domain: Domain,
    },
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
    backend: Backend,
    number: u64,
    next: AtomicU64,
    tables: Mutex<HashMap<usize, Weak<TableHandle>>>,
}

#[derive(Clone)]
enum Backend {
    Inline(Arc<Inline>),
    #[cfg(target_os = "linux")]
    Workers(Workers),
}

/// A program that a host has compiled; dropping the last one forgets it.
pub(crate) struct ProgramHandle {
    id: ProgramId,
    program: Program,
    place: ProgramPlace,
}

enum ProgramPlace {
    Inline(Arc<Inline>),
    #[cfg(target_os = "linux")]
    Workers(Workers, PlacedProgram),
}

/// The providers of one list, as a host's engines know them; dropping the last one forgets them.
pub(crate) struct TableHandle {
    table: Arc<ProviderTable>,
    /// Kept, so that no other list can have its address.
    list: Arc<InvokerList>,
    place: TablePlace,
}

enum TablePlace {
    Inline(Arc<Inline>),
    #[cfg(target_os = "linux")]
    Workers(PlacedTable),
}

/// A program with the table that it runs over.
pub(crate) struct Placed {
    table: Arc<TableHandle>,
    #[cfg(target_os = "linux")]
    part: Option<Arc<Part>>,
}

/// One run, ready to begin.
pub(crate) struct Run<'a> {
    pub(crate) placed: &'a Placed,
    pub(crate) candidates: &'a Selection,
    pub(crate) call: CapturedCall,
    pub(crate) limits: RunLimits,
}

/// Numbers hosts, so that those that share a pool do not share a process unless they may.
static HOSTS: AtomicU64 = AtomicU64::new(1);

// === impl ScriptSettings ===

impl ScriptSettings {
    /// These scripts are trusted and run on the calling thread, within the default limits.
    #[must_use]
    pub fn inline_trusted() -> Self {
        Self::of(Isolation::InlineTrusted)
    }

    /// Scripts run in the processes of `pool`, within the default limits.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn workers(pool: Pool) -> Self {
        Self::of(Isolation::Worker { pool, domain: Domain::default() })
    }

    fn of(isolation: Isolation) -> Self {
        let engines = EngineKind::of(Language::JavaScript);
        let javascript = engines.iter().copied().find(|kind| kind.is_built_in()).unwrap_or(EngineKind::Boa);
        Self { isolation, limits: Limits::default(), javascript }
    }
}

// === impl ScriptHost ===

impl ScriptHost {
    /// A host of these settings.
    #[must_use]
    pub fn new(settings: ScriptSettings) -> Self {
        let backend = match &settings.isolation {
            Isolation::InlineTrusted => Backend::Inline(Arc::default()),
            #[cfg(target_os = "linux")]
            Isolation::Worker { pool, domain } => Backend::Workers(Workers { pool: pool.clone(), domain: *domain }),
        };
        let number = HOSTS.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Shared { settings, backend, number, next: AtomicU64::new(1), tables: Mutex::default() }))
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
        match self.0.backend {
            Backend::Inline(_) => "inline",
            #[cfg(target_os = "linux")]
            Backend::Workers(_) => "worker",
        }
    }

    /// Compiles a program.
    pub(crate) fn compile(&self, program: Program) -> Result<ProgramHandle, CompileError> {
        let id = ProgramId(self.next_number());
        let place = match &self.0.backend {
            Backend::Inline(inline) => {
                inline.compile(id, &program)?;
                ProgramPlace::Inline(Arc::clone(inline))
            }
            #[cfg(target_os = "linux")]
            Backend::Workers(workers) => {
                let placed = workers.compile(&program, id.0, self.0.number)?;
                ProgramPlace::Workers(workers.clone(), placed)
            }
        };
        Ok(ProgramHandle { id, program, place })
    }

    /// Makes ready what runs of `program` over `list` need.
    pub(crate) fn place(&self, program: &ProgramHandle, list: &Arc<InvokerList>) -> Placed {
        let table = self.table(list);
        #[cfg(target_os = "linux")]
        let part = match (&program.place, &table.place) {
            (ProgramPlace::Workers(workers, program), TablePlace::Workers(table)) => {
                Some(workers.place(program, table))
            }
            _ => None,
        };
        Placed {
            table,
            #[cfg(target_os = "linux")]
            part,
        }
    }

    /// The table of `list`; made once a list.
    fn table(&self, list: &Arc<InvokerList>) -> Arc<TableHandle> {
        let mut tables = self.0.tables.lock();
        let address = Arc::as_ptr(list).addr();
        let known = tables.get(&address).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.list, list)) {
            return known;
        }
        let table = Arc::new(ProviderTable::of(list, self.next_number()));
        let place = match &self.0.backend {
            Backend::Inline(inline) => TablePlace::Inline(Arc::clone(inline)),
            #[cfg(target_os = "linux")]
            Backend::Workers(_) => TablePlace::Workers(PlacedTable::of(&table)),
        };
        let handle = Arc::new(TableHandle { table, list: Arc::clone(list), place });
        tables.retain(|_, known| known.strong_count() > 0);
        tables.insert(address, Arc::downgrade(&handle));
        handle
    }

    /// Begins a run of `rule`: on this thread to its end, or in a worker.
    pub(crate) fn start(rule: &Arc<ScriptRule>, run: Run<'_>) -> Result<Routed<'static>, RouteError> {
        let Run { placed, candidates, call, limits } = run;
        match &rule.program.place {
            ProgramPlace::Inline(inline) => {
                let table = Arc::clone(&placed.table.table);
                let run = script::Run::start(table, candidates.clone(), call.clone(), limits);
                let report = inline.run(rule.program.id, &rule.program.program, run);
                settle(rule, &call, candidates, &limits, report).map(Routed::Settled)
            }
            #[cfg(target_os = "linux")]
            ProgramPlace::Workers(workers, program) => match &placed.part {
                Some(table) => Ok(Routed::Later(workers.start(program, table, candidates, call, limits, rule))),
                None => Ok(Routed::Pass),
            },
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
        // Workers forget a part when it is dropped.
        if let ProgramPlace::Inline(inline) = &self.place {
            inline.forget(Forgotten::Program(self.id));
        }
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
        if let TablePlace::Inline(inline) = &self.place {
            inline.forget(Forgotten::Table(self.table.number()));
        }
    }
}

// === impl Placed ===

impl fmt::Debug for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}
