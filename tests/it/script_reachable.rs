//! What a script can reach: everything, from the global object and from values that a text can write, compared with a
//! list. `POINTSMAN_UPDATE=1` writes the lists anew.

use std::path::PathBuf;
use std::time::Duration;

use pointsman::router::Selection;
use pointsman::rpc::RpcInvocation;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::ProgramId;
use pointsman::script::Run;

use crate::support::script::Scene;
use crate::support::script::compile;
use crate::support::script::javascript_engines;

/// Walks members, accessors and prototypes, and prints the first way to each.
const WALK: &str = r#"
    var seen = new Set(), found = [];
    var list = new java.util.ArrayList(), map = new java.util.HashMap();
    var waiting = [
        ["global", globalThis], ["function", function () {}], ["arrow", () => 1], ["generator", function* () {}], ["generated", (function* () {})()],
        ["method", { m() {} }.m], ["class", class {}], ["array", []], ["object", {}], ["text", Object("")], ["number", Object(1)],
        ["boolean", Object(true)], ["symbol", Object(Symbol())], ["expression", /x/], ["arguments", (function () { return arguments; })()],
        ["array iterator", [][Symbol.iterator]()], ["text iterator", ""[Symbol.iterator]()], ["map iterator", new Map()[Symbol.iterator]()],
        ["set iterator", new Set()[Symbol.iterator]()], ["match iterator", "".matchAll(/x/g)], ["error", new Error()],
        ["thrown", (function () { try { null.x; } catch (e) { return e; } })()], ["template", ((strings) => strings)`x`],
        ["invokers", invokers], ["invoker", invokers[0]], ["url", invokers[0].getUrl()], ["invocation", invocation], ["context", context],
        ["interface", invokers[0].getInterface()], ["attachments", invocation.getAttachments()], ["call arguments", invocation.getArguments()],
        ["list", list], ["map", map], ["list iterator", list.iterator()], ["stream", list.stream()], ["set", new java.util.HashSet()],
        ["entries", map.entrySet()], ["date", new Date()], ["random", new java.util.Random()],
    ];
    while (waiting.length > 0) {
        var step = waiting.shift(), path = step[0], it = step[1];
        if (it === null || (typeof it !== "object" && typeof it !== "function") || seen.has(it)) continue;
        seen.add(it);
        found.push(path + (typeof it === "function" ? "()" : "") + (Object.isFrozen(it) ? "" : " (open)"));
        Reflect.ownKeys(it).forEach(function (key) {
            var member = Object.getOwnPropertyDescriptor(it, key), name = path + "." + String(key);
            if (member.get || member.set) { waiting.push([name + " get", member.get]); waiting.push([name + " set", member.set]); }
            else if (member.value !== null && (typeof member.value === "object" || typeof member.value === "function")) waiting.push([name, member.value]);
        });
        waiting.push([path + " <-", Object.getPrototypeOf(it)]);
    }
    found.sort().forEach(function (line) { print(line); });
    []"#;

/// What [`WALK`] looks at of regular expressions.
const EXPRESSIONS: [&str; 2] = [r#"["expression", /x/], "#, r#"["match iterator", "".matchAll(/x/g)], "#];

#[test]
fn scripts_reach_what_the_list_says_and_nothing_else() {
    for engine in javascript_engines() {
        let call = RpcInvocation::new("S", "m").with_argument("int", 1).with_attachment("a", "b");
        let scene = Scene::new(&["dubbo://10.0.0.1:1/S?region=A"], &call);
        let limits =
            Limits { deadline: Duration::from_secs(20), log_lines: 100_000, log_bytes: 16 << 20, ..Limits::default() };
        let run = Run::start(scene.table.clone(), Selection::all(1), scene.call.clone(), limits.for_run(1, None));
        let mut executor = Executor::default();
        // boa has no regular expressions.
        let left_out = if engine == EngineKind::Boa { EXPRESSIONS } else { [""; 2] };
        let walk = left_out.iter().fold(WALK.to_owned(), |walk, part| walk.replace(part, ""));
        compile(&mut executor, 1, engine, &walk).unwrap();
        let report = executor.run(ProgramId(1), run);
        assert!(report.result.is_ok(), "{engine}: {:?}", report.result);
        let reached = report.log.join("\n") + "\n";
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reachable/{engine}.txt"));
        if std::env::var_os("POINTSMAN_UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &reached).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        let difference: Vec<String> = reached
            .lines()
            .filter(|line| !known.lines().any(|it| it == *line))
            .map(|line| format!("+ {line}"))
            .chain(known.lines().filter(|line| !reached.lines().any(|it| it == *line)).map(|line| format!("- {line}")))
            .collect();
        assert!(difference.is_empty(), "{engine}:\n{}", difference.join("\n"));
    }
}
