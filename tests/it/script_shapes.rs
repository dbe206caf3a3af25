//! Scripts as people have written them for Dubbo, in our own words: each runs unmodified, or is refused with a hint.

use pointsman::router::Limit;
use pointsman::rpc::RpcInvocation;
use pointsman::script::EngineKind;
use pointsman::script::RunError;

use crate::support::script::Outcome;
use crate::support::script::Scene;
use crate::support::script::javascript_engines;

/// Four providers on two hosts, and a call `order(7, "x")` from region A.
fn scene() -> Scene {
    let call = RpcInvocation::new("com.foo.BarService", "order")
        .with_argument("int", 7)
        .with_argument("java.lang.String", "x");
    let call = call.with_attachment("region", "A");
    Scene::new(
        &[
            "dubbo://10.20.3.3:20880/com.foo.BarService?region=A",
            "dubbo://10.20.3.4:20880/com.foo.BarService?region=B",
            "dubbo://10.20.3.3:20000/com.foo.BarService?region=B",
            "dubbo://10.20.3.5:20000/com.foo.BarService",
        ],
        &call,
    )
}

/// Each script of a table keeps what the table says, on each engine.
fn keep(cases: &[(&str, &[usize])]) {
    for engine in javascript_engines() {
        for (script, wanted) in cases {
            assert_eq!(scene().run(engine, script), Outcome::Kept(wanted.to_vec()), "{engine}: {script}");
        }
    }
}

/// The script fails, or does not compile; what is said contains `words`.
fn fails_with(script: &str, words: &str) {
    for engine in javascript_engines() {
        let said = match scene().run(engine, script) {
            Outcome::Refused(error) => format!("{} {}", error.message, error.help.unwrap_or_default()),
            Outcome::Failed(error) => format!("{error:?}"),
            Outcome::Kept(kept) => panic!("{engine}: `{script}` kept {kept:?}"),
        };
        assert!(said.contains(words), "{engine}: `{script}` says {said}, not {words}");
    }
}

/// A loop that keeps one host, with the loop variable undeclared.
const KEEP_HOST: &str = r#"function route(invokers, invocation, context) {
    var kept = new java.util.ArrayList(invokers.size());
    for (i = 0; i < invokers.size(); i++) {
        if ("10.20.3.3".equals(invokers.get(i).getUrl().getHost())) {
            kept.add(invokers.get(i));
        }
    }
    return kept;
}"#;

#[test]
fn one_host_is_kept_by_a_function_that_is_called_where_it_stands() {
    keep(&[
        (&format!("({KEEP_HOST} (invokers, invocation, context)); // 表示只保留这台机器"), &[0, 2]),
        (&format!("({KEEP_HOST})(invokers, invocation, context)"), &[0, 2]),
        (
            &KEEP_HOST.replacen("(i = 0", "(var i = 0", 1).replace("invokers, invocation, context) {", "invokers) {"),
            &[0, 2],
        ),
    ]);
}

#[test]
fn a_declaration_before_a_list_in_brackets_is_not_called() {
    keep(&[(&format!("{KEEP_HOST} (invokers);"), &[0, 1, 2, 3])]);
}

#[test]
fn a_text_printed_with_full_width_brackets_is_refused_with_the_right_ones() {
    fails_with("（function route(invokers) { return invokers; }）", "U+FF08");
    fails_with("（function route(invokers) { return invokers; }）", "write `(`");
    fails_with("invokers.filter(i => i.url.host == “10.20.3.3”)", "write `\"`");
    fails_with("var\u{a0}x = 1; invokers", "ordinary space");
}

#[test]
fn available_providers_are_kept_by_a_declaration_and_a_call() {
    let script = |test: &str| {
        format!(
            "function route(invokers, invocation, context) {{
                var result = new java.util.ArrayList(invokers.size());
                for (i = 0; i < invokers.size(); i++) {{
                    if ({test}invokers.get(i).isAvailable()) {{ result.add(invokers.get(i)); }};
                }}
                return result;
            }};
            route(invokers, invocation, context);"
        )
    };
    keep(&[(&script(""), &[0, 1, 2, 3]), (&script("!"), &[])]);
}

