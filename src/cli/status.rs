//! `pointsman status`: what is wanted of a folder, what is in force, and why they differ.

use std::io;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::args::StatusArguments;
use crate::cli::check::missing;
use crate::cli::check::plural;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::engine;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::disk::ContentHash;
use crate::runtime::EngineStatus;
use crate::runtime::SourceStatus;
use crate::runtime::UpdateState;
use crate::source::folder::WatchOptions;
use crate::source::history::RuleStore;

/// How much of a hash tells one version from another.
const SHORT: usize = 12;

/// What `status --format json` prints.
#[derive(Serialize)]
struct Report {
    schema: u32,
    command: &'static str,
    rules: usize,
    services: Vec<Service>,
    sources: Vec<Source>,
}

#[derive(Serialize)]
struct Service {
    service: String,
    providers: usize,
    rules: usize,
}

#[derive(Serialize)]
struct Source {
    source: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    desired_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    persisted_since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(crate) fn run(arguments: &StatusArguments, console: &mut Console<'_>) -> io::Result<Exit> {
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
    // As whoever follows the folder begins, but nothing is taken down.
    let store = config.state_folder().map(|state| RuleStore::of(&state, &arguments.folder).read_only());
    let options = WatchOptions { store, ..WatchOptions::default() };
    drop(engine.watch(&arguments.folder, config.folder_options(), options, |_| {})?);
    let status = engine.status();
    // One that is gone is told of as long as something of it is kept.
    if let Some(finding) = missing(&arguments.folder, &config).filter(|_| status.sources.is_empty()) {
        refuse(&[finding], &printer, console)?;
        return Ok(Exit::Usage);
    }
    let report = Report::of(&status, &printer);
    if printer.format == Format::Json {
        printer.json(&report, console.stdout)?;
    } else {
        report.print(&printer, console)?;
    }
    if status.sources.is_empty() {
        writeln!(console.stderr, "the folder holds nothing; `pointsman check` tells what it lacks")?;
    }
    let is_applied = status.sources.iter().all(|source| source.state == UpdateState::Applied);
    Ok(if is_applied && !status.sources.is_empty() { Exit::Ok } else { Exit::RuleErrors })
}

// === impl Report ===

impl Report {
    fn of(status: &EngineStatus, printer: &Printer) -> Self {
        let services = status.services.iter().map(|service| Service {
            service: service.service.to_string(),
            providers: service.providers,
            // The routers that every chain has are no rules of the folder.
            rules: service.rules.iter().filter(|id| id.line() > 0).count(),
        });
        let hash = |hash: Option<ContentHash>| hash.map(|hash| hash.to_string());
        let sources = status.sources.iter().map(|source: &SourceStatus| Source {
            source: printer.mask.text(&source.source).into_owned(),
            state: source.state.as_str(),
            desired_hash: hash(source.desired_hash),
            applied_hash: hash(source.applied_hash),
            persisted_since: source.persisted_since.map(|since| since.to_string()),
            error: source.error.as_ref().map(|finding| {
                let place =
                    finding.line_and_column().map_or_else(String::new, |(line, column)| format!("{line}:{column}: "));
                format!("{} {place}{}", finding.number(), printer.mask.message(finding.message()))
            }),
        });
        Self {
            schema: SCHEMA,
            command: "status",
            rules: status.rules.len(),
            services: services.collect(),
            sources: sources.collect(),
        }
    }

    fn print(&self, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
        let out = &mut *console.stdout;
        let short = |hash: &Option<String>| match (hash, printer.format) {
            (Some(hash), Format::Human) => hash.get(..SHORT).unwrap_or(hash).to_owned(),
            (Some(hash), _) => hash.clone(),
            (None, _) => "nothing".to_owned(),
        };
        let width = self.sources.iter().map(|source| source.source.len()).max().unwrap_or(0);
        for source in &self.sources {
            let Source { source: name, state, desired_hash, applied_hash, .. } = source;
            let version = match desired_hash == applied_hash {
                true => short(applied_hash),
                false => format!("wants {}, serves {}", short(desired_hash), short(applied_hash)),
            };
            writeln!(out, "{state:<9} {name:<width$}  {version}")?;
            if let Some(since) = &source.persisted_since {
                writeln!(out, "          serves a persisted copy, in force since {since}")?;
            }
            source.error.iter().try_for_each(|error| writeln!(out, "          {error}"))?;
        }
        for Service { service, providers, rules } in &self.services {
            writeln!(out, "{service}: {}, {}", plural(*providers, "provider"), plural(*rules, "rule"))?;
        }
        Ok(())
    }
}
