//! What a rule may do to its host: nothing. Each script runs in a process of its own, so that a death or a hang is a
//! result, not the end of the tests.

use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;

use pointsman::script::RunError;

use super::stage::Stage;

/// The folder, or the name of a shape, that the child is to run.
const CHILD: &str = "POINTSMAN_HOSTILE_CHILD";

/// Another deadline than 20 ms, in milliseconds; for measuring by hand.
const DEADLINE: &str = "POINTSMAN_HOSTILE_DEADLINE";

/// What a child says when it and the good rule after the script came through.
const ALIVE: &str = "ALIVE";

/// Runs `text`, then a good rule; says what the first came to.
fn withstand(text: &str) -> String {
    let mut stage = Stage::new();
    let deadline = std::env::var(DEADLINE).ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    stage.limits.deadline = Duration::from_millis(deadline);
    let said = match stage.compile(1, text) {
        Err(error) => format!("refused: {}", error.message),
        Ok(()) => {
            let before = peak_kib();
            let report = stage.run(1);
            let used = format!(" ({} ms, {} KiB)", report.used_us / 1_000, peak_kib().saturating_sub(before));
            let said = match report.result {
                Ok(_) => "clean".to_owned(),
                Err(RunError::Limit { which, .. }) => format!("limit: {which:?}"),
                Err(RunError::Failed { message, .. }) => {
                    format!("failed: {}", message.chars().take(60).collect::<String>())
                }
                Err(RunError::WrongResult { found }) => format!("wrong: {found}"),
            };
            said + used.as_str()
        }
    };
    stage.limits.deadline = Duration::from_millis(400);
    assert_eq!(stage.keeps("invokers.filter(|i| i.param(\"region\") == invocation.attachment(\"region\"))"), [0, 2]);
    assert_eq!(stage.keeps("if is_def_var(\"leak\") { [] } else { [invokers[1]] }"), [1]);
    said
}

/// The most memory this process has had; 0 where that cannot be told.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Shapes that fill a text, by name: what stands once before, again and again, in the middle, again and again, after.
const SHAPES: &[(&str, [&str; 5])] = &[
    ("parentheses", ["", "(", "1", ")", ""]),
    ("arrays", ["", "[", "1", "]", ""]),
    ("maps", ["", "#{a:", "1", "}", ""]),
    ("blocks", ["", "{", "1", "}", ""]),
    ("ifs", ["", "if true {", "1", "}", ""]),
    ("else_ifs", ["if false {}", " else if false {}", "", "", ""]),
    ("whiles", ["", "while true {", "break;", "}", ""]),
    ("fors", ["", "for i in [1] {", "1", "}", ""]),
    ("switches", ["", "switch 1 { 1 => ", "1", "}", ""]),
    ("tries", ["", "try {", "1", "} catch {}", ""]),
    ("closures", ["let f = ", "|| ", "1", "", ""]),
    ("closures_in_blocks", ["let f = ", "|| {", "1", "}", ""]),
    ("capturing_closures", ["let x = 1; let f = ", "|| x + ", "1", "", ""]),
    ("nots", ["", "!", "true", "", ""]),
    ("minuses", ["", "- ", "1", "", ""]),
    ("sums", ["1", "+1", "", "", ""]),
    ("right_sums", ["", "1+(", "1", ")", ""]),
    ("powers", ["1", "**1", "", "", ""]),
    ("ands", ["true", "&&true", "", "", ""]),
    ("ors", ["false", "||false", "", "", ""]),
    ("coalesce", ["()", "??()", "", "", ""]),
    ("comparisons", ["1", "<1", "", "", ""]),
    ("properties", ["invokers", ".a", "", "", ""]),
    ("elvis", ["()", "?.a", "", "", ""]),
    ("indexes", ["invokers", "[0]", "", "", ""]),
    ("nested_indexes", ["", "invokers[", "0", "]", ""]),
    ("method_chain", ["\"x\"", ".to_upper()", "", "", ""]),
    ("nested_calls", ["fn f(x) { x } ", "f(", "1", ")", ""]),
    ("nested_methods", ["", "[].map(", "1", ")", ""]),
    ("call_chain", ["let f = Fn(\"abs\"); f", ".call(1)", "", "", ""]),
    ("arguments", ["fn f() {} f(1", ",1", "", "", ")"]),
    ("array_items", ["[1", ",1", "", "", "]"]),
    ("map_items", ["#{a: 1", ", a: 1", "", "", "}"]),
    ("switch_cases", ["switch 1 { 0 => 0", ", 0 => 0", "", "", "}"]),
    ("switch_ranges", ["switch 1 { 0..9 => 0", ", 0..9 => 0", "", "", "}"]),
    ("parameters", ["fn f(a", ",a", "", "", ") {}"]),
    ("functions", ["", "fn f() {}", "", "", ""]),
    ("functions_in_functions", ["", "fn f() {", "1", "}", ""]),
    ("variables", ["", "let x=1;", "", "", ""]),
    ("assignments", ["let x = 1; x", "=x", "", "", ""]),
    ("lets", ["let x = ", "{ let y = ", "1", "}", ";"]),
    ("statements", ["", ";", "", "", ""]),
    ("returns", ["", "return ", "1", "", ""]),
    ("throws", ["", "throw ", "1", "", ""]),
    ("interpolations", ["", "`${", "1", "}`", ""]),
    ("interpolation_row", ["`", "${1}", "", "", "`"]),
    ("strings", ["", "\"\"+", "\"\"", "", ""]),
    ("comments", ["", "/*", "", "*/", "1"]),
    ("open_comments", ["", "/*", "", "", ""]),
    ("line_comments", ["", "//\n", "1", "", ""]),
    ("long_string", ["\"", "x", "", "", "\""]),
    ("long_raw_string", ["##\"", "x", "", "", "\"##"]),
    ("raw_hashes", ["", "#", "\"x\"", "#", ""]),
    ("long_name", ["let ", "x", "", "", " = 1"]),
    ("long_number", ["", "9", "", "", ""]),
    ("long_hex", ["0x", "f", "", "", ""]),
    ("underscores", ["1", "_", "", "", "1"]),
    ("exponent", ["1e", "9", "", "", ""]),
    ("quotes", ["", "\"", "", "", ""]),
    ("backticks", ["", "`", "", "", ""]),
    ("open_parentheses", ["", "(", "", "", ""]),
    ("open_arrays", ["", "[", "", "", ""]),
    ("open_maps", ["", "#{a:", "", "", ""]),
    ("open_blocks", ["", "{", "", "", ""]),
    ("open_interpolations", ["", "`${", "", "", ""]),
    ("close_parentheses", ["", ")", "", "", ""]),
    ("dots", ["", ".", "", "", ""]),
    ("colons", ["", "::", "", "", ""]),
    ("pipes", ["", "|", "", "", ""]),
    ("escapes", ["\"", "\\x41", "", "", "\""]),
    ("bad_escapes", ["\"", "\\u", "", "", "\""]),
    ("emoji", ["", "\u{1f600}", "", "", ""]),
    ("nul", ["", "\0", "", "", ""]),
    ("loops", ["", "loop {", "", "}", ""]),
    ("dos", ["", "do {", "", "} while true;", ""]),
    ("consts", ["", "const x=1;", "", "", ""]),
    ("big_map_of_names", ["#{", "\"a\":1,", "", "", "}"]),
    ("in_chain", ["1", " in [1]", "", "", ""]),
    ("ranges", ["1", "..1", "", "", ""]),
];

