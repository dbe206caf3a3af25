//! Every finding has a page in `docs/findings`, and what a page shows is true.
//!
//! `PM0101.md` begins with `# PM0101 condition::missing_key` and `**Error.** One sentence.`; then come `## Why`,
//! `## Example` and `## Mend`. `README.md` there has a row for each page.
//!
//! The fenced blocks are run. `KIND bad [PATH]` stands in the example and `KIND good [PATH]` in the mend; those of one
//! section are one folder, to which three providers are added where it has none. `check` must print the number for the
//! bad folder, and nothing worse than a remark for the good one. The kinds:
//!
//! - `rules`, `providers`, `yaml`, `js`, `rhai`, `lua`: a file; without a path the usual one, see [`KINDS`].
//! - `file`: any other, at its path. `link`: a link at its path; the text is where it leads.
//! - `toml`: the host's configuration, outside of the folder; passed as `--config`.
//! - `sh`: commands, run in the folder instead of `check`. The number stands in what they print.
//! - `text`, without a verdict: shown, not run.
//!
//! In the text of a file `\xE9` is that byte, and `… × 500` is what stands before it five hundred times more: the line
//! above, or the word before on the same line. A path `tests/{1..500}.txt` is so many files.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;

use pointsman::diagnostics::codes::CODES;
use pointsman::diagnostics::codes::label;
use serde_json::Value;

use crate::documents::Block;
use crate::documents::blocks_of;
use crate::documents::words_of;
use crate::repository::RepositoryFile;
use crate::repository::files;
use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const FOLDER: &str = "docs/findings/";
const INDEX: &str = "docs/findings/README.md";
const SECTIONS: [&str; 3] = ["Why", "Example", "Mend"];

/// Kinds of blocks, and where their text is put unless they name a path.
const KINDS: [(&str, &str); 10] = [
    ("rules", "rules/example.rules"),
    ("providers", "providers.txt"),
    ("yaml", "tests/example.yaml"),
    ("js", "rules/example.js"),
    ("rhai", "rules/example.rhai"),
    ("lua", "rules/example.lua"),
    ("toml", "config.toml"),
    ("file", ""),
    ("link", ""),
    ("sh", ""),
];

const PROVIDERS: &str = "\
dubbo://10.0.0.1:20880/com.shop.OrderService?application=shop-order&region=hangzhou&zone=a
dubbo://10.0.0.2:20880/com.shop.OrderService?application=shop-order&region=hangzhou
dubbo://10.0.0.3:20880/com.shop.OrderService?application=shop-order&region=beijing
";

/// Findings whose examples are not run, or only the bad one, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("router::missing_protocol", "a line of a file without a protocol is a condition; only programs build such a rule"),
    ("router::invalid_protocol", "only programs register kinds of rules"),
    ("router::duplicate_protocol", "only programs register kinds of rules"),
    ("folder::changing", "a race; `tests/plugins/refused.rs` runs it"),
    ("folder::panicked", "takes a router with a fault, which no folder brings"),
    ("folder::shrunk", "takes a folder that changes; see `tests/it/watch_command.rs`"),
    ("providers::other_service", "only programs replace the providers of one service; see `tests/it/runtime.rs`"),
    ("rule::several_documents", "only configuration centres keep one document a key"),
    ("script::no_isolation", "the command always says where scripts run"),
    ("script::no_workers", "depends on the machine"),
    ("file::not_from_here", "only programs compile rules without a folder; see `tests/it/file_rules.rs`"),
    ("file::too_deep", "takes a kind of rule that names files; see `tests/it/file_rules.rs`"),
    ("file::not_a_rule", "no file within the limits makes a URL that cannot be read"),
    ("plugin::not_allowed", BUILT),
    ("history::unwritable", "takes a disk that is full; `tests/it/history.rs` has one"),
    ("history::no_state", "takes a process without a home"),
    ("history::no_version", "a folder without a history has no good example; see `tests/it/history.rs`"),
    ("history::not_written", "takes a folder that may not be written"),
    ("guard::nobody_left", "takes a folder that changes; see `tests/it/history.rs`"),
    ("plugin::denied", BUILT),
    ("plugin::wrong_signature", BUILT),
    ("plugin::wrong_list", BUILT),
    ("plugin::unsafe_file", MENDED_BUILT),
    ("plugin::too_large", MENDED_BUILT),
    ("plugin::not_a_library", MENDED_BUILT),
    ("plugin::unsafe_library", BUILT),
    ("plugin::newer_libc", BUILT),
    ("plugin::missing_entry", BUILT),
    ("plugin::wrong_manifest", BUILT),
    ("plugin::other_abi", BUILT),
    ("plugin::aborts", BUILT),
    ("plugin::downgrade", BUILT),
    ("plugin::too_many_images", BUILT),
    ("plugin::refused", BUILT),
    ("plugin::still_used", BUILT),
    ("plugin::needs_native", BUILT),
    ("plugin::missing_parameter", BUILT),
    ("plugin::refused_rule", BUILT),
    ("plugin::refused_list", BUILT),
    ("fmt::unwritable", "whoever runs the tests may write what they wrote"),
    ("plugin::no_host", "the command has a place for plugins wherever this runs"),
];
const BUILT: &str = "takes a plugin that is built; see `tests/plugins`";
const MENDED_BUILT: &str = "mended, it takes a plugin that is built; see `tests/plugins`";

