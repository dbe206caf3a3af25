//! The normal form: `when => then`, pairs joined by ` & `, values by `,`.

use std::fmt;

use crate::condition::Pair;
use crate::condition::Pattern;
use crate::condition::Rule;
use crate::condition::Then;
use crate::condition::When;
use crate::condition::parser::is_blank;
use crate::condition::parser::is_word;

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.when {
            When::Always => f.write_str("=>")?,
            When::Pairs(pairs) => {
                write_side(f, pairs, "true")?;
                f.write_str(" =>")?;
            }
        }
        match &self.then {
            Then::Blocked => Ok(()),
            Then::Pairs(pairs) => {
                f.write_str(" ")?;
                write_side(f, pairs, "false")
            }
        }
    }
}

/// `key=a,b`, `key!=c`, or `key=a,b & key!=c` with both.
impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)?;
        write_values(f, "=", &self.matches)?;
        if !self.matches.is_empty() && !self.mismatches.is_empty() {
            write!(f, " & {}", self.key)?;
        }
        write_values(f, "!=", &self.mismatches)
    }
}

/// A side that is `word`, or that Java calls blank, is special; as keys they need an `&` in front.
fn write_side(f: &mut fmt::Formatter<'_>, pairs: &[Pair], word: &str) -> fmt::Result {
    let is_special = matches!(pairs, [pair] if pair.matches.is_empty() && pair.mismatches.is_empty()
        && (is_word(pair.key.as_str(), word) || is_blank(pair.key.as_str())));
    if pairs.is_empty() || is_special {
        f.write_str(if is_special { "& " } else { "&" })?;
    }
    for (index, pair) in pairs.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { " & " })?;
        write!(f, "{pair}")?;
    }
    Ok(())
}

fn write_values(f: &mut fmt::Formatter<'_>, operator: &str, patterns: &[Pattern]) -> fmt::Result {
    for (index, pattern) in patterns.iter().enumerate() {
        let text = pattern.to_string();
        // `a=>b` would be an arrow.
        let blank = if index == 0 && text.starts_with('>') { " " } else { "" };
        write!(f, "{}{blank}{text}", if index == 0 { operator } else { "," })?;
    }
    Ok(())
}
