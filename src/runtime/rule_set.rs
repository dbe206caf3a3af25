//! A set of rules is a value, with an id made of its rules' texts.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::hash::Hasher;
use std::path::PathBuf;
use std::sync::Arc;

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::diagnostics::ConfigError;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::disk::ContentHash;
use crate::router::Router;
use crate::router::RouterFactoryRegistry;
use crate::router::RuleDefinition;
use crate::router::RuleId;
use crate::rpc::Url;
use crate::rpc::UrlError;
use crate::rpc::keys;
use crate::runtime::default_registry;
use crate::runtime::folder_rules::FolderRules;
use crate::runtime::folder_rules::FolderState;
use crate::runtime::known::CompiledRule;
use crate::runtime::known::Known;
use crate::runtime::rule_index::RuleIndex;
use crate::runtime::source_status::FileState;
use crate::source::folder::Dependency;
use crate::source::folder::FolderContents;
use crate::source::folder::LoadedFile;
use crate::source::folder::RuleEntry;

/// What findings call conditions that came from no file.
const CONDITIONS: &str = "conditions";

/// Compiled rules. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    routers: Arc<[Arc<dyn Router>]>,
    /// What each router was compiled from; in the same order.
    compiled: Arc<[CompiledRule]>,
    index: Arc<RuleIndex>,
    /// The files, where the rules came from a folder.
    folder: Option<Arc<FolderState>>,
    id: u64,
    is_incomplete: bool,
}

// === impl RuleSet ===

impl RuleSet {
    /// A set of routers that are there already.
    #[must_use]
    pub fn of(routers: Vec<Arc<dyn Router>>) -> Self {
        Self::of_compiled(routers.into_iter().map(CompiledRule::of).collect())
    }

    fn of_compiled(compiled: Vec<CompiledRule>) -> Self {
        let routers: Arc<[_]> = compiled.iter().map(|rule| Arc::clone(&rule.router)).collect();
        let mut hasher = foldhash::quality::FixedState::with_seed(0).build_hasher();
        for header in routers.iter().map(|router| router.header()) {
            hasher.write(header.id.source().as_bytes());
            hasher.write_u32(header.id.line());
            hasher.write(header.url.as_str().as_bytes());
        }
        let index = Arc::new(RuleIndex::of(&routers, None));
        Self { id: hasher.finish(), routers, compiled: compiled.into(), index, folder: None, is_incomplete: false }
    }

