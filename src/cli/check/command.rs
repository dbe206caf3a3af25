//! The subcommand: reads folders and files, has them compiled and analysed, and prints what was found.

use std::io;
use std::path::Path;
use std::path::PathBuf;

use hashbrown::HashSet;
use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::CheckArguments;
use crate::cli::args::CheckFormat;
use crate::cli::args::CommonArguments;
use crate::cli::args::Format;
use crate::cli::args::Isolation;
use crate::cli::check::analysis::analyse;
use crate::cli::check::analysis::find_impure;
use crate::cli::check::sarif::Sarif;
use crate::cli::deny::Deny;
use crate::cli::engine;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::Severity;
use crate::diagnostics::render::JsonFinding;
use crate::source::cases::load_cases;
use crate::source::config::HostConfig;
use crate::source::config::ScriptIsolation;
use crate::source::folder::FileKind;
use crate::source::folder::FolderContents;
use crate::source::folder::load;
use crate::source::folder::load_file;
use crate::source::folder::load_stand_ins;

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
    let folders = arguments.paths.iter().flat_map(|path| folders_of(path));
    let (printer, config) = match set_up(&arguments.common(), folders, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let mut contents = FolderContents::default();
    for path in once(&arguments.paths) {
        contents.append(read(path, arguments.paths.len(), &config));
    }
    let compiled = engine::compile(&mut contents, &config);
    let rules = contents.rule_count();
    if !contents.has_errors() {
        let found = analyse(&contents, &compiled, config.priority_order);
        let has_scripts = compiled.routers().iter().any(|router| &*router.header().kind == "script");
        let engine = engine::try_out(compiled, &mut contents, &config);
        contents.add_findings(found);
        if let Some(engine) = engine.filter(|_| has_scripts) {
            let found = find_impure(&contents, &engine);
            contents.add_findings(found);
        }
    }
    let cases = load_cases(&contents);
    contents.add_findings(cases.findings);
    let stand_ins = load_stand_ins(&contents);
    contents.add_findings(stand_ins.findings);
    let findings = Deny::raise(&arguments.deny, contents.findings());
    if arguments.format == CheckFormat::Sarif {
        // With several paths each file's name has its own in front.
        let folder = match arguments.paths.as_slice() {
            [only] if only.is_dir() => only.as_path(),
            _ => Path::new(""),
        };
        printer.json(&Sarif::of(&findings, folder, &printer.mask), console.stdout)?;
    } else {
        report(&contents, &findings, rules, &printer, console)?;
    }
    let is_missing = findings.iter().any(|finding| finding.slug() == "folder::not_a_folder");
    let has_errors = findings.iter().any(|finding| finding.severity() == Severity::Error);
    Ok(match (is_missing, has_errors) {
        (true, _) => Exit::Usage,
        (false, true) => Exit::RuleErrors,
        (false, false) => Exit::Ok,
    })
}

/// Loads the host's configuration, which says what is masked; prints what is wrong with it.
pub(crate) fn set_up(
    common: &CommonArguments,
    folders: impl Iterator<Item = PathBuf>,
    console: &mut Console<'_>,
) -> io::Result<Result<(Printer, HostConfig), Exit>> {
    let loaded = load_config(common.config.as_deref(), folders);
    let mask = Mask::new(loaded.iter().flat_map(|config| config.mask.clone()));
    let printer = Printer { format: common.format, mask, is_coloured: console.is_coloured };
    match loaded {
        Ok(mut config) => {
            if let Some(isolation) = common.isolation {
                config.scripts.isolation = match isolation {
                    Isolation::Worker => ScriptIsolation::Worker,
                    Isolation::Inline => ScriptIsolation::Inline,
                };
            }
            Ok(Ok((printer, config)))
        }
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            Ok(Err(Exit::Usage))
        }
    }
}

/// The configuration; one that lies inside any of the folders is refused before anything of it is told.
fn load_config(named: Option<&Path>, folders: impl Iterator<Item = PathBuf>) -> Result<HostConfig, Vec<Finding>> {
    let mut answer = None;
    for folder in folders {
        let loaded = HostConfig::load(named, Some(&folder));
        let is_inside = |finding: &Finding| finding.slug() == "config::inside_folder";
        if loaded.as_ref().is_err_and(|findings| findings.iter().any(is_inside)) {
            return loaded;
        }
        answer = Some(loaded);
    }
    answer.unwrap_or_else(|| HostConfig::load(named, None))
}

/// How the command ends if it cannot go on with a folder as it is; what is wrong with it is printed.
pub(crate) fn stop(
    contents: &FolderContents,
    keep_going: bool,
    printer: &Printer,
    console: &mut Console<'_>,
) -> io::Result<Option<Exit>> {
    let findings = contents.findings();
    let is_missing = findings.iter().any(|finding| finding.slug() == "folder::not_a_folder");
    if is_missing || (contents.has_errors() && !keep_going) {
        refuse(findings, printer, console)?;
        return Ok(Some(if is_missing { Exit::Usage } else { Exit::RuleErrors }));
    }
    if printer.format != Format::Json && keep_going {
        printer.findings(findings, console.stderr)?;
    }
    Ok(None)
}

/// What is wrong with a folder that is not there; none where it is.
pub(crate) fn missing(folder: &Path, config: &HostConfig) -> Option<Finding> {
    if folder.is_dir() {
        return None;
    }
    let contents = load(folder, &config.folder_options());
    contents.findings().iter().find(|finding| finding.slug() == "folder::not_a_folder").cloned()
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

/// The rules folder that `path` is, or that a single file belongs to: the one that holds its `rules`, else its own.
///
/// A link may have two: the folder it stands in and the folder it leads to.
pub(crate) fn folders_of(path: &Path) -> Vec<PathBuf> {
    let folder_of = |file: PathBuf| {
        let parent = file.parent()?;
        let is_top = FileKind::of("", &file.file_name()?.to_string_lossy()) != FileKind::Unknown;
        let is_rules = |folder: &&Path| folder.file_name().is_some_and(|name| name == "rules");
        let mut folder = parent.ancestors().find(is_rules).filter(|_| !is_top).and_then(Path::parent).unwrap_or(parent);
        // `shop/rules/rules/a.rules`
        while let Some(above) = Some(folder).filter(is_rules).and_then(Path::parent).filter(|_| !is_top) {
            folder = above;
        }
        Some(folder.to_owned())
    };
    if path.is_dir() {
        return vec![path.to_owned()];
    }
    [std::path::absolute(path), path.canonicalize()].into_iter().flatten().filter_map(folder_of).collect()
}

/// The paths, each place once.
pub(crate) fn once(paths: &[PathBuf]) -> Vec<&PathBuf> {
    let mut seen = HashSet::new();
    paths.iter().filter(|path| path.canonicalize().is_ok_and(|real| seen.insert(real)) || !path.exists()).collect()
}

fn read(path: &Path, path_count: usize, config: &HostConfig) -> FolderContents {
    if path.is_dir() || !path.exists() {
        let prefix = if path_count > 1 { format!("{}/", path.display()) } else { String::new() };
        return load(path, &config.folder_options().with_prefix(prefix));
    }
    load_file(path, &config.folder_options())
}

fn report(
    contents: &FolderContents,
    findings: &[Finding],
    rules: usize,
    printer: &Printer,
    console: &mut Console<'_>,
) -> io::Result<()> {
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
