//! What came of the calls, as the command prints it.

use std::io;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::Format;
use crate::cli::call::CallArguments;
use crate::cli::call::figures::counted;
use crate::cli::call::figures::grouped;
use crate::cli::call::figures::time;
use crate::cli::call::spread::render_spread;
use crate::cli::call::spread::render_weights;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Layout;
use crate::cli::explanation::Step;
use crate::cli::explanation::line;
use crate::cli::explanation::wrap;
use crate::cli::masking;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::render::JsonFinding;
use crate::rpc::Url;
use crate::runtime::calls::CallAttempt;
use crate::runtime::calls::CallOutcome;
use crate::runtime::calls::CallRecord;
use crate::runtime::calls::CallReport;

/// What came of the calls.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) explanation: Explanation,
    pub(crate) cluster: String,
    /// The first of the calls.
    pub(crate) first: Option<CallRecord>,
    pub(crate) report: CallReport,
    pub(crate) seed: u64,
}

/// What `call --format json` prints.
#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    command: &'static str,
    service: &'a str,
    method: &'a str,
    consumer: &'a str,
    generation: u64,
    seed: u64,
    virtual_time: bool,
    cluster: &'a str,
    total: usize,
    kept: &'a [String],
    decided_by: Vec<&'a Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<&'a [Step]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_asked: Option<usize>,
    call: Option<&'a CallRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a CallReport>,
    findings: Vec<JsonFinding>,
}

// === impl Tried ===

impl Tried {
    /// How the command ends.
    pub(crate) fn exit(&self, arguments: &CallArguments) -> Exit {
        if arguments.repeat.is_some_and(|wanted| wanted != self.report.calls) {
            return Exit::Failed;
        }
        let is_nobody = |kind: &str| kind == CallOutcome::NOBODY;
        match self.report.answered == self.report.calls {
            true => Exit::Ok,
            false if self.report.failures.iter().any(|it| is_nobody(it.kind) && it.calls == self.report.calls) => {
                Exit::Nobody
            }
            false => Exit::Failed,
        }
    }

    /// The same with secrets masked and control characters escaped, everywhere.
    pub(crate) fn masked(mut self, mask: &Mask) -> Self {
        self.explanation = self.explanation.masked(mask);
        for share in &mut self.report.spread {
            share.provider = masking::url(&share.provider, mask);
        }
        for failure in &mut self.report.failures {
            failure.sample = lines(&failure.sample, mask);
        }
        if let Some(first) = &mut self.first {
            mask_outcome(&mut first.outcome, mask);
            for attempt in &mut first.attempts {
                attempt.provider = masking::url(&attempt.provider, mask);
                mask_outcome(&mut attempt.outcome, mask);
            }
        }
        self
    }

    pub(crate) fn print(
        &self,
        arguments: &CallArguments,
        findings: &[Finding],
        printer: &Printer,
        console: &mut Console<'_>,
    ) -> io::Result<()> {
        if printer.format == Format::Json {
            return printer.json(&self.document(arguments, findings, printer), console.stdout);
        }
        let layout = if printer.format == Format::Human { Layout::HUMAN } else { Layout::PLAIN };
        let mut out = String::new();
        if arguments.explain {
            out.push_str(&self.explanation.render(layout));
            out.push('\n');
        }
        match arguments.repeat {
            Some(_) => self.render_report(arguments, layout, &mut out),
            None => self.render_call(arguments, layout, &mut out),
        }
        console.stdout.write_all(out.as_bytes())
    }

