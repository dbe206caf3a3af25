//! Limits hold, are told apart, and cannot be caught.

use std::time::Duration;

use crate::router::Limit;
use crate::script::RunError;
use crate::script::luau::tests::support::Bench;

fn limit(text: &str) -> (Limit, Option<u32>) {
    limit_of(Bench::new(), text)
}

/// The limit that is hit where there is time enough.
fn limit_before_the_deadline(text: &str) -> Limit {
    let mut bench = Bench::new();
    bench.limits.deadline = Duration::from_secs(5);
    limit_of(bench, text).0
}

fn limit_of(mut bench: Bench, text: &str) -> (Limit, Option<u32>) {
    match bench.error(text) {
        RunError::Limit { which, line, used, allowed } => {
            assert!(used >= allowed, "{text}: {used} of {allowed}");
            assert_eq!(bench.kept("return { invokers[2] }"), [1], "after {text}");
            (which, line)
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_loop_without_end_hits_the_deadline_on_its_line() {
    for text in [
        "\nwhile true do end",
        "\nrepeat until false",
        "\nfor i = 1, math.huge do end",
        "\nwhile true do pcall(function() while true do end end) end",
        "\nwhile true do pcall(pcall, pcall, error) end",
        "\nxpcall(function() error('x') end, function() while true do end end)",
        "\nxpcall(function() while true do end end, function() return 1 end) while true do end",
        "\nlocal t = setmetatable({}, {__index = function() while true do end end}) return t.x",
        "\nreturn setmetatable({}, {__len = function() while true do end end}) .. 'x' .. #setmetatable({}, {__len = function() while true do end end})",
        "\ntable.sort({3, 2, 1}, function() while true do end end)",
        "\nstring.gsub('aaa', 'a', function() while true do end end)",
        "\nstring.find(string.rep('a', 60), string.rep('a?', 60) .. string.rep('a', 60))",
    ] {
        let text = if text.contains("..") && text.contains("__len") {
            "\nlocal n = #setmetatable({}, {__len = function() while true do end end})"
        } else {
            text
        };
        assert_eq!(limit(text), (Limit::Deadline, Some(2)), "{text}");
    }
}

#[test]
fn calls_inside_of_calls_are_bounded() {
    for text in [
        "local function f() return 1 + f() end return f()",
        "local function f() pcall(f) pcall(f) end f()",
        "local function f() return pcall(f) end f()",
        "local function f() table.sort({2, 1}, f) return true end f()",
        "local function f() return (string.gsub('a', 'a', f)) end f()",
        "local t t = setmetatable({}, {__tostring = function() return tostring(t) end}) return tostring(t)",
        "local t t = setmetatable({}, {__concat = function(a, b) return a .. b end}) return t .. t",
    ] {
        assert_eq!(limit_before_the_deadline(text), Limit::CallDepth, "{text}");
    }
    let shallow = "local function f(n) return if n == 0 then 0 else 1 + f(n - 1) end f(100) return invokers";
    assert_eq!(Bench::new().kept(shallow).len(), 4);
}

#[test]
fn memory_is_bounded_and_the_limit_cannot_be_caught() {
    for text in [
        "local s = 'x' while true do s = s .. s end",
        "local s = 'x' while true do pcall(function() s = s .. s end) end",
        "local s = 'x' xpcall(function() while true do s = s .. s end end, function() return 1 end) return invokers",
        "local t = table.create(1e7, 0) return invokers",
        "return string.rep('x', 2^29)",
    ] {
        assert_eq!(limit_before_the_deadline(text), Limit::Memory, "{text}");
    }
    let error = Bench::new().error("error('not enough memory')");
    assert!(matches!(error, RunError::Failed { .. }), "{error:?}");
}

#[test]
fn what_lists_take_does_not_count_against_the_run() {
    let urls: Vec<String> =
        (0..2_000).map(|i| format!("dubbo://10.0.{}.{}:1/S?k={}{i}", i / 250, i % 250, "v".repeat(200))).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut bench = Bench::over(&urls);
    bench.limits.memory_bytes = 256 << 10;
    let text = "local n = 0 for i = 1, #invokers do n += #invokers[i]:param('k') end return { invokers[1] }";
    assert_eq!(bench.kept(text), [0]);
    assert!(bench.report("local t = {} for i = 1, 1e5 do t[i] = i end return t").result.is_err());
}

#[test]
fn garbage_of_many_runs_is_no_limit() {
    let mut bench = Bench::new();
    let id = bench.compile("local t = {} for i = 1, 2e4 do t[i] = i .. 'x' end return invokers").unwrap();
    for round in 0..60 {
        assert_eq!(bench.run(id).result, Ok(vec![0b1111]), "round {round}");
    }
}

#[test]
fn a_log_is_bounded() {
    let report = Bench::new().report("for i = 1, 100 do print(string.rep('x', 1e4)) end return invokers");
    assert!(report.result.is_ok());
    assert!(report.log.iter().map(String::len).sum::<usize>() <= 4 << 10);
    assert!(report.log_left_out > 0);
}
