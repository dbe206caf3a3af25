//! The host API, member by member.

use crate::router::Input;
use crate::router::Selection;
use crate::script::RunError;
use crate::script::luau::tests::support::Bench;

#[test]
fn the_same_region_is_kept_in_natural_lua() {
    let text = "
        local region, kept = context:attachment('region'), {}
        for _, invoker in ipairs(invokers) do
            if invoker:param('region') == region then table.insert(kept, invoker) end
        end
        return if #kept > 0 then kept else invokers";
    let mut bench = Bench::new();
    assert_eq!(bench.kept(text), [0, 2]);
    let report = bench.report(text);
    assert_eq!(report.inputs, [Input::Attachment("region".into())]);
    assert_eq!((report.columns, report.impurity), (vec!["region".to_owned()], None));
}

#[test]
fn invokers_are_the_candidates_in_order_and_count_from_one() {
    let mut bench = Bench::new();
    assert_eq!(bench.value("#invokers, invokers[1].address, invokers[5]"), "4\t10.0.1.1:20880\tnil");
    bench.candidates = Selection::from_positions(4, [1, 3]);
    assert_eq!(bench.value("#invokers, invokers[1].address, invokers[2].address"), "2\t10.0.1.2:20880\t10.0.1.4");
    assert_eq!(bench.kept("return { invokers[2] }"), [3]);
}

#[test]
fn members_of_invokers_and_urls() {
    let mut bench = Bench::new();
    for (expression, expected) in [
        ("invokers[1].available", "true"),
        ("invokers[1]:param('region')", "hangzhou"),
        ("invokers[1]:param('none')", "nil"),
        ("invokers[1]:param('none', 'x'), invokers[2]:param('empty', 'x')", "x\tx"),
        ("invokers[2]:param('empty') == ''", "true"),
        ("invokers[2]:param('password'), invokers[2].url.params.password", "******\t******"),
        ("tostring(invokers[2])", "dubbo://10.0.1.2:20880/com.ex.BarService?region=beijing&empty=&password=******&a=b"),
        ("'at ' .. invokers[4]", "at 10.0.1.4"),
        ("invokers[1].url.host, invokers[1].url.port + 1, invokers[1].url.address", "10.0.1.1\t20881\t10.0.1.1:20880"),
        ("invokers[4].url.port, invokers[4].url.path", "nil\tnil"),
        ("invokers[3].url.protocol, invokers[3].url.path", "tri\tcom.ex.BarService"),
        ("invokers[1].url.service, invokers[1].url.group, invokers[1].url.version", "com.ex.BarService\tg\t1.0"),
        ("invokers[1].url.service_key", "g/com.ex.BarService:1.0"),
        ("invokers[1].url:param('weight') + 1", "101"),
        ("invokers[1].url:has_param('weight'), invokers[2].url:has_param('weight')", "true\tfalse"),
        ("invokers[1].url:method_param('find', 'timeout'), invokers[1].url:method_param('x', 'timeout')", "3\t1"),
        ("invokers[2].url.params.a, invokers[2].url.params.none", "b\tnil"),
        ("invokers[1].url.username, invokers[1].url.nonsense", "nil\tnil"),
    ] {
        assert_eq!(bench.value(expression), expected, "{expression}");
    }
}

#[test]
fn members_of_the_call() {
    let mut bench = Bench::new();
    for (expression, expected) in [
        ("invocation.method, invocation.target_method", "$invoke\tfind"),
        ("invocation.service", "com.ex.BarService"),
        ("invocation.parameter_types[2], #invocation.parameter_types", "java.lang.String\t2"),
        ("invocation.arguments[1] + 1, invocation.arguments[2], #invocation.arguments", "8\tabc\t4"),
        ("invocation.arguments[3][1], invocation.arguments[3][2], invocation.arguments[3][3]", "true\tnil\t1.5"),
        ("invocation.arguments[4].id, invocation.arguments[5], invocation.arguments[0]", "42\tnil\tnil"),
        ("invocation:attachment('user'), invocation:attachment('x'), invocation:attachment('x', 'd')", "ann\tnil\td"),
        ("context:attachment('user'), context:get('user'), context.attachments.user", "ann\tann\tann"),
        ("now.weekday, now.hour, now.minute, now.ms", "1\t6\t30\t1764541815250"),
        ("os.time(), os.date('%H:%M'), os.date('!%H:%M'), os.clock()", "1764541815\t06:30\t22:30\t1764541815.25"),
    ] {
        assert_eq!(bench.value(expression), expected, "{expression}");
    }
}

