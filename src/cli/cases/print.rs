//! The results of a run, for people and for programs.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;

use crate::cli::Console;
use crate::cli::args::TestFormat;
use crate::cli::cases::Coverage;
use crate::cli::cases::Difference;
use crate::cli::cases::Outcome;
use crate::cli::cases::coverage::CoverageReport;
use crate::cli::cases::junit;
use crate::cli::check::plural;
use crate::cli::explanation::Explanation;
use crate::cli::explanation::Layout;
use crate::cli::explanation::wrap;
use crate::cli::output::Printer;
use crate::cli::output::SCHEMA;
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::render::JsonFinding;

/// What came of all cases, with nothing secret left in it.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) cases: Vec<CaseResult>,
    pub(crate) coverage: Coverage,
}

/// What came of one case.
#[derive(Debug, Serialize)]
pub(crate) struct CaseResult {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) note: String,
    pub(crate) outcome: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) differences: Vec<Difference>,
    /// Of a case that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explanation: Option<Explanation>,
}

/// What `test --format json` prints.
#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    command: &'static str,
    cases: usize,
    passed: usize,
    failed: usize,
    results: &'a [CaseResult],
    coverage: CoverageReport,
    findings: Vec<JsonFinding>,
}

// === impl Results ===

impl Results {
    pub(crate) fn new(outcomes: Vec<Outcome>, coverage: Coverage, mask: &Mask) -> Self {
        Self { cases: outcomes.into_iter().map(|outcome| CaseResult::new(outcome, mask)).collect(), coverage }
    }

    pub(crate) fn failed(&self) -> usize {
        self.cases.iter().filter(|case| case.is_failed()).count()
    }

    pub(crate) fn print(
        &self,
        format: TestFormat,
        findings: &[Finding],
        printer: &Printer,
        console: &mut Console<'_>,
    ) -> io::Result<()> {
        match format {
            TestFormat::Human => console.stdout.write_all(self.render(Layout::HUMAN, &printer.mask).as_bytes()),
            TestFormat::Plain => console.stdout.write_all(self.render(Layout::PLAIN, &printer.mask).as_bytes()),
            TestFormat::Junit => console.stdout.write_all(junit::render(&self.cases).as_bytes()),
            TestFormat::Json => {
                let report = Report {
                    schema: SCHEMA,
                    command: "test",
                    cases: self.cases.len(),
                    passed: self.cases.len() - self.failed(),
                    failed: self.failed(),
                    results: &self.cases,
                    coverage: self.coverage.report(&printer.mask),
                    findings: printer.json_findings(findings),
                };
                printer.json(&report, console.stdout)
            }
        }
    }

    fn render(&self, layout: Layout, mask: &Mask) -> String {
        let is_plain = layout.width == usize::MAX;
        let mut out = String::new();
        for case in self.cases.iter().filter(|case| is_plain || case.is_failed()) {
            case.render(layout, &mut out);
        }
        let failed = self.failed();
        let (cases, passed) = (plural(self.cases.len(), "case"), self.cases.len() - failed);
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "{cases}, {passed} passed, {failed} failed");
        let (reached, rules) = self.coverage.counts();
        let _ = writeln!(out, "{reached} of {} reached ({} %)", plural(rules, "rule"), self.coverage.percent());
        for rule in self.coverage.missed() {
            let _ = writeln!(out, "  no case reaches {}", mask.text(&rule.title()));
        }
        for rule in self.coverage.idle() {
            let _ = writeln!(out, "  never changes an answer: {}", mask.text(&rule.title()));
        }
        out
    }
}

// === impl CaseResult ===

impl CaseResult {
    fn new(outcome: Outcome, mask: &Mask) -> Self {
        let is_passed = outcome.is_passed();
        let hide = |text: &str| mask.message(text).into_owned();
        let differences = outcome.differences.iter();
        let differences =
            differences.map(|Difference { wanted, came }| Difference { wanted: hide(wanted), came: hide(came) });
        Self {
            file: mask.text(&outcome.case.file).into_owned(),
            line: outcome.case.line,
            note: mask.text(&outcome.case.note).into_owned(),
            outcome: if is_passed { "passed" } else { "failed" },
            differences: differences.collect(),
            explanation: outcome.explanation.filter(|_| !is_passed).map(|explanation| explanation.masked(mask)),
        }
    }

    pub(crate) fn is_failed(&self) -> bool {
        !self.differences.is_empty()
    }

    fn render(&self, layout: Layout, out: &mut String) {
        let _ = writeln!(out, "{}: {}:{} {}", self.outcome, self.file, self.line, self.note);
        self.render_details(layout, out);
    }

    /// Of a case that failed: what was wanted, what came, and why.
    pub(crate) fn render_details(&self, layout: Layout, out: &mut String) {
        for Difference { wanted, came } in &self.differences {
            wrap(out, layout, &format!("wanted {wanted}"));
            wrap(out, layout, &format!("came   {came}"));
        }
        if let Some(explanation) = &self.explanation {
            out.push('\n');
            out.push_str(&explanation.render(layout));
        }
        if self.is_failed() {
            out.push('\n');
        }
    }
}