/// The shape at 64 KiB.
fn shape(name: &str) -> String {
    let (_, [before, open, middle, close, after]) = SHAPES.iter().find(|(shape, _)| *shape == name).unwrap();
    let room = (64 << 10) - before.len() - middle.len() - after.len();
    let times = room / (open.len() + close.len());
    [*before, &open.repeat(times), middle, &close.repeat(times), after].concat()
}

/// What a child runs: the files of a folder or one, `shape:NAME`, or nothing.
#[test]
fn hostile_child() {
    let Ok(what) = std::env::var(CHILD) else { return };
    match what.strip_prefix("shape:") {
        Some(name) => println!("{name}: {}", withstand(&shape(name))),
        None => println!("{what}: {}", withstand(&std::fs::read_to_string(&what).unwrap())),
    }
    println!("{ALIVE}");
}

fn child(what: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "script_rhai::hostile::hostile_child", "--nocapture", "--test-threads=1"]);
    command.env(CHILD, what).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// What the child said; nothing if it had to be killed or died.
fn outcome(child: Child) -> Option<String> {
    let id = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(Duration::from_secs(60)) else {
        let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        return None;
    };
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let said = text.lines().find(|line| line.contains(": ")).map(str::to_owned);
    said.filter(|_| text.contains(ALIVE))
}

fn survive(all: Vec<String>) {
    let mut table: Vec<String> = Vec::new();
    for what in &all {
        table.push(outcome(child(what)).unwrap_or_else(|| format!("{what}: DIED OR HUNG")));
    }
    if let Ok(path) = std::env::var("POINTSMAN_HOSTILE_TABLE") {
        std::fs::write(path, table.join("\n")).unwrap();
    }
    let lost: Vec<_> = table.iter().filter(|line| line.contains("DIED")).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

fn files(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "rhai")).collect();
    files.sort();
    files.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}

#[test]
fn no_hostile_script_ends_the_process() {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/rhai"));
    assert!(files.len() > 100, "{}", files.len());
    survive(files);
}

#[test]
fn no_shape_at_the_source_limit_ends_the_process() {
    survive(SHAPES.iter().map(|(name, _)| format!("shape:{name}")).collect());
}
