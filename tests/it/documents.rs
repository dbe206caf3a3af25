//! Every example in README.md and `docs/` does what it says.
//!
//! A fenced block names its kind, and the kind says what is done with it:
//!
//! - `console`: after `$ ` a command, below it what it prints; a line `…` stands for any lines. Run in the repository;
//!   in a folder of its own if it writes one, or if it speaks of the folder `gray`, which has a slip in a rule.
//! - `sh`: a command a line; it succeeds.
//! - `rules`, `providers`: a file of a folder, in which `check` finds nothing wrong.
//! - `yaml`: cases for the example shop, which pass.
//! - `yaml document`: rule documents for its providers, in which `check` finds nothing wrong.
//! - `yaml stand-ins`: stand-ins for its providers, the same.
//! - `js`, `rhai`, `lua`: a script; `script_documents` runs it.
//! - `toml`: a configuration. `json`: a part of what the command prints. `text`: nothing.
//! - `rust`: in README.md and docs/loadbalance.md only, where it is a doctest.
//!
//! The pages of `docs/findings` have a syntax of their own, which `findings` runs.

use std::fs;
use std::path::Path;

use pointsman::condition;
use pointsman::diagnostics::SourceText;
use pointsman::rpc::Url;
use pointsman::runtime::EngineBuilder;
use pointsman::source::cases;
use pointsman::source::config;
use pointsman::source::config::HostConfig;
use pointsman::source::folder;
use pointsman::yaml;
use serde_json::Value;

use crate::repository::files;
use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

/// Stands for any lines of an output.
const ANY_LINES: &str = "…";

/// Checks themselves; running them here would run everything within itself.
const NOT_RUN: [&str; 1] = ["cargo test --workspace"];

/// Warnings that depend on the providers, which an excerpt of rules comes without.
const OF_PROVIDERS: [&str; 3] = ["check::matches_nobody", "check::nobody_left", "check::service_without_providers"];

/// A fenced block of a document.
#[derive(Debug)]
pub(crate) struct Block {
    /// `path:line` of its first line.
    pub(crate) place: String,
    /// All that stands behind the fence.
    pub(crate) kind: String,
    pub(crate) text: String,
}

/// A command of a `console` block, and the lines shown below it.
struct Shown<'a> {
    command: &'a str,
    output: Vec<&'a str>,
}

fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn blocks() -> Vec<Block> {
    let is_read = |path: &str| path == "README.md" || (path.starts_with("docs/") && path.ends_with(".md"));
    let is_finding = |path: &str| path.starts_with("docs/findings/");
    let files = files();
    let documents = files.iter().filter(|file| is_read(&file.path) && !is_finding(&file.path));
    documents.flat_map(|file| blocks_of(&file.path, &file.text)).collect()
}

pub(crate) fn blocks_of(path: &str, text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(kind), None) => {
                let place = format!("{path}:{}", index + 2);
                open = Some(Block { place, kind: kind.to_owned(), text: String::new() });
            }
            (None, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{path}: a block without end");
    blocks
}

/// The texts of all blocks of these kinds, those of findings' pages among them.
pub(crate) fn of_kinds(kinds: &[&str]) -> Vec<String> {
    let files = files();
    let pages = files.iter().filter(|file| file.path == "README.md" || file.path.starts_with("docs/"));
    let blocks = pages.filter(|file| file.path.ends_with(".md")).flat_map(|file| blocks_of(&file.path, &file.text));
    blocks.filter(|block| kinds.contains(&block.kind.as_str())).map(|block| block.text).collect()
}

fn of_kind(kind: &str) -> Vec<Block> {
    let blocks: Vec<Block> = blocks().into_iter().filter(|block| block.kind == kind).collect();
    assert!(!blocks.is_empty(), "no `{kind}` block was found");
    blocks
}

fn commands(block: &Block) -> Vec<Shown<'_>> {
    let mut commands: Vec<Shown<'_>> = Vec::new();
    for line in block.text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(Shown { command, output: Vec::new() }),
            (None, Some(shown)) => shown.output.push(line),
            (None, None) => panic!("{}: expected `$ ` and a command, found `{line}`", block.place),
        }
    }
    commands
}

