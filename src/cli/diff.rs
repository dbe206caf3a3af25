//! `pointsman diff`: what the rules of a second folder would change.

use std::io;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashSet;
use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::DiffArguments;
use crate::cli::args::Format;
use crate::cli::check::plural;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::compare::TrialCall;
use crate::cli::compare::calls_of;
use crate::cli::engine;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Step;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::cli::revision::Revision;
use crate::diagnostics::Finding;
use crate::diagnostics::escape;
use crate::router::FixedClock;
use crate::router::RuleId;
use crate::router::SystemClock;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::runtime::Candidate;
use crate::runtime::Comparison;
use crate::runtime::Engine;
use crate::runtime::Relation;
use crate::source::cases::load_cases;
use crate::source::config::HostConfig;
use crate::source::folder::FolderContents;
use crate::source::folder::load;

/// Seeds that calls are tried with where a rule draws.
const SEEDS: u64 = 32;
/// How many addresses of one kind are named.
const NAMED: usize = 3;
/// How many changed calls of a service people are shown.
const SHOWN: usize = 12;

/// What `diff --format json` prints.
#[derive(Serialize)]
struct Report {
    schema: u32,
    command: &'static str,
    calls: usize,
    changed: usize,
    providers_added: Vec<String>,
    providers_removed: Vec<String>,
    services: Vec<ServiceReport>,
}

/// One service under both rule sets.
#[derive(Serialize)]
struct ServiceReport {
    service: String,
    calls: usize,
    equal: usize,
    changes: Vec<Change>,
}

/// A call that goes elsewhere.
#[derive(Serialize)]
struct Change {
    call: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    relation: &'static str,
    before: usize,
    after: usize,
    lost: Vec<String>,
    gained: Vec<String>,
    /// How many of how many draws change; one of one where nothing is drawn.
    draws: (usize, usize),
    /// The rules of the second folder that decided it, else those of the first that no longer do.
    because: Vec<String>,
}

/// The two folders, ready to be asked.
struct Sides {
    old: Engine,
    candidate: Candidate,
    new: Engine,
    seeds: u64,
    /// The rules of both.
    rules: (Rules, Rules),
}

pub(crate) fn run(arguments: &DiffArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folders = [arguments.old.clone(), arguments.new.clone()];
    let (printer, config) = match set_up(&arguments.common, folders.into_iter(), console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let revisions = [&arguments.old, &arguments.new].map(|path| Revision::of(path));
    let mut folders = Vec::with_capacity(2);
    for revision in &revisions {
        match revision {
            Ok(revision) => folders.push(load(revision.folder(), &config.folder_options())),
            Err(finding) => {
                refuse(std::slice::from_ref(finding), &printer, console)?;
                return Ok(Exit::Usage);
            }
        }
    }
    let [mut old, mut new] = <[FolderContents; 2]>::try_from(folders).unwrap_or_default();
    let compiled = [engine::compile(&mut old, &config), engine::compile(&mut new, &config)];
    let findings: Vec<Finding> = [&old, &new].into_iter().flat_map(|it| it.findings().iter().cloned()).collect();
    if (old.has_errors() || new.has_errors()) && !arguments.keep_going {
        refuse(&findings, &printer, console)?;
        let is_missing = findings.iter().any(|finding| finding.slug() == "folder::not_a_folder");
        return Ok(if is_missing { Exit::Usage } else { Exit::RuleErrors });
    }
    let [old_rules, new_rules] = compiled;
    // Both rule sets over one list: that of the second folder, which will be in force with its rules.
    let lists = if new.providers().next().is_some() { &new } else { &old };
    let sides = match Sides::start(old_rules, new_rules, lists, &config) {
        Ok(sides) => sides,
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            return Ok(Exit::RuleErrors);
        }
    };
    let services = engine::services_of(lists);
    let mut cases = load_cases(&old).cases;
    let known: Vec<String> = cases.iter().map(|case| case.note.clone()).collect();
    cases.extend(load_cases(&new).cases.into_iter().filter(|case| !known.contains(&case.note)));
    let calls = calls_of(&cases, &services, &[&old, &new]);
    let report = sides.report(&calls, &services, (&old, &new), &printer);
    print(&report, arguments, &printer, console)?;
    Ok(if report.changed == 0 { Exit::Ok } else { Exit::Failed })
}

