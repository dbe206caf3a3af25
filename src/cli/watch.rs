//! `pointsman watch`: every reload of a folder as it happens, and what it changes.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::args::WatchArguments;
use crate::cli::check::plural;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::compare::Answers;
use crate::cli::compare::ChangedCall;
use crate::cli::compare::RuleChanges;
use crate::cli::engine;
use crate::cli::interruption::Interruption;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::diagnostics::render::JsonFinding;
use crate::rpc::ServiceKey;
use crate::runtime::Engine;
use crate::runtime::ReloadEvent;
use crate::source::cases::load_cases;
use crate::source::config::HostConfig;
use crate::source::folder::WatchOptions;
use crate::source::folder::load;
use crate::source::history::RuleStore;

/// How often an interruption is looked for.
const LOOK: Duration = Duration::from_millis(100);

/// A line of `watch --format json`.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    command: &'static str,
    time: String,
    generation: u64,
    accepted: bool,
    added: &'a [Arc<str>],
    removed: &'a [Arc<str>],
    changed: &'a [Arc<str>],
    rejected: &'a [Arc<str>],
    mended: &'a [Arc<str>],
    rules: &'a RuleChanges,
    services: Vec<String>,
    services_lost: Vec<String>,
    services_found: Vec<String>,
    calls: usize,
    changed_calls: &'a [ChangedCall],
    findings: Vec<JsonFinding>,
}

/// What one reload came to.
struct Reload<'a> {
    event: &'a ReloadEvent,
    rules: RuleChanges,
    calls: usize,
    changed: Vec<ChangedCall>,
    is_first: bool,
}

pub(crate) fn run(arguments: &WatchArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = std::iter::once(arguments.folder.clone());
    let (printer, config) = match set_up(&arguments.common, folder, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let engine = match engine::empty(&config) {
        Ok(engine) => engine,
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            return Ok(Exit::Failed);
        }
    };
    let interruption = Interruption::catch()?;
    let (sender, events) = channel();
    let tell = move |event| sender.send(event).unwrap_or_default();
    let store = config.state_folder().map(|state| RuleStore::of(&state, &arguments.folder));
    let options = WatchOptions { store, ..WatchOptions::default() };
    let _watched = engine.watch(&arguments.folder, config.folder_options(), options, tell)?;
    let mut watching =
        Watching { engine, config, arguments, answers: Answers::default(), rules: None, services: BTreeSet::new() };
    let mut left = arguments.count;
    let mut is_accepted = true;
    while left != Some(0) && !interruption.has_come() {
        match events.recv_timeout(LOOK) {
            Ok(event) => {
                is_accepted = watching.on(&event, &printer, console)?;
                left = left.map(|left| left - 1);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(if is_accepted { Exit::Ok } else { Exit::RuleErrors })
}

struct Watching<'a> {
    engine: Engine,
    config: HostConfig,
    arguments: &'a WatchArguments,
    /// What the recorded calls came to last.
    answers: Answers,
    /// The rules that were in force before; none at first.
    rules: Option<RuleChanges>,
    /// The services that there are or were: calls of one without providers have an answer, too.
    services: BTreeSet<ServiceKey>,
}

// === impl Watching ===

impl Watching<'_> {
    /// Prints one reload; says whether all of it was accepted.
    fn on(&mut self, event: &ReloadEvent, printer: &Printer, console: &mut Console<'_>) -> io::Result<bool> {
        let status = self.engine.status();
        let is_first = self.rules.is_none();
        let rules = RuleChanges::between(self.rules.as_ref(), &status);
        // Cases are no part of what is in force: they are read as they are now.
        let contents = load(&self.arguments.folder, &self.config.folder_options());
        let services = engine::services_of(&contents);
        self.services.extend(services.iter().cloned());
        let known: Vec<ServiceKey> = self.services.iter().cloned().collect();
        let mut answers = Answers::of(&self.engine, &load_cases(&contents).cases, [&services, &known]);
        if !event.rejected.is_empty() {
            // What could not be read now may hold calls that are still recorded.
            answers.keep(&self.answers);
        }
        let changed = if is_first { Vec::new() } else { self.answers.changes(&answers, &printer.mask) };
        let reload = Reload { event, calls: answers.len(), changed, is_first, rules: rules.clone() };
        if printer.format == Format::Json {
            reload.print_json(printer, console)?;
        } else {
            reload.print(printer, console)?;
        }
        self.rules = Some(rules);
        self.answers = answers;
        console.flush()?;
        Ok(event.rejected.is_empty())
    }
}

// === impl Reload ===

impl Reload<'_> {
    fn print_json(&self, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
        let ReloadEvent { generation, added, removed, changed, rejected, mended, findings, .. } = self.event;
        let names = |services: &[ServiceKey]| services.iter().map(ToString::to_string).collect();
        let line = Line {
            schema: SCHEMA,
            command: "watch",
            time: now(),
            generation: *generation,
            accepted: rejected.is_empty(),
            added,
            removed,
            changed,
            rejected,
            mended,
            rules: &self.rules,
            services: names(&self.event.services),
            services_lost: names(&self.event.services_lost),
            services_found: names(&self.event.services_found),
            calls: self.calls,
            changed_calls: &self.changed,
            findings: printer.json_findings(findings),
        };
        serde_json::to_writer(&mut *console.stdout, &line).map_err(io::Error::from)?;
        writeln!(console.stdout)
    }

    fn print(&self, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
        let ReloadEvent { generation, added, removed, changed, rejected, mended, services, findings, .. } = self.event;
        let verdict = if rejected.is_empty() { "" } else { ", not all of it: what was last good stays in force" };
        let out = &mut *console.stdout;
        writeln!(out, "{} generation {generation}{verdict}", now())?;
        if self.is_first {
            let files = plural(added.len(), "file");
            let rules = plural(self.rules.in_force(), "rule");
            writeln!(out, "  {files}, {rules}, {}", plural(services.len(), "service"))?;
        } else {
            for (sign, files) in [('+', added), ('-', removed), ('~', changed), ('=', mended)] {
                files.iter().try_for_each(|file| writeln!(out, "  {sign} {}", printer.mask.text(file)))?;
            }
        }
        rejected.iter().try_for_each(|file| writeln!(out, "  x {}", printer.mask.text(file)))?;
        if !self.is_first {
            self.rules.print(printer, out)?;
            let ReloadEvent { services_lost, services_found, .. } = self.event;
            for (word, services) in [
                ("services", services),
                ("no provider is left of", services_lost),
                ("providers came of", services_found),
            ] {
                print_names(word, services, out)?;
            }
            self.print_calls(out)?;
        }
        printer.findings(findings, out)?;
        writeln!(out)
    }

    fn print_calls(&self, out: &mut dyn io::Write) -> io::Result<()> {
        if self.calls == 0 {
            return Ok(());
        }
        let verb = if self.changed.len() == 1 { "changes" } else { "change" };
        writeln!(out, "  recorded calls: {} of {} {verb}", self.changed.len(), self.calls)?;
        self.changed.iter().try_for_each(|call| call.print(out))
    }
}

fn print_names(word: &str, services: &[ServiceKey], out: &mut dyn io::Write) -> io::Result<()> {
    const NAMED: usize = 5;
    if services.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> = services.iter().take(NAMED).map(ToString::to_string).collect();
    if services.len() > NAMED {
        names.push(format!("{} more", services.len() - NAMED));
    }
    writeln!(out, "  {word}: {}", names.join(", "))
}

/// The time of day, in UTC.
fn now() -> String {
    jiff::Timestamp::now().strftime("%H:%M:%SZ").to_string()
}