/// A command line cut into words; quotes hold words together.
pub(crate) fn words_of(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// The arguments of `pointsman` in a command line; none for what is not run here.
fn arguments(line: &str, place: &str) -> Option<Vec<String>> {
    if NOT_RUN.contains(&line) {
        return None;
    }
    let words = words_of(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let arguments = match words.as_slice() {
        ["pointsman", arguments @ ..] | ["cargo", "run", "--release", "--", arguments @ ..] => arguments,
        _ => panic!("{place}: do not know how to run `{line}`"),
    };
    Some(arguments.iter().map(|&argument| argument.to_owned()).collect())
}

/// Exit code, and everything printed.
fn run(arguments: &[String], folder: &Path) -> (Option<i32>, String) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (code, out, log) = told(pointsman(&arguments).current_dir(folder).output().unwrap());
    (code, out + log.as_str())
}

fn fits(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.iter().all(|line| line.is_empty()),
        Some((&ANY_LINES, rest)) => (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..])),
        Some((line, rest)) => match printed.split_first() {
            Some((first, printed)) => first == line && fits(rest, printed),
            None => line.is_empty() && fits(rest, printed),
        },
    }
}

/// The folder that documents call `gray`.
fn gray(folder: TestFolder) -> TestFolder {
    folder.with("gray/providers.txt", "dubbo://10.0.0.1:20880/S\n").with("gray/rules/a.rules", "# Gray.\n@forec\n")
}

#[test]
fn commands_print_what_is_shown() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    for block in of_kind("console") {
        let own = gray(TestFolder::empty());
        let place = if block.text.contains("examples/shop") { repository } else { own.path() };
        for Shown { command, output } in commands(&block) {
            let arguments = arguments(command, &block.place).expect("a console block shows commands that are run");
            let (_, printed) = run(&arguments, place);
            let lines: Vec<&str> = printed.lines().collect();
            assert!(fits(&output, &lines), "{}: `{command}` prints\n{printed}", block.place);
        }
    }
}

#[test]
fn commands_to_copy_succeed() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The commands for plugins build something first; `tests/plugins/command.rs` types them.
    for block in of_kind("sh").into_iter().filter(|block| !block.place.starts_with("docs/plugins.md")) {
        for line in block.text.lines() {
            if let Some(arguments) = arguments(line, &block.place) {
                let (code, printed) = run(&arguments, repository);
                assert_eq!(code, Some(0), "{}: `{line}` prints\n{printed}", block.place);
            }
        }
    }
}

#[test]
fn rules_and_providers_are_right() {
    for (kind, file) in [("rules", "rules/example.rules"), ("providers", "providers.txt")] {
        for block in of_kind(kind) {
            let folder = TestFolder::new().with(file, &block.text);
            let (code, printed) = run(&["check", ".", "--format", "json"].map(str::to_owned), folder.path());
            let report: Value = serde_json::from_str(&printed).unwrap();
            let is_wrong = |finding: &&Value| {
                finding["severity"] != "info" && OF_PROVIDERS.iter().all(|slug| finding["slug"] != *slug)
            };
            let wrong: Vec<_> = report["findings"].as_array().unwrap().iter().filter(is_wrong).collect();
            assert!(code == Some(0) && wrong.is_empty(), "{}: `check` prints\n{wrong:#?}", block.place);
        }
    }
}

#[test]
fn rule_documents_are_right() {
    let providers = document("examples/shop/providers.txt");
    for block in of_kind("yaml document") {
        let folder = TestFolder::empty().with("providers.txt", &providers).with("rules/example.yaml", &block.text);
        let (code, printed) = run(&["check".to_owned(), ".".to_owned()], folder.path());
        let is_right = code == Some(0) && printed.contains("0 errors, 0 warnings");
        assert!(is_right, "{}: `check` prints\n{printed}", block.place);
    }
}

#[test]
fn stand_ins_are_right() {
    let providers = document("examples/shop/providers.txt");
    for block in of_kind("yaml stand-ins") {
        let folder = TestFolder::empty().with("providers.txt", &providers).with("stand-ins.yaml", &block.text);
        let (code, printed) = run(&["check".to_owned(), ".".to_owned()], folder.path());
        let is_right = code == Some(0) && printed.contains("0 errors, 0 warnings");
        assert!(is_right, "{}: `check` prints\n{printed}", block.place);
    }
}

