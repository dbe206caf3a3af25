//! Hostile scripts, each in a child process: no child dies, none hangs, and the next good rule answers right.
//!
//! Files of `tests/hostile/js`, of the folder in `POINTSMAN_HOSTILE`, and texts as long as a rule may be.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use pointsman::rpc::RpcInvocation;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::ProgramId;

use crate::support::script::Outcome;
use crate::support::script::Scene;
use crate::support::script::compile;
use crate::support::script::outcome;

const TEXT: &str = "POINTSMAN_HOSTILE_TEXT";
const MOST_BYTES: usize = 64 << 10;

/// What QuickJS cannot be stopped in on the calling thread: one native call reads a million digits. Workers bound it.
const NOT_BOUNDED_INLINE: [&str; 1] = ["parse_numbers.js"];

/// A child that takes longer hangs.
const GUARD: Duration = Duration::from_secs(60);

#[test]
fn a_child_lives_through_one_hostile_text() {
    // By itself the test is about a text that does no harm.
    let text = std::env::var_os(TEXT).map_or("invokers".to_owned(), |path| std::fs::read_to_string(path).unwrap());
    let good = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let scene =
            Scene::new(&["dubbo://10.0.0.1:1/S?region=A", "dubbo://10.0.0.2:1/S"], &RpcInvocation::new("S", "m"));
        let mut executor = Executor::default();
        for round in 0..2 {
            let hostile = scene.run_on(&mut executor, EngineKind::QuickJs, &text);
            println!("hostile: {}", format!("{hostile:?}").chars().take(200).collect::<String>());
            compile(&mut executor, 2 + round, EngineKind::QuickJs, "invokers.filter(i => i.param('region') == 'A')")
                .unwrap();
            assert_eq!(outcome(executor.run(ProgramId(2 + round), scene.start()), 2), Outcome::Kept(vec![0]));
        }
        drop(executor);
    });
    good.unwrap().join().unwrap();
}

#[test]
fn no_hostile_script_kills_or_hangs_its_process() {
    if !EngineKind::QuickJs.is_built_in() {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut texts: Vec<PathBuf> = Vec::new();
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/js");
    let more = std::env::var_os("POINTSMAN_HOSTILE").map(|folder| PathBuf::from(folder).join("js"));
    for folder in std::iter::once(own).chain(more.filter(|folder| folder.exists())) {
        texts.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    for (name, text) in shapes() {
        let path = scratch.path().join(format!("{name}.js"));
        std::fs::write(&path, text).unwrap();
        texts.push(path);
    }
    texts.sort();
    texts.retain(|path| !NOT_BOUNDED_INLINE.iter().any(|name| path.ends_with(name)));
    let failed: Vec<String> = texts.iter().filter_map(failure).collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), texts.len(), failed.join("\n"));
}

/// What went wrong with the child of one text.
fn failure(path: &PathBuf) -> Option<String> {
    let started = Instant::now();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "script_hostile::a_child_lives_through_one_hostile_text", "--nocapture"])
        .env(TEXT, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if started.elapsed() > GUARD {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(5));
    };
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let hostile = said.lines().find(|line| line.contains("hostile: ")).unwrap_or_default();
    println!("{:6} ms  {}  {hostile}", started.elapsed().as_millis(), path.file_name().unwrap().display());
    let name = path.display();
    match status {
        None => Some(format!("{name} hangs")),
        Some(status) if !status.success() => Some(format!("{name}: {status} {said}")),
        Some(_) => None,
    }
}