    fn document<'a>(&'a self, arguments: &CallArguments, findings: &[Finding], printer: &Printer) -> Document<'a> {
        let explanation = &self.explanation;
        Document {
            schema: SCHEMA,
            command: "call",
            service: &explanation.service,
            method: &explanation.method,
            consumer: &explanation.consumer,
            generation: explanation.generation,
            seed: self.seed,
            virtual_time: arguments.virtual_time,
            cluster: &self.cluster,
            total: explanation.total,
            kept: &explanation.kept,
            decided_by: explanation.steps.iter().filter(|step| step.is_deciding()).collect(),
            steps: arguments.explain.then_some(&explanation.steps),
            not_asked: arguments.explain.then_some(explanation.not_asked),
            call: self.first.as_ref(),
            report: arguments.repeat.map(|_| &self.report),
            findings: printer.json_findings(findings),
        }
    }

    /// One call: with `--explain` whom the load balance could choose, and each attempt.
    fn render_call(&self, arguments: &CallArguments, layout: Layout, out: &mut String) {
        let Some(call) = &self.first else { return };
        if arguments.explain {
            line(
                out,
                layout,
                &format!("Load balance {}, cluster {}, seed {}", self.load_balance(), self.cluster, self.seed),
            );
            render_weights(&self.report.spread, layout, out);
            out.push_str("\nAttempts\n");
            for attempt in &call.attempts {
                render_attempt(attempt, layout, out);
            }
            out.push('\n');
        }
        let (attempts, took) = (counted(call.attempts.len() as u64, "attempt"), time(call.elapsed_us));
        let by = call.attempts.iter().rev().find(|attempt| attempt.outcome == call.outcome);
        let by = by.map_or_else(String::new, |attempt| format!(" by {}", shown(&attempt.provider, layout)));
        let verdict = match &call.outcome {
            CallOutcome::Answered { .. } => format!("answered{by}"),
            CallOutcome::Threw { .. } => format!("an exception thrown{by}"),
            CallOutcome::Failed { kind, .. } => format!("failed ({kind})"),
        };
        line(out, layout, &format!("Result: {verdict}; {attempts}, {took}"));
        render_text(&call.outcome.to_string(), layout, out);
    }

    /// Many calls.
    fn render_report(&self, arguments: &CallArguments, layout: Layout, out: &mut String) {
        let report = &self.report;
        let (service, method) = (&self.explanation.service, &self.explanation.method);
        line(out, layout, &format!("{} of {service}.{method}", counted(report.calls, "call")));
        if let Some(wanted) = arguments.repeat.filter(|wanted| *wanted != report.calls) {
            line(out, layout, &format!("  interrupted: {} were wanted", grouped(wanted)));
        }
        let (concurrency, elapsed) = (grouped(arguments.concurrency), time(report.elapsed_us));
        line(out, layout, &format!("  {concurrency} at a time, in {elapsed}; seed {}", self.seed));
        let outcomes = [(report.answered, "answered"), (report.threw, "threw"), (report.failed, "failed")];
        let outcomes = outcomes.map(|(count, word)| format!("{} {word}", grouped(count)));
        line(out, layout, &format!("  {}", outcomes.join(", ")));
        let retries =
            if report.retries == 1 { "1 retry".to_owned() } else { format!("{} retries", grouped(report.retries)) };
        let attempts = counted(report.attempts, "attempt");
        line(
            out,
            layout,
            &format!("  {attempts}, {retries}; load balance {}, cluster {}", self.load_balance(), self.cluster),
        );
        if !report.spread.is_empty() {
            out.push('\n');
            render_spread(&report.spread, layout, out);
        }
        if !report.failures.is_empty() {
            out.push_str("\nFailures\n");
        }
        for failure in &report.failures {
            let (attempts, calls) = (counted(failure.attempts, "attempt"), counted(failure.calls, "call"));
            line(out, layout, &format!("  {}: {attempts}, {calls}", failure.kind));
            render_text(&failure.sample, layout, out);
        }
        let latency = &report.latency;
        let times =
            [("p50", latency.p50_us), ("p90", latency.p90_us), ("p99", latency.p99_us), ("max", latency.max_us)];
        let times = times.map(|(name, micros)| format!("{name} {}", time(micros)));
        line(out, layout, &format!("\nLatency\n  {}", times.join(", ")));
    }

    fn load_balance(&self) -> String {
        match self.report.load_balances.as_slice() {
            [] => "not asked".to_owned(),
            names => names.join(", "),
        }
    }
}

fn render_attempt(attempt: &CallAttempt, layout: Layout, out: &mut String) {
    let word = match &attempt.outcome {
        CallOutcome::Answered { .. } => "answered",
        CallOutcome::Threw { .. } => CallOutcome::EXCEPTION,
        CallOutcome::Failed { kind, .. } => kind,
    };
    let (number, provider) = (u64::from(attempt.number) + 1, shown(&attempt.provider, layout));
    line(out, layout, &format!("{number:>3} {provider}: {word}, {}", time(attempt.elapsed_us)));
    if !attempt.outcome.is_answered() {
        render_text(&attempt.outcome.to_string(), layout, out);
    }
}

/// A text of several lines below what it is about.
fn render_text(text: &str, layout: Layout, out: &mut String) {
    text.lines().for_each(|text| wrap(out, layout, text));
}

/// A provider: its address for people, else its URL.
pub(super) fn shown(provider: &str, layout: Layout) -> String {
    let address = || Url::parse(provider).ok()?.address().map(str::to_owned);
    Some(provider)
        .filter(|_| layout.width == usize::MAX)
        .map(str::to_owned)
        .or_else(address)
        .unwrap_or_else(|| provider.to_owned())
}

fn mask_outcome(outcome: &mut CallOutcome, mask: &Mask) {
    match outcome {
        CallOutcome::Answered { value } => *value = lines(value, mask),
        CallOutcome::Threw { class, message } => {
            *class = lines(class, mask);
            *message = lines(message, mask);
        }
        CallOutcome::Failed { message, .. } => *message = lines(message, mask),
    }
}

/// A message without secrets; its lines stay lines.
fn lines(text: &str, mask: &Mask) -> String {
    text.lines().map(|line| mask.message(line)).collect::<Vec<_>>().join("\n")
}
