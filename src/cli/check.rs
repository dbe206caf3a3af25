//! `pointsman check`: everything that is wrong with folders and files.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::CheckArguments;
use crate::cli::args::CommonArguments;
use crate::cli::args::Format;
use crate::cli::engine;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::Severity;
use crate::diagnostics::render::JsonFinding;
use crate::source::config::HostConfig;
use crate::source::folder::FolderContents;
use crate::source::folder::FolderOptions;
use crate::source::folder::load;
use crate::source::folder::load_file;

/// What `check --format json` prints.
#[derive(Serialize)]
struct Report {
    schema: u32,
    command: &'static str,
    files: usize,
    rules: usize,
    providers: usize,
    errors: usize,
    warnings: usize,
    findings: Vec<JsonFinding>,
}

pub(crate) fn run(arguments: &CheckArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folders = || arguments.paths.iter().filter(|path| path.is_dir()).map(AsRef::as_ref);
    let (printer, _config) = match set_up(&arguments.common, folders(), console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let mut contents = FolderContents::default();
    for path in &arguments.paths {
        contents.append(read(path, arguments.paths.len()));
    }
    let rules = engine::compile(&mut contents).routers().len();
    report(&contents, rules, &printer, console)?;
    let is_missing = contents.findings().iter().any(|finding| finding.slug() == "folder::not_a_folder");
    Ok(match (is_missing, contents.has_errors()) {
        (true, _) => Exit::Usage,
        (false, true) => Exit::RuleErrors,
        (false, false) => Exit::Ok,
    })
}

/// Loads the host's configuration, which says what is masked; prints what is wrong with it.
pub(crate) fn set_up<'a>(
    common: &CommonArguments,
    folders: impl Iterator<Item = &'a Path>,
    console: &mut Console<'_>,
) -> io::Result<Result<(Printer, HostConfig), Exit>> {
    let mut loaded = HostConfig::load(common.config.as_deref(), None);
    for folder in folders {
        if loaded.is_ok() {
            loaded = HostConfig::load(common.config.as_deref(), Some(folder));
        }
    }
    let mask = Mask::new(loaded.iter().flat_map(|config| config.mask.clone()));
    let printer = Printer { format: common.format, mask, is_coloured: console.is_coloured };
    match loaded {
        Ok(config) => Ok(Ok((printer, config))),
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            Ok(Err(Exit::Usage))
        }
    }
}

/// Prints findings that end the command: JSON as its answer, else to the log.
pub(crate) fn refuse(findings: &[Finding], printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
    #[derive(Serialize)]
    struct Refusal {
        schema: u32,
        findings: Vec<JsonFinding>,
    }
    if printer.format == Format::Json {
        let refusal = Refusal { schema: SCHEMA, findings: printer.json_findings(findings) };
        return printer.json(&refusal, console.stdout);
    }
    printer.findings(findings, console.stderr)
}

fn read(path: &Path, path_count: usize) -> FolderContents {
    if path.is_dir() || !path.exists() {
        let prefix = if path_count > 1 { format!("{}/", path.display()) } else { String::new() };
        return load(path, &FolderOptions::default().with_prefix(prefix));
    }
    load_file(path)
}

fn report(contents: &FolderContents, rules: usize, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
    let findings = contents.findings();
    let count = |severity: Severity| findings.iter().filter(|finding| finding.severity() == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let (files, providers) = (contents.files().len(), contents.providers().count());
    if printer.format == Format::Json {
        let findings = printer.json_findings(findings);
        let report = Report { schema: SCHEMA, command: "check", files, rules, providers, errors, warnings, findings };
        return printer.json(&report, console.stdout);
    }
    printer.findings(findings, console.stdout)?;
    if printer.format == Format::Human {
        let parts =
            [(files, "file"), (rules, "rule"), (providers, "provider"), (errors, "error"), (warnings, "warning")];
        let parts = parts.map(|(number, word)| plural(number, word));
        writeln!(console.stdout, "{}", parts.join(", "))?;
    }
    Ok(())
}

/// `1 rule`, `2 rules`.
pub(crate) fn plural(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}
