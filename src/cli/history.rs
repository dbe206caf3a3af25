//! `pointsman history` and `pointsman rollback`: the versions of a folder's files.

use std::fs;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use similar::TextDiff;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::args::HistoryArguments;
use crate::cli::args::RollbackArguments;
use crate::cli::check::missing;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::diagnostics::Finding;
use crate::diagnostics::escape;
use crate::disk::ContentHash;
use crate::source::config::HostConfig;
use crate::source::history::HistoryRecord;
use crate::source::history::Operation;
use crate::source::history::RuleStore;

/// How much of a hash tells one version from another.
const SHORT: usize = 12;

/// What `history --format json` prints.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    command: &'static str,
    records: &'a [HistoryRecord],
}

pub(crate) fn history(arguments: &HistoryArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = std::iter::once(arguments.folder.clone());
    let (printer, config) = match set_up(&arguments.common, folder, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let Some(store) = store(&config, &arguments.folder, &printer, console)? else { return Ok(Exit::Failed) };
    let mut records = store.records();
    if let Some(finding) = unknown(arguments, &records, &config) {
        let is_missing = finding.slug() == "folder::not_a_folder";
        refuse(&[finding], &printer, console)?;
        return Ok(if is_missing { Exit::Usage } else { Exit::Failed });
    }
    records.retain(|record| arguments.file.as_ref().is_none_or(|file| record.file == *file));
    let first = records.len().saturating_sub(arguments.limit.get());
    let mut records = records.split_off(first);
    for record in &mut records {
        record.file = printer.mask.text(&record.file).into_owned();
        record.source = printer.mask.text(&record.source).into_owned();
        record.reason = record.reason.as_ref().map(|reason| printer.mask.message(reason).into_owned());
    }
    if printer.format == Format::Json {
        printer.json(&Report { schema: SCHEMA, command: "history", records: &records }, console.stdout)?;
        return Ok(Exit::Ok);
    }
    for record in &records {
        print(record, &printer, console)?;
        if arguments.diff {
            print_diff(record, &store, &printer, console)?;
        }
    }
    if records.is_empty() {
        writeln!(console.stderr, "no change is recorded; `pointsman watch` records them")?;
    }
    Ok(Exit::Ok)
}

/// What is wrong with a folder or a file that neither is there nor ever was.
fn unknown(arguments: &HistoryArguments, records: &[HistoryRecord], config: &HostConfig) -> Option<Finding> {
    if records.is_empty()
        && let Some(finding) = missing(&arguments.folder, config)
    {
        return Some(finding);
    }
    let file = arguments.file.as_ref()?;
    let is_known = arguments.folder.join(file).exists() || records.iter().any(|record| record.file == *file);
    (!is_known).then(|| {
        Finding::error("history::no_version", format!("`{file}` is neither in the folder nor in the history"))
            .with_help("write its path from the folder on, for example `rules/gray.yaml`")
    })
}

pub(crate) fn rollback(arguments: &RollbackArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = std::iter::once(arguments.folder.clone());
    let (printer, config) = match set_up(&arguments.common, folder, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let Some(store) = store(&config, &arguments.folder, &printer, console)? else { return Ok(Exit::Failed) };
    match write_back(arguments, &store) {
        Ok(record) => {
            print(&record, &printer, console)?;
            Ok(Exit::Ok)
        }
        Err(finding) => {
            refuse(&[finding], &printer, console)?;
            Ok(Exit::Failed)
        }
    }
}

fn store(
    config: &HostConfig,
    folder: &Path,
    printer: &Printer,
    console: &mut Console<'_>,
) -> io::Result<Option<RuleStore>> {
    let store = config.state_folder().map(|state| RuleStore::of(&state, folder));
    if store.is_none() {
        let finding = Finding::error("history::no_state", "the host has no folder to remember in");
        refuse(&[finding.with_help("configure `state`, or set HOME")], printer, console)?;
    }
    Ok(store)
}

fn print(record: &HistoryRecord, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
    let HistoryRecord { version, time, file, operation, hash, generation, .. } = record;
    let short = |hash: &String| match printer.format {
        Format::Human => hash.get(..SHORT).unwrap_or(hash).to_owned(),
        _ => hash.clone(),
    };
    let hash = hash.as_ref().map_or_else(String::new, |hash| format!(" {}", short(hash)));
    let time = time.strftime("%Y-%m-%d %H:%M:%SZ");
    let word = operation.as_str();
    writeln!(console.stdout, "#{version:<4} {time}  {word:<11} {}{hash} generation {generation}", escape(file))?;
    record.reason.iter().try_for_each(|reason| writeln!(console.stdout, "      {reason}"))
}

/// What a record changed, against the version in force before.
fn print_diff(
    record: &HistoryRecord,
    store: &RuleStore,
    printer: &Printer,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let text = |hash: &Option<String>| hash.as_ref().and_then(|hash| store.contents(hash)).unwrap_or_default();
    let (old, new) = (text(&record.previous), text(&record.hash));
    let diff = TextDiff::from_lines(&old, &new);
    for line in diff.unified_diff().context_radius(2).to_string().lines() {
        writeln!(console.stdout, "      {}", printer.mask.text(line))?;
    }
    Ok(())
}

/// Writes an earlier version of a file into the folder, as a writer of rules would; whoever follows it takes it from there.
fn write_back(arguments: &RollbackArguments, store: &RuleStore) -> Result<HistoryRecord, Finding> {
    let file = &arguments.file;
    let path = arguments.folder.join(file);
    let current = fs::read(&path).ok().map(|bytes| ContentHash::of(&bytes).to_string());
    let of_file: Vec<HistoryRecord> = store.records().into_iter().filter(|record| record.file == *file).collect();
    let was_good = |record: &&HistoryRecord| {
        record.operation != Operation::Rejected && record.hash.is_some() && record.hash != current
    };
    let wanted = match arguments.to {
        Some(version) => of_file.iter().find(|record| record.version == version),
        None => of_file.iter().rev().find(was_good),
    };
    let Some((wanted, hash)) = wanted.and_then(|record| Some((record, record.hash.as_ref()?))) else {
        let which = arguments.to.map_or("an earlier good version".to_owned(), |version| format!("version {version}"));
        let finding = Finding::error("history::no_version", format!("{which} of `{file}` is not in the history"));
        return Err(finding.with_help("`pointsman history FOLDER` lists files and versions"));
    };
    let Some(text) = store.contents(hash) else {
        let finding =
            Finding::error("history::no_version", format!("what version {} held is kept no more", wanted.version));
        return Err(finding.with_help("choose a later one with `--to`"));
    };
    let failed = |error: io::Error| {
        let finding = Finding::error("history::not_written", format!("`{file}` cannot be written: {error}"));
        finding.with_help("the folder is as it was")
    };
    replace(&path, text.as_bytes()).map_err(failed)?;
    let record = HistoryRecord {
        version: 0,
        time: Timestamp::now(),
        file: file.clone(),
        operation: Operation::RolledBack,
        hash: Some(hash.clone()),
        previous: current,
        generation: wanted.generation,
        source: path.to_string_lossy().into_owned(),
        reason: Some(format!("as it was in version {}", wanted.version)),
    };
    store.append([record.clone()]).map_err(failed)?;
    Ok(store.records().pop().unwrap_or(record))
}

/// Replaces a file as a whole; the draft has a name that no reader of the folder looks at.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.tmp"));
    fs::write(&draft, bytes)?;
    if let Ok(metadata) = path.metadata() {
        fs::set_permissions(&draft, metadata.permissions())?;
    }
    fs::rename(&draft, path)
}
