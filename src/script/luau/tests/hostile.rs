//! Rules that mean harm, each in a process of its own.
//!
//! A child is this very test program with a variable that names the file; it prints the outcome. `POINTSMAN_HOSTILE`
//! names a further folder.

use std::io::Write as _;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use crate::script::RunError;
use crate::script::luau::tests::support::Bench;

/// Set it to see every outcome.
const TABLE: &str = "POINTSMAN_HOSTILE_TABLE";
const FILE: &str = "POINTSMAN_LUAU_HOSTILE_FILE";
/// A child that takes longer hangs.
const GUARD: Duration = Duration::from_secs(20);

/// Runs the file that the variable names; does nothing when it is run as a test.
#[test]
fn child() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let mut bench = Bench::new();
    let started = Instant::now();
    let outcome = match bench.compile(&text) {
        Err(error) => format!("refused: {}", error.message),
        Ok(id) => match bench.run(id).result {
            Ok(words) => format!("answered: {words:?}"),
            Err(RunError::Limit { which, line, .. }) => format!("limit: {which:?} line {line:?}"),
            Err(RunError::Failed { message, .. }) => format!("failed: {message}"),
            Err(RunError::WrongResult { found }) => format!("wrong: {found}"),
        },
    };
    let took = started.elapsed();
    assert_eq!(bench.kept("return { invokers[2] }"), [1], "the next rule");
    writeln!(std::io::stdout(), "OUTCOME {:>6.1} ms {outcome}", took.as_secs_f64() * 1e3).unwrap();
}

/// The outcome of a file, or what became of the process.
fn outcome(path: &Path) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "script::luau::tests::hostile::child", "--nocapture", "--test-threads=1"]);
    let mut child = command.env(FILE, path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, receiver) = mpsc::channel::<()>();
    let pid = i32::try_from(child.id()).unwrap();
    let guard = std::thread::spawn(move || {
        let hangs = receiver.recv_timeout(GUARD).is_err();
        if hangs {
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        hangs
    });
    let output = read(&mut child);
    let _ = sender.send(());
    let hangs = guard.join().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.split_once("OUTCOME ")).map(|(_, outcome)| outcome.to_owned());
    match line {
        Some(line) if output.status.success() => line,
        _ if hangs => "HANGS".to_owned(),
        _ => format!("DIED {} {}", output.status, String::from_utf8_lossy(&output.stderr)),
    }
}

fn read(child: &mut std::process::Child) -> Output {
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut stderr, &mut bytes).map(|_| bytes)
    });
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut stdout, &mut bytes).unwrap();
    Output { status: child.wait().unwrap(), stdout: bytes, stderr: errors.join().unwrap().unwrap() }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|suffix| suffix == "lua")).collect();
    files.sort();
    files
}

fn expect_no_harm(files: &[PathBuf]) {
    let mut harmed = Vec::new();
    for file in files {
        let outcome = outcome(file);
        if std::env::var_os(TABLE).is_some() {
            writeln!(std::io::stdout(), "{:<40} {outcome}", file.file_name().unwrap().to_string_lossy()).unwrap();
        }
        if outcome.starts_with("HANGS") || outcome.starts_with("DIED") {
            harmed.push(format!("{}: {outcome}", file.display()));
        }
    }
    assert!(harmed.is_empty(), "{}", harmed.join("\n"));
}

#[test]
fn hostile_files_end_within_their_limits_and_the_next_rule_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/lua");
    let mut all = files(&folder);
    assert!(all.len() >= 120, "{}", all.len());
    if let Some(more) = std::env::var_os("POINTSMAN_HOSTILE") {
        all.extend(files(Path::new(&more)));
    }
    expect_no_harm(&all);
}

#[test]
fn shapes_at_the_source_limit_are_refused_or_run() {
    let folder = tempfile::tempdir().unwrap();
    let shapes = shapes();
    for (name, text) in &shapes {
        std::fs::write(folder.path().join(format!("{name}.lua")), text).unwrap();
    }
    expect_no_harm(&files(folder.path()));
}

/// `head`, then as much of `unit` as fits, then as many `end`s, then `tail`.
fn filled(head: &str, unit: &str, end: &str, tail: &str) -> String {
    let count = ((64 << 10) - head.len() - tail.len()) / (unit.len() + end.len()).max(1);
    format!("{head}{}{}{tail}", unit.repeat(count), end.repeat(count))
}