#[test]
fn no_more_is_recorded_than_was_read() {
    let mut bench = Bench::new();
    for (text, inputs) in [
        ("return invokers", vec![]),
        ("local x = invocation.arguments[2] return invokers", vec![Input::TypedArgument(1)]),
        ("local x = #invocation.arguments return invokers", vec![Input::ArgumentCount]),
        ("local x = invocation.attachments.user return invokers", vec![Input::Attachment("user".into())]),
        ("local x = context.attachments for k in pairs(x) do end return invokers", vec![Input::Attachments]),
        ("local x = invocation.method return invokers", vec![Input::Method]),
        ("local x = invocation.target_method return invokers", vec![Input::TargetMethod]),
    ] {
        let report = bench.report(text);
        assert_eq!((report.inputs, report.impurity), (inputs, None), "{text}");
    }
    let clock = bench.report("local x = now.hour + now.weekday return invokers");
    assert_eq!((clock.inputs.len(), clock.impurity), (2, None));
}

#[test]
fn chance_fine_clocks_logs_and_orders_by_address_make_a_run_impure() {
    let mut bench = Bench::new();
    for (text, is_impure) in [
        ("local x = math.random() return invokers", true),
        ("local x = math.random(3) return invokers", true),
        ("local x = now.ms return invokers", true),
        ("local x = os.time() return invokers", true),
        ("local x = os.time({year=2020,month=1,day=1}) return invokers", false),
        ("print('x') return invokers", true),
        ("local s = {} s[invokers[1]] = 1 for k in pairs(s) do end return invokers", true),
        ("local s = {} s[invokers[1]] = 1 for k in s do end return invokers", true),
        ("local s = {} s[invokers[1]] = 1 local k = next(s) return invokers", true),
        ("local s = {} s[print] = 1 for k in next, s do end return invokers", true),
        ("local s = {a=1,[2]=3} for k in s do end for k in pairs(s) do end return invokers", false),
        ("for _, i in invokers do end for _, i in ipairs(invokers) do end return invokers", false),
        ("local s = {[invokers[1]] = true} return if s[invokers[1]] then invokers else {}", false),
    ] {
        let report = bench.report(text);
        assert!(report.result.is_ok(), "{text}: {:?}", report.result);
        assert_eq!(report.impurity.is_some(), is_impure, "{text}: {:?}", report.impurity);
    }
}

#[test]
fn draws_are_within_their_bounds_and_follow_the_seed() {
    let mut bench = Bench::new();
    let text = "for i = 1, 200 do local a, b, c = math.random(), math.random(5), math.random(-3, 3) \
                assert(a >= 0 and a < 1 and b >= 1 and b <= 5 and c >= -3 and c <= 3 and c % 1 == 0) end return invokers";
    assert_eq!(bench.kept(text).len(), 4);
    let first = bench.value("math.random(1000000)");
    assert_eq!(bench.value("math.random(1000000)"), first);
    bench.call.seed = 2;
    assert_ne!(bench.value("math.random(1000000)"), first);
}

#[test]
fn answers_may_repeat_and_come_in_any_order_and_strangers_are_dropped() {
    let mut bench = Bench::new();
    for (text, expected) in [
        ("return invokers", vec![0, 1, 2, 3]),
        ("return {}", vec![]),
        ("return { invokers[3], invokers[1], invokers[3] }", vec![0, 2]),
        ("return { invokers[2], 'x', 7, invokers[2].url }", vec![1]),
        ("table.remove(invokers, 1) return invokers", vec![1, 2, 3]),
        ("table.sort(invokers, function(a, b) return a.address > b.address end) return { invokers[1] }", vec![3]),
        ("function route(i, call, ctx) return { i[1] } end return route(invokers)", vec![0]),
        ("function route(i, call, ctx) assert(call.method and ctx.get) return { i[2] } end", vec![1]),
        ("local function route(i) return { i[2] } end -- no call", vec![1]),
    ] {
        assert_eq!(bench.kept(text), expected, "{text}");
    }
}

#[test]
fn an_answer_that_is_no_list_says_what_it_is() {
    let mut bench = Bench::new();
    for (text, expected) in [
        ("", "nil"),
        ("return nil", "nil"),
        ("return true", "a boolean"),
        ("return 7", "a number"),
        ("return 'x'", "a text"),
        ("return print", "a function"),
        ("return invokers[1]", "an invoker"),
        ("return invokers[1].url", "a URL"),
        ("return { [invokers[1]] = true }", "a table with keys, which is no list"),
        ("return setmetatable({}, { __index = invokers })", "a table with a metatable, which is no list"),
        ("function route() end", "nil"),
        ("function route() return 1 end local x = route()", "nil"),
    ] {
        assert_eq!(bench.error(text), RunError::WrongResult { found: expected.to_owned() }, "{text}");
    }
}