#[test]
fn cases_pass() {
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shop");
    let read = |name: &str| fs::read(shop.join(name)).unwrap();
    for block in of_kind("yaml") {
        let names =
            ["providers.txt", "rules/access.rules", "rules/catalog.rules", "rules/gray.rules", "rules/orders.rules"];
        let folder = names.iter().fold(TestFolder::empty(), |folder, name| folder.with(name, read(name)));
        let folder = folder.with("tests/example.yaml", &block.text);
        let (code, printed) = run(&["test".to_owned(), ".".to_owned()], folder.path());
        assert_eq!(code, Some(0), "{}: `test` prints\n{printed}", block.place);
    }
}

#[test]
fn configurations_are_read() {
    for block in of_kind("toml") {
        let read = HostConfig::read(&SourceText::new(block.place.as_str(), block.text.as_str()));
        assert!(read.is_ok(), "{}: {read:?}", block.place);
    }
}

#[test]
fn json_has_the_fields_that_are_shown() {
    let folder = gray(TestFolder::empty());
    let red = TestFolder::new()
        .with("rules/a.rules", "@name blocked\nmethod = drop => false\n")
        .with("tests/a.yaml", "- note: hello\n  call: drop\n  want: {count: 1}\n");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let route = "route examples/shop --service com.shop.OrderService -m create --explain --repeat 5 --format json";
    let call = "call examples/shop --service com.shop.CatalogService -m item --repeat 200 --virtual-time --seed 7 --format json";
    for block in of_kind("json") {
        let shown: Value = serde_json::from_str(&block.text).unwrap();
        let (command, folder) = match shown["command"].as_str() {
            Some("route") => (route, repository),
            Some("call") => (call, repository),
            Some("check") => ("check gray --format json", folder.path()),
            Some("test") => ("test . --format json", red.path()),
            other => panic!("{}: the command {other:?}", block.place),
        };
        let (_, printed) = run(&words_of(command), folder);
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let lost = lost_fields("", &shown, &printed);
        assert!(lost.is_empty(), "{}: {lost:?} in\n{printed}", block.place);
    }
}

/// Fields of one value that the other lacks or has in another type, in both directions for objects.
fn lost_fields(path: &str, shown: &Value, printed: &Value) -> Vec<String> {
    match (shown, printed) {
        (Value::Object(shown), Value::Object(printed)) => {
            let unshown = printed.keys().filter(|key| !shown.contains_key(*key));
            let mut lost: Vec<String> = unshown.map(|key| format!("{path}.{key} is not shown")).collect();
            for (key, value) in shown {
                match printed.get(key) {
                    Some(printed) => lost.extend(lost_fields(&format!("{path}.{key}"), value, printed)),
                    None => lost.push(format!("{path}.{key} is not printed")),
                }
            }
            lost
        }
        // One of many stands for all: some printed item is like each shown one.
        (Value::Array(shown), Value::Array(printed)) => {
            let like = |item: &Value| printed.iter().any(|other| lost_fields(path, item, other).is_empty());
            shown.iter().filter(|item| !like(item)).map(|item| format!("{path}: none is like {item}")).collect()
        }
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_)) => Vec::new(),
        _ => vec![format!("{path} is of another type")],
    }
}