/// Those that never come alone: they speak of others.
const NOT_ALONE: [&str; 1] = ["folder::more_findings"];

/// How much of what a command printed is shown.
const SHOWN_CHARS: usize = 2_000;

/// A page of `docs/findings`.
#[derive(Debug)]
struct Page {
    path: String,
    slug: String,
    /// `PM0101`.
    label: String,
    /// `error`, `warning`, `info`, or several of them.
    severity: String,
    /// What was found, in one sentence.
    what: String,
    bad: Vec<Example>,
    good: Vec<Example>,
}

/// A block that is run.
#[derive(Debug)]
struct Example {
    kind: String,
    path: String,
    text: String,
}

/// What came of an example.
#[derive(Debug)]
struct Outcome {
    code: Option<i32>,
    printed: String,
    /// Severity and number of each finding; none where commands were run.
    findings: Vec<(String, String)>,
}

// === impl Page ===

impl Page {
    fn read(file: &RepositoryFile) -> Result<Self, String> {
        let wrong = |what: &str| format!("{}: {what}", file.path);
        let name = file.path.trim_start_matches(FOLDER).trim_end_matches(".md");
        let (slug, _) =
            CODES.iter().find(|(slug, _)| label(slug) == name).ok_or_else(|| wrong("no finding has this number"))?;
        let title = format!("# {name} {slug}\n\n");
        let text = file.text.strip_prefix(&title).ok_or_else(|| wrong(&format!("expected to begin with `{title}`")))?;
        let (head, _) = text.split_once("\n\n").unwrap_or((text, ""));
        let (severity, what) = head
            .strip_prefix("**")
            .and_then(|head| head.split_once(".** "))
            .ok_or_else(|| wrong("expected `**Error.** What was found.` below the title"))?;
        let parts: Vec<&str> = text.split("\n## ").collect();
        let titles: Vec<&str> = parts.iter().skip(1).map(|part| part.lines().next().unwrap_or_default()).collect();
        if titles != SECTIONS {
            return Err(wrong(&format!("expected the sections {SECTIONS:?}, found {titles:?}")));
        }
        if parts.iter().skip(1).any(|part| part.split_once('\n').is_none_or(|(_, body)| body.trim().is_empty())) {
            return Err(wrong("a section is empty"));
        }
        let examples = |part: usize, verdict: &str| -> Result<Vec<Example>, String> {
            let blocks = blocks_of(&file.path, parts[part]).into_iter().filter(|block| block.kind != "text");
            blocks.map(|block| Example::read(block, verdict)).collect()
        };
        let (bad, good) = (examples(2, "bad")?, examples(3, "good")?);
        if blocks_of(&file.path, parts[1]).iter().any(|block| block.kind != "text") {
            return Err(wrong("examples stand in `Example` and `Mend`"));
        }
        Ok(Self {
            path: file.path.clone(),
            slug: (*slug).to_owned(),
            label: name.to_owned(),
            severity: severity.to_lowercase(),
            what: what.replace('\n', " "),
            bad,
            good,
        })
    }

    /// Its row in the index.
    fn row(&self) -> String {
        let Self { label, slug, severity, what, .. } = self;
        format!("| [{label}]({label}.md) | `{slug}` | {what} | {severity} |")
    }

    /// What is wrong with the examples.
    fn faults(&self) -> Vec<String> {
        let is_this = |found: &&(String, String)| found.1 == self.label;
        let mut faults = Vec::new();
        if !self.bad.is_empty() {
            let outcome = run(&self.bad);
            let own = outcome.findings.iter().find(is_this);
            let is_shown = own.is_some() || outcome.printed.contains(&format!("{} {}", self.label, self.slug));
            let others: Vec<_> = outcome.findings.iter().filter(|found| !is_this(found) && found.0 != "info").collect();
            let is_alone = others.is_empty() || NOT_ALONE.contains(&self.slug.as_str());
            if !is_shown || !is_alone {
                faults.push(format!("the bad example must show {} alone, and prints\n{}", self.label, outcome.shown()));
            }
            if let Some((severity, _)) = own.filter(|(severity, _)| !self.severity.contains(severity)) {
                faults.push(format!("{} is said to be `{}` and is `{severity}`", self.label, self.severity));
            }
        }
        if !self.good.is_empty() {
            let outcome = run(&self.good);
            let is_clean = outcome.findings.iter().all(|found| found.0 == "info" && found.1 != self.label);
            if outcome.code != Some(0) || !is_clean || outcome.printed.contains(&self.label) {
                faults.push(format!("the good example has findings, and prints\n{}", outcome.shown()));
            }
        }
        faults.into_iter().map(|fault| format!("{}: {fault}", self.path)).collect()
    }
}

