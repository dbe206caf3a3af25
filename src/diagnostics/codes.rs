//! The one table of numbers: a slug and its number stand together and neither is reused.
//!
//! 01 condition, 02 router and registry, 03 the folder, 04 `*.rules` files, 05 providers, 06 configuration, 07 calls.

/// Slug and number of every finding, by number.
pub const CODES: &[(&str, u16)] = &[
    ("condition::empty_rule", 100),
    ("condition::missing_key", 101),
    ("condition::unexpected_separator", 102),
    ("condition::missing_values", 103),
    ("condition::second_arrow", 104),
    ("condition::unexpected_blank", 105),
    ("condition::missing_ampersand", 106),
    ("condition::invalid_bound", 107),
    ("condition::empty_range", 108),
    ("condition::rule_too_long", 109),
    ("condition::missing_arrow", 120),
    ("condition::bare_key", 121),
    ("condition::misplaced_word", 122),
    ("condition::ignored_separator", 123),
    ("condition::unknown_subject", 124),
    ("condition::literal_wildcard", 125),
    ("condition::literal_range", 126),
    ("condition::inverted_range", 127),
    ("condition::full_width", 128),
];

/// The number of `slug`; 0 where the table lacks it, which the tests refuse.
#[must_use]
pub fn number(slug: &str) -> u16 {
    CODES.iter().find(|(name, _)| *name == slug).map_or(0, |(_, number)| *number)
}

/// `PM0101` for `condition::missing_key`.
#[must_use]
pub fn label(slug: &str) -> String {
    format!("PM{:04}", number(slug))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_slug_and_no_number_stands_twice() {
        for (index, (slug, number)) in CODES.iter().enumerate() {
            for (other_slug, other_number) in &CODES[index + 1..] {
                assert!(
                    slug != other_slug && number < other_number,
                    "{slug} {number} before {other_slug} {other_number}"
                );
            }
        }
    }
}
