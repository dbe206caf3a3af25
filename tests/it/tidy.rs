//! Habits a compiler does not check, over every file that people write.
//!
//! A check is a function from a file to what it finds, `path:line: …` each. [`CHECKS`] lists them with a text that
//! breaks each one, so that a check which can no longer fail is itself a failure.

use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

use pointsman::diagnostics::codes::CODES;

use crate::repository::RepositoryFile;
use crate::repository::files;
use crate::repository::is_word;
use crate::repository::line_of;
use crate::repository::words;

/// At 300 code lines ask whether a file is two; here it is no longer a question.
const MAX_CODE_LINES: usize = 500;

/// Where `unsafe` may stand.
const UNSAFE_FOLDERS: [&str; 2] = ["src/plugin/", "src/worker/os"];

/// Where text may go to standard output or standard error.
const PRINTING: [&str; 2] = ["src/main.rs", "src/cli/"];

/// File names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "manager", "misc"];

/// Paths of one machine.
const MACHINE_PATHS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

type Check = fn(&RepositoryFile) -> Vec<String>;

/// Each check, and a file (path, text) that it must report exactly once, on the line given.
const CHECKS: &[(Check, &str, &str, usize)] = &[
    (starts_with_its_purpose, "src/a.rs", "use std::fmt;\n", 1),
    (has_a_telling_name, "src/router/utils.rs", "//! Doc.\n", 1),
    (module_root_only_declares, "src/a/mod.rs", "//! Doc.\nmod b;\npub use b::{C, D};\n\n/// E.\npub fn e() {}\n", 6),
    (module_root_only_declares, "src/a/mod.rs", "//! Doc.\n#[cfg(unix)]\nmod b {\n}\n", 3),
    (keeps_unsafe_in_its_folders, "src/worker/pool.rs", "fn f() {\n    unsafe { g() }\n}\n", 2),
    (leaves_printing_to_the_command, "src/chain/mod.rs", "fn f() {\n    eprintln!(\"x\");\n}\n", 2),
    (has_no_tabs_or_trailing_blanks, "docs/a.md", "a\nb \n", 2),
    (has_no_tabs_or_trailing_blanks, "Cargo.toml", "a\n\tb\n", 2),
    (names_no_machine, "docs/a.md", concat!("a\nsee /wo", "rk/x\n"), 2),
    (numbers_what_is_left_to_do, "src/a.rs", concat!("// TO", "DO: later\n"), 1),
    (ignores_no_test, "tests/it/a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}\n", 2),
    (gives_reasons_for_silencing, "src/a.rs", "#[allow(\n    dead_code,\n)]\nfn f() {}\n", 1),
    (gives_reasons_for_silencing, "tests/it/a.rs", "#![expect(dead_code)]\n", 1),
    (links_to_what_is_there, "docs/a.md", "[ok](../Cargo.toml)\n\n[lost](nowhere.md#part)\n", 3),
    (links_to_what_is_there, "README.md", "```\n[code](x)\n```\n\n[lost]: docs/nowhere.md\n", 5),
    (numbers_findings_that_exist, "docs/a.md", concat!("`PM", "0000` is none\n"), 1),
];

fn has_at_most_500_code_lines(file: &RepositoryFile) -> Vec<String> {
    let lines = if file.is_source() { file.code().lines().filter(|line| !line.trim().is_empty()).count() } else { 0 };
    if lines > MAX_CODE_LINES {
        vec![format!("{}:1: {lines} code lines; split it along a noun (at most {MAX_CODE_LINES})", file.path)]
    } else {
        Vec::new()
    }
}

fn starts_with_its_purpose(file: &RepositoryFile) -> Vec<String> {
    let first = file.text.lines().find(|line| !line.starts_with("// SPDX-License-Identifier:")).unwrap_or_default();
    let missing = file.is_source() && !first.starts_with("//!");
    report(file, missing.then_some(0), "begin with `//!`: what the file is for")
}

fn has_a_telling_name(file: &RepositoryFile) -> Vec<String> {
    let empty = file.path.trim_end_matches(".rs").split('/').any(|part| EMPTY_NAMES.contains(&part));
    report(file, (file.is_source() && empty).then_some(0), "name it after the type or verb in it")
}

