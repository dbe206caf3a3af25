//! `pointsman test`: the cases of a folder, and which rules they are about.

use std::io;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::TestArguments;
use crate::cli::args::TestFormat;
use crate::cli::cases;
use crate::cli::cases::Results;
use crate::cli::check::plural;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::check::stop;
use crate::cli::engine;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::escape;
use crate::source::cases::Case;
use crate::source::cases::load_cases;
use crate::source::folder::FolderContents;
use crate::source::folder::load;

pub(crate) fn run(arguments: &TestArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = std::iter::once(arguments.folder.clone());
    let (printer, config) = match set_up(&arguments.common(), folder, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let mut contents = load(&arguments.folder, &config.folder_options());
    let rules = engine::compile(&mut contents, &config);
    let loaded = load_cases(&contents);
    contents.add_findings(loaded.findings);
    if let Some(exit) = stop(&contents, arguments.keep_going, &printer, console)? {
        return Ok(exit);
    }
    let chosen: Vec<Case> = loaded.cases.into_iter().filter(|case| is_chosen(case, arguments)).collect();
    if chosen.is_empty() {
        refuse(&[nothing_to_run(arguments)], &printer, console)?;
        return Ok(Exit::Failed);
    }
    let (outcomes, coverage) = match cases::run(chosen, rules, &contents, &config) {
        Ok(done) => done,
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            return Ok(Exit::Failed);
        }
    };
    let results = Results::new(outcomes, coverage, &printer.mask);
    results.print(arguments.format, contents.findings(), &printer, console)?;
    hint(arguments, &contents, console)?;
    let (reached, all) = results.coverage.counts();
    let under = arguments.fail_under.filter(|percent| reached * 100 < usize::from(*percent) * all);
    if let Some(percent) = under {
        writeln!(console.stderr, "error: {reached} of {} reached, wanted {percent} %", plural(all, "rule"))?;
    }
    Ok(if results.failed() > 0 || under.is_some() { Exit::Failed } else { Exit::Ok })
}

fn is_chosen(case: &Case, arguments: &TestArguments) -> bool {
    arguments.filter.as_ref().is_none_or(|text| case.file.contains(text) || case.note.contains(text))
}

/// Nothing was proved, so it is no success.
fn nothing_to_run(arguments: &TestArguments) -> Finding {
    match &arguments.filter {
        Some(text) => Finding::error("cases::nothing_to_run", format!("no case has `{text}` in its file or note"))
            .with_help("leave `--filter` out to see them all"),
        None => Finding::error("cases::nothing_to_run", "the folder has no cases")
            .with_help("write them into `tests/NAME.yaml`, or let `pointsman route … --record FILE` write one"),
    }
}

/// Warnings are `check`'s business; that there are some is worth a line.
fn hint(arguments: &TestArguments, contents: &FolderContents, console: &mut Console<'_>) -> io::Result<()> {
    let warnings = contents.findings().iter().filter(|finding| finding.severity() == Severity::Warning).count();
    if warnings > 0 && !arguments.keep_going && arguments.format != TestFormat::Json {
        let folder = arguments.folder.to_string_lossy();
        writeln!(console.stderr, "{}: `pointsman check {}` shows them", plural(warnings, "warning"), escape(&folder))?;
    }
    Ok(())
}
