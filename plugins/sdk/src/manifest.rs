//! The manifest, written while the plugin is compiled.

use pointsman_plugin_api::abi::PM_ABI_MAJOR;
use pointsman_plugin_api::abi::PM_ABI_MINOR;
use pointsman_plugin_api::manifest::MAGIC;

/// What is known of a plugin before its code runs; [`pointsman_plugin!`](crate::pointsman_plugin) fills it.
#[derive(Debug, Clone, Copy)]
pub struct Manifest {
    /// What rules call the plugin.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Whether the host must make one call at a time.
    pub serial: bool,
    /// Whether it starts threads of its own.
    pub threads: bool,
    /// Whether a panic ends the process.
    pub aborts: bool,
    /// What it sees of a call.
    pub inputs: Inputs,
}

/// What a plugin sees of a call. A name `{key}` stands for the value of `key` in the rule's configuration, `{key=default}`
/// has a default where there is none; the attachment `*` stands for all.
#[derive(Debug, Clone, Copy)]
pub struct Inputs {
    /// The method.
    pub method: bool,
    /// Parameters of the consumer.
    pub consumer: &'static [&'static str],
    /// Attachments.
    pub attachments: &'static [&'static str],
    /// Arguments, by place.
    pub arguments: &'static [u32],
    /// A seed.
    pub random: bool,
    /// `hour`, `minute`, `weekday`, `now`.
    pub clock: &'static [&'static str],
}

/// Takes bytes; past its end it only counts.
struct Out<const N: usize> {
    bytes: [u8; N],
    at: usize,
}

// === impl Manifest ===

impl Manifest {
    /// A manifest without a name and without inputs.
    #[must_use]
    pub const fn new(version: &'static str, aborts: bool) -> Self {
        let inputs =
            Inputs { method: false, consumer: &[], attachments: &[], arguments: &[], random: false, clock: &[] };
        Self { name: "", version, serial: false, threads: false, aborts, inputs }
    }

    /// The same, if it is in order.
    ///
    /// # Panics
    ///
    /// It is not; in a constant that is an error of the compiler.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "a constant function has no other way, and the name is not empty")]
    pub const fn checked(self) -> Self {
        assert!(!self.name.is_empty(), "pointsman_plugin!: a plugin needs a name: `name = \"areaCode\"`");
        assert!(
            is_word(self.name) && self.name.len() <= 64 && self.name.as_bytes()[0].is_ascii_alphabetic(),
            "pointsman_plugin!: a name has a letter, then letters, digits, `+`, `.` and `-`; at most 64"
        );
        assert!(is_version(self.version), "pointsman_plugin!: a version is `1.2.3`, or `1.2.3-rc.1`, or `1.2.3+build`");
        let mut arguments = self.inputs.arguments;
        while let [place, rest @ ..] = arguments {
            assert!(*place < 255, "pointsman_plugin!: a call has at most 255 arguments");
            arguments = rest;
        }
        let mut clock = self.inputs.clock;
        while let [part, rest @ ..] = clock {
            assert!(
                matches!(part.as_bytes(), b"hour" | b"minute" | b"weekday" | b"now"),
                "pointsman_plugin!: the clock has `hour`, `minute`, `weekday` and `now`"
            );
            clock = rest;
        }
        self
    }

    /// How long [`Manifest::section`] is.
    #[must_use]
    pub const fn section_len(&self) -> usize {
        self.write::<0>().at
    }

    /// What stands in the link section.
    #[must_use]
    pub const fn section<const N: usize>(&self) -> [u8; N] {
        self.write::<N>().bytes
    }

    const fn write<const N: usize>(&self) -> Out<N> {
        let mut out = Out { bytes: [0; N], at: 0 };
        out.text(MAGIC);
        out.text("{\"abi\":");
        out.number(PM_ABI_MAJOR);
        out.text(",\"min_minor\":");
        out.number(PM_ABI_MINOR);
        out.text(",\"name\":");
        out.quoted(self.name);
        out.text(",\"version\":");
        out.quoted(self.version);
        out.text(",\"inputs\":{\"method\":");
        out.text(word_of(self.inputs.method));
        out.text(",\"consumer\":");
        out.list(self.inputs.consumer);
        out.text(",\"attachments\":");
        out.list(self.inputs.attachments);
        out.text(",\"arguments\":");
        out.numbers(self.inputs.arguments);
        out.text(",\"random\":");
        out.text(word_of(self.inputs.random));
        out.text(",\"clock\":");
        out.list(self.inputs.clock);
        out.text("},\"panic\":");
        out.quoted(if self.aborts { "abort" } else { "unwind" });
        out.text(",\"serial\":");
        out.text(word_of(self.serial));
        out.text(",\"threads\":");
        out.text(word_of(self.threads));
        out.text(",\"language\":\"rust\",\"build\":{\"sdk\":");
        out.quoted(env!("CARGO_PKG_VERSION"));
        out.text("}}");
        out
    }
}

