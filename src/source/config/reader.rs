//! Reading values, with a finding for each that is wrong.

use std::borrow::Cow;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::DeValue;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::nearest;

/// Units of times, as so many microseconds.
pub(super) const TIMES: [(&str, u64); 4] = [("us", 1), ("µs", 1), ("ms", 1_000), ("s", 1_000_000)];
/// Units of sizes, as so many bytes.
pub(super) const SIZES: [(&str, u64); 3] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)];

/// Collects what is wrong with a configuration while it is read.
pub(super) struct Reader<'a> {
    origin: &'a Origin,
    findings: Vec<Finding>,
}

// === impl Reader ===

impl<'a> Reader<'a> {
    pub(super) fn new(origin: &'a Origin) -> Self {
        Self { origin, findings: Vec::new() }
    }

    /// What was read, if nothing was wrong with it.
    pub(super) fn finish<T>(self, read: T) -> Result<T, Vec<Finding>> {
        if self.findings.is_empty() { Ok(read) } else { Err(self.findings) }
    }

    pub(super) fn unknown_key(&mut self, key: &Spanned<Cow<'_, str>>, keys: &[&str]) {
        let unknown = key.get_ref();
        let help = match nearest(unknown, keys.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are {}", keys.join(", ")),
        };
        let finding = Finding::error("config::unknown_key", format!("unknown key `{unknown}`"));
        self.report(finding.with_help(help), key.span(), "not a key");
    }

    /// A whole number of at least 1.
    pub(super) fn count(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        let DeValue::Integer(number) = value.get_ref() else {
            return self.wrong_type(key, "a whole number", value.get_ref().type_str(), value);
        };
        let read = u64::from_str_radix(number.as_str(), number.radix()).ok().filter(|number| *number > 0);
        read.or_else(|| self.wrong_value(key, "a whole number from 1 on", number.as_str(), value))
    }

    /// A number from 1 to `most`.
    pub(super) fn count_up_to(&mut self, key: &str, value: &Spanned<DeValue<'_>>, most: u64) -> Option<u64> {
        let found = self.count(key, value)?;
        if found <= most {
            return Some(found);
        }
        self.wrong_value(key, &format!("a whole number up to {most}"), &found.to_string(), value)
    }

    /// A number with one of `units` behind it, as so many of the smallest.
    pub(super) fn amount(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
        units: &[(&str, u64)],
    ) -> Option<u64> {
        let DeValue::String(text) = value.get_ref() else {
            return self.wrong_type(key, expected, value.get_ref().type_str(), value);
        };
        let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at_checked(split).unwrap_or((text, ""));
        let factor = units.iter().find(|(name, _)| *name == unit.trim_start()).map(|(_, factor)| *factor);
        let read = number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
        read.filter(|amount| *amount > 0).or_else(|| self.wrong_value(key, expected, text, value))
    }

    fn wrong_value<T>(&mut self, key: &str, expected: &str, found: &str, value: &Spanned<DeValue<'_>>) -> Option<T> {
        let finding =
            Finding::error("config::wrong_value", format!("expected {expected} for `{key}`, found `{found}`"));
        self.report(
            finding.with_help("see `docs/configuration.md` for units and defaults"),
            value.span(),
            "this value",
        );
        None
    }

    pub(super) fn word<T: Copy>(&mut self, key: &str, value: &Spanned<DeValue<'_>>, words: &[(&str, T)]) -> Option<T> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.as_ref(),
            other => return self.wrong_type(key, "a text", other.type_str(), value),
        };
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let quoted: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let message = format!("expected {} for `{key}`, found `{text}`", quoted.join(" or "));
            let near = nearest(text, words.iter().map(|(word, _)| *word));
            let first = words.first().map_or("", |(word, _)| *word);
            let help =
                near.map_or_else(|| format!("the default is `{first}`"), |near| format!("did you mean `{near}`?"));
            self.report(Finding::error("config::wrong_value", message).with_help(help), value.span(), "this value");
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> bool {
        match value.get_ref() {
            DeValue::Boolean(flag) => *flag,
            other => self.wrong_type(key, "`true` or `false`", other.type_str(), value).unwrap_or_default(),
        }
    }

    /// An absolute path.
    pub(super) fn path(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<PathBuf> {
        match value.get_ref() {
            DeValue::String(text) if text.starts_with('/') => Some(PathBuf::from(text.as_ref())),
            DeValue::String(text) => self.wrong_value(key, "an absolute path", text, value),
            other => self.wrong_type(key, "an absolute path", other.type_str(), value),
        }
    }

    /// Texts of so many hexadecimal digits.
    pub(super) fn digits(&mut self, key: &str, value: &Spanned<DeValue<'_>>, count: usize) -> Vec<String> {
        let texts = self.names(key, value);
        let is_right = |text: &String| text.len() == count && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(wrong) = texts.iter().find(|text| !is_right(text)) {
            let message = format!("expected {count} hexadecimal digits in `{key}`, found `{wrong}`");
            let finding = Finding::error("config::wrong_value", message);
            let help = "`sha256sum FILE` and `pointsman plugin inspect FILE` print hashes";
            self.report(finding.with_help(help), value.span(), "in this list");
        }
        texts
    }

    /// A key that another one needs.
    pub(super) fn missing(&mut self, key: &str, why: &str, value: &Spanned<DeValue<'_>>) {
        let finding = Finding::error("config::missing_key", format!("{why}: `{key}` is missing"));
        self.report(finding.with_help(format!("add `{key} = […]`")), value.span(), "in this table");
    }

    pub(super) fn folders(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<PathBuf> {
        let folders: Vec<PathBuf> = self.names(key, value).into_iter().map(PathBuf::from).collect();
        if let Some(relative) = folders.iter().find(|folder| !folder.is_absolute()) {
            let message = format!("expected absolute paths for `{key}`, found `{}`", relative.display());
            let finding = Finding::error("config::wrong_value", message);
            self.report(finding.with_help("begin each path with `/`"), value.span(), "in this list");
        }
        folders
    }

    pub(super) fn names(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<String> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_type(key, "a list of texts", value.get_ref().type_str(), value).unwrap_or_default();
        };
        let mut names = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(name) => names.push(name.to_string()),
                other => {
                    let _: Option<()> = self.wrong_type(key, "a list of texts", other.type_str(), item);
                }
            }
        }
        names
    }

    pub(super) fn wrong_type<T>(
        &mut self,
        key: &str,
        expected: &str,
        found: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<T> {
        let example = match key {
            "mask" => "mask = [\"apiKey\"]".to_owned(),
            "roots" => "roots = [\"/etc/shop/scripts\"]".to_owned(),
            "scripts" | "plugins" => format!("[{key}]"),
            _ if expected == "a whole number" => format!("{key} = 4"),
            _ if expected == "`true` or `false`" => format!("{key} = true"),
            _ => format!("{key} = \"…\""),
        };
        let finding = Finding::error("config::wrong_type", format!("expected {expected} for `{key}`, found {found}"));
        self.report(finding.with_help(format!("write `{example}`")), value.span(), "this value");
        None
    }

    pub(super) fn report(&mut self, finding: Finding, span: std::ops::Range<usize>, label: &str) {
        self.findings.push(finding.at(self.origin, span, label));
    }
}
