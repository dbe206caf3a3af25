//! An explanation is readable at 80 columns, with 1,000 providers, and tells no secret.

use super::*;
use crate::diagnostics::Mask;

fn step(reasons: Vec<Reason>, effect: Effect, candidates: usize, selected: usize) -> Step {
    Step {
        name: Some("same-region".to_owned()),
        kind: "condition".to_owned(),
        file: Some("rules/region.rules".to_owned()),
        line: Some(7),
        rule: Some("method=create => region=$region".to_owned()),
        priority: 0,
        is_forced: false,
        on_error: "pass",
        reasons,
        effect,
        candidates,
        selected,
        removed: (0..candidates.saturating_sub(selected).min(3))
            .map(|at| format!("dubbo://10.2.0.{at}:20880"))
            .collect(),
        removed_count: candidates.saturating_sub(selected),
    }
}

fn explanation(steps: Vec<Step>, kept: usize) -> Explanation {
    Explanation {
        service: "com.shop.OrderService".to_owned(),
        method: "create".to_owned(),
        consumer: "consumer://10.1.0.9/com.shop.OrderService?application=shop-web&region=hangzhou&side=consumer"
            .to_owned(),
        generation: 1,
        seed: 0,
        total: 1_000,
        steps,
        not_asked: 0,
        kept: (0..kept).map(|at| format!("dubbo://10.1.0.{at}:20880/com.shop.OrderService?region=hangzhou")).collect(),
        telling: vec!["region".to_owned()],
        unmemoisable: None,
    }
}

#[test]
fn every_step_says_who_what_and_why() {
    let mismatch = Reason::Mismatch {
        key: "application".to_owned(),
        seen: Some("shop-web".to_owned()),
        wanted: "application=shop-gray".to_owned(),
    };
    let steps = vec![
        step(vec![Reason::Matched], Effect::Narrowed, 1_000, 400),
        step(vec![mismatch], Effect::Passed, 400, 400),
        step(vec![Reason::Matched], Effect::Fallback, 400, 400),
    ];
    let text = explanation(steps, 400).render(Layout::HUMAN);
    for expected in [
        "  1 same-region (rules/region.rules:7)",
        "1000 -> 400\n",
        "    method=create => region=$region\n    matched\n",
        "    removed dubbo://10.2.0.0:20880, dubbo://10.2.0.1:20880,\n    dubbo://10.2.0.2:20880 and 597 more\n",
        "    no match: application is `shop-web`, wanted `application=shop-gray`\n",
        "(fallback)",
        "Result: 400 of 1000 providers\n  dubbo://10.1.0.0:20880 region=hangzhou\n",
        "  and 380 more (`--format plain` lists all)\n",
    ] {
        assert!(text.contains(expected), "{expected:?} in\n{text}");
    }
}

#[test]
fn no_line_is_wider_than_80_columns() {
    let long = Reason::Mismatch { key: "k".repeat(50), seen: Some("s".repeat(500)), wanted: "w".repeat(500) };
    let text = explanation(vec![step(vec![long], Effect::Passed, 1_000, 1_000)], 1_000).render(Layout::HUMAN);
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{widest:?}\n{text}");
    assert!(text.lines().count() < 40, "{text}");
}

#[test]
fn secrets_in_reasons_are_masked() {
    let reason = Reason::Mismatch {
        key: "attachments[token]".to_owned(),
        seen: Some("abc123".to_owned()),
        wanted: "attachments[token]=def456".to_owned(),
    };
    let shown = explanation(vec![step(vec![reason], Effect::Passed, 1, 1)], 1).masked(&Mask::default());
    let text = shown.render(Layout::PLAIN);
    assert!(!text.contains("abc123") && !text.contains("def456"), "{text}");
}

#[test]
fn the_short_form_names_the_rules_that_decided() {
    let steps =
        vec![step(vec![Reason::Matched], Effect::Narrowed, 12, 4), step(vec![Reason::Matched], Effect::Passed, 4, 4)];
    let text = explanation(steps, 1).render_short(Layout::HUMAN);
    assert!(text.ends_with("\nDecided by\n  same-region (rules/region.rules:7): 12 -> 4\n"), "{text}");
}
