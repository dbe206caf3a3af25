//! What a plugin says of itself before any of its code runs.

use std::fmt;

use pointsman_plugin_api::abi::PM_ABI_MAJOR;
use pointsman_plugin_api::abi::PM_ABI_MINOR;
use pointsman_plugin_api::manifest::MAGIC;
use semver::Version;
use serde_json::Map;
use serde_json::Value;

use crate::diagnostics::Finding;
use crate::router::ClockGranularity;

/// Names that belong to the host, or that mean something else in `router=`.
const RESERVED: &[&str] = &[
    "absent",
    "admin",
    "affinity",
    "app",
    "condition",
    "configurators",
    "consumer",
    "default",
    "dubbo",
    "empty",
    "file",
    "http",
    "https",
    "mock",
    "override",
    "provider",
    "provider-app",
    "registry",
    "rest",
    "route",
    "routers",
    "script",
    "service",
    "tag",
    "tri",
];

/// The longest version, and what is told of other texts.
const MAX_WORD_BYTES: usize = 64;
/// How many names an input has, and how long one is.
const MAX_NAMES: usize = 64;
const MAX_NAME_BYTES: usize = 256;

/// How a plugin ends when it panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanicStrategy {
    /// The panic is caught inside the plugin and told as an error.
    Unwind,
    /// The process ends.
    Abort,
}

/// A plugin as its manifest describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Manifest {
    /// The name of its factory: the protocol of the rule URLs that it is for.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// What it reads of a call.
    pub inputs: DeclaredInputs,
    /// What a panic of its does.
    pub panic: PanicStrategy,
    /// Whether it wants to be called by one thread at a time.
    pub is_serial: bool,
    /// Whether it starts threads of its own, which only a native plugin may.
    pub has_threads: bool,
    /// What it is written in, in its own words.
    pub language: String,
}

/// What a plugin declares that it reads. `{key}` in a name stands for the rule's parameter `key`, `{key=default}` has a
/// default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeclaredInputs {
    /// The method that is meant.
    pub method: bool,
    /// Parameters of the consumer.
    pub consumer: Vec<String>,
    /// Attachments; `*` for all.
    pub attachments: Vec<String>,
    /// Arguments.
    pub arguments: Vec<usize>,
    /// Random choices.
    pub random: bool,
    /// Parts of the time.
    pub clock: Vec<ClockGranularity>,
    /// The time itself.
    pub now: bool,
}

/// Reads one object of the manifest, and remembers where it is.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: &'static str,
}

// === impl Manifest ===

impl Manifest {
    /// Reads the contents of the manifest's section.
    ///
    /// # Errors
    ///
    /// What differs from what a manifest is: no magic, two manifests, no JSON, a field that is missing or wrong, an ABI
    /// that this host does not have.
    pub fn read(section: &[u8]) -> Result<Self, Finding> {
        let json = one_manifest(section)?;
        let value: Value = serde_json::from_slice(json).map_err(|error| {
            wrong(format!("the manifest is no JSON: {error}"), "build the plugin again with a current SDK")
        })?;
        let Value::Object(object) = &value else {
            return Err(wrong("expected a JSON object as manifest".to_owned(), "see `docs/plugins.md` for its fields"));
        };
        let fields = Fields { object, path: "" };
        check_abi(&fields)?;
        let name = fields.text("name")?.to_owned();
        check_name(&name)?;
        let version = fields.text("version")?;
        if version.len() > MAX_WORD_BYTES {
            return Err(fields.wrong_value("version", "at most 64 characters", version));
        }
        let version = Version::parse(version).map_err(|error| {
            let message = format!("expected a version such as `1.2.3` for `version`, found `{version}`: {error}");
            wrong(message, "versions are compared: a plugin never becomes older by itself")
        })?;
        let panic = match fields.text("panic")? {
            "unwind" => PanicStrategy::Unwind,
            "abort" => PanicStrategy::Abort,
            other => return Err(fields.wrong_value("panic", "`unwind` or `abort`", other)),
        };
        Ok(Self {
            name,
            version,
            inputs: DeclaredInputs::read(&fields)?,
            panic,
            is_serial: fields.flag("serial")?,
            has_threads: fields.flag("threads")?,
            language: short(fields.optional("language")?.unwrap_or("unknown")),
        })
    }
}

/// `areaCode 0.1.0`.
impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

// === impl DeclaredInputs ===

