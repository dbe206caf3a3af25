//! The lines that formatting changes.

use crate::diagnostics::Mask;

/// How many changed lines of a file are shown.
const SHOWN: usize = 20;

/// The changed lines, `-` before `+`; formatting never adds or removes one.
pub(super) fn changed_lines(before: &str, after: &str, mask: &Mask) -> String {
    let pairs = before.split('\n').zip(after.split('\n')).enumerate();
    let changed: Vec<(usize, (&str, &str))> = pairs.filter(|(_, (one, other))| one != other).collect();
    let mut out = String::new();
    for (index, (one, other)) in changed.iter().take(SHOWN) {
        let number = index + 1;
        if one.trim_end() == other.trim_end() {
            out += &format!("  {number:>4}   the end of the line\n");
        } else {
            out += &format!("  {number:>4} - {}\n", mask.text(one.trim_end()));
            out += &format!("       + {}\n", mask.text(other));
        }
    }
    if changed.is_empty() && before != after {
        out += "         the end of the file\n";
    }
    if changed.len() > SHOWN {
        out += &format!("  and {} lines more\n", changed.len() - SHOWN);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_stand_below_one_another() {
        let mask = Mask::default();
        for (before, after, shown) in [
            ("a\nb = c\n", "a\nb=c\n", "     2 - b = c\n       + b=c\n"),
            ("a \r\nb", "a\nb\n", "     1   the end of the line\n"),
            ("a", "a\n", "         the end of the file\n"),
            ("a\n", "a\n", ""),
        ] {
            assert_eq!(changed_lines(before, after, &mask), shown, "{before:?}");
        }
    }
}