// === impl Sides ===

impl Sides {
    fn start(
        old_rules: engine::Compiled,
        new_rules: engine::Compiled,
        lists: &FolderContents,
        config: &HostConfig,
    ) -> Result<Self, Vec<Finding>> {
        let draws = |rules: &engine::Compiled| {
            rules.routers().iter().any(|router| router.inputs().random && &*router.header().kind == "condition")
        };
        let seeds = if draws(&old_rules) || draws(&new_rules) { SEEDS } else { 1 };
        let rules = (*new_rules).clone();
        // One moment for all calls: a rule that asks the clock does not tell the folders apart.
        let clock = || Arc::new(FixedClock(crate::router::Clock::now(&SystemClock)));
        let start = |rules, clock| engine::start(rules, lists, config, clock).map_err(|error| error.findings);
        let now = clock();
        let old = start(old_rules, now.clone())?;
        let new = start(new_rules, now)?;
        let candidate = old.candidate(rules).map_err(|error| error.findings)?;
        let rules = (Rules::of(&old), Rules::of(&new));
        Ok(Self { old, candidate, new, seeds, rules })
    }

    fn report(
        &self,
        calls: &[TrialCall],
        services: &[ServiceKey],
        (old, new): (&FolderContents, &FolderContents),
        printer: &Printer,
    ) -> Report {
        let mut reports = Vec::new();
        for service in services {
            let mut report = ServiceReport { service: service.to_string(), calls: 0, equal: 0, changes: Vec::new() };
            for trial in calls.iter().filter(|trial| trial.call.service == *service) {
                report.calls += 1;
                match self.change(trial, printer) {
                    Some(change) => report.changes.push(change),
                    None => report.equal += 1,
                }
            }
            reports.push(report);
        }
        let addresses =
            |contents: &FolderContents| -> Vec<String> { contents.providers().map(Url::to_string).collect() };
        let (before, after) = (addresses(old), addresses(new));
        let missing = |one: &[String], other: &[String]| -> Vec<String> {
            let known: HashSet<&String> = other.iter().collect();
            one.iter().filter(|url| !known.contains(url)).map(|url| printer.mask.text(url).into_owned()).collect()
        };
        // A folder without providers of its own is asked over the other's.
        let is_moved = !after.is_empty();
        Report {
            schema: SCHEMA,
            command: "diff",
            calls: reports.iter().map(|report| report.calls).sum(),
            changed: reports.iter().map(|report| report.changes.len()).sum(),
            providers_added: if is_moved { missing(&after, &before) } else { Vec::new() },
            providers_removed: if is_moved { missing(&before, &after) } else { Vec::new() },
            services: reports,
        }
    }

    /// How a call changes; none if it does not. Where rules draw, the seed that shows the most counts.
    fn change(&self, trial: &TrialCall, printer: &Printer) -> Option<Change> {
        let RequestedParts { consumer, invocation } = parts(trial);
        let seeds = trial.seed.map_or(0..self.seeds, |seed| seed..seed + 1);
        let compare = |seed| Some((seed, self.candidate.compare(consumer, invocation, Some(seed)).ok()?));
        let changed = |(_, found): &(u64, Comparison)| !is_same(found);
        let tried = seeds.clone().count();
        let all: Vec<(u64, Comparison)> = seeds.filter_map(compare).filter(changed).collect();
        let draws = (all.len(), tried);
        let (seed, found) = all.into_iter().max_by_key(|(_, found)| found.relation)?;
        let only = |one: &crate::router::Selection, other: &crate::router::Selection| {
            let mut only = one.clone();
            only.subtract(other);
            let urls = only.positions().filter_map(|position| found.list.provider(position)).map(Provider::url);
            urls.map(|url| printer.mask.text(url.address().unwrap_or_default()).into_owned()).collect::<Vec<_>>()
        };
        let relation = if found.candidate.is_empty() { Relation::Empty } else { found.relation };
        Some(Change {
            call: printer.mask.text(&trial.in_words()).into_owned(),
            case: trial.note.as_ref().map(|note| printer.mask.text(note).into_owned()),
            relation: relation.as_str(),
            before: found.enforced.count(),
            after: found.candidate.count(),
            lost: only(&found.enforced, &found.candidate),
            gained: only(&found.candidate, &found.enforced),
            draws,
            because: self.because(trial, seed, printer),
        })
    }