impl DeclaredInputs {
    fn read(manifest: &Fields<'_>) -> Result<Self, Finding> {
        let Some(Value::Object(object)) = manifest.object.get("inputs") else {
            return Err(manifest.wrong_type("inputs", "an object"));
        };
        let fields = Fields { object, path: "inputs." };
        const KNOWN: [&str; 6] = ["method", "consumer", "attachments", "arguments", "random", "clock"];
        if let Some(other) = object.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            let message = format!("the manifest declares `inputs.{}`, which this host does not know", short(other));
            return Err(wrong(message, &format!("the inputs are {}", KNOWN.join(", "))));
        }
        let mut inputs = Self {
            method: fields.flag("method")?,
            consumer: fields.texts("consumer")?,
            attachments: fields.texts("attachments")?,
            arguments: fields.numbers("arguments")?,
            random: fields.flag("random")?,
            ..Self::default()
        };
        for part in fields.texts("clock")? {
            match ClockGranularity::parse(&part) {
                Some(granularity) => inputs.clock.push(granularity),
                None if part == "now" => inputs.now = true,
                None => return Err(fields.wrong_value("clock", "`hour`, `minute`, `weekday` or `now`", &part)),
            }
        }
        Ok(inputs)
    }

    /// Whether answers depend on what no memo can know.
    #[must_use]
    pub fn is_unmemoisable(&self) -> bool {
        self.random || self.now || self.has_all_attachments()
    }

    /// Whether every attachment is read.
    #[must_use]
    pub fn has_all_attachments(&self) -> bool {
        self.attachments.iter().any(|name| name == "*")
    }
}

// === impl Fields ===

impl<'a> Fields<'a> {
    fn text(&self, name: &str) -> Result<&'a str, Finding> {
        self.optional(name)?.ok_or_else(|| self.wrong_type(name, "a text"))
    }

    fn optional(&self, name: &str) -> Result<Option<&'a str>, Finding> {
        match self.object.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong_type(name, "a text")),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, Finding> {
        match self.object.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong_type(name, "`true` or `false`")),
        }
    }

    fn number(&self, name: &str) -> Result<Option<u64>, Finding> {
        match self.object.get(name) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| self.wrong_type(name, "a whole number")),
        }
    }

    fn list(&self, name: &str) -> Result<&'a [Value], Finding> {
        match self.object.get(name) {
            None => Ok(&[]),
            Some(Value::Array(values)) if values.len() <= MAX_NAMES => Ok(values),
            Some(_) => Err(self.wrong_type(name, "a list of at most 64 entries")),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, Finding> {
        let text = |value: &Value| {
            let text = value.as_str().filter(|text| text.len() <= MAX_NAME_BYTES);
            text.map(str::to_owned).ok_or_else(|| self.wrong_type(name, "texts of at most 256 bytes"))
        };
        self.list(name)?.iter().map(text).collect()
    }

    fn numbers(&self, name: &str) -> Result<Vec<usize>, Finding> {
        // A call with more arguments than this is no call of Dubbo's: 255 is Java's limit.
        let number = |value: &Value| {
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.filter(|number| *number < 255).ok_or_else(|| self.wrong_type(name, "numbers of arguments below 255"))
        };
        self.list(name)?.iter().map(number).collect()
    }

    fn wrong_type(&self, name: &str, expected: &str) -> Finding {
        let found = match self.object.get(name) {
            None => "nothing",
            Some(Value::Null) => "null",
            Some(Value::Bool(_)) => "`true` or `false`",
            Some(Value::Number(_)) => "a number",
            Some(Value::String(_)) => "a text",
            Some(Value::Array(_)) => "a list of something else",
            Some(Value::Object(_)) => "an object",
        };
        let message = format!("expected {expected} for `{}{name}` in the manifest, found {found}", self.path);
        wrong(message, "see `docs/plugins.md` for the fields of a manifest")
    }

    fn wrong_value(&self, name: &str, expected: &str, found: &str) -> Finding {
        let message =
            format!("expected {expected} for `{}{name}` in the manifest, found `{}`", self.path, short(found));
        wrong(message, "see `docs/plugins.md` for the fields of a manifest")
    }
}

/// The JSON behind the magic; zeros that a linker or a C compiler put around it do not count.
fn one_manifest(section: &[u8]) -> Result<&[u8], Finding> {
    let section = trim_zeros(section);
    let Some(json) = section.strip_prefix(MAGIC.as_bytes()) else {
        let message = "the section `.pointsman` does not begin as a manifest does".to_owned();
        return Err(wrong(message, "build the plugin with the SDK, or with `PM_MANIFEST` of its header"));
    };
    // A text in JSON has no line end of its own, so the magic cannot stand inside the manifest.
    if memchr::memmem::find(json, MAGIC.as_bytes()).is_some() {
        return Err(wrong("the file has two manifests".to_owned(), "put one plugin into one library"));
    }
    Ok(trim_zeros(json))
}

fn trim_zeros(mut bytes: &[u8]) -> &[u8] {
    while let [0, rest @ ..] | [rest @ .., 0] = bytes {
        bytes = rest;
    }
    bytes
}

/// A text as it is told: whoever wrote it may have written much.
fn short(text: &str) -> String {
    let cut = text.floor_char_boundary(MAX_WORD_BYTES);
    let end = if cut < text.len() { "…" } else { "" };
    format!("{}{end}", text.get(..cut).unwrap_or_default())
}