    /// Compiles bare conditions, as a `*.rules` file without tags has them: for every service and every consumer, in
    /// dialect `v2`, without `force`. Findings name the source `conditions`, as if it had one rule a line.
    ///
    /// ```
    /// use pointsman::runtime::RuleSet;
    /// let rules = RuleSet::from_conditions(["method = find* => region = $region", "host = 10.9.* => false"]).unwrap();
    /// assert_eq!(rules.routers().len(), 2);
    /// let error = RuleSet::from_conditions(["method=find* => region=hangzhou => host=10.0.0.1"]).unwrap_err();
    /// assert_eq!(error.findings()[0].slug(), "condition::second_arrow");
    /// ```
    ///
    /// # Errors
    ///
    /// All findings of all rules, warnings included, if one of them does not compile.
    pub fn from_conditions<'a>(conditions: impl IntoIterator<Item = &'a str>) -> Result<Self, ConfigError> {
        let registry = default_registry()
            .map_err(|error| ConfigError::new(vec![Finding::error(error.slug(), error.to_string())]))?;
        let conditions: Vec<&str> = conditions.into_iter().collect();
        let source = SourceText::new(CONDITIONS, conditions.join("\n"));
        let (mut definitions, mut findings, mut start) = (Vec::with_capacity(conditions.len()), Vec::new(), 0);
        for condition in conditions {
            let origin = Origin::at(source.clone(), start);
            start += condition.len() + 1;
            match define(condition, &origin) {
                Ok(definition) => definitions.push(definition),
                Err(error) => findings.push(Finding::error("route::not_a_url", error.to_string()).at(
                    &origin,
                    0..condition.len(),
                    "this rule",
                )),
            }
        }
        let (rules, found) = Self::compile(&definitions, &registry, None);
        findings.extend(found);
        let has_errors = findings.iter().any(|finding| finding.severity() == Severity::Error);
        if has_errors { Err(ConfigError::new(findings)) } else { Ok(rules) }
    }

    /// Compiles rules; those that `previous` has unchanged are taken over. Every rule that compiles is in the set;
    /// errors and warnings are among the findings.
    #[must_use]
    pub fn compile(
        definitions: &[RuleDefinition],
        registry: &RouterFactoryRegistry,
        previous: Option<&Self>,
    ) -> (Self, Vec<Finding>) {
        let known = Known::of(previous.into_iter().flat_map(|set| set.compiled.iter()));
        let (mut findings, mut read) = (Vec::new(), Vec::new());
        let create = |definition| known.get_or_create(definition, registry, None, &mut findings, &mut read);
        let compiled = definitions.iter().filter_map(create).collect();
        (Self::of_compiled(compiled), findings)
    }

    /// Compiles the rules of a folder; findings join the folder's. Rules that `previous` has unchanged, with the files
    /// that they read, are taken over.
    ///
    /// A file with an error gives no rule of its own. With the rules that were in force before (`previous`, of the same
    /// folder) its last good ones stay, and a new file with an error changes nothing; a file that is gone loses its
    /// rules, unless part of the folder could not be looked at. Without, the set is incomplete.
    ///
    /// ```
    /// use pointsman::runtime::{Engine, RuleSet, default_registry};
    /// use pointsman::source::folder::{FolderOptions, load};
    /// let mut contents = load("examples/shop".as_ref(), &FolderOptions::default());
    /// let rules = RuleSet::from_folder(&mut contents, &default_registry().unwrap(), None);
    /// let engine = Engine::builder().rules(rules).providers(contents.providers().cloned()).build().unwrap();
    /// assert_eq!(engine.services().len(), 5);
    /// ```
    #[must_use]
    pub fn from_folder(
        contents: &mut FolderContents,
        registry: &RouterFactoryRegistry,
        previous: Option<&Self>,
    ) -> Self {
        Self::from_folder_again(contents, registry, previous, None)
    }

    /// [`RuleSet::from_folder`]; rules that `attempt` has unchanged are taken over too, though it never was in force.
    pub(crate) fn from_folder_again(
        contents: &mut FolderContents,
        registry: &RouterFactoryRegistry,
        previous: Option<&Self>,
        attempt: Option<&Self>,
    ) -> Self {
        contents.add_findings(registry.offer(&contents.plugins()));
        let sets = || attempt.into_iter().chain(previous);
        let mut read: BTreeMap<String, Vec<Dependency>> = BTreeMap::new();
        let compiled = contents.compile_files(|file, findings| {
            // PERF: of a thousand files one has changed; the others are not even asked rule by rule (`runtime/reload`).
            if let Some(mut rules) = sets().find_map(|set| set.unchanged(file)).map(<[_]>::iter) {
                return file.compile(findings, |_, findings| Some(rules.next()?.again(findings)));
            }
            let known = Known::of(sets().flat_map(|set| set.rules_of(file.name())));
            let read = read.entry(file.name().to_owned()).or_default();
            file.compile(findings, |entry, findings| {
                known.get_or_create(&entry.to_definition(), registry, Some(&mut file.reader()), findings, read)
            })
        });
        let before = previous.and_then(|set| Some((set.folder.as_deref()?, &*set.compiled)));
        let mut rules = FolderRules::after(before);
        for (file, compiled) in contents.files().iter().zip(compiled) {
            let read = read.get(file.name()).map_or(&[][..], |read| read);
            rules.add(file, compiled, read, contents.error_of(file.name()));
        }
        rules.add_unread(|name| contents.trace_of(name));
        let set = Self::of_folder(rules, contents.is_partly_unread());
        // Of a folder that was never good, nothing is known to be missing: any error counts.
        if before.is_none() && contents.has_rule_errors() { set.incomplete() } else { set }
    }

    /// The rules of a file that is as it was when they were made of it, and of it alone.
    fn unchanged(&self, file: &LoadedFile) -> Option<&[CompiledRule]> {
        let state = FileState::find(self.files(), file.name())?;
        let (rules, entries) = (self.compiled.get(state.rules.clone())?, file.entries());
        let is_good = state.applied.is_some() && state.applied == file.hash() && state.read.is_empty();
        let is_same = |(rule, entry): (&CompiledRule, &RuleEntry)| rule.is_of(entry) && rule.router.is_current();
        (is_good && rules.len() == entries.len() && rules.iter().zip(entries).all(is_same)).then_some(rules)
    }

    fn rules_of(&self, file: &str) -> &[CompiledRule] {
        let state = FileState::find(self.files(), file);
        state.and_then(|state| self.compiled.get(state.rules.clone())).unwrap_or_default()
    }

    fn of_folder(rules: FolderRules<'_>, is_partly_unread: bool) -> Self {
        let (compiled, folder) = rules.finish(is_partly_unread);
        let is_incomplete = folder.is_partly_unread || folder.files.iter().any(|file| file.is_missing);
        Self { folder: Some(Arc::new(folder)), is_incomplete, ..Self::of_compiled(compiled) }
    }

    /// Says since when its files were in force in an earlier process: they are copies that were kept.
    pub(crate) fn persisted(mut self, since: impl Fn(&str) -> Option<jiff::Timestamp>) -> Self {
        let Some(folder) = self.folder.as_deref() else { return self };
        let of = |file: &FileState| FileState { persisted_since: since(&file.name), ..file.clone() };
        let files = folder.files.iter().map(of).collect();
        self.folder = Some(Arc::new(FolderState { files, is_partly_unread: false }));
        self
    }

    /// This set without what is new in the file called `name`: what `previous` had of it stays.
    pub(crate) fn refusing(&self, name: &str, error: &Finding, previous: Option<&Self>) -> Self {
        let before = previous.and_then(|set| Some((set.folder.as_deref()?, &*set.compiled)));
        let mut rules = FolderRules::after(before);
        rules.add_but(self.files(), &self.compiled, name, error);
        Self::of_folder(rules, self.folder.as_ref().is_some_and(|folder| folder.is_partly_unread))
    }

    /// The files that the rules came from, by name; none where they came from elsewhere.
    pub(crate) fn files(&self) -> &[FileState] {
        self.folder.as_ref().map_or(&[], |folder| &folder.files)
    }

    pub(crate) fn has_file(&self, name: &str) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.file(name).is_some())
    }

    /// What is in force of the file called `name`.
    pub(crate) fn applied_hash(&self, name: &str) -> Option<ContentHash> {
        self.folder.as_ref()?.file(name)?.applied
    }

    /// The file that the rule at `place` came from.
    pub(crate) fn file_of(&self, place: usize) -> Option<&FileState> {
        let files = self.files();
        files.get(files.partition_point(|file| file.rules.end <= place)).filter(|file| file.rules.contains(&place))
    }

    /// The files that rules are made of, or asked for, besides those that they stand in.
    pub(crate) fn further_files(&self) -> impl Iterator<Item = &PathBuf> {
        let compiled = self.compiled.iter().flat_map(|rule| &rule.dependencies).map(|file| &file.path);
        compiled.chain(self.files().iter().flat_map(|file| file.read.iter()))
    }

    /// Says that some rules are missing which have no earlier good version; `on-empty` decides what that means.
    #[must_use]
    pub fn incomplete(self) -> Self {
        Self { is_incomplete: true, ..self }
    }

    /// Whether some rules are missing which have no earlier good version.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// The rules in the order given.
    #[must_use]
    pub fn routers(&self) -> &[Arc<dyn Router>] {
        &self.routers
    }

    /// Which rules a service may meet.
    pub(crate) fn index(&self) -> &RuleIndex {
        &self.index
    }

    /// Whether both hold the very same routers.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.routers.len() == other.routers.len()
            && self.routers.iter().zip(&*other.routers).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// The set's id: equal for rules of equal texts.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
}

/// A bare condition as a rule for everybody.
fn define(condition: &str, origin: &Origin) -> Result<RuleDefinition, UrlError> {
    let rule = utf8_percent_encode(condition, NON_ALPHANUMERIC);
    let url = Url::parse(&format!("condition://{}/{}?{}={rule}", keys::ANY_HOST, keys::ANY, keys::RULE))?;
    let line = u32::try_from(origin.line()).unwrap_or(u32::MAX);
    let id = RuleId::new(CONDITIONS, line, None, url.as_str());
    let source_bytes = condition.len();
    Ok(RuleDefinition { id, url, origin: origin.clone(), source_bytes, rule_origin: origin.clone(), placement: None })
}
