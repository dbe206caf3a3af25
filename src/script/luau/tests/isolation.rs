//! Nothing that a run does outlives it.

use std::sync::Arc;

use crate::router::Selection;
use crate::script::RunError;
use crate::script::luau::tests::support::Bench;
use crate::script::luau::tests::support::URLS;
use crate::script::luau::tests::support::table;

#[test]
fn globals_and_locals_begin_anew_in_every_run() {
    let mut bench = Bench::new();
    for text in [
        "if seen then return {} end seen = true return invokers",
        "if _G.seen then return {} end _G.seen = true return invokers",
        "local n = 0 function count() n += 1 return n end return if count() == 1 then invokers else {}",
        "for i, x in ipairs(invokers) do last = x end if before then return {} end before = last return invokers",
        "function ipairs2() end if rawget(_G, 'leak') then return {} end rawset(_G, 'leak', 1) return invokers",
        "invokers.mark = (invokers.mark or 0) + 1 return if invokers.mark == 1 then invokers else {}",
        "local a = invocation.attachments if a.leak then return {} end a.leak = '1' return invokers",
        "local a = invocation.arguments if a[9] then return {} end a[9] = '1' return invokers",
        "local p = invokers[1].url.params if p.leak then return {} end p.leak = '1' return invokers",
        "local t = invocation.parameter_types if t.leak then return {} end t.leak = '1' return invokers",
    ] {
        let id = bench.compile(text).unwrap();
        for _ in 0..3 {
            let words = bench.run(id).result.unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!(Selection::from_words(4, &words).count(), 4, "{text}");
        }
    }
    assert_eq!(bench.value("seen, leak, count, before, last"), "nil\tnil\tnil\tnil\tnil");
}

#[test]
fn what_is_written_to_a_url_is_seen_in_this_run_alone() {
    let mut bench = Bench::new();
    let text = "local url = invokers[1].url
        assert(url.host == '10.0.1.1' and url.port == 20880)
        url.host = 'x' url.port = nil url.mine = 7
        return if invokers[1].url.host == 'x' and url.port == nil and url.mine == 7 then { invokers[1] } else {}";
    let id = bench.compile(text).unwrap();
    assert_eq!(bench.run(id).result, Ok(vec![1]));
    assert_eq!(bench.run(id).result, Ok(vec![1]));
    assert_eq!(bench.value("invokers[1].url.host, invokers[1].url.port, invokers[1].url.mine"), "10.0.1.1\t20880\tnil");
}

#[test]
fn what_runs_share_cannot_be_changed() {
    let mut bench = Bench::new();
    for text in [
        "string.format = nil",
        "table.insert = function() end",
        "math.random = nil",
        "getmetatable('').__index = {}",
        "getmetatable('').__add = function() return 1 end",
        "rawset(string, 'x', 1)",
        "rawset(invokers[1], 'x', 1)",
        "rawset(invokers[1].url, 'x', 1)",
        "rawset(invocation, 'method', 1)",
        "setmetatable(invokers[1], {})",
        "setmetatable(invokers[1].url, {})",
        "setmetatable(invocation, {})",
        "setmetatable(_G, {})",
        "setmetatable(string, {})",
        "table.clear(invokers[1])",
        "table.clone(invokers[1].url).x = 1",
        "invokers[1].available = false",
        "invokers[1].param = print",
        "now.hour = 1",
        "context.get = print",
    ] {
        assert!(matches!(bench.error(text), RunError::Failed { .. }), "{text}");
    }
    assert_eq!(
        bench.value("getmetatable(invokers[1]), getmetatable(invocation), getmetatable(_G)"),
        "invoker\tinvocation\tfalse"
    );
}

#[test]
fn a_global_of_a_rule_hides_one_of_lua_for_this_run() {
    let mut bench = Bench::new();
    assert_eq!(
        bench
            .kept("function ipairs() return next, {}, nil end for _ in ipairs({1}) do return {} end return invokers")
            .len(),
        4
    );
    assert_eq!(bench.kept("local n = 0 for _ in ipairs({1, 2}) do n += 1 end return { invokers[n] }"), [1]);
}

#[test]
fn lists_are_kept_by_number_and_forgotten() {
    let mut bench = Bench::new();
    let id = bench.compile("return if invokers[1].url.host == '10.0.1.1' then invokers else {}").unwrap();
    assert_eq!(bench.run(id).result, Ok(vec![0b1111]));
    for number in 2..30 {
        bench.table = table(number, &["dubbo://9.9.9.9:1/S", "dubbo://10.0.1.1:1/S"]);
        bench.candidates = Selection::all(2);
        assert_eq!(bench.run(id).result, Ok(vec![0]));
    }
    bench.executor.forget_table(29);
    bench.table = table(29, &URLS);
    bench.candidates = Selection::all(4);
    assert_eq!(bench.run(id).result, Ok(vec![0b1111]));
    assert_eq!(Arc::strong_count(&bench.table), 1);
}

#[test]
fn two_rules_do_not_see_each_other() {
    let mut bench = Bench::new();
    let one = bench.compile("shared = 1 function helper() return {} end return invokers").unwrap();
    let other = bench.compile("return if shared or helper then {} else invokers").unwrap();
    for _ in 0..2 {
        assert_eq!(bench.run(one).result, Ok(vec![0b1111]));
        assert_eq!(bench.run(other).result, Ok(vec![0b1111]));
    }
}