// === impl Outcome ===

impl Outcome {
    fn shown(&self) -> String {
        self.printed.chars().take(SHOWN_CHARS).collect()
    }
}

// === impl Example ===

impl Example {
    fn read(block: Block, verdict: &str) -> Result<Self, String> {
        let words: Vec<&str> = block.kind.split(' ').collect();
        let known = KINDS.iter().find(|(kind, _)| words.first() == Some(kind));
        let (kind, path) = match (words.as_slice(), known) {
            ([kind, found], Some((_, path))) if *found == verdict && (*kind == "sh" || !path.is_empty()) => {
                (*kind, *path)
            }
            ([kind, found, path], Some(_)) if *found == verdict => (*kind, *path),
            _ => return Err(format!("{}: expected `KIND {verdict} [PATH]`, found `{}`", block.place, block.kind)),
        };
        Ok(Self { kind: kind.to_owned(), path: path.to_owned(), text: block.text })
    }

    /// Whether this build has what the example is about.
    fn is_possible(&self) -> bool {
        let suffix = self.path.rsplit('.').next().unwrap_or_default();
        match (self.kind.as_str(), suffix) {
            (_, "js") => cfg!(any(feature = "boa", feature = "quickjs")) && cfg!(target_os = "linux"),
            (_, "rhai") => cfg!(feature = "rhai") && cfg!(target_os = "linux"),
            (_, "lua") => cfg!(feature = "lua") && cfg!(target_os = "linux"),
            (_, "so") => cfg!(feature = "plugins") && cfg!(target_os = "linux"),
            ("sh", _) if self.text.contains("pointsman plugin") => {
                cfg!(feature = "plugins") && cfg!(target_os = "linux")
            }
            ("link", _) => cfg!(unix),
            _ if self.text.contains("script://") => {
                cfg!(any(feature = "boa", feature = "quickjs")) && cfg!(target_os = "linux")
            }
            _ => true,
        }
    }
}

/// Makes the folder of some examples, and runs what there is to run.
fn run(examples: &[Example]) -> Outcome {
    let is_configuration = |example: &&Example| example.kind == "toml";
    let has_providers = examples.iter().any(|example| example.path == "providers.txt");
    let mut folder =
        if has_providers { TestFolder::empty() } else { TestFolder::empty().with("providers.txt", PROVIDERS) };
    for example in examples.iter().filter(|example| !is_configuration(example)) {
        folder = match example.kind.as_str() {
            "sh" => folder,
            "link" => with_link(folder, &example.path, example.text.trim_end()),
            _ => paths_of(&example.path).iter().fold(folder, |folder, path| with_file(folder, path, &example.text)),
        };
    }
    let mut host = TestFolder::empty();
    let mut options = Vec::new();
    for example in examples.iter().filter(is_configuration) {
        host = host.with(&example.path, &example.text);
        options.extend(["--config".to_owned(), host.path().join(&example.path).to_str().unwrap().to_owned()]);
    }
    let told_of = |words: Vec<String>| {
        let words: Vec<&str> = words.iter().chain(&options).map(String::as_str).collect();
        told(pointsman(&words).current_dir(folder.path()).output().unwrap())
    };
    let mut outcome = Outcome { code: Some(0), printed: String::new(), findings: Vec::new() };
    let mut commands = examples.iter().filter(|example| example.kind == "sh").flat_map(|example| example.text.lines());
    if let Some(first) = commands.next() {
        for line in std::iter::once(first).chain(commands) {
            let words = words_of(line.strip_prefix("pointsman ").unwrap_or_else(|| panic!("cannot run `{line}`")));
            let (code, out, log) = told_of(words);
            outcome.code = outcome.code.filter(|code| *code != 0).or(code);
            outcome.printed += &format!("{out}{log}");
        }
        return outcome;
    }
    let (code, out, log) = told_of(["check", ".", "--format", "json"].map(str::to_owned).to_vec());
    let report: Value = serde_json::from_str(&out).unwrap_or_default();
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    outcome.findings = findings.iter().map(|finding| (text(finding, "severity"), text(finding, "number"))).collect();
    Outcome { code, printed: out + log.as_str(), ..outcome }
}

