//! Who makes routers, and what a factory is given to do so.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostics::Finding;
use crate::diagnostics::SourceText;
use crate::router::BuildError;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleDefinition;

/// Makes routers of one kind.
pub trait RouterFactory: Send + Sync + fmt::Debug {
    /// The URL protocol under which it is found, matched exactly.
    fn protocol(&self) -> &str;

    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// The rule does not compile; the error says where and what to do.
    fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError>;
}

/// Factories that come and go while an engine runs: those of plugins.
pub trait FactorySource: Send + Sync + fmt::Debug {
    /// The factory called `protocol` that is in force now.
    fn factory(&self, protocol: &str) -> Option<Arc<dyn RouterFactory>>;

    /// The names of those in force, in order.
    fn protocols(&self) -> Vec<String>;

    /// Takes note of the files that there are: new ones are loaded, those that are gone are let go of. What is wrong with
    /// them is told every time.
    fn offer(&self, files: &[OfferedFile]) -> Vec<Finding>;

    /// Files outside of the folder whose change may change what [`FactorySource::offer`] makes of it.
    fn watched_files(&self) -> Vec<PathBuf>;
}

/// A file that a factory could come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFile {
    /// What findings call it.
    pub name: String,
    /// Where it lies, links followed.
    pub path: PathBuf,
    /// Somebody is writing it: it is there, and not to be read.
    pub is_held: bool,
}

/// Reads texts that rules refer to, and records that they do; the factories never read by themselves.
pub trait TextReader {
    /// The text at `path`, under the name by which findings call it.
    ///
    /// # Errors
    ///
    /// It cannot be read, or may not be.
    fn read(&mut self, path: &str) -> Result<SourceText, BuildError>;

    /// How many texts stand around the one that is compiled now: a rule that was read may name a further one.
    fn depth(&self) -> usize {
        0
    }
}

/// What a factory may use while it compiles.
pub struct FactoryContext<'a> {
    /// The registry, for rules that become rules of another kind.
    pub registry: &'a RouterFactoryRegistry,
    /// Reads files for `file:` rules; none where rules may not read.
    pub reader: Option<&'a mut dyn TextReader>,
    /// Warnings about rules that compile.
    pub warnings: &'a mut Vec<Finding>,
}

impl fmt::Debug for FactoryContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactoryContext").field("registry", self.registry).finish_non_exhaustive()
    }
}