#[test]
fn failures_tell_the_rules_own_line_and_nothing_of_the_machine() {
    let mut bench = Bench::new();
    for (text, line, message) in [
        ("\n\nerror('boom')", Some(3), "boom"),
        ("local x\nreturn x.y", Some(2), "attempt to index nil with 'y'"),
        ("\nreturn invokers[1].param('region')", Some(2), "write invoker:param(…), with a colon"),
        ("\nreturn invokers[1]:param(7)", Some(2), "param takes the name of a parameter, not a number"),
        ("\nreturn invocation.attachment('a')", Some(2), "write invocation:attachment(…), with a colon"),
        ("\ninvokers[1].url2 = 1", Some(2), "invoker.url2 cannot be set: invoker is read-only"),
        ("\ninvocation.method = 'x'", Some(2), "invocation.method cannot be set: invocation is read-only"),
        ("\nstring.find()", Some(2), "invalid argument #1 to 'find' (string expected, got nil)"),
        ("\nlocal t = {1, 'x'} table.sort(t)", Some(2), "attempt to compare string < number"),
        ("error({})", None, "the error is a table"),
        ("\nreturn require('fs')", Some(2), "attempt to call a nil value"),
    ] {
        match bench.error(text) {
            RunError::Failed { message: found, line: at, .. } => {
                assert_eq!(found, message, "{text}");
                assert!(line.is_none() || at == line, "{text}: line {at:?}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn texts_show_no_addresses() {
    let mut bench = Bench::new();
    for (expression, expected) in [
        ("{}, print, tostring({}), string.format('%s', {}), `{ {1} }`", "table\tfunction\ttable\ttable\ttable"),
        ("('%*'):format(print), invokers[4], invocation, now", "function\t10.0.1.4\tinvocation\tnow"),
        ("setmetatable({}, {__tostring = function() return 'mine' end})", "mine"),
        ("string.format('%d %5.2f %q', 7, 1.5, 'x'), `{1 + 1} {nil}`", "7  1.50 \"x\"\t2 nil"),
    ] {
        assert_eq!(bench.value(expression), expected, "{expression}");
    }
}

#[test]
fn the_library_does_what_lua_does() {
    let mut bench = Bench::new();
    for (expression, expected) in [
        ("pcall(error, 'x')", "false\tx"),
        ("pcall(function(a, b) return a + b, nil, 3 end, 1, 2)", "true\t3\tnil\t3"),
        ("xpcall(function() error('x', 0) end, function(m) return m .. '!' end)", "false\tx!"),
        ("xpcall(function(a) return a end, print, 5)", "true\t5"),
        ("string.find('a.b', '.', 1, true), ('abc'):find('b'), ('abc'):find('(b)(c)')", "2\t2\t2\t3\tb\tc"),
        ("string.find(string.rep('ab', 3e3) .. 'xyz', 'xyz' , 2, true)", "6001\t6003"),
        ("string.find(string.rep('a', 2e6) .. 'xyz', 'xyz')", "2000001\t2000003"),
        ("string.find(string.rep('a', 2e6), 'xyz', -5, true)", "nil"),
        ("table.concat(string.split('a,b,,c', ','), '|'), #string.split('', ',')", "a|b||c\t1"),
        ("#string.split(string.rep('ab', 6000), string.rep('ba', 50))", "120"),
        ("table.concat(table.move({1, 2, 3}, 1, 3, 2), ',')", "1,1,2,3"),
        ("next({}), next({5}), rawlen({1, 2}), select('#', unpack({1, nil, 3}, 1, 3))", "nil\t1\t2\t3"),
        ("bit32.band(6, 3), utf8.len('é'), math.floor(1.5), tonumber('0x10')", "2\t1\t1\t16"),
        ("os.time({year = 2020, month = 1, day = 1, hour = 0}), os.date('*t', 0).hour", "1577836800\t8"),
    ] {
        assert_eq!(bench.value(expression), expected, "{expression}");
    }
    let sorted = "local t = {} for i = 1, 3000 do t[i] = (i * 7919) % 3001 end table.sort(t) \
                  for i = 2, #t do assert(t[i - 1] <= t[i]) end return invokers";
    assert_eq!(bench.kept(sorted).len(), 4);
}