    /// The rules behind a change: those that are new or were edited and decide the call now; those that decided it and are
    /// there no more. Where rules only stand in another order, or among other ones: those that decide it now and did not.
    fn because(&self, trial: &TrialCall, seed: u64, printer: &Printer) -> Vec<String> {
        let deciding = |engine: &Engine| -> Vec<Step> {
            let explained = engine::explain(engine, &trial.call, Some(seed));
            let explained = explained.map(|explained: Explanation| explained.masked(&printer.mask));
            let steps = explained.map(|explained| explained.steps).unwrap_or_default();
            steps.into_iter().filter(Step::is_deciding).collect()
        };
        let (before, after) = (deciding(&self.old), deciding(&self.new));
        let (old_rules, new_rules) = &self.rules;
        let mut because: Vec<String> = Vec::new();
        let mut add = |text: String| {
            if !because.contains(&text) {
                because.push(text);
            }
        };
        after.iter().filter(|step| !old_rules.has(new_rules, step)).for_each(|step| add(step.title()));
        for step in before.iter().filter(|step| !new_rules.has(old_rules, step)) {
            let title = step.title();
            // The rule that stands there now was edited, or it is another one that moved there.
            let is_edited = new_rules.at(step).is_some_and(|rule| !old_rules.has_rule(rule));
            add(if is_edited { title } else { format!("no longer {title}") });
        }
        if !because.is_empty() {
            return because;
        }
        let titles = |steps: &[Step]| -> Vec<String> { steps.iter().map(Step::title).collect() };
        let (before, after) = (titles(&before), titles(&after));
        let new: Vec<String> = after.iter().filter(|title| !before.contains(title)).cloned().collect();
        if !new.is_empty() {
            return new;
        }
        before.iter().filter(|title| !after.contains(title)).map(|title| format!("no longer {title}")).collect()
    }
}

/// The rules of one side: which there are, and where they stand.
struct Rules {
    ids: Vec<RuleId>,
    texts: HashSet<RuleText>,
}

/// A rule wherever in its file it stands.
type RuleText = (String, Option<String>, u64);

// === impl Rules ===

impl Rules {
    fn of(engine: &Engine) -> Self {
        let ids: Vec<RuleId> = engine.status().rules.into_iter().map(|rule| rule.id).collect();
        Self { texts: ids.iter().map(text_of).collect(), ids }
    }

    /// The rule that stands where that of a step does; of several in a line, the one of its name.
    fn at(&self, step: &Step) -> Option<&RuleId> {
        let is_there =
            |id: &&RuleId| step.file.as_deref() == Some(id.source()) && step.line == usize::try_from(id.line()).ok();
        let there = || self.ids.iter().filter(is_there);
        there().find(|id| id.name() == step.name.as_deref()).or_else(|| there().next())
    }

    /// Whether the rule of a step of `side` is here too, at whatever line; those that are built in are.
    fn has(&self, side: &Self, step: &Step) -> bool {
        side.at(step).is_none_or(|rule| self.has_rule(rule))
    }

    fn has_rule(&self, rule: &RuleId) -> bool {
        self.texts.contains(&text_of(rule))
    }
}

