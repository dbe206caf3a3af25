//! What a program answers, and how it fails.

use pointsman::router::Limit;
use pointsman::script::RunError;

use super::stage::Stage;

#[test]
fn the_value_of_a_program_is_the_list() {
    for (text, expected) in [
        ("invokers", vec![0, 1, 2]),
        ("[]", vec![]),
        ("[invokers[2], invokers[0], invokers[2]]", vec![0, 2]),
        ("invokers.filter(|i| i.param(\"region\") == \"hangzhou\")", vec![0, 2]),
        ("let kept = []; for i in invokers { if i.url.protocol == \"tri\" { kept.push(i); } } kept", vec![2]),
        ("return invokers.filter(|i| i.url.host == \"10.0.0.2\");", vec![1]),
        ("fn near(i, region) { i.param(\"region\") == region } invokers.filter(|i| near(i, \"beijing\"))", vec![1]),
        ("fn near(i) { i.param(\"region\") == invocation.attachment(\"region\") } invokers.filter(near)", vec![0, 2]),
        ("let near = |i| i.param(\"region\") == invocation.attachment(\"region\"); invokers.filter(near)", vec![0, 2]),
        ("let r = invocation.attachment(\"region\"); invokers.filter(|i| i.param(\"region\") == r)", vec![0, 2]),
        (
            "let r = \"beijing\"; let kept = invokers.filter(|i| i.param(\"region\") == r); invokers = kept; invokers",
            vec![1],
        ),
        (
            "for r in [\"x\", \"beijing\"] { let k = invokers.filter(|i| i.param(\"region\") == r); if !k.is_empty() { return k; } } []",
            vec![1],
        ),
        ("invokers.remove(0); invokers", vec![1, 2]),
        ("let all = invokers; all.filter(|i| i != invokers[0])", vec![1, 2]),
        ("\u{feff}invokers", vec![0, 1, 2]),
    ] {
        assert_eq!(Stage::new().keeps(text), expected, "`{text}`");
    }
}

#[test]
fn a_route_that_is_only_declared_is_called_and_one_that_is_called_is_not_called_twice() {
    for (text, expected) in [
        ("fn route(invokers, invocation, context) { [invokers[1]] }", vec![1]),
        ("fn route(list, it) { if it.method == \"create\" { [list[0]] } else { list } }", vec![0]),
        ("fn route(list) { list.filter(|i| i.param(\"region\") == context.get(\"region\")) }", vec![0, 2]),
        ("fn route(list) { pick(list) } fn pick(list) { [list[2]] }", vec![2]),
        ("fn route(list) { print(\"once\"); list } route(invokers)", vec![0, 1, 2]),
        ("fn route(list) { [] } [invokers[0]]", vec![0]),
        ("[invokers[0], \"10.0.0.1:20880\"]", vec![0]),
        ("[[invokers[0]]]", vec![]),
    ] {
        let mut stage = Stage::new();
        assert_eq!(stage.keeps(text), expected, "`{text}`");
        assert!(stage.run(0).log.len() <= 1, "`{text}`");
    }
}

#[test]
fn what_is_no_list_of_invokers_is_told() {
    for (text, found) in [
        ("()", "nothing"),
        ("let x = 1;", "nothing"),
        ("7", "a number"),
        ("\"x\"", "a text"),
        ("true", "a truth value"),
        ("#{}", "a map"),
        ("invokers[0]", "a value of type `Invoker`"),
        ("|| 1", "a function"),
        ("fn route(a, b, c, d) { a }", "nothing"),
    ] {
        assert_eq!(Stage::new().fails(text), RunError::WrongResult { found: found.to_owned() }, "`{text}`");
    }
}