#[test]
fn a_method_is_compared_with_a_blank_before_the_dot() {
    keep(&[(
        "function route(invokers, invocation, context) {
            var result = new java.util.ArrayList();
            if (invokers.size() > 1 && invocation.getMethodName() .equals(\"order\")) { result.add(invokers.get(0)); }
            else { result.add(invokers.get(1)); }
            return result;
        }
        route(invokers, invocation, context)",
        &[0],
    )]);
}

#[test]
fn a_declared_route_is_called_where_the_text_comes_to_no_list() {
    keep(&[
        ("\"use strict\";\nfunction route(list) { return [list[1]]; }", &[1]),
        ("var limit; limit = 5;\nfunction route(list) { return [list[1]]; }", &[1]),
        ("function route(list) { return [list[1]]; }\nroute.limit = 5;", &[1]),
        ("log('x');\nfunction route(list) { return [list[1]]; }", &[1]),
        ("function route(list) { return [list[1]]; }\ninvokers;", &[0, 1, 2, 3]),
        ("function route(list) { return [list[1]]; }\nfunction main() { return route(invokers); }\nmain();", &[1]),
    ]);
}

#[test]
fn an_element_that_a_function_answers_for_is_asked() {
    keep(&[(
        "var a = [invokers[1]]; Object.defineProperty(a, 1, { get: function () { return invokers[0]; } }); a",
        &[0, 1],
    )]);
}

#[test]
fn words_of_old_scripts_are_there() {
    keep(&[
        (
            "var shared = { a: 1 }; var outer = { b: { toJSON: function () { return JSON.stringify(shared); } }, c: shared, d: shared };
             JSON.stringify(outer) === '{\"b\":\"{\\\\\"a\\\\\":1}\",\"c\":{\"a\":1},\"d\":{\"a\":1}}' ? [invokers[0]] : []",
            &[0],
        ),
        ("invokers.get(0).getUrl().getHost().substr(-3, 2) === '3.' ? [invokers[0]] : []", &[0]),
        (
            "invokers.get(0).url.ip === '10.20.3.3' && invocation.methodName === invocation.getMethodName() ? [invokers[0]] : []",
            &[0],
        ),
        (
            "invokers.get(0).url.serviceKey === invokers[0].getUrl().getServiceKey() && invokers[0].url.parameters.get('region') === 'A' ? [invokers[0]] : []",
            &[0],
        ),
        ("' a'.trimLeft() + 'b '.trimRight() === 'ab' ? [invokers[0]] : []", &[0]),
        ("invokers.get(0).equals(invokers[0]) && !invokers.get(0).equals(invokers[1]) ? [invokers[0]] : []", &[0]),
        (
            "invokers[0].getUrl().equals(invokers[0].url) && invokers[0].hashCode() === invokers[0].hashCode() ? [invokers[0]] : []",
            &[0],
        ),
        ("var made = {}; made.made = made; try { JSON.stringify(made) } catch (e) { [invokers[0]] }", &[0]),
    ]);
}

#[test]
fn a_declaration_and_a_call_share_a_line() {
    keep(&[
        ("function route(op1, op2) { return op1 } route(invokers)", &[0, 1, 2, 3]),
        ("function route(op1,op2){if (op2 === undefined) return op1; return []} route(invokers)", &[0, 1, 2, 3]),
    ]);
}

#[test]
fn hosts_stand_in_a_list_of_java() {
    let script = "function route(invokers, invocation, context) {
        var result = new java.util.ArrayList(invokers.size());
        var targetHost = new java.util.ArrayList();
        targetHost.add(\"10.20.3.4\");
        targetHost.add(\"10.20.3.5\");
        for (var i = 0; i < invokers.length; i++) {
            if (targetHost.contains(invokers[i].getUrl().getHost())) { result.add(invokers[i]); }
        }
        return result;
    }
    route(invokers, invocation, context)";
    keep(&[(script, &[1, 3])]);
    let endless = script.replace("i++", "");
    for engine in javascript_engines() {
        let outcome = scene().run(engine, &endless);
        let is_stopped = matches!(
            outcome,
            Outcome::Failed(RunError::Limit { which: Limit::Deadline | Limit::Operations | Limit::Memory, .. })
        );
        assert!(is_stopped, "{engine}: {outcome:?}");
    }
}

#[test]
fn a_port_is_a_number_for_java_and_a_text_for_go() {
    keep(&[
        ("invokers.filter(function (i) { return '20880'.equals(i.getUrl().getPort()); })", &[]),
        ("invokers.filter(function (i) { return i.getUrl().getPort() == 20880; })", &[0, 1]),
        ("invokers.filter(function (i) { return i.GetURL().Port === '20880'; })", &[0, 1]),
    ]);
}

#[test]
fn a_route_that_nothing_calls_is_called() {
    keep(&[
        (
            "function route(invokers, invocation) {
                var id = invocation.getArguments()[0];
                if (id % 2 == 0) return invokers;
                var result = new java.util.ArrayList();
                for (var i = 0; i < invokers.size(); i++)
                    if (invokers.get(i).getUrl().getParameter(\"region\") == \"A\") result.add(invokers.get(i));
                return result;
            }",
            &[0],
        ),
        (
            "var calls = 0; function route(list) { calls++; return calls == 1 ? list : []; } route(invokers)",
            &[0, 1, 2, 3],
        ),
    ]);
}

#[test]
fn a_debug_print_of_a_url_goes_to_the_log_and_an_unknown_binding_fails() {
    let script = "function route(invokers) { java.lang.System.err.println('at ' + invokers.get(0).getUrl()); return invokers; } route(invokers)";
    for engine in javascript_engines() {
        let report = scene().report(engine, script);
        assert_eq!(report.log, ["at dubbo://10.20.3.3:20880/com.foo.BarService?region=A"], "{engine}");
        assert!(report.result.is_ok() && report.impurity.is_some(), "{engine}");
    }
    fails_with("function route(invokers, model) { return model.x; } route(invokers, model)", "model");
}

#[test]
fn an_attack_fails() {
    for script in [
        "(function () { return this.engine.factory.scriptEngine.eval('1'); })()",
        "this.engine.factory.scriptEngine.eval('1')",
        "(function () { java.lang.Runtime.getRuntime().exec('id'); return invokers; })()",
        "Java.type('java.lang.Runtime')",
        "Java.type('java.lang.ProcessBuilder')",
        "Packages.java.lang.Runtime",
        "load('nope.js')",
        "quit()",
        "exit(0)",
        "eval('invokers')",
        "Function('return 1')()",
        "(function () {}).constructor('return 1')()",
        "(function* () {}).constructor('return 1')()",
        "[].filter.constructor('return 1')()",
        "new Function('return 1')",
        "require('console')",
        "importPackage(java.util)",
        "process.exit(1)",
        "globalThis.constructor.constructor('return 1')()",
        "invokers.get(0).getClass().getClassLoader()",
        "java.lang.System.getProperty('user.dir'); invokers",
        "java.lang.Thread.sleep(1000); invokers",
        "setTimeout(function () {}, 1)",
        "import('x')",
        "import x from 'y'",
    ] {
        fails_with(script, "");
    }
}

#[test]
fn go_idioms_read_and_write_urls() {
    keep(&[
        (
            "(function route(invokers, invocation, context) {
                var result = [];
                for (var i = 0; i < invokers.length; i++) {
                    if ('10.20.3.3' === invokers[i].GetURL().Ip) {
                        if (invokers[i].GetURL().Port !== '20000') {
                            invokers[i].GetURL().Ip = 'anotherIP';
                            result.push(invokers[i]);
                        }
                    }
                }
                return result;
            }(invokers, invocation, context));",
            &[0],
        ),
        (
            "(function route(invokers) {
                var result = [];
                for (var i = 0; i < invokers.length; i++) {
                    invokers[i].GetURL().Port = '20001';
                    if (invokers[i].GetURL().Port === '20001' && invokers[i].getUrl().getPort() === 20001) result.push(invokers[i]);
                }
                return result;
            }(invokers));",
            &[0, 1, 2, 3],
        ),
        (
            "(function (invokers, invocation, context) {
                if (!invokers || invokers.length === 0) return [];
                return invokers.filter(function (invoker) { var url = invoker.GetURL(); return url && url.Port === '20000'; });
            })(invokers, invocation, context);",
            &[2, 3],
        ),
    ]);
    fails_with(
        "(function (invokers) { return invokers.filter(function (i) { return i.GetURLS().Ip; }); }(invokers))",
        "not a function",
    );
}