fn check_abi(fields: &Fields<'_>) -> Result<(), Finding> {
    let major = fields.number("abi")?.ok_or_else(|| fields.wrong_type("abi", "a whole number"))?;
    let minor = fields.number("min_minor")?.unwrap_or(0);
    let (ours, ours_minor) = (u64::from(PM_ABI_MAJOR), u64::from(PM_ABI_MINOR));
    let other = |message: String, help: &str| Err(Finding::error("plugin::other_abi", message).with_help(help));
    if major > ours {
        let message = format!("expected ABI {ours} for `abi` in the manifest, found {major}");
        return other(message, "this host is older than the plugin's SDK: update the host, or build with an older SDK");
    }
    if major < ours {
        let message = format!("expected ABI {ours} for `abi` in the manifest, found {major}");
        return other(message, "build the plugin with a current SDK");
    }
    if minor > ours_minor {
        let message = format!("expected at most {ours_minor} for `min_minor` in the manifest, found {minor}");
        return other(message, "the plugin needs a newer host: update the host, or build with an older SDK");
    }
    Ok(())
}

/// Whether a plugin may have this name.
///
/// # Errors
///
/// It is no name, or the host's own.
pub fn check_name(name: &str) -> Result<(), Finding> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    if !is_name {
        let message = format!(
            "expected a name of at most 64 letters, digits, `+`, `.` and `-` for `name` in the manifest, found `{}`",
            short(name)
        );
        return Err(
            Finding::error("plugin::wrong_name", message).with_help("the name is the protocol of its rule URLs")
        );
    }
    if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
        let message = format!("the name `{name}` belongs to the host");
        return Err(Finding::error("plugin::wrong_name", message).with_help("give the plugin another name"));
    }
    Ok(())
}

fn wrong(message: String, help: &str) -> Finding {
    Finding::error("plugin::wrong_manifest", message).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"abi": 1, "name": "areaCode", "version": "0.1.0", "panic": "unwind", "inputs": {}}"#;

    fn read(json: &str) -> Result<Manifest, Finding> {
        Manifest::read(format!("{MAGIC}{json}").as_bytes())
    }

    #[test]
    fn a_manifest_is_read_and_what_is_left_out_has_its_default() {
        let manifest = read(GOOD).unwrap();
        assert_eq!((manifest.to_string().as_str(), manifest.is_serial), ("areaCode 0.1.0", false));
        assert_eq!(manifest.inputs, DeclaredInputs::default());
        let padded = [b"\0\0", MAGIC.as_bytes(), GOOD.as_bytes(), b"\0\0\0"].concat();
        assert_eq!(Manifest::read(&padded).unwrap(), manifest);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_field() {
        for (from, to, expected) in [
            (r#""abi": 1"#, r#""abi": 2"#, "expected ABI 1 for `abi` in the manifest, found 2"),
            (r#""abi": 1"#, r#""abi": 0"#, "expected ABI 1 for `abi` in the manifest, found 0"),
            (r#""abi": 1"#, r#""abi": "1""#, "expected a whole number for `abi` in the manifest, found a text"),
            (
                r#""abi": 1"#,
                r#""abi": 1, "min_minor": 9"#,
                "expected at most 0 for `min_minor` in the manifest, found 9",
            ),
            (r#""name": "areaCode", "#, "", "expected a text for `name` in the manifest, found nothing"),
            ("areaCode", "Script", "the name `Script` belongs to the host"),
            (
                "areaCode",
                "-a",
                "expected a name of at most 64 letters, digits, `+`, `.` and `-` for `name` in the manifest, found `-a`",
            ),
            (
                "0.1.0",
                "new",
                "expected a version such as `1.2.3` for `version`, found `new`: unexpected character 'n' while parsing \
                 major version number",
            ),
            ("unwind", "maybe", "expected `unwind` or `abort` for `panic` in the manifest, found `maybe`"),
            (
                r#""inputs": {}"#,
                r#""inputs": []"#,
                "expected an object for `inputs` in the manifest, found a list of something else",
            ),
            (r#"{}"#, r#"{"cosumer": []}"#, "the manifest declares `inputs.cosumer`, which this host does not know"),
            (
                r#"{}"#,
                r#"{"clock": ["second"]}"#,
                "expected `hour`, `minute`, `weekday` or `now` for `inputs.clock` in the manifest, found `second`",
            ),
            (
                r#"{}"#,
                r#"{"arguments": [-1]}"#,
                "expected numbers of arguments below 255 for `inputs.arguments` in the manifest, found a list of something else",
            ),
        ] {
            let text = GOOD.replacen(from, to, 1);
            assert_eq!(read(&text).unwrap_err().message(), expected, "{text}");
        }
    }

    #[test]
    fn one_section_holds_one_manifest() {
        let one = format!("{MAGIC}{GOOD}");
        let two = [one.as_bytes(), b"\0", one.as_bytes()].concat();
        assert_eq!(Manifest::read(&two).unwrap_err().message(), "the file has two manifests");
        let message = "the section `.pointsman` does not begin as a manifest does";
        assert_eq!(Manifest::read(b"pointsman").unwrap_err().message(), message);
        assert!(read("{").unwrap_err().message().starts_with("the manifest is no JSON: "));
    }
}
