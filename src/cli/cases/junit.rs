//! Results as JUnit's XML, the form that CI systems read. No times: what a case takes is no part of its answer.

use std::fmt::Write as _;

use crate::cli::cases::print::CaseResult;
use crate::cli::explanation::Layout;

/// One suite a file.
pub(crate) fn render(cases: &[CaseResult]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "<testsuites name=\"pointsman\" {}>", counts(cases));
    for suite in cases.chunk_by(|one, other| one.file == other.file) {
        let name = suite.first().map(|case| escaped(&case.file)).unwrap_or_default();
        let _ = writeln!(out, "  <testsuite name=\"{name}\" {}>", counts(suite));
        suite.iter().for_each(|case| test_case(case, &name, &mut out));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn test_case(case: &CaseResult, file: &str, out: &mut String) {
    let (note, line) = (escaped(&case.note), case.line);
    let _ = write!(out, "    <testcase classname=\"{file}\" name=\"{note}\" file=\"{file}\" line=\"{line}\"");
    if !case.is_failed() {
        out.push_str("/>\n");
        return;
    }
    let told =
        case.differences.iter().map(|difference| format!("wanted {}, came {}", difference.wanted, difference.came));
    let message = escaped(&told.collect::<Vec<_>>().join("; "));
    let mut details = String::new();
    case.render_details(Layout::PLAIN, &mut details);
    let _ = writeln!(out, ">\n      <failure message=\"{message}\">{}</failure>\n    </testcase>", escaped(&details));
}

fn counts(cases: &[CaseResult]) -> String {
    let failed = cases.iter().filter(|case| case.is_failed()).count();
    format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\"", cases.len())
}

/// A text that may stand in an attribute or an element. What XML 1.0 has no way to write becomes `\u{…}`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_its_attribute_or_element() {
        assert_eq!(escaped("a<b>&\"c\"\u{1b}\u{fffe}\u{85}"), "a&lt;b&gt;&amp;&quot;c&quot;\\u{1b}\\u{fffe}\\u{85}");
    }
}