fn shapes() -> Vec<(&'static str, String)> {
    vec![
        ("parentheses", filled("return ", "(", ")", "")),
        ("open_parentheses", filled("return ", "(", "", "")),
        ("tables", filled("return ", "{", "}", "")),
        ("index", filled("return ", "a[", "]", "")),
        ("blocks", filled("", "do ", "end ", "")),
        ("functions", filled("return ", "function() return ", " end ", "")),
        ("calls", filled("return f", "()", "", "")),
        ("members", filled("return f", ".a", "", "")),
        ("methods", filled("return f", ":a()", "", "")),
        ("elseif", filled("if a then ", "elseif a then ", "", "end")),
        ("else_if", filled("", "if a then else ", "end ", "")),
        ("if_values", filled("return ", "if a then a else ", "", "a")),
        ("if_nested", filled("return ", "if ", " then a else a", "a")),
        ("not", filled("return ", "not ", "", "a")),
        ("minus", filled("return ", "- ", "", "1")),
        ("length", filled("return ", "#", "", "a")),
        ("plus", filled("return 1", "+1", "", "")),
        ("concat", filled("return 'a'", "..'a'", "", "")),
        ("power", filled("return 1", "^1", "", "")),
        ("and", filled("return a", " and a", "", "")),
        ("or", filled("return a", " or a", "", "")),
        ("compare", filled("return a", "==a", "", "")),
        ("repeat", filled("", "repeat ", "until a ", "")),
        ("while", filled("", "while a do ", "end ", "")),
        ("for", filled("", "for i=1,1 do ", "end ", "")),
        ("for_in", filled("", "for i in a do ", "end ", "")),
        ("for_in_values", filled("for i in a", ",a", "", " do end")),
        ("locals", filled("", "local a=1 ", "", "")),
        ("local_list", filled("local a", ",a", "", "")),
        ("globals", (0..9_000).map(|i| format!("a{i}=1 ")).collect()),
        ("constants", format!("return {{{}}}", (0..10_000).map(|i| format!("{i},")).collect::<String>())),
        ("keys", format!("return {{{}}}", (0..5_000).map(|i| format!("a{i}={i},")).collect::<String>())),
        ("strings", format!("return {{{}}}", (0..6_000).map(|i| format!("'s{i}',")).collect::<String>())),
        ("upvalues", format!("local a=1 {}", filled("", "function f() return a end ", "", ""))),
        ("parameters", filled("return function(a", ",a", "", ") end")),
        ("arguments", filled("return f(a", ",a", "", ")")),
        ("returns", filled("return a", ",a", "", "")),
        ("assignments", filled("a", ",a", "", "=1")),
        ("template", filled("return `", "{`", "`}", "`")),
        ("template_values", filled("return `", "{a}", "", "`")),
        ("types", filled("local a: ", "{", "}", "=1")),
        ("type_functions", filled("local a: ", "()->", "", "()")),
        ("type_unions", filled("local a: A", "|A", "", "")),
        ("type_optional", filled("local a: A", "?", "", "")),
        ("type_generics", filled("type A = ", "B<", ">", "")),
        ("type_parentheses", filled("type A = ", "(", ")", "")),
        ("casts", filled("return a", "::any", "", "")),
        ("attributes", filled("", "@native ", "", "function f() end")),
        ("comment", filled("--", "x", "", "\nreturn invokers")),
        ("long_comment", filled("--[==[", "]=]", "", "]==] return invokers")),
        ("open_comment", filled("--[[", "x", "", "")),
        ("string", filled("return '", "x", "", "'")),
        ("open_string", filled("return '", "x", "", "")),
        ("long_string", filled("return [[", "x", "", "]]")),
        ("brackets", filled("return [", "=", "", "")),
        ("escapes", filled("return '", "\\u{10FFFF}", "", "'")),
        ("number", filled("return ", "9", "", "")),
        ("hex", filled("return 0x", "f", "", "")),
        ("exponent", filled("return 1e", "9", "", "")),
        ("breaks", filled("while a do ", "if a then break end ", "", "end")),
        ("continues", filled("while a do ", "if a then continue end ", "", "end")),
        ("semicolons", filled("", ";", "", "")),
        ("name", filled("", "a", "", "=1")),
        ("compound", filled("local a=1 ", "a+=1 ", "", "")),
        ("folding", filled("local a=1 return a", "*2", "", "")),
        ("invalid", filled("", "\u{1}", "", "")),
        ("nul", filled("return '", "\0", "", "'")),
        ("for_words", filled("", "for ", "", "")),
        ("for_in_words", filled("", "for in ", "", "")),
        ("route_words", filled("", "route ", "", "")),
    ]
}