/// A file that others may not write, whatever the `umask` says.
fn with_file(folder: TestFolder, path: &str, text: &str) -> TestFolder {
    let folder = folder.with(path, bytes_of(text));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(folder.path().join(path), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    folder
}

/// `a{1..3}.txt` is three paths.
fn paths_of(path: &str) -> Vec<String> {
    let parts = path.split_once("{1..").and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (last, after))) = parts else { return vec![path.to_owned()] };
    (1..=last.parse::<usize>().unwrap()).map(|number| format!("{before}{number}{after}")).collect()
}

#[cfg(unix)]
fn with_link(folder: TestFolder, path: &str, target: &str) -> TestFolder {
    let link = folder.path().join(path);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, link).unwrap();
    folder
}

#[cfg(not(unix))]
fn with_link(folder: TestFolder, _path: &str, _target: &str) -> TestFolder {
    folder
}

/// What a block stands for: repetitions written out, `\xE9` as that byte.
fn bytes_of(text: &str) -> Vec<u8> {
    let mut written = String::new();
    for line in text.split_inclusive('\n') {
        let Some((before, rest)) = line.split_once("… × ") else {
            written += line;
            continue;
        };
        let (count, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        let count = count.parse().unwrap();
        if before.is_empty() {
            let above = written.split_inclusive('\n').next_back().unwrap().repeat(count);
            written += &above;
        } else {
            let before = before.trim_end();
            let word = before.rsplit(' ').next().unwrap();
            written += &format!("{before}{}{rest}", word.repeat(count));
        }
    }
    let mut bytes = Vec::new();
    let mut parts = written.split("\\x");
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    bytes
}

fn pages() -> Vec<Page> {
    let files = files();
    let is_page = |file: &&RepositoryFile| file.path.starts_with(FOLDER) && file.path != INDEX;
    let (pages, wrong): (Vec<_>, Vec<_>) = files.iter().filter(is_page).map(Page::read).partition(Result::is_ok);
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    pages.into_iter().filter_map(Result::ok).collect()
}

#[test]
fn every_finding_has_a_page() {
    let pages: BTreeSet<String> = pages().into_iter().map(|page| page.slug).collect();
    let missing = CODES.iter().filter(|(slug, _)| !pages.contains(*slug));
    let missing: Vec<String> = missing.map(|(slug, _)| format!("write {FOLDER}{}.md: {slug}", label(slug))).collect();
    assert!(missing.is_empty(), "findings without a page:\n{}", missing.join("\n"));
}

#[test]
fn the_index_has_a_row_for_each_page_and_no_other() {
    let files = files();
    let index = &files.iter().find(|file| file.path == INDEX).expect(INDEX).text;
    let rows: BTreeSet<&str> = index.lines().filter(|line| line.starts_with("| [")).collect();
    let expected: Vec<String> = pages().iter().map(Page::row).collect();
    let missing: Vec<&str> = expected.iter().map(String::as_str).filter(|row| !rows.contains(row)).collect();
    assert!(missing.is_empty(), "{INDEX} lacks these rows:\n{}", missing.join("\n"));
    assert_eq!(rows.len(), expected.len(), "{INDEX} has rows without a page");
    let shown = index.lines().filter(|line| line.starts_with("| ["));
    assert!(shown.clone().is_sorted(), "{INDEX} goes by number");
}

#[test]
fn every_finding_is_provoked_and_mended_by_its_examples_or_listed() {
    for page in pages() {
        let is_listed = NOT_RUN.iter().any(|(slug, _)| *slug == page.slug);
        let is_run = !page.bad.is_empty() && !page.good.is_empty();
        let advice = "give it a bad and a good example, or list it in `NOT_RUN` with the reason";
        assert!(is_listed != is_run, "{}: {advice}; not both, not neither", page.path);
    }
    for (slug, _) in NOT_RUN {
        assert!(CODES.iter().any(|(known, _)| known == slug), "{slug} is no finding");
    }
}

#[test]
fn examples_show_their_finding_and_how_to_mend_it() {
    let pages = pages();
    let is_possible = |page: &&Page| page.bad.iter().chain(&page.good).all(Example::is_possible);
    let pages: Vec<&Page> = pages.iter().filter(is_possible).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::from_fn(|| pages.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.flat_map(|page| page.faults()).collect::<Vec<_>>()
    };
    let faults = thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn repetitions_and_bytes_are_written_out() {
    assert_eq!(bytes_of("a\nb\n… × 2\nc\n"), b"a\nb\nb\nb\nc\n");
    assert_eq!(bytes_of("k = x, … × 2 => y\n"), b"k = x,x,x, => y\n");
    assert_eq!(bytes_of("a\\xE9b\n"), b"a\xE9b\n");
    assert_eq!(paths_of("a/{1..2}.txt"), ["a/1.txt", "a/2.txt"]);
}
