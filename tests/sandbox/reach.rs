//! What a script reaches from inside a worker: no file, no socket, no process, no environment, no other rule.

use pointsman::router::Language;
use pointsman::script::ScriptSettings;
use pointsman::worker::Enforced;

use crate::hostile::pool;
use crate::room;
use crate::stage::Outcome;
use crate::stage::Stage;
use crate::stage::language;
use crate::storms::engines;

/// Attempts, each an expression or a block that would have a value if it came through.
fn attempts(language: Language) -> &'static [&'static str] {
    match language {
        Language::JavaScript => &[
            "require('fs').readFileSync('/etc/passwd')",
            "require('child_process').execSync('id')",
            "process.env.PATH",
            "process.exit(1)",
            "Deno.readTextFileSync('/etc/passwd')",
            "Java.type('java.io.File')",
            "new java.io.File('/etc/passwd').exists()",
            "java.lang.System.getenv('PATH')",
            "java.lang.Runtime.getRuntime().exec('id')",
            "new java.net.Socket('127.0.0.1', 80)",
            "Packages.java.lang.System.exit(1)",
            "load('/etc/passwd')",
            "read('/etc/passwd')",
            "readFile('/etc/passwd')",
            "std.open('/etc/passwd', 'r').readAsString()",
            "std.getenv('PATH')",
            "os.exec(['id'])",
            "os.open('/etc/passwd', 0)",
            "fetch('http://127.0.0.1/').then",
            "new XMLHttpRequest().open",
            "new WebSocket('ws://127.0.0.1/')",
            "new Worker('x')",
            "importScripts('x')",
            "new WebAssembly.Module(new Uint8Array(8))",
            "globalThis.process.env",
            "this.constructor.constructor('return process')().env",
            "[].constructor.constructor('return require')()('fs')",
            "setTimeout(function () {}, 1)",
        ],
        Language::Rhai => &[
            "import \"/etc/passwd\" as p; 1",
            "open_file(\"/etc/passwd\")",
            "read_file(\"/etc/passwd\")",
            "exec(\"id\")",
            "system(\"id\")",
            "env(\"PATH\")",
            "exit(1)",
            "connect(\"127.0.0.1:80\")",
            "eval(\"1\")",
            "sleep(1)",
        ],
        Language::Lua => &[
            "return io.open('/etc/passwd'):read('a')",
            "return io.popen('id'):read('a')",
            "return os.execute('id')",
            "return os.getenv('PATH')",
            "return os.exit(1)",
            "return os.remove('/nowhere')",
            "return os.tmpname()",
            "return require('socket')",
            "return require('@self/x')",
            "return package.path",
            "return package.loadlib('libc.so.6', 'system')",
            "return dofile('/etc/passwd')",
            "return loadfile('/etc/passwd')",
            "return load('return 1')()",
            "return loadstring('return 1')()",
            "return debug.getregistry()",
            "return string.dump(function() end)",
            "return newproxy(true)",
            "return getfenv(0)",
            "return setfenv(0, {})",
        ],
    }
}

#[test]
fn no_script_reaches_a_file_a_socket_a_process_or_the_environment() {
    let _room = room::shared();
    for engine in engines() {
        let pool = pool();
        let stage = Stage::new(engine, ScriptSettings::workers(pool.clone()));
        let language = language(engine).0;
        let mut wrong = Vec::new();
        for attempt in attempts(language) {
            // Whoever gets a value says so by the length of what is thrown; nobody is expected to come so far.
            let text = match language {
                Language::JavaScript => format!("var got = {attempt}; throw 'REACHED ' + got"),
                Language::Rhai => format!("let got = {{ {attempt} }}; throw \"REACHED \" + got"),
                Language::Lua => format!("local got = (function() {attempt} end)() error('REACHED ' .. tostring(got))"),
            };
            match stage.outcome(&text) {
                Outcome::Refused(_) => {}
                Outcome::Failed(message) if !message.contains("REACHED") => {}
                other => wrong.push(format!("{engine}: `{attempt}` came to {other:?}")),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // The refusals are the engine's: no worker had to be killed for a system call.
        assert_eq!(pool.status().restarts, 0, "{engine}");
    }
}

#[test]
fn one_rule_sees_nothing_of_another() {
    let _room = room::shared();
    for engine in engines() {
        let stage = Stage::new(engine, ScriptSettings::workers(pool()));
        let (leaves, looks) = match language(engine).0 {
            Language::JavaScript => (
                "left = 'behind'; try { Object.prototype.left = 'behind'; } catch (e) {} \
                 try { Array.prototype.map.left = 'behind'; } catch (e) {} invokers",
                "if (typeof left != 'undefined' || ({}).left || [].map.left) throw 'seen'; invokers",
            ),
            Language::Rhai => (
                "let left = \"behind\"; fn left() { 1 } invokers",
                "if is_def_var(\"left\") || is_def_fn(\"left\", 0) { throw \"seen\" } invokers",
            ),
            Language::Lua => (
                "left = 'behind' _G.left = 'behind' pcall(function() string.left = 'behind' end) \
                 pcall(function() getmetatable('').left = 'behind' end) return invokers",
                "if left or _G.left or string.left or (''):len() ~= 0 then error('seen') end return invokers",
            ),
        };
        for _ in 0..2 {
            assert_eq!(stage.outcome(leaves), Outcome::Kept(6), "{engine}");
            assert_eq!(stage.outcome(looks), Outcome::Kept(6), "{engine}");
        }
    }
}

#[test]
fn the_kernel_keeps_workers_in_or_the_status_says_what_it_lacks() {
    let _room = room::shared();
    let confinement = pool().status().confinement.unwrap();
    assert_eq!(confinement.seccomp, Enforced::Fully);
    // Kernels differ here; what is not there is said, not hidden.
    let has_landlock = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default().contains("landlock");
    if has_landlock {
        assert_ne!(confinement.landlock, Enforced::No);
    }
    assert_eq!(confinement.is_complete(), confinement.landlock == Enforced::Fully);
}