fn module_root_only_declares(file: &RepositoryFile) -> Vec<String> {
    if !(file.is_source() && file.path.ends_with("/mod.rs")) {
        return Vec::new();
    }
    let code = file.shipped_code();
    let mut foreign = Vec::new();
    let mut at = 0;
    while let Some(skipped) = code[at..].find(|character: char| !character.is_whitespace()) {
        at += skipped;
        let item = &code[at..];
        if item.starts_with('#') {
            at += attribute_length(item);
            continue;
        }
        let length = item.find(';').map_or(item.len(), |end| end + 1);
        let declaration = without_visibility(&item[..length]);
        let is_module = declaration.starts_with("mod ") && !declaration.contains('{');
        if !(is_module || declaration.starts_with("use ")) {
            foreign.push(at);
            break; // What follows the first foreign item cannot be told apart by text.
        }
        at += length;
    }
    report(file, foreign, "a `mod.rs` holds docs, `mod` and `use` only")
}

fn keeps_unsafe_in_its_folders(file: &RepositoryFile) -> Vec<String> {
    let at_home = UNSAFE_FOLDERS.iter().any(|folder| file.path.starts_with(folder));
    if at_home || !file.is_source() {
        return Vec::new();
    }
    report(file, words(&file.code(), "unsafe"), "`unsafe` lives in `src/plugin` and `src/worker/os` only")
}

fn leaves_printing_to_the_command(file: &RepositoryFile) -> Vec<String> {
    let at_home = PRINTING.iter().any(|place| file.path.starts_with(place));
    if at_home || !file.is_source() {
        return Vec::new();
    }
    let code = file.shipped_code();
    let printing = ["println!", "print!", "eprintln!", "eprint!"].into_iter().flat_map(|name| words(&code, name));
    report(file, printing.collect::<Vec<_>>(), "the library does not print; emit an event")
}

fn has_no_tabs_or_trailing_blanks(file: &RepositoryFile) -> Vec<String> {
    let checked = [".rs", ".md", ".toml"].iter().any(|end| file.path.ends_with(end));
    let untidy = |line: &&str| line.contains('\t') || line.ends_with([' ', '\r']);
    let lines = file.text.split('\n').filter(|line| checked && untidy(line));
    report(file, lines.map(|line| line.as_ptr() as usize - file.text.as_ptr() as usize), "a tab or a trailing blank")
}

fn names_no_machine(file: &RepositoryFile) -> Vec<String> {
    let found = MACHINE_PATHS.iter().flat_map(|path| file.text.match_indices(path)).map(|(at, _)| at);
    report(file, found, "a path of one machine")
}

fn numbers_what_is_left_to_do(file: &RepositoryFile) -> Vec<String> {
    let numbered = |at: &usize| {
        let issue = file.text[at + 4..].strip_prefix("(#").and_then(|rest| rest.split_once(')'));
        issue.is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    };
    let found = words(&file.text, concat!("TO", "DO")).filter(|at| !numbered(at));
    report(file, found, "what is left to do has an issue: `(#12)` after the word")
}

fn ignores_no_test(file: &RepositoryFile) -> Vec<String> {
    let code = if file.is_rust() { file.code() } else { String::new() };
    report(file, code.match_indices("#[ignore").map(|(at, _)| at), "a test runs or goes; none is ignored")
}

fn gives_reasons_for_silencing(file: &RepositoryFile) -> Vec<String> {
    let code = if file.is_rust() { file.code() } else { String::new() };
    let found = ["allow(", "expect("].into_iter().flat_map(|name| words(&code, name)).filter(|&at| {
        let opening = code[..at].trim_end_matches(['!', '[']);
        let is_attribute = code[opening.len()..at].ends_with('[') && opening.ends_with('#');
        is_attribute && !code[opening.len()..][..attribute_length(&code[opening.len()..])].contains("reason")
    });
    report(file, found.collect::<Vec<_>>(), "say why: `reason = \"…\"`")
}

fn links_to_what_is_there(file: &RepositoryFile) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
    let text = if file.path.ends_with(".md") { without_code(&file.text) } else { String::new() };
    let inline = text.match_indices("](").map(|(at, _)| (at + 2, ')'));
    let lines = text.match_indices("]: ").filter(|(at, _)| text[..*at].rsplit('\n').next().unwrap().starts_with('['));
    let lost = inline.chain(lines.map(|(at, _)| (at + 3, '\n'))).filter(|&(at, end)| {
        let target = text[at..].split([end, ' ', '#']).next().unwrap_or_default();
        let elsewhere = target.is_empty() || target.contains("://") || target.starts_with("mailto:");
        !elsewhere && resolved(folder, target).is_none_or(|path| !root.join(path).exists())
    });
    report(file, lost.map(|(at, _)| at), "a link to nothing")
}

