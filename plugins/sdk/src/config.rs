//! The configuration of a rule: a flat JSON object of texts.
//!
//! The reader is strict. What the host writes is read; anything else is an error that says where.

/// A rule's configuration.
///
/// ```
/// use pointsman_plugin::Config;
///
/// let config = Config::parse(r#"{ "key": "areaCode", "note": "\u4e0a\u6d77" }"#)?;
/// assert_eq!((config.get("key"), config.get("note"), config.get("none")), (Some("areaCode"), Some("上海"), None));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    entries: Vec<(String, String)>,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

// === impl Config ===

impl Config {
    /// Reads a JSON object whose values are texts.
    ///
    /// # Errors
    ///
    /// It is something else, or a key stands twice.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let mut entries: Vec<(String, String)> = Vec::new();
        reader.expect('{')?;
        if !reader.take('}') {
            loop {
                let key = reader.string()?;
                reader.expect(':')?;
                let value = reader.string().map_err(|error| format!("`{key}`: {error}"))?;
                if entries.iter().any(|(known, _)| *known == key) {
                    return Err(format!("`{key}` stands twice in the configuration"));
                }
                entries.push((key, value));
                if !reader.take(',') {
                    break;
                }
            }
            reader.expect('}')?;
        }
        reader.skip_blanks();
        if reader.at < text.len() { Err(reader.wanted("the end")) } else { Ok(Self { entries }) }
    }

    /// A value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Keys and values, as they were written.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

// === impl Reader ===

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes `mark` after blanks, if it is there.
    fn take(&mut self, mark: char) -> bool {
        self.skip_blanks();
        let is_there = self.rest().starts_with(mark);
        self.at += usize::from(is_there) * mark.len_utf8();
        is_there
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.take(mark) { Ok(()) } else { Err(self.wanted(&format!("`{mark}`"))) }
    }

    fn wanted(&self, what: &str) -> String {
        let found = self.rest().chars().next().map_or("the end".to_owned(), |found| format!("`{found}`"));
        format!("expected {what}, found {found} at byte {} of the configuration", self.at)
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.take('"') {
            return Err(self.wanted("a text in double quotes"));
        }
        let mut string = String::new();
        loop {
            let plain = self.rest().find(|it| matches!(it, '"' | '\\' | '\0'..='\u{1f}')).unwrap_or(self.rest().len());
            string.push_str(self.rest().get(..plain).unwrap_or_default());
            self.at += plain;
            match self.next() {
                Some('"') => return Ok(string),
                Some('\\') => string.push(self.escape()?),
                Some(control) => return Err(format!("a bare {control:?} in a text; write it as an escape")),
                None => return Err("a text without an end".into()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        Ok(match self.next() {
            Some(same @ ('"' | '\\' | '/')) => same,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode(),
            other => return Err(format!("no escape: `\\{}`", other.map(String::from).unwrap_or_default())),
        })
    }

    /// Four digits, or two times four that make one character.
    fn unicode(&mut self) -> Result<char, String> {
        let lone = |unit: u32| format!("half a character: `\\u{unit:04x}`");
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or_else(|| lone(first));
        }
        if !self.rest().starts_with("\\u") {
            return Err(lone(first));
        }
        self.at += 2;
        let second = self.unit()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(lone(first));
        }
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or_else(|| lone(second))
    }

    fn unit(&mut self) -> Result<u32, String> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|it| it.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.wanted("four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_texts_are_read() {
        let cases: [(&str, &[(&str, &str)]); 5] = [
            ("{}", &[]),
            (" {\n} \t", &[]),
            (r#"{"a":"1","b":""}"#, &[("a", "1"), ("b", "")]),
            (r#"{ "z" : "\"\\\/\b\f\n\r\t" , "" : "é" }"#, &[("z", "\"\\/\u{8}\u{c}\n\r\t"), ("", "é")]),
            (r#"{"\u00e9":"\uD83D\ude00\u0000x"}"#, &[("é", "😀\0x")]),
        ];
        for (text, expected) in cases {
            let config = Config::parse(text).unwrap();
            assert_eq!(config.iter().collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn anything_else_is_an_error_that_says_where() {
        for (text, expected) in [
            ("", "expected `{`, found the end at byte 0 of the configuration"),
            ("[]", "expected `{`, found `[` at byte 0 of the configuration"),
            (r#"{"a":1}"#, "`a`: expected a text in double quotes, found `1` at byte 5 of the configuration"),
            (r#"{"a":"1",}"#, "expected a text in double quotes, found `}` at byte 9 of the configuration"),
            (r#"{"a":"1"} x"#, "expected the end, found `x` at byte 10 of the configuration"),
            (r#"{"a":"1" "b":"2"}"#, "expected `}`, found `\"` at byte 9 of the configuration"),
            (r#"{"a":"1","a":"2"}"#, "`a` stands twice in the configuration"),
            (r#"{"a":"\x"}"#, "`a`: no escape: `\\x`"),
            (r#"{"a":"\ud83d"}"#, "`a`: half a character: `\\ud83d`"),
            (r#"{"a":"\ud83d\u0041"}"#, "`a`: half a character: `\\ud83d`"),
            (r#"{"a":"\ude00"}"#, "`a`: half a character: `\\ude00`"),
            (r#"{"a":"\u00é0"}"#, "`a`: expected four hexadecimal digits, found `0` at byte 8 of the configuration"),
            (r#"{"a":"\u+123"}"#, "`a`: expected four hexadecimal digits, found `+` at byte 8 of the configuration"),
            ("{\"a\":\"\n\"}", "`a`: a bare '\\n' in a text; write it as an escape"),
            (r#"{"a":"1"#, "`a`: a text without an end"),
            (r#"{"a"#, "a text without an end"),
        ] {
            assert_eq!(Config::parse(text).unwrap_err(), expected, "{text}");
        }
    }
}
