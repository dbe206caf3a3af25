//! The command itself.

use std::io;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::check::folders_of;
use crate::cli::check::once;
use crate::cli::check::plural;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::fmt::FmtArguments;
use crate::cli::fmt::diff::changed_lines;
use crate::cli::fmt::file::RulesFile;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::cli::stdin::is_stdin;
use crate::cli::stdin::read_stdin;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::diagnostics::render::JsonFinding;
use crate::source::folder::FileKind;
use crate::source::format::format;

/// What `fmt --format json` prints.
#[derive(Serialize)]
struct Report {
    schema: u32,
    command: &'static str,
    files: usize,
    /// Those that were changed, or would be.
    changed: Vec<String>,
    findings: Vec<JsonFinding>,
}

/// What came of all files.
#[derive(Default)]
struct Outcome {
    files: usize,
    changed: Vec<Changed>,
    findings: Vec<Finding>,
}

/// A file that is not as it should be.
struct Changed {
    name: String,
    before: SourceText,
    after: String,
}

pub(crate) fn run(arguments: &FmtArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folders = arguments.paths.iter().filter(|path| !is_stdin(path)).flat_map(|path| folders_of(path));
    let (printer, config) = match set_up(&arguments.printing.common(), folders, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    if arguments.paths.iter().any(|path| is_stdin(path)) {
        if arguments.paths.len() > 1 {
            writeln!(console.stderr, "error: `-` stands alone: what it reads is printed")?;
            return Ok(Exit::Usage);
        }
        return from_stdin(arguments.check, &printer, console);
    }
    let mut files = Vec::new();
    for path in once(&arguments.paths) {
        match RulesFile::at(path, &config) {
            Ok(found) => files.extend(found),
            Err(finding) => {
                refuse(&[finding], &printer, console)?;
                return Ok(Exit::Usage);
            }
        }
    }
    let mut outcome = Outcome { files: files.len(), ..Outcome::default() };
    for file in &files {
        outcome.add(file, arguments.check);
    }
    outcome.tell(arguments.check, &printer, console)?;
    Ok(outcome.exit(arguments.check))
}

/// Formats a document that comes from standard input.
fn from_stdin(is_check: bool, printer: &Printer, console: &mut Console<'_>) -> io::Result<Exit> {
    let source = match read_stdin() {
        Ok(source) => source,
        Err(finding) => {
            refuse(&[finding], printer, console)?;
            return Ok(Exit::Failed);
        }
    };
    match format(&source, FileKind::Document) {
        Some(Ok(formatted)) => {
            printer.findings(&formatted.findings, console.stderr)?;
            let is_changed = formatted.text != source.text();
            if !is_check {
                write!(console.stdout, "{}", formatted.text)?;
            }
            Ok(if is_check && is_changed { Exit::Failed } else { Exit::Ok })
        }
        Some(Err(findings)) => {
            refuse(&findings, printer, console)?;
            Ok(Exit::RuleErrors)
        }
        None => Ok(Exit::Failed),
    }
}

// === impl Outcome ===

impl Outcome {
    fn add(&mut self, file: &RulesFile, is_check: bool) {
        let before = match file.read() {
            Ok(source) => source,
            Err(finding) => return self.findings.push(finding),
        };
        match format(&before, file.kind) {
            Some(Ok(formatted)) => {
                self.findings.extend(formatted.findings);
                // A mark in front of the file and how lines end do not show in `before`'s text alone.
                if formatted.text != before.text() {
                    if !is_check && let Err(finding) = file.replace(&formatted.text) {
                        return self.findings.push(finding);
                    }
                    self.changed.push(Changed { name: file.name.clone(), before, after: formatted.text });
                }
            }
            Some(Err(findings)) => self.findings.extend(findings),
            None => {}
        }
    }

    fn tell(&self, is_check: bool, printer: &Printer, console: &mut Console<'_>) -> io::Result<()> {
        let name = |changed: &Changed| printer.mask.text(&changed.name).into_owned();
        if printer.format == Format::Json {
            let findings = printer.json_findings(&self.findings);
            let changed = self.changed.iter().map(name).collect();
            let report = Report { schema: SCHEMA, command: "fmt", files: self.files, changed, findings };
            return printer.json(&report, console.stdout);
        }
        printer.findings(&self.findings, console.stderr)?;
        for changed in &self.changed {
            writeln!(console.stdout, "{}", name(changed))?;
            if is_check && printer.format == Format::Human {
                let lines = changed_lines(changed.before.text(), &changed.after, &printer.mask);
                write!(console.stdout, "{lines}")?;
            }
        }
        if printer.format == Format::Human {
            let verb = if is_check { "would change" } else { "changed" };
            writeln!(console.stdout, "{}, {} {verb}", plural(self.files, "file"), self.changed.len())?;
        }
        Ok(())
    }

    fn exit(&self, is_check: bool) -> Exit {
        let errors = || self.findings.iter().filter(|finding| finding.severity() == Severity::Error);
        let is_unwritable = errors().any(|finding| finding.slug() == "fmt::unwritable");
        if is_unwritable {
            Exit::Failed
        } else if errors().next().is_some() {
            Exit::RuleErrors
        } else if is_check && !self.changed.is_empty() {
            Exit::Failed
        } else {
            Exit::Ok
        }
    }
}