fn text_of(rule: &RuleId) -> RuleText {
    (rule.source().to_owned(), rule.name().map(str::to_owned), rule.text_hash())
}

struct RequestedParts<'a> {
    consumer: &'a Url,
    invocation: &'a dyn crate::rpc::Invocation,
}

fn parts(trial: &TrialCall) -> RequestedParts<'_> {
    RequestedParts { consumer: &trial.call.consumer, invocation: &trial.call.invocation }
}

/// Nobody before and nobody after is no change, though it is no equal answer either.
fn is_same(found: &Comparison) -> bool {
    found.relation == Relation::Equal || (found.enforced.is_empty() && found.candidate.is_empty())
}

fn print(report: &Report, arguments: &DiffArguments, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
    if printer.format == Format::Json {
        return printer.json(report, console.stdout);
    }
    let shown = if printer.format == Format::Human { SHOWN } else { usize::MAX };
    let name = |path: &Path| escape(&path.to_string_lossy()).into_owned();
    writeln!(console.stdout, "{} -> {}", name(&arguments.old), name(&arguments.new))?;
    for (sign, urls) in [('+', &report.providers_added), ('-', &report.providers_removed)] {
        for url in urls.iter().take(shown) {
            writeln!(console.stdout, "  provider {sign} {url}")?;
        }
        if urls.len() > shown {
            writeln!(console.stdout, "  and {} more", urls.len() - shown)?;
        }
    }
    for service in &report.services {
        writeln!(console.stdout, "\n{}: {}", service.service, service.summary())?;
        for change in service.changes.iter().take(shown) {
            change.print(shown, console)?;
        }
        if service.changes.len() > shown {
            let more = plural(service.changes.len() - shown, "changed call");
            writeln!(console.stdout, "  and {more} more (`--format plain` lists all)")?;
        }
    }
    let verb = if report.changed == 1 { "changes" } else { "change" };
    writeln!(console.stdout, "\n{} of {} {verb}", report.changed, plural(report.calls, "call"))
}

// === impl ServiceReport ===

impl ServiceReport {
    /// `12 calls: 9 equal, 2 narrower, 1 empty`.
    fn summary(&self) -> String {
        let relations =
            [Relation::Narrower, Relation::Wider, Relation::Overlapping, Relation::Disjoint, Relation::Empty];
        let count = |relation: Relation| {
            let count = self.changes.iter().filter(|change| change.relation == relation.as_str()).count();
            (count > 0).then(|| format!("{count} {}", relation.as_str()))
        };
        let mut parts = vec![format!("{} equal", self.equal)];
        parts.extend(relations.into_iter().filter_map(count));
        format!("{}: {}", plural(self.calls, "call"), parts.join(", "))
    }
}

// === impl Change ===

impl Change {
    fn print(&self, shown: usize, console: &mut Console<'_>) -> io::Result<()> {
        let Self { call, relation, before, after, .. } = self;
        let (changed, tried) = self.draws;
        let draws = if changed == tried { String::new() } else { format!(" ({changed} of {tried} draws)") };
        writeln!(console.stdout, "  {relation:<11} {before} -> {after}  {call}{draws}")?;
        let named = if shown == usize::MAX { usize::MAX } else { NAMED };
        let list = |addresses: &[String]| {
            let more = addresses.len().saturating_sub(named);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", addresses.iter().take(named).cloned().collect::<Vec<_>>().join(", "))
        };
        for (word, addresses) in [("loses", &self.lost), ("gains", &self.gained)] {
            if !addresses.is_empty() {
                writeln!(console.stdout, "    {word} {}", list(addresses))?;
            }
        }
        if !self.because.is_empty() {
            writeln!(console.stdout, "    by {}", self.because.join(", "))?;
        }
        if let Some(case) = &self.case {
            writeln!(console.stdout, "    recorded: {case}")?;
        }
        Ok(())
    }
}
