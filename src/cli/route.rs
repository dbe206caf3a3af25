//! `pointsman route`: which providers a call may go to, and which rules say so.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::args::RouteArguments;
use crate::cli::cases::Recording;
use crate::cli::check::plural;
use crate::cli::check::refuse;
use crate::cli::check::set_up;
use crate::cli::check::stop;
use crate::cli::engine;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Layout;
use crate::cli::explanation::Step;
use crate::cli::explanation::render_providers;
use crate::cli::masking;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::cli::requested_call::RequestedCall;
use crate::diagnostics::Finding;
use crate::diagnostics::Severity;
use crate::diagnostics::escape;
use crate::diagnostics::render::JsonFinding;
use crate::router::Clock;
use crate::router::FixedClock;
use crate::router::SystemClock;
use crate::runtime::SelectError;
use crate::source::config::HostConfig;
use crate::source::folder::FolderContents;
use crate::source::folder::load;

/// What `route --format json` prints.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    command: &'static str,
    service: &'a str,
    method: &'a str,
    consumer: &'a str,
    generation: u64,
    total: usize,
    kept: &'a [String],
    decided_by: Vec<&'a Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<&'a [Step]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_asked: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unmemoisable: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'a [Answer]>,
    findings: Vec<JsonFinding>,
}

/// One of the distinct answers of `--repeat`.
#[derive(Serialize)]
struct Answer {
    count: u32,
    kept: Vec<String>,
}

/// What came of the call.
struct Answered {
    explanation: Explanation,
    answers: Option<Vec<Answer>>,
    /// Of the case that it was recorded as.
    note: Option<String>,
}

pub(crate) fn run(arguments: &RouteArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = std::iter::once(arguments.folder.clone());
    let (printer, config) = match set_up(&arguments.common, folder, console)? {
        Ok(ready) => ready,
        Err(exit) => return Ok(exit),
    };
    let mut contents = load(&arguments.folder, &config.folder_options());
    let rules = engine::compile(&mut contents, &config);
    if let Some(exit) = stop(&contents, arguments.keep_going, &printer, console)? {
        return Ok(exit);
    }
    let prepared = RequestedCall::read(&arguments.call, &engine::services_of(&contents)).and_then(|call| {
        let recording = Recording::begin(arguments, &call, &rules, &printer.mask)?;
        Ok((call, recording))
    });
    let (call, recording) = match prepared {
        Ok(prepared) => prepared,
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            return Ok(Exit::Usage);
        }
    };
    match answer(arguments, &call, recording, rules, &contents, &config) {
        Ok(Answered { explanation, answers, note }) => {
            let (explanation, answers) = masked(explanation, answers, &printer);
            print(arguments, &explanation, answers.as_deref(), &contents, &printer, console)?;
            if let (Some(note), Some(file)) = (note, &arguments.record) {
                let (note, file) = (printer.mask.text(&note), file.to_string_lossy());
                writeln!(console.stderr, "recorded in {}: {note}", escape(&file))?;
            }
            let is_empty = answers
                .as_deref()
                .map_or(explanation.kept.is_empty(), |answers| answers.iter().all(|answer| answer.kept.is_empty()));
            Ok(if is_empty { Exit::Nobody } else { Exit::Ok })
        }
        Err(findings) => {
            refuse(&findings, &printer, console)?;
            Ok(Exit::Failed)
        }
    }
}

/// Routes the call, and records it if that was asked for.
fn answer(
    arguments: &RouteArguments,
    call: &RequestedCall,
    recording: Option<Recording>,
    rules: engine::Compiled,
    contents: &FolderContents,
    config: &HostConfig,
) -> Result<Answered, Vec<Finding>> {
    let time = recording.as_ref().map_or(arguments.clock, Recording::clock);
    let clock: Arc<dyn Clock> = time.map_or(Arc::new(SystemClock), |time| Arc::new(FixedClock(time)));
    let engine = engine::start(rules, contents, config, clock).map_err(|error| error.findings)?;
    let failed = |error: SelectError| vec![engine::failed(&error)];
    // The explanation comes last: it then tells what the repeated calls have led to, such as an open breaker.
    let answers = match arguments.repeat {
        Some(times) => Some(engine::repeat(&engine, call, times).map_err(failed)?),
        None => None,
    };
    let explanation = engine::explain(&engine, call, None).map_err(failed)?;
    let answers = answers.map(|answers| answers.into_iter().map(|(count, kept)| Answer { count, kept }).collect());
    let note = recording.map(|recording| recording.end(&explanation)).transpose().map_err(|finding| vec![*finding])?;
    Ok(Answered { explanation, answers, note })
}

fn masked(
    explanation: Explanation,
    answers: Option<Vec<Answer>>,
    printer: &Printer,
) -> (Explanation, Option<Vec<Answer>>) {
    let mask = &printer.mask;
    let answers = answers.map(|answers| {
        let hide = |url: String| masking::url(&url, mask);
        let one = |answer: Answer| Answer { kept: answer.kept.into_iter().map(hide).collect(), ..answer };
        answers.into_iter().map(one).collect()
    });
    (explanation.masked(mask), answers)
}

fn print(
    arguments: &RouteArguments,
    explanation: &Explanation,
    answers: Option<&[Answer]>,
    contents: &FolderContents,
    printer: &Printer,
    console: &mut Console<'_>,
) -> io::Result<()> {
    if printer.format == Format::Json {
        let report = Report {
            schema: SCHEMA,
            command: "route",
            service: &explanation.service,
            method: &explanation.method,
            consumer: &explanation.consumer,
            generation: explanation.generation,
            total: explanation.total,
            kept: &explanation.kept,
            decided_by: explanation.steps.iter().filter(|step| step.is_deciding()).collect(),
            steps: arguments.explain.then_some(&explanation.steps),
            not_asked: arguments.explain.then_some(explanation.not_asked),
            unmemoisable: explanation.unmemoisable.as_deref(),
            answers,
            findings: printer.json_findings(contents.findings()),
        };
        return printer.json(&report, console.stdout);
    }
    let layout = if printer.format == Format::Human { Layout::HUMAN } else { Layout::PLAIN };
    if arguments.explain {
        console.stdout.write_all(explanation.render(layout).as_bytes())?;
    } else if answers.is_none() {
        console.stdout.write_all(explanation.render_short(layout).as_bytes())?;
    }
    if let Some(answers) = answers {
        print_answers(answers, explanation, layout, console)?;
    }
    hint(&arguments.folder, arguments.keep_going, contents, console)
}

fn print_answers(
    answers: &[Answer],
    explanation: &Explanation,
    layout: Layout,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let calls = answers.iter().map(|answer| u64::from(answer.count)).sum::<u64>();
    let calls = plural(usize::try_from(calls).unwrap_or(usize::MAX), "call");
    writeln!(console.stdout, "{calls}, {}", plural(answers.len(), "distinct answer"))?;
    for answer in answers {
        let mut text =
            format!("{} x: {} of {}\n", answer.count, answer.kept.len(), plural(explanation.total, "provider"));
        render_providers(&answer.kept, &explanation.telling, layout, &mut text);
        console.stdout.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// Warnings are `check`'s business; that there are some is worth a line.
pub(crate) fn hint(
    folder: &Path,
    keep_going: bool,
    contents: &FolderContents,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let warnings = contents.findings().iter().filter(|finding| finding.severity() == Severity::Warning).count();
    if warnings > 0 && !keep_going {
        let folder = folder.to_string_lossy();
        let folder = escape(&folder);
        writeln!(console.stderr, "{}: `pointsman check {folder}` shows them", plural(warnings, "warning"))?;
    }
    Ok(())
}
