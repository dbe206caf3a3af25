//! The repository as text: the files that people write, and Rust code without its comments and literals.
//!
//! `layers` and `tidy` read code through [`RepositoryFile::code`]: comments are blank there and literals are filled with
//! quotes, so a word in a comment or a message is never taken for code. Lengths and lines stay as they were.

use std::fs;
use std::path::Path;

/// A file of the repository, or one made up by a test.
pub(crate) struct RepositoryFile {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

// === impl RepositoryFile ===

impl RepositoryFile {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Of the crate itself, where the stricter checks hold.
    pub(crate) fn is_source(&self) -> bool {
        self.is_rust() && self.path.starts_with("src/")
    }

    /// The text without comments, its literals filled with quotes.
    pub(crate) fn code(&self) -> String {
        let mut code = self.text.clone().into_bytes();
        let mut at = 0;
        let mut after_word = false;
        while let Some(character) = self.text[at..].chars().next() {
            let (length, filler) = hidden(&self.text[at..], after_word).unwrap_or((character.len_utf8(), None));
            if let Some(filler) = filler {
                code[at..at + length].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = filler);
            }
            after_word = filler.is_none() && is_word(character);
            at += length;
        }
        String::from_utf8(code).unwrap()
    }

    /// [`code`](Self::code) without the items under `#[cfg(test)]`.
    pub(crate) fn shipped_code(&self) -> String {
        let mut code = self.code();
        for attribute in ["#[cfg(test)]", "#[cfg(all(test,"] {
            while let Some(start) = code.find(attribute) {
                let length = item_length(&code[start..]);
                let blank = code[start..start + length].replace(|character| character != '\n', " ");
                code.replace_range(start..start + length, &blank);
            }
        }
        code
    }
}

/// Every file of the repository that is text, sorted by path.
pub(crate) fn files() -> Vec<RepositoryFile> {
    let mut files = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.iter().any(|file| file.path == "src/lib.rs"), "the walk missed src/lib.rs");
    files
}

/// The line of `offset`, counted from 1.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Where `word` stands in `code` as a whole word; `::` and `!` may belong to it.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(start, _)| start).filter(move |&start| {
        let after = &code[start + word.len()..];
        let open_end = word.ends_with(is_word) && after.starts_with(is_word);
        !code[..start].ends_with(is_word) && !open_end
    })
}

pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn collect(root: &Path, folder: &str, files: &mut Vec<RepositoryFile>) {
    for entry in fs::read_dir(root.join(folder)).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && !matches!(name.as_str(), "target" | ".git") {
            collect(root, &path, files);
        } else if kind.is_file()
            // In a linked work tree it is a file.
            && name != ".git"
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            files.push(RepositoryFile { path, text });
        }
    }
}

/// The length of the comment or literal that `rest` begins with, and what to fill it with.
fn hidden(rest: &str, after_word: bool) -> Option<(usize, Option<u8>)> {
    let literal = |length| Some((length, Some(b'"')));
    if rest.starts_with("//") {
        return Some((rest.find('\n').unwrap_or(rest.len()), Some(b' ')));
    }
    if rest.starts_with("/*") {
        return Some((block_comment_length(rest), Some(b' ')));
    }
    if rest.starts_with('"') {
        return literal(quoted_length(rest));
    }
    if let Some(inside) = rest.strip_prefix('\'') {
        let mut characters = inside.chars();
        let first = characters.next()?;
        // Anything else is a lifetime.
        return (first == '\\' || characters.next() == Some('\'')).then(|| (quoted_length(rest), Some(b'"')));
    }
    let raw = ["r", "br", "cr"].into_iter().find_map(|prefix| rest.strip_prefix(prefix)).filter(|_| !after_word)?;
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    let inside = raw[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    literal(rest.len() - inside.len() + inside.find(&close).map_or(inside.len(), |end| end + close.len()))
}

/// From the quote that `rest` begins with to the same quote without a backslash.
fn quoted_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if rest.starts_with(character) => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        let (step, change) = match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        at += step;
        depth = depth.saturating_add_signed(change);
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// From an attribute to the end of its item: the first `;` outside braces, or the brace that closes the first one.
fn item_length(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn code_has_neither_comments_nor_the_contents_of_literals() {
    for (text, expected) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("f(\"b \\\" c\") // d", "f(\"\"\"\"\"\"\"\")     "),
        ("r#\"x\"y\"# + br\"z\"", "\"\"\"\"\"\"\"\" + \"\"\"\"\""),
        ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
        ("['\\'', 'x', '\"', b'/']", "[\"\"\"\", \"\"\", \"\"\", b\"\"\"]"),
        ("r#type for bar\"x\"", "r#type for bar\"\"\""),
    ] {
        assert_eq!(RepositoryFile::new("a.rs", text).code(), expected, "`{text}`");
    }
}

#[test]
fn shipped_code_has_no_test_items_and_the_same_lines() {
    let text = "use a;\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n#[cfg(test)]\nmod more;\nfn g() {}\n";
    let shipped = RepositoryFile::new("a.rs", text).shipped_code();
    assert_eq!(shipped.split_whitespace().collect::<Vec<_>>(), ["use", "a;", "fn", "g()", "{}"]);
    assert_eq!(line_of(&shipped, shipped.find("fn g").unwrap()), 8);
}