fn numbers_findings_that_exist(file: &RepositoryFile) -> Vec<String> {
    let text = if file.path.ends_with(".md") { file.text.as_str() } else { "" };
    let unknown = text.match_indices("PM").map(|(at, _)| at).filter(|&at| {
        let word = text[at..].split(|character| !is_word(character)).next().unwrap_or_default();
        let number = word[2..].parse::<u16>().ok().filter(|_| word.len() == 6);
        number.is_some_and(|number| CODES.iter().all(|(_, known)| *known != number))
    });
    report(file, unknown, "no finding has this number")
}

// === What the checks are made of ===

fn report(file: &RepositoryFile, offsets: impl IntoIterator<Item = usize>, what: &str) -> Vec<String> {
    offsets.into_iter().map(|offset| format!("{}:{}: {what}", file.path, line_of(&file.text, offset))).collect()
}

/// `#[…]` or `#![…]` up to its closing bracket.
fn attribute_length(item: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in item.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return at + 1,
            b']' => depth -= 1,
            _ => {}
        }
    }
    item.len()
}

fn without_visibility(item: &str) -> &str {
    let Some(rest) = item.strip_prefix("pub") else { return item };
    let rest = rest.strip_prefix('(').and_then(|inside| inside.split_once(')')).map_or(rest, |(_, rest)| rest);
    rest.trim_start()
}

/// Markdown whose fenced blocks and code spans are blank.
fn without_code(text: &str) -> String {
    let mut fenced = false;
    let mut blank = |line: &str| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if fence || fenced {
            return " ".repeat(line.len());
        }
        let parts = line.split('`').enumerate();
        parts
            .map(|(i, part)| if i % 2 == 0 { part.to_owned() } else { " ".repeat(part.len()) })
            .collect::<Vec<_>>()
            .join("`")
    };
    text.split('\n').map(&mut blank).collect::<Vec<_>>().join("\n")
}

/// `target` as seen from `folder`, relative to the root; nothing where it leaves the repository.
fn resolved(folder: &Path, target: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir if !path.pop() => return None,
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    Some(path)
}

#[test]
fn the_repository_is_tidy() {
    let mut checks: Vec<Check> = CHECKS.iter().map(|(check, ..)| *check).collect();
    checks.push(has_at_most_500_code_lines);
    checks.dedup_by_key(|check| *check as usize);
    let files = files();
    let found: Vec<String> = checks.iter().flat_map(|check| files.iter().flat_map(check)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_check_can_fail() {
    for (check, path, text, line) in CHECKS {
        let found = check(&RepositoryFile::new(path, text));
        let place = format!("{path}:{line}: ");
        assert!(matches!(found.as_slice(), [one] if one.starts_with(&place)), "{place}{text:?} gave {found:?}");
    }
}

#[test]
fn no_check_minds_a_tidy_file() {
    for (path, text) in [
        (
            "src/a/mod.rs",
            "//! Doc.\n\n#[cfg(unix)]\npub(crate) mod b;\nmod c;\n\npub use b::{D, E};\n\n#[cfg(test)]\nmod tests {\n}\n",
        ),
        (
            "src/a/b.rs",
            "//! An `unsafe` word; println! too.\n#[expect(dead_code, reason = \"later\")]\nfn f() { x.expect(\"unsafe\"); }\n",
        ),
        ("src/plugin/load.rs", "//! Doc.\nfn f() { unsafe { g() } }\n"),
        ("src/cli/route.rs", "//! Doc.\nfn f() { println!(); }\n"),
        ("docs/a.md", "# A\n\n[here](#a) [web](https://example.org/x) [up](../src/lib.rs) `[x](y)` PM and PMX\n"),
        ("src/c.rs", concat!("//! Doc.\n// TO", "DO(#12): later\n")),
    ] {
        let file = RepositoryFile::new(path, text);
        let found: Vec<String> = CHECKS.iter().flat_map(|(check, ..)| check(&file)).collect();
        assert!(found.is_empty(), "{path}: {found:?}");
    }
}

#[test]
fn comments_and_blank_lines_do_not_count_as_code() {
    let lines = |count: usize| format!("//! Doc.\n{}{}", "// why\n\n".repeat(900), "fn f() {}\n".repeat(count));
    assert!(has_at_most_500_code_lines(&RepositoryFile::new("src/a.rs", &lines(500))).is_empty());
    assert_eq!(has_at_most_500_code_lines(&RepositoryFile::new("src/a.rs", &lines(501))).len(), 1);
}
