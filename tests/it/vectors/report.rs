//! Counts what passed plainly, what a difference covers, and what failed.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// The result of one file.
#[derive(Debug, Default)]
pub(crate) struct Report {
    kind: &'static str,
    rows: usize,
    plain: usize,
    covered_rows: usize,
    covered: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

/// How one answer compares with the recorded one.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// As the implementation we follow.
    Plain,
    /// Otherwise, as these differences say.
    Covered(Vec<&'static str>),
    /// Otherwise, and nothing says so.
    Failed(String),
}

impl Report {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Adds one row, judged once for each answer that it asks for.
    pub(crate) fn add(&mut self, verdicts: impl IntoIterator<Item = Verdict>) {
        self.rows += 1;
        let (mut names, mut failed) = (BTreeSet::new(), false);
        for verdict in verdicts {
            match verdict {
                Verdict::Plain => {}
                Verdict::Covered(covering) => names.extend(covering),
                Verdict::Failed(why) => {
                    failed = true;
                    self.failures.push(why);
                }
            }
        }
        if failed {
            return;
        }
        if names.is_empty() {
            self.plain += 1;
        } else {
            self.covered_rows += 1;
        }
        for name in names {
            *self.covered.entry(name).or_default() += 1;
        }
    }

    /// Prints the counts, then fails if a row failed or if differences cover more than `most_percent` of the rows.
    pub(crate) fn finish(self, most_percent: usize) {
        let Self { kind, rows, plain, covered_rows, .. } = self;
        println!("{kind}: {plain} of {rows} rows pass plainly, {covered_rows} by a named difference");
        for (name, count) in &self.covered {
            println!("  {count:5}  {name}");
        }
        let shown: Vec<&str> = self.failures.iter().take(show()).map(String::as_str).collect();
        assert!(
            shown.is_empty(),
            "{kind}: {} answers differ without a name:\n{}",
            self.failures.len(),
            shown.join("\n")
        );
        // Somebody's own few rows may all be about one difference; a share says something of a large set only.
        let is_few = std::env::var_os("POINTSMAN_VECTORS").is_some() && rows < 1_000;
        assert!(
            is_few || covered_rows * 100 <= rows * most_percent,
            "{kind}: {covered_rows} of {rows} rows are covered"
        );
    }
}

fn show() -> usize {
    std::env::var("POINTSMAN_VECTORS_SHOW").ok().and_then(|text| text.parse().ok()).unwrap_or(40)
}
