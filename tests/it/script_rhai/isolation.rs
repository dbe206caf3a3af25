//! Runs and rules do not see one another.

use super::stage::Stage;

#[test]
fn nothing_a_run_does_is_seen_by_the_next() {
    let mut stage = Stage::new();
    let text = "let seen = []; if is_def_var(\"leak\") { seen.push(\"leak\"); } \
                if invokers.len() != 3 { seen.push(\"list\"); } \
                if invokers[0].url.host != \"10.0.0.1\" { seen.push(\"host\"); } \
                let p = invokers[0].url.params; if \"x\" in p { seen.push(\"params\"); } p.x = 1; \
                let a = invocation.attachments.to_map(); if \"x\" in a { seen.push(\"attachments\"); } a.x = 1; \
                let g = invocation.arguments.to_array(); if g.len() != 4 { seen.push(\"arguments\"); } g.push(1); \
                let c = [1]; if c.len() != 1 { seen.push(\"constant\"); } c.push(2); \
                let m = #{a: []}; if !m.a.is_empty() { seen.push(\"map\"); } m.a.push(1); \
                let leak = 1; invokers[0].url.host = \"evil\"; invokers.clear(); print(seen); []";
    for _ in 0..3 {
        assert_eq!(stage.report(text).log, ["[]"]);
    }
    assert_eq!(stage.keeps("invokers.filter(|i| i.url.host == \"10.0.0.1\")"), [0]);
}

#[test]
fn functions_of_one_rule_are_not_there_for_another() {
    let mut stage = Stage::new();
    stage
        .compile(
            1,
            "fn param(i, k) { \"evil\" } fn len(x) { 99 } fn to_string(x) { \"evil\" } fn mine() { 1 } invokers",
        )
        .unwrap();
    assert!(stage.run(1).result.is_ok());
    stage
        .compile(
            2,
            "print(invokers.len()); print(invokers[0].param(\"region\")); print(invokers[1].url.host); invokers",
        )
        .unwrap();
    assert_eq!(stage.run(2).log, ["3", "hangzhou", "10.0.0.2"]);
    stage.compile(3, "mine(); invokers").unwrap();
    assert!(stage.run(3).result.is_err());
}

#[test]
fn a_binding_is_shadowed_for_its_scope_only() {
    let mut stage = Stage::new();
    assert_eq!(
        stage.prints("{ let now = 5; print(now); } print(now.hour); fn f(context) { print(context) } f(3)"),
        "5;6;3"
    );
}

#[test]
fn a_good_rule_answers_after_one_that_was_stopped() {
    let mut stage = Stage::new();
    stage.limits.deadline = std::time::Duration::from_millis(5);
    stage.compile(1, "let leak = 1; invokers[0].url.host = \"x\"; loop {}").unwrap();
    assert!(stage.run(1).result.is_err());
    stage.limits.deadline = std::time::Duration::from_millis(400);
    assert_eq!(stage.keeps("invokers.filter(|i| i.url.host == \"10.0.0.1\")"), [0]);
}