#[test]
fn a_console_template_with_arguments_keeps_all_and_without_them_fails() {
    keep(&[(
        "(function route(invokers, invocation, context) { return invokers; }(invokers, invocation, context))",
        &[0, 1, 2, 3],
    )]);
    fails_with("(function route(invokers, invocation, context) { return invokers; })()", "undefined");
}

#[test]
fn what_is_no_program_is_refused_where_it_goes_wrong() {
    for engine in javascript_engines() {
        for (script, line, column) in [
            ("/", 1, 1),
            ("var a = 1;\nvar x = ;", 2, 9),
            ("invokers.filter(\n", 1, 16),
            ("var 甲 = 1; var x = ;", 1, 20),
            ("", 1, 1),
            ("for each (x in invokers) {}", 1, 1),
            ("invokers.filter(function (i) i.isAvailable())", 1, 17),
        ] {
            let Outcome::Refused(error) = scene().run(engine, script) else { panic!("{engine}: `{script}` compiles") };
            assert_eq!((error.line, error.column), (Some(line), Some(column)), "{engine}: `{script}` {error:?}");
        }
    }
}

#[test]
fn a_failure_says_where_in_the_rule_s_own_lines() {
    for engine in javascript_engines() {
        for (script, line, column) in [
            ("var a = 1;\n  foo.bar", 2, 3),
            ("x = 1; foo()", 1, 8),
            ("function f() {\n    return nothing();\n}\nf()", 2, 12),
            ("try { nothing() } catch (e) { throw e } finally { }", 1, 7),
            ("if (1) { foo() }", 1, 10),
        ] {
            let Outcome::Failed(RunError::Failed { line: at, column: from, message }) = scene().run(engine, script)
            else {
                panic!("{engine}: `{script}` runs")
            };
            assert_eq!(at, Some(line), "{engine}: `{script}` {message} {from:?}");
            assert!(from.is_some_and(|from| from.abs_diff(column) <= 5), "{engine}: `{script}` {message} {from:?}");
        }
    }
}

