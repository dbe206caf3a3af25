//! The one table of numbers: a slug and its number stand together and neither is reused.
//!
//! 01 condition, 02 router and registry, 03 the folder, 04 files of rules, 05 providers, 06 configuration, 07 calls,
//! 08 cases and the YAML they are written in, 09 scripts, 10 `file:` rules.

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
    ("router::unknown_protocol", 201),
    ("router::missing_protocol", 202),
    ("router::missing_router_name", 203),
    ("router::invalid_protocol", 204),
    ("router::duplicate_protocol", 205),
    ("router::invalid_parameter", 206),
    ("router::missing_parameter", 207),
    ("route::not_a_url", 250),
    ("route::missing_host", 251),
    ("route::missing_rule", 252),
    ("route::unknown_parameter", 253),
    ("route::repeated_parameter", 254),
    ("route::wrong_value", 255),
    ("route::wrong_category", 256),
    ("route::not_utf8", 257),
    ("folder::not_a_folder", 300),
    ("folder::unreadable", 301),
    ("folder::not_a_regular_file", 302),
    ("folder::too_large", 303),
    ("folder::not_utf8", 304),
    ("folder::link_outside", 305),
    ("folder::link_loop", 306),
    ("folder::unsupported_kind", 307),
    ("folder::unknown_file", 308),
    ("folder::too_deep", 309),
    ("folder::too_many_files", 310),
    ("folder::no_rules", 311),
    ("folder::wrong_line_end", 312),
    ("folder::more_findings", 313),
    ("folder::changing", 314),
    ("folder::panicked", 315),
    ("rules::unknown_tag", 400),
    ("rules::missing_value", 401),
    ("rules::wrong_value", 402),
    ("rules::name_without_rule", 403),
    ("rules::name_before_route_url", 404),
    ("rules::duplicate_name", 405),
    ("rules::indented_comment", 406),
    ("rules::rule_too_long", 407),
    ("rules::too_many_rules", 408),
    ("rules::all_services", 409),
    ("rules::repeated_tag", 410),
    ("providers::missing", 500),
    ("providers::empty", 501),
    ("providers::wrong_url", 502),
    ("providers::no_address", 503),
    ("providers::no_service", 504),
    ("providers::no_protocol", 505),
    ("providers::not_a_provider", 506),
    ("providers::encoded", 507),
    ("providers::duplicate", 508),
    ("providers::other_service", 509),
    ("config::not_toml", 600),
    ("config::unknown_key", 601),
    ("config::wrong_type", 602),
    ("config::wrong_value", 603),
    ("config::inside_folder", 604),
    ("call::no_provider", 700),
    ("call::service_needed", 701),
    ("call::unknown_service", 702),
    ("call::wrong_consumer", 703),
    ("call::contradiction", 704),
    ("call::wrong_attachment", 705),
    ("call::too_many_types", 706),
    ("call::failed", 707),
    ("cases::not_a_list", 800),
    ("cases::unknown_key", 801),
    ("cases::missing_key", 802),
    ("cases::wrong_type", 803),
    ("cases::wrong_value", 804),
    ("cases::nothing_wanted", 805),
    ("cases::conflict", 806),
    ("cases::duplicate_note", 807),
    ("cases::not_for_folders", 808),
    ("cases::nothing_to_run", 820),
    ("cases::wrong_suffix", 830),
    ("cases::secret", 831),
    ("cases::cannot_append", 832),
    ("cases::unwritable", 833),
    ("yaml::not_yaml", 850),
    ("yaml::duplicate_key", 851),
    ("yaml::wrong_key", 852),
    ("yaml::tag", 853),
    ("yaml::too_deep", 854),
    ("yaml::too_many_aliases", 855),
    ("script::compile", 901),
    ("script::empty", 902),
    ("script::too_large", 903),
    ("script::no_isolation", 904),
    ("script::deadline_above_host", 905),
    ("script::no_workers", 906),
    ("file::missing_path", 1000),
    ("file::unknown_suffix", 1001),
    ("file::wrong_type", 1002),
    ("file::wrong_router", 1003),
    ("file::not_from_here", 1004),
    ("file::too_deep", 1005),
    ("file::not_a_rule", 1006),
    ("file::outside_roots", 1007),
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
