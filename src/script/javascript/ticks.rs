//! Puts a call at the beginning of each function of a rule, for an engine that has no other place to read the clock.

use std::collections::BTreeSet;

use super::completion::Insertion;
use super::fault::Fault;
use super::fault::FaultKind;
use super::statement::goes_on;
use super::token::Token;
use super::token::TokenKind;

/// Heads of statements whose braces are no function's, unless a method is called so.
const HEADS: [&str; 5] = ["if", "while", "for", "with", "catch"];

/// More steps on end than no hand writes: boa's parser goes over all of a chain again for each of them.
const MOST_STEPS: usize = 1_000;

/// More functions than this, or twice as many names: boa compares each with each.
const MOST_FUNCTIONS: usize = 1_000;

/// Checks for what boa's parser takes too long for.
///
/// # Errors
///
/// A chain that is too long (`a.b.c…`, `f()()()…`, `x += y += …`), too many functions, too many names.
pub(super) fn scan(tokens: &[Token<'_>]) -> Result<(), Fault> {
    // PERF: fewer tokens hold too few of anything (`script/compile`).
    if tokens.len() <= MOST_STEPS.min(MOST_FUNCTIONS) {
        return Ok(());
    }
    let too_many = |start: usize, what, most| Err(Fault::at(start, FaultKind::TooMany { what, most }));
    let (mut names, mut functions) = (BTreeSet::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        functions += usize::from(token.is("=>") || (token.is("{") && is_function(tokens, at)));
        if token.is_word() {
            names.insert(token.text);
        }
        if functions > MOST_FUNCTIONS {
            return too_many(token.start, "functions", MOST_FUNCTIONS);
        }
        if names.len() > 2 * MOST_FUNCTIONS {
            return too_many(token.start, "different names", 2 * MOST_FUNCTIONS);
        }
    }
    chains(tokens)
}

fn chains(tokens: &[Token<'_>]) -> Result<(), Fault> {
    // Every token is looked at in its own list of brackets; what a bracket holds comes later.
    let mut waiting = vec![(0, tokens.len())];
    while let Some((first, end)) = waiting.pop() {
        let (mut at, mut steps, mut assignments) = (first, 0, 0);
        while let Some(token) = tokens.get(at).filter(|_| at < end) {
            let is_body = token.is("{");
            let is_step =
                token.is(".") || token.is("?.") || (token.opens() && !is_body) || token.kind == TokenKind::Literal;
            let is_assignment = token.kind == TokenKind::Mark && token.text.len() > 1 && token.text.ends_with('=');
            steps += usize::from(is_step);
            assignments += usize::from(is_assignment);
            if !(is_step || token.is_word()) {
                steps = 0;
            }
            if token.is(";") || is_body {
                assignments = 0;
            }
            if steps > MOST_STEPS || assignments > MOST_STEPS {
                return Err(Fault::at(
                    token.start,
                    FaultKind::TooMany { what: "steps in one expression", most: MOST_STEPS },
                ));
            }
            if token.opens() && token.partner > at {
                waiting.push((at + 1, token.partner));
                at = token.partner;
            }
            at += 1;
        }
    }
    Ok(())
}

/// What to put in, in no order: a call of `tick` in front of all that a function does.
pub(super) fn ticks(tokens: &[Token<'_>], tick: &str) -> Vec<Insertion> {
    let mut insertions = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is("{") && token.kind == TokenKind::Mark && is_function(tokens, at) {
            let is_strict = tokens.get(at + 1).is_some_and(is_use_strict);
            // A directive counts only where nothing stands in front of it.
            let directive = if is_strict { "'use strict';" } else { "" };
            insertions.push(Insertion { at: token.end(), text: format!("{directive}{tick}();") });
        } else if token.is("=>")
            && let Some(end) = end_of_body(tokens, at + 1)
            && let (Some(first), Some(last)) = (tokens.get(at + 1), end.checked_sub(1).and_then(|at| tokens.get(at)))
        {
            insertions.push(Insertion { at: first.start, text: format!("({tick}(),") });
            insertions.push(Insertion { at: last.end(), text: ")".to_owned() });
        }
    }
    insertions
}

/// Whether the braces that open at `at` may be a function's body. Where a statement's braces look the same, it does no
/// harm that they are taken for one.
fn is_function(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|at| tokens.get(at)) else { return false };
    if !before.is(")") {
        return before.is("=>") || before.is("static");
    }
    let head = before.partner.checked_sub(1).and_then(|at| tokens.get(at));
    let next = tokens.get(at + 1);
    match head {
        // `switch (x) { case` is no method called `switch`.
        Some(head) if head.is("switch") => !next.is_none_or(|it| it.is("case") || it.is("default") || it.is("}")),
        Some(head) if HEADS.iter().any(|it| head.is(it)) => may_be_parameters(tokens, before.partner),
        _ => !is_class(tokens, before.partner),
    }
}

/// Whether the brackets that open at `at` can hold parameters: a condition seldom does.
fn may_be_parameters(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(first) = tokens.get(at + 1) else { return false };
    let is_pattern = first.is("[") || first.is("{") || first.is("...") || first.is(")");
    let ends = |it: &Token<'_>| it.is(",") || it.is("=") || it.is(")");
    is_pattern || (first.is_name() && tokens.get(at + 2).is_some_and(ends))
}

/// Whether the brackets that open at `at` end what a class extends: `class A extends mixed(B) {`.
fn is_class(tokens: &[Token<'_>], at: usize) -> bool {
    let mut place = at;
    while let Some(before) = place.checked_sub(1).and_then(|at| tokens.get(at)) {
        if before.is("extends") {
            return true;
        }
        if !(before.is_name() || before.is(".") || before.closes()) {
            return false;
        }
        place = if before.closes() { before.partner } else { place - 1 };
    }
    false
}

fn is_use_strict(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Literal && token.text.get(1..token.text.len().saturating_sub(1)) == Some("use strict")
}

/// The place behind the expression that is the body of an arrow and begins at `first`; none where it is no expression.
fn end_of_body(tokens: &[Token<'_>], first: usize) -> Option<usize> {
    if tokens.get(first)?.is("{") {
        return None;
    }
    let mut choices = 0;
    let mut at = first;
    while let Some(token) = tokens.get(at) {
        let is_end = token.closes() || token.is(",") || token.is(";") || (token.is(":") && choices == 0);
        if is_end {
            return (at > first).then_some(at);
        }
        let before = at.checked_sub(1).and_then(|at| tokens.get(at)).filter(|_| at > first);
        if token.after_line && before.is_some_and(Token::ends_expression) && !goes_on(token) {
            return Some(at);
        }
        choices += i32::from(token.is("?")) - i32::from(token.is(":"));
        // Over brackets, whole templates included.
        while let Some(open) = tokens.get(at).filter(|it| it.opens() && it.partner > at) {
            at = open.partner;
        }
        at += 1;
    }
    (at > first).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens_and_comments;
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
        tokens_and_comments(text).map(|(tokens, _)| tokens)
    }

    fn ticking(text: &str) -> String {
        let tokens = tokens(text).unwrap();
        let mut insertions = ticks(&tokens, "t");
        insertions.sort_by_key(|it| it.at);
        let mut made = text.to_owned();
        insertions.iter().rev().for_each(|it| made.insert_str(it.at, &it.text));
        made
    }

    #[test]
    fn every_function_begins_with_a_tick() {
        for (text, wanted) in [
            ("function f(a) { return a; }", "function f(a) {t(); return a; }"),
            ("f(function(){})", "f(function(){t();})"),
            ("({ get a() { }, b(c) { } })", "({ get a() {t(); }, b(c) {t(); } })"),
            (
                "class A { constructor() { super(); } static { a() } }",
                "class A { constructor() {t(); super(); } static {t(); a() } }",
            ),
            ("function f() { 'use strict'; }", "function f() {'use strict';t(); 'use strict'; }"),
            ("a => { return a }", "a => {t(); return a }"),
            ("f(a => a.b, 1)", "f(a => (t(),a.b), 1)"),
            ("a => b => ({ c })", "a => (t(),b => (t(),({ c })))"),
            ("x = a => a ? b : c", "x = a => (t(),a ? b : c)"),
            ("x ? a => b : c", "x ? a => (t(),b) : c"),
            ("x = a => a\n  .b\ny = 1", "x = a => (t(),a\n  .b)\ny = 1"),
            ("({ if(a) { } })", "({ if(a) {t(); } })"),
            ("({ switch(a) { b() } })", "({ switch(a) {t(); b() } })"),
        ] {
            assert_eq!(ticking(text), wanted);
        }
    }

    #[test]
    fn statements_and_classes_are_left_alone() {
        for text in [
            "for (var i = 0; i < 3; i++) { a() }",
            "if (a == b) { c() } else { d() }",
            "while (a.b) { }",
            "switch (a) { case 1: b() }",
            "switch (a) { }",
            "class A extends f(B) { }",
            "class A extends f.g(B)(C) { }",
            "try { } catch { } finally { }",
            "`${a}` ? { a } : [b]",
        ] {
            assert_eq!(ticking(text), text);
        }
    }

    #[test]
    fn chains_have_a_bound_and_lists_have_none() {
        let chain = |step: &str| scan(&tokens(&format!("a{}", step.repeat(2_000))).unwrap());
        for step in [".b", "[0]", "()", "``", " += a"] {
            assert!(chain(step).is_err(), "`{step}`");
        }
        for step in [", a.b(c)[0]", "; a.b()", " + a.b", "\nvar f = a.b.c"] {
            assert_eq!(chain(step), Ok(()), "`{step}`");
        }
    }
}
