//! Numbers as people read them.

use std::fmt::Write as _;

/// `10,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 call`, `10,000 calls`.
pub(crate) fn counted(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// `42.9 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `5 ms`, `0.31 ms`, `1.25 s`: at most three digits that tell something.
pub(crate) fn time(micros: u64) -> String {
    let (number, unit) = match micros {
        1_000_000.. => (micros as f64 / 1e6, "s"),
        _ => (micros as f64 / 1e3, "ms"),
    };
    let places = match number {
        0.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    let _ = write!(text, "{number:.places$}");
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    format!("{text} {unit}")
}

/// A bar of at most `width` columns, in eighths of one.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    // What is there at all is seen.
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    "█".repeat(eighths / 8) + EIGHTHS.get(eighths % 8).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_say_what_they_mean() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1, "call"), counted(2_000, "call")], ["1 call", "2,000 calls"]);
        assert_eq!([0.0, 0.4286, 1.0].map(percent), ["0.0 %", "42.9 %", "100.0 %"]);
        let times = [0, 310, 5_000, 5_004, 12_340, 999_400, 1_250_000, 61_000_000];
        let shown = ["0 ms", "0.31 ms", "5 ms", "5 ms", "12.3 ms", "999 ms", "1.25 s", "61 s"];
        assert_eq!(times.map(time), shown);
    }

    #[test]
    fn a_bar_grows_by_eighths_and_shows_what_is_there_at_all() {
        for (share, expected) in [(0.0, ""), (0.0001, "▏"), (0.5, "██"), (0.53, "██▏"), (1.0, "████"), (7.0, "████")]
        {
            assert_eq!(bar(share, 4), expected, "{share}");
        }
    }
}