#[test]
fn failures_name_the_place_in_the_rule_and_nothing_of_the_host() {
    for (text, message, line, column) in [
        ("let a = 1;\n  throw \"no luck\";", "no luck", 2, 3),
        ("throw", "the script threw", 1, 1),
        ("\n\ninvokers.foo()", "Function not found: foo (array)", 3, 10),
        (
            "let u = invokers[0].url;\nu.nothing",
            "Unknown property 'nothing' - a getter is not registered for type 'Url'",
            2,
            3,
        ),
        ("invokers[9]", "Array index 9 out of bounds: only 3 elements in array", 1, 10),
        ("fn f(x) {\n  x.boom() }\nf(1)", "Function not found: boom (i64)", 2, 5),
        ("sleep(1)", "Function not found: sleep (i64)", 1, 1),
        ("1 / 0", "Division by zero: 1 / 0", 1, 3),
    ] {
        let expected = RunError::Failed { message: message.to_owned(), line: Some(line), column: Some(column) };
        assert_eq!(Stage::new().fails(text), expected, "`{text}`");
    }
    let RunError::Failed { message, .. } = Stage::new().fails("invokers[0].param(1, 2, 3)") else { panic!() };
    assert!(!message.contains("::"), "{message}");
}

#[test]
fn a_text_that_is_no_program_names_line_column_and_help() {
    for (text, line, column, message, help) in [
        ("let a = 1;\nlet = 2;", 2, 5, "variable", None),
        ("invokers.filter（|i| true）", 1, 16, "（", Some("U+FF08")),
        ("let s = “x”;", 1, 9, "“", Some("U+201C")),
        ("let\u{a0}x = 1; invokers", 1, 4, "", Some("U+00A0")),
        ("model", 1, 1, "model", Some("`invokers`")),
        ("fn f() { invokers.len() } f(); foo", 1, 32, "foo", Some("`invokers`")),
        ("eval(\"1\")", 1, 1, "eval", Some("reserved")),
        ("import \"x\" as y; invokers", 1, 1, "import", Some("reserved")),
        ("let a = [1, 2", 1, 14, "", Some("open")),
        ("let a = 1\nlet b = 2;", 2, 1, "", Some("`;`")),
        ("let r = 1; let f = |i| i == r; invokers.filter(f)", 1, 29, "outer variables", Some("filter(|i|")),
        ("let f = Fn(\"x\").curry(1); invokers", 1, 17, "curry", Some("closure")),
    ] {
        let error = Stage::new().compile(0, text).expect_err(text);
        assert_eq!((error.line, error.column), (Some(line), Some(column)), "{error:?} in `{text}`");
        assert!(error.message.contains(message), "{error:?} in `{text}`");
        assert!(help.is_none_or(|help| error.help.as_deref().unwrap_or("").contains(help)), "{error:?} in `{text}`");
    }
}

#[test]
fn limits_are_told_with_the_line() {
    let mut stage = Stage::new();
    stage.limits.operations = 1_000;
    let error = stage.fails("let x = 0;\nloop {\n x += 1; }");
    assert!(
        matches!(error, RunError::Limit { which: Limit::Operations, used: 1_001, allowed: 1_000, line: Some(2 | 3) }),
        "{error:?}"
    );
    let error = Stage::new().fails("fn f(n) {\n  1 + f(n + 1) }\nf(0)");
    assert!(matches!(error, RunError::Limit { which: Limit::CallDepth, allowed: 128, line: Some(_), .. }), "{error:?}");
    let error = Stage::new().fails("let s = \"x\"; \nloop { s += s; }");
    assert!(matches!(error, RunError::Limit { which: Limit::Memory, line: Some(2), .. }), "{error:?}");
    let mut stage = Stage::new();
    stage.limits.deadline = std::time::Duration::from_millis(5);
    let error = stage.fails("loop { try { loop {} } catch {} }");
    assert!(matches!(error, RunError::Limit { which: Limit::Deadline, line: Some(1), .. }), "{error:?}");
}

#[test]
fn a_rule_may_recurse_a_hundred_deep() {
    let text = "fn f(n) { if n == 0 { [] } else { f(n - 1) } } f(100)";
    assert_eq!(Stage::new().keeps(text), Vec::<usize>::new());
}
