//! How calls spread over providers, as a table with bars.

use crate::cli::call::figures::bar;
use crate::cli::call::figures::grouped;
use crate::cli::call::figures::percent;
use crate::cli::call::report::shown;
use crate::cli::explanation::Layout;
use crate::cli::explanation::line;
use crate::cli::width::columns;
use crate::runtime::calls::ProviderShare;

/// The longest bar.
const BAR: usize = 18;
/// Where a share is that nobody expects.
const NONE: &str = "-";

/// One row a provider: attempts, share, the share that weights give, a bar for people.
pub(super) fn render_spread(spread: &[ProviderShare], layout: Layout, out: &mut String) {
    let is_drawn = layout.width != usize::MAX;
    let (rows, width) = rows(spread, layout);
    let most = spread.iter().map(|row| row.share).fold(0.0, f64::max);
    line(out, layout, &format!("  {:<width$}  attempts    share  by weight", "provider"));
    for (provider, row) in rows {
        let attempts = grouped(row.attempts);
        let (share, expected) = (percent(row.share), row.expected.map_or(NONE.to_owned(), percent));
        let mut text = format!("  {}  {attempts:>8}  {share:>7}  {expected:>9}", padded(&provider, width));
        if is_drawn && row.share > 0.0 {
            text.push_str("  ");
            text.push_str(&bar(row.share / most, BAR));
        }
        line(out, layout, &text);
        let notes = notes(row);
        if !notes.is_empty() {
            line(out, layout, &format!("    {notes}"));
        }
    }
    render_rest(spread, layout, out);
}

/// One row a provider: its weight and the share that follows.
pub(super) fn render_weights(spread: &[ProviderShare], layout: Layout, out: &mut String) {
    let (rows, width) = rows(spread, layout);
    if !rows.is_empty() {
        line(out, layout, &format!("  {:<width$}  weight    share", "provider"));
    }
    for (provider, row) in rows {
        let weight = row.weight.map_or(NONE.to_owned(), |weight| weight.to_string());
        let expected = row.expected.map_or(NONE.to_owned(), percent);
        let note = match (row.is_disabled, row.is_aside) {
            (true, _) => "  disabled",
            (false, true) => "  set aside",
            (false, false) => "",
        };
        line(out, layout, &format!("  {}  {weight:>6}  {expected:>7}{note}", padded(&provider, width)));
    }
    render_rest(spread, layout, out);
}

/// The rows that are shown, and how wide their providers are.
fn rows(spread: &[ProviderShare], layout: Layout) -> (Vec<(String, &ProviderShare)>, usize) {
    let rows: Vec<_> = spread.iter().take(layout.providers).map(|row| (shown(&row.provider, layout), row)).collect();
    let width = rows.iter().map(|(provider, _)| columns(provider)).max().unwrap_or_default();
    (rows, width.max("provider".len()))
}

fn render_rest(spread: &[ProviderShare], layout: Layout, out: &mut String) {
    if spread.len() > layout.providers {
        let more = spread.len() - layout.providers;
        line(out, layout, &format!("  and {more} more (`--format plain` lists all)"));
    }
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// What is to be said of a provider besides its share.
fn notes(row: &ProviderShare) -> String {
    let count = |count: u64, word: &str| (count > 0).then(|| format!("{} {word}", grouped(count)));
    let disabled = row.is_disabled.then(|| "disabled".to_owned());
    let aside = row.is_aside.then(|| "set aside".to_owned());
    [count(row.failed, "failed"), count(row.threw, "threw"), disabled, aside]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}
