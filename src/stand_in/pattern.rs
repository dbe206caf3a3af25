//! Names with `*` in them.

/// A text in which each `*` stands for any characters, also for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern(Box<str>);

// === impl NamePattern ===

impl NamePattern {
    /// The pattern `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `name` is one of those that are meant.
    ///
    /// ```
    /// use pointsman::stand_in::NamePattern;
    /// assert!(NamePattern::new("10.*.1.*").is_match("10.2.1.7"));
    /// assert!(!NamePattern::new("10.*.1.*").is_match("10.2.10"));
    /// ```
    #[must_use]
    pub fn is_match(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        // Each part at its first place: whatever comes later then has the most room.
        for part in parts {
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.10", false),
            ("*", "", true),
            ("10.*", "10.", true),
            ("*:20880", "h:20880", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*ab*ab", "abab", true),
            ("*ab*ab", "xabyab", true),
            ("*ab*ab", "xab", false),
            ("a**b", "ab", true),
            ("", "a", false),
        ] {
            assert_eq!(NamePattern::new(pattern).is_match(name), expected, "`{pattern}` on `{name}`");
        }
    }
}