// === impl Out ===

impl<const N: usize> Out<N> {
    #[expect(clippy::indexing_slicing, reason = "a constant function has no other way, and the place is tested")]
    const fn byte(&mut self, byte: u8) {
        if self.at < N {
            self.bytes[self.at] = byte;
        }
        self.at += 1;
    }

    const fn text(&mut self, text: &str) {
        let mut bytes = text.as_bytes();
        while let [first, rest @ ..] = bytes {
            self.byte(*first);
            bytes = rest;
        }
    }

    const fn quoted(&mut self, text: &str) {
        self.byte(b'"');
        let mut bytes = text.as_bytes();
        while let [first, rest @ ..] = bytes {
            match *first {
                0..=0x1f => {
                    self.text("\\u00");
                    self.byte(digit(*first >> 4));
                    self.byte(digit(*first & 15));
                }
                b'"' | b'\\' => {
                    self.byte(b'\\');
                    self.byte(*first);
                }
                other => self.byte(other),
            }
            bytes = rest;
        }
        self.byte(b'"');
    }

    const fn list(&mut self, mut texts: &[&str]) {
        self.byte(b'[');
        while let [first, rest @ ..] = texts {
            self.quoted(first);
            if !rest.is_empty() {
                self.byte(b',');
            }
            texts = rest;
        }
        self.byte(b']');
    }

    const fn numbers(&mut self, mut numbers: &[u32]) {
        self.byte(b'[');
        while let [first, rest @ ..] = numbers {
            self.number(*first);
            if !rest.is_empty() {
                self.byte(b',');
            }
            numbers = rest;
        }
        self.byte(b']');
    }

    const fn number(&mut self, number: u32) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.byte(b'0' + (number % 10) as u8);
    }
}

const fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

const fn word_of(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

const fn is_word(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        if !(first.is_ascii_alphanumeric() || matches!(*first, b'-' | b'.' | b'+')) {
            return false;
        }
        bytes = rest;
    }
    true
}

/// Three numbers without zeros before them, and then what `-` or `+` begins.
const fn is_version(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    let mut numbers = 0;
    while numbers < 3 {
        let mut digits = 0;
        let begins_with_zero = matches!(bytes, [b'0', ..]);
        while let [b'0'..=b'9', rest @ ..] = bytes {
            digits += 1;
            bytes = rest;
        }
        if digits == 0 || begins_with_zero && digits > 1 {
            return false;
        }
        numbers += 1;
        if numbers < 3 {
            let [b'.', rest @ ..] = bytes else { return false };
            bytes = rest;
        }
    }
    match bytes {
        [] => true,
        [b'-' | b'+', rest @ ..] => !rest.is_empty() && is_word(text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_the_ones_that_can_be_compared() {
        for (text, expected) in [
            ("0.1.0", true),
            ("10.20.30", true),
            ("1.2.3-rc.1", true),
            ("1.2.3+build", true),
            ("", false),
            ("1.2", false),
            ("01.2.3", false),
            ("1.2.3.4", false),
            ("1.2.3-", false),
            ("1.2.3-a_b", false),
            ("v1.2.3", false),
        ] {
            assert_eq!(is_version(text), expected, "`{text}`");
        }
    }

    #[test]
    fn the_section_is_the_magic_and_json() {
        const MANIFEST: Manifest = {
            let mut manifest = Manifest::new("1.2.3-rc.1+x", true);
            manifest.name = "area.Code-2";
            manifest.serial = true;
            manifest.inputs.method = true;
            manifest.inputs.consumer = &["{key}", "odd\"\\\n\u{1f}é"];
            manifest.inputs.attachments = &["*"];
            manifest.inputs.arguments = &[0, 17];
            manifest.inputs.clock = &["hour", "now"];
            manifest.checked()
        };
        const SECTION: [u8; MANIFEST.section_len()] = MANIFEST.section();
        let expected = concat!(
            "pointsman-plugin 1\n",
            r#"{"abi":1,"min_minor":0,"name":"area.Code-2","version":"1.2.3-rc.1+x","inputs":{"method":true,"#,
            r#""consumer":["{key}","odd\"\\\u000a\u001fé"],"attachments":["*"],"arguments":[0,17],"random":false,"#,
            r#""clock":["hour","now"]},"panic":"abort","serial":true,"threads":false,"language":"rust","build":{"sdk":"#,
            "\"",
            env!("CARGO_PKG_VERSION"),
            "\"}}",
        );
        assert_eq!(std::str::from_utf8(&SECTION).unwrap(), expected);
    }
}