#[test]
fn the_value_of_a_text_is_that_of_its_last_statement() {
    let first: &[usize] = &[0];
    keep(&[
        ("while (false) {} [invokers[0]]", first),
        ("[invokers[0]]; var later = 1; function f() {}", first),
        ("if (invokers.size() > 1) { [invokers[0]] } else { null }", first),
        ("if (false) null; else if (true) [invokers[0]]; else null", first),
        ("try { null.x } catch (e) { [invokers[0]] } finally { 1 }", first),
        ("try { throw 1 } catch { [invokers[0]] }", first),
        ("for (i = 0; i < 1; i++) { [invokers[i]] }", first),
        ("switch (2) { case 1: null; break; case 2: [invokers[0]]; break; default: null }", first),
        ("do { [invokers[0]] } while (false)", first),
        ("label: { [invokers[0]] }", first),
        ("{ [invokers[0]] }", first),
        ("var f = function () { return [invokers[0]] }\nf()", first),
        ("var a = 4 / 2; var b = '/}/'.length / 3 - 1;\n[invokers[b]]", first),
        ("var t = `a${ `b${ 1 }` }}`\n;[invokers[t.length - 4]]", first),
        ("[a, b] = [0, 1]; [invokers[a]]", first),
        ("({ a } = { a: 0 }); [invokers[a]]", first),
        ("total = 0; invokers.forEach(function () { total += 1 }); [invokers[total - 4]]", first),
        ("for (k in { a: 1 }) last = k; last == 'a' ? [invokers[0]] : null", first),
        ("invokers = [invokers[0]]; invokers", first),
        ("let invokers = []; invokers", &[]),
        ("return [invokers[0]]", first),
        ("'use strict'; [invokers[0]]", first),
        ("const route = list => [list[0]]", first),
    ]);
    for engine in javascript_engines() {
        let outcome = scene().run(engine, "var a = 4 / 2; var b = /}/.test('}') ? 0 : 1;\n[invokers[b]]");
        match outcome {
            // boa's expressions backtrack without a bound.
            Outcome::Refused(error) if engine == EngineKind::Boa => {
                assert!(error.help.is_some_and(|help| help.contains("engine=quickjs")));
            }
            outcome => assert_eq!(outcome, Outcome::Kept(vec![0]), "{engine}"),
        }
    }
    fails_with("'use strict'; y = 1; invokers", "y");
    fails_with("never_assigned; invokers", "never_assigned");
}