#[test]
fn limits_are_those_of_the_code() {
    let document = document("docs/limits.md");
    for (constant, value) in [
        ("source::folder::MAX_FILE_BYTES", folder::MAX_FILE_BYTES),
        ("source::folder::MAX_SCRIPT_BYTES", folder::MAX_SCRIPT_BYTES),
        ("file::MAX_NESTING", pointsman::file::MAX_NESTING as u64),
        ("source::folder::MAX_PROVIDERS_BYTES", folder::MAX_PROVIDERS_BYTES),
        ("source::folder::MAX_DEPTH", folder::MAX_DEPTH as u64),
        ("source::folder::MAX_ENTRIES", folder::MAX_ENTRIES as u64),
        ("source::folder::MAX_RULES_PER_FILE", folder::MAX_RULES_PER_FILE as u64),
        ("source::folder::MAX_STAND_INS_BYTES", folder::MAX_STAND_INS_BYTES),
        ("source::config::MAX_CONFIG_BYTES", config::MAX_CONFIG_BYTES),
        ("source::cases::MAX_CASES_BYTES", cases::MAX_CASES_BYTES),
        ("yaml::MAX_DEPTH", yaml::MAX_DEPTH as u64),
        ("yaml::MAX_REPEATED_BYTES", yaml::MAX_REPEATED_BYTES as u64),
        ("condition::MAX_RULE_BYTES", condition::MAX_RULE_BYTES as u64),
        ("tag::MAX_REGEX_BYTES", pointsman::tag::MAX_REGEX_BYTES as u64),
        ("tag::MAX_REGEXES_BYTES", pointsman::tag::MAX_REGEXES_BYTES as u64),
        ("rpc::Url::MAX_BYTES", Url::MAX_BYTES as u64),
        ("runtime::EngineBuilder::DEFAULT_MEMO_BYTES", EngineBuilder::DEFAULT_MEMO_BYTES as u64),
    ] {
        let row = document.lines().find(|line| line.contains(&format!("| `{constant}`"))).expect(constant);
        let shown = row.split('|').nth(2).unwrap().trim().replace(',', "");
        let (number, unit) = shown.split_once(' ').unwrap_or((&shown, ""));
        let factor = match unit {
            "MiB" => 1 << 20,
            "KiB" => 1 << 10,
            _ => 1,
        };
        assert_eq!(number.parse::<u64>().unwrap() * factor, value, "{row}");
    }
}

#[test]
fn the_readme_embeds_as_the_front_page_does() {
    let front: String = document("src/lib.rs")
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let examples = blocks_of("src/lib.rs", &front);
    let readme = of_kind("rust");
    assert_eq!(examples[0].text, readme[0].text);
}

#[test]
fn every_block_says_what_it_is() {
    const KINDS: [&str; 14] = [
        "console",
        "sh",
        "rules",
        "providers",
        "yaml",
        "yaml document",
        "yaml stand-ins",
        "toml",
        "json",
        "text",
        "rust",
        "js",
        "rhai",
        "lua",
    ];
    for Block { place, kind, .. } in blocks() {
        assert!(KINDS.contains(&kind.as_str()), "{place}: `{kind}` is no kind of example");
        let compiled = ["README.md", "docs/embedding.md", "docs/filters.md", "docs/loadbalance.md"];
        let is_compiled = compiled.iter().any(|path| place.starts_with(path));
        assert!(kind != "rust" || is_compiled, "{place}: nothing compiles this");
    }
}

#[test]
fn every_option_is_documented() {
    let document = document("docs/cli.md");
    let plugin = ["new", "inspect", "verify", "allow", "list"].map(|command| vec!["plugin", command]);
    for command in ["route", "call", "check", "test", "fmt", "schema", "convert", "init", "completions", "man"]
        .map(|command| vec![command])
        .into_iter()
        .chain(plugin)
    {
        let arguments: Vec<String> = command.iter().chain(&["--help"]).map(|&word| word.to_owned()).collect();
        let (_, help) = run(&arguments, Path::new(env!("CARGO_MANIFEST_DIR")));
        let options = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        for option in
            options.filter_map(|line| line.split([' ', ',']).next()).filter(|option| !["-", "-h"].contains(option))
        {
            assert!(document.contains(&format!("`{option} ")) || document.contains(&format!("`{option}`")), "{option}");
        }
    }
}

#[test]
fn lines_are_left_out_where_an_ellipsis_stands() {
    for (shown, printed, expected) in [
        ("a\nb", "a\nb\n", true),
        ("…\nb", "a\na\nb", true),
        ("a\n…", "a", true),
        ("a\n…\nc", "a\nb\nb", false),
        ("a", "a\nb", false),
        ("a\nb", "a", false),
    ] {
        let (shown, printed): (Vec<_>, Vec<_>) = (shown.lines().collect(), printed.lines().collect());
        assert_eq!(fits(&shown, &printed), expected, "{shown:?} {printed:?}");
    }
}