/// Texts as long as a rule may be, deep or wide in every way that the grammar has.
fn shapes() -> Vec<(&'static str, String)> {
    let nested = |open: &str, middle: &str, close: &str| {
        let count = (MOST_BYTES - middle.len()) / (open.len() + close.len());
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    let short = |open: &str, middle: &str, close: &str, count: usize| {
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    let mut shapes = vec![
        ("huge_string", format!("'{}'", "x".repeat(MOST_BYTES - 2))),
        ("huge_comment", format!("/*{}*/ invokers", "x".repeat(MOST_BYTES - 20))),
        ("huge_template", format!("`{}`", "x".repeat(MOST_BYTES - 2))),
        ("huge_regex", format!("/{}/.test('x')", "(x)|".repeat(MOST_BYTES / 4 - 10))),
        ("huge_class_regex", format!("/[{}]/.test('x')", "a-z".repeat(MOST_BYTES / 3 - 10))),
        ("huge_array", format!("[{}]", "1,".repeat(MOST_BYTES / 2 - 2))),
        ("huge_holes", format!("[{}]", ",".repeat(MOST_BYTES - 2))),
        ("huge_name", "x".repeat(MOST_BYTES)),
        ("many_statements", "f;".repeat(MOST_BYTES / 2)),
        ("many_variables", (0..8_000).map(|at| format!("x{at}=1;")).collect()),
        ("many_functions", "function f(){}".repeat(MOST_BYTES / 14)),
        ("many_catches", "try{}catch{}".repeat(MOST_BYTES / 12)),
        ("many_labels", "a:;".repeat(MOST_BYTES / 3)),
        ("many_cases", format!("switch(1){{{}}}", "case 1:f;".repeat(MOST_BYTES / 9 - 2))),
        ("many_parameters", format!("(function({}a){{}})()", "a,".repeat(MOST_BYTES / 2 - 20))),
        ("many_arguments", format!("Math.max({}1)", "1,".repeat(MOST_BYTES / 2 - 20))),
        ("unclosed_strings", "'".repeat(MOST_BYTES)),
        ("lines", "\n".repeat(MOST_BYTES)),
        ("line_separators", "\u{2028}".repeat(MOST_BYTES / 3)),
        ("nul", "\0".repeat(MOST_BYTES)),
        ("nul_in_text", "'\0'; invokers".to_owned()),
    ];
    let repeated: [(&'static str, &str, &str, &str); 40] = [
        ("parentheses", "(", "1", ")"),
        ("arrays", "[", "1", "]"),
        ("objects", "({a:", "1", "})"),
        ("blocks", "{", "1", "}"),
        ("functions", "(function(){", "1", "})"),
        ("templates", "`${", "1", "}`"),
        ("patterns", "[", "a", "]=1"),
        ("calls_in_calls", "f(", "1", ")"),
        ("indexes_in_indexes", "a[", "1", "]"),
        ("arrows", "a=>", "1", ""),
        ("else_ifs", "if(a);else ", "1", ""),
        ("choices", "a?b:", "1", ""),
        ("nested_choices", "a?", "1", ":b"),
        ("negations", "!", "1", ""),
        ("minuses", "- ", "1", ""),
        ("typeofs", "typeof ", "1", ""),
        ("voids", "void ", "1", ""),
        ("deletes", "delete ", "a", ""),
        ("news", "new ", "a", ""),
        ("news_called", "new ", "a", "()"),
        ("sums", "1+", "1", ""),
        ("powers", "1**", "1", ""),
        ("ors", "a||", "1", ""),
        ("nullish", "a??", "1", ""),
        ("commas", "a,", "1", ""),
        ("comparisons", "a<", "1", ""),
        ("ins", "a in ", "b", ""),
        ("members", "", "a", ".b"),
        ("optional_members", "", "a", "?.b"),
        ("called_members", "", "a", "()"),
        ("indexed_members", "", "a", "[0]"),
        ("tagged", "", "a", "`x`"),
        ("assignments", "a=", "1", ""),
        ("labels", "a:", "1", ""),
        ("ifs", "if(a)", "1", ""),
        ("whiles", "while(a)", "1", ""),
        ("fors", "for(;;)", "1", ""),
        ("dos", "do ", "1", " while(a)"),
        ("withs", "with(a)", "1", ""),
        ("classes", "(class extends ", "a", "{})"),
    ];
    // As long as a rule may be, and as deep as the scan lets pass.
    shapes.extend(repeated.map(|(name, open, middle, close)| (name, nested(open, middle, close))));
    let passing = ["parentheses", "arrays", "objects", "blocks", "functions", "templates", "calls_in_calls"];
    let deep = repeated.iter().filter(|(name, ..)| passing.contains(name));
    let deep: Vec<_> = deep.map(|(_, open, middle, close)| short(open, middle, close, 60)).collect();
    shapes.push(("deepest_brackets", deep.join(";\n")));
    let long = repeated.iter().filter(|(name, ..)| !passing.contains(name) && *name != "classes");
    let long: Vec<_> = long
        .map(|(_, open, middle, close)| short(open, middle, close, 990))
        .map(|text| format!("(function(){{ return;{text} }})"))
        .collect();
    for (at, text) in long.into_iter().enumerate() {
        shapes.push((["long_a", "long_b", "long_c", "long_d"][at % 4], format!("{text}; invokers")));
    }
    let mut named = std::collections::BTreeMap::<String, String>::new();
    for (at, (name, text)) in shapes.into_iter().enumerate() {
        named.insert(if name.starts_with("long_") { format!("{name}{at}") } else { name.to_owned() }, text);
    }
    named.into_iter().map(|(name, text)| (&*Box::leak(name.into_boxed_str()), text)).collect()
}
