//! A rule's text as a function that an engine compiles once and calls for each run.
//!
//! What the text declares is local to a call, so that nothing outlives it. The value of the text is the value of the
//! function; names that it assigns without declaring them are declared for it.

use std::ops::Range;

use super::completion::Completion;
use super::completion::Insertion;
use super::fault::Fault;
use super::fault::FaultKind;
use super::lexer::tokens_and_comments;
use super::names;
use super::place::Place;
use super::scan::scan;
use super::statement::Statement;
use super::statement::StatementKind;
use super::statement::Statements;
#[cfg(feature = "boa")]
use super::ticks;
use super::token::Token;
use super::token::TokenKind;

/// The source that an engine compiles for a rule, and the way back from its lines to the rule's own.
#[derive(Debug)]
pub(crate) struct Prepared {
    source: String,
    /// Line, column and length of what was put into the text, in order.
    shifts: Vec<(Place, u32)>,
    /// The first regular expression.
    expression: Option<Place>,
}

/// Whether each function of a rule begins with a call that reads the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ticks {
    #[cfg(feature = "quickjs")]
    No,
    #[cfg(feature = "boa")]
    Yes,
}

/// The names that a rule finds.
const BINDINGS: [&str; 3] = ["invokers", "invocation", "context"];

// === impl Prepared ===

impl Prepared {
    /// Reads `text`.
    ///
    /// # Errors
    ///
    /// Nothing to run, or something that no engine is to see.
    #[cfg(feature = "quickjs")]
    pub(crate) fn new(text: &str) -> Result<Self, Fault> {
        Self::read(text, Ticks::No)
    }

    /// As [`Prepared::new`], for an engine that cannot be stopped everywhere: each function begins with a call of `tick`.
    ///
    /// # Errors
    ///
    /// Nothing to run, or something that no engine is to see.
    #[cfg(feature = "boa")]
    pub(crate) fn ticking(text: &str) -> Result<Self, Fault> {
        Self::read(text, Ticks::Yes)
    }

    fn read(text: &str, kind: Ticks) -> Result<Self, Fault> {
        #[cfg_attr(not(feature = "boa"), expect(unused_variables, reason = "the engine without them is left out"))]
        let (tokens, comments) = tokens_and_comments(text)?;
        if tokens.is_empty() {
            return Err(Fault::at(text.len(), FaultKind::Empty));
        }
        scan(&tokens)?;
        match kind {
            #[cfg(feature = "quickjs")]
            Ticks::No => {}
            #[cfg(feature = "boa")]
            Ticks::Yes => ticks::scan(&tokens)?,
        }
        let parts = Parts::of(text, &tokens, kind);
        let mut insertions = parts.insertions;
        insertions.sort_by_key(|insertion| insertion.at);
        let left_out: &[Range<usize>] = match kind {
            #[cfg(feature = "quickjs")]
            Ticks::No => &[],
            #[cfg(feature = "boa")]
            Ticks::Yes => &comments,
        };
        let body = body(text, &insertions, left_out);
        let places = Place::of_all(text, insertions.iter().map(|it| it.at));
        let lengths = insertions.iter().map(|it| u32::try_from(it.text.chars().count()).unwrap_or(0));
        let shifts = places.into_iter().zip(lengths).collect();
        let source = format!("({}\n{}\n{})", parts.head, body.trim_start_matches('\u{feff}'), parts.tail);
        let expression = tokens.iter().find(|it| it.kind == TokenKind::Literal && it.text.starts_with('/'));
        let expression = expression.map(|it| Place::of(text, it.start));
        Ok(Self { source, shifts, expression })
    }

    /// An expression; its value, called with `guard`, is the rule: a function of the three bindings.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Where the first regular expression stands, for an engine that has none.
    #[cfg_attr(not(feature = "boa"), expect(dead_code, reason = "the engine that asks is left out"))]
    pub(crate) fn expression(&self) -> Option<Place> {
        self.expression
    }

    /// The first mention of `name`, for an engine that does not say where it missed it.
    #[cfg_attr(not(feature = "boa"), expect(dead_code, reason = "the engine that asks is left out"))]
    pub(crate) fn mention(&self, name: &str) -> Option<Place> {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
        let is_whole = |at: usize| {
            let (before, behind) = (self.source.get(..at), self.source.get(at + name.len()..));
            !before.is_some_and(|it| it.ends_with(is_part) || it.ends_with('.'))
                && !behind.is_some_and(|it| it.starts_with(is_part))
        };
        let (at, _) = self.source.match_indices(name).find(|(at, _)| is_whole(*at))?;
        let place = Place::of(&self.source, at);
        self.locate(place.line, place.column)
    }

    /// The column in characters where an engine counts bytes.
    #[cfg_attr(not(feature = "quickjs"), expect(dead_code, reason = "the engine that counts bytes is left out"))]
    pub(crate) fn in_characters(&self, line: u32, bytes: u32) -> u32 {
        let text = self.source.split('\n').nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let before = text.get(..bytes.saturating_sub(1) as usize);
        before.and_then(|before| u32::try_from(before.chars().count() + 1).ok()).unwrap_or(bytes)
    }

    /// The place in the rule's text that an engine calls `line` and `column` of [`Prepared::source`]; none outside of it.
    pub(crate) fn locate(&self, line: u32, column: u32) -> Option<Place> {
        let line = line.checked_sub(1).filter(|line| *line > 0)?;
        let mut column = column;
        for (place, length) in self.shifts.iter().filter(|(place, _)| place.line == line) {
            if place.column < column {
                column = column.saturating_sub(*length).max(place.column);
            }
        }
        Some(Place { line, column })
    }
}

/// What stands around and in between the text.
struct Parts {
    head: String,
    tail: String,
    insertions: Vec<Insertion>,
}

// === impl Parts ===

impl Parts {
    fn of(text: &str, tokens: &[Token<'_>], kind: Ticks) -> Self {
        let (guard, value) = (unused_name("guard$", text), unused_name("value$", text));
        let statements = Statements { tokens }.list(0, tokens.len());
        let lexical = names::lexical(tokens, &statements);
        let mut completion = Completion::new(tokens, &value);
        let is_strict = tokens
            .first()
            .is_some_and(|it| it.kind == TokenKind::Literal && it.text.get(1..it.text.len() - 1) == Some("use strict"));
        // A directive is no value.
        let has_value = completion.mark(statements.get(usize::from(is_strict)..).unwrap_or_default());
        let route = declared_route(tokens, &statements);
        let mut declared: Vec<&str> = Vec::new();
        if !is_strict {
            let own = |name: &&&str| !lexical.contains(**name) && !BINDINGS.contains(*name);
            declared.extend(names::assigned(tokens).iter().filter(own));
        }
        let mut tail = match (completion.keeps_value, has_value) {
            (true, _) => format!("return {value}"),
            (false, false) if route.is_some() => "return route(invokers,invocation,context)".to_owned(),
            _ => String::new(),
        };
        tail.push('}');
        let declared = if declared.is_empty() { String::new() } else { format!("var {};", declared.join(",")) };
        // In a function of its own the text may declare a binding's name anew with `let`.
        let inner = BINDINGS.iter().any(|name| lexical.contains(name));
        let (open, close) = if inner { ("return (()=>{", ")()}") } else { ("", "") };
        let (tick, out) = (unused_name("tick$", text), unused_name("out$", text));
        // Where the text has a value too, whoever calls decides which of the two is a list.
        let directive = if is_strict { "'use strict';" } else { "" };
        let handed = match route {
            Some(Route::Function) if has_value => format!("{directive}{out}.route=route;"),
            _ => String::new(),
        };
        // What was caught last, and the value so far, are parameters that no caller gives.
        let head =
            format!("({guard},{tick})=>({},{guard}e,{value},{out})=>{{{open}{handed}{declared}", BINDINGS.join(","));
        tail.push_str(close);
        let mut insertions = completion.insertions;
        insertions.extend(guards(tokens, &guard));
        match kind {
            #[cfg(feature = "quickjs")]
            Ticks::No => {}
            #[cfg(feature = "boa")]
            Ticks::Yes => insertions.extend(ticks::ticks(tokens, &tick)),
        }
        Self { head, tail, insertions }
    }
}

/// The text with what is put in, and without the comments that are left out: no engine has a use for them, and boa reads
/// them letter by letter. They end lines, so all else stays where it was.
fn body(text: &str, insertions: &[Insertion], left_out: &[Range<usize>]) -> String {
    let mut body = String::with_capacity(text.len() + 64);
    let (mut done, mut left_out) = (0, left_out.iter().peekable());
    let mut copy = |body: &mut String, end: usize| {
        while let Some(comment) = left_out.next_if(|comment| comment.start < end) {
            body.push_str(text.get(done..comment.start).unwrap_or_default());
            done = comment.end;
        }
        body.push_str(text.get(done..end).unwrap_or_default());
        done = end;
    };
    for insertion in insertions {
        copy(&mut body, insertion.at);
        body.push_str(&insertion.text);
    }
    copy(&mut body, text.len());
    body
}

/// `name`, lengthened until `text` does not have it.
fn unused_name(name: &str, text: &str) -> String {
    let mut name = name.to_owned();
    while text.contains(&name) {
        name.push('$');
    }
    name
}

/// A limit of the engine may be caught like any error; a guard in front of whatever a rule does about it ends the run.
/// Where so little stack is left that the guard cannot be called, calling it is an error by itself, in `finally` too.
fn guards(tokens: &[Token<'_>], guard: &str) -> Vec<Insertion> {
    let mut insertions = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(before) = at.checked_sub(1).and_then(|at| tokens.get(at)).filter(|it| it.is("}")) else { continue };
        let Some(next) = tokens.get(at + 1) else { continue };
        let mut put = |at: usize, text: String| insertions.push(Insertion { at, text });
        if token.is("catch") && next.is("{") {
            put(next.start, format!("({guard}t)"));
            put(next.end(), format!("{guard}({guard}e={guard}t);"));
        } else if token.is("catch")
            && let (Some(name), Some(open)) = (tokens.get(at + 2), tokens.get(next.partner + 1))
            && open.is("{")
        {
            put(open.end(), format!("{guard}({guard}e={});", name.text));
        } else if token.is("finally") && next.is("{") {
            if is_try(tokens, before.partner) {
                put(token.start, format!("catch({guard}t){{{guard}({guard}e={guard}t);throw {guard}t}}"));
            }
            put(next.end(), format!("{guard}({guard}e);"));
        }
    }
    insertions
}

fn is_try(tokens: &[Token<'_>], open: usize) -> bool {
    open.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|it| it.is("try"))
}

/// How a text declares `route`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// As a function, which is there from the beginning.
    Function,
    /// As a variable.
    Variable,
}

/// How the text declares `route`, if nothing of it calls it but itself.
fn declared_route(tokens: &[Token<'_>], statements: &[Statement]) -> Option<Route> {
    let declared = |it: &Statement| match tokens.get(it.first..it.end).unwrap_or_default() {
        [word, name, ..] if word.is("function") && name.is("route") => Some(Route::Function),
        [_, name, equals, ..] if it.kind == StatementKind::Declaration && name.is("route") && equals.is("=") => {
            Some(Route::Variable)
        }
        _ => None,
    };
    let (own, route) = statements.iter().find_map(|it| declared(it).map(|route| (it, route)))?;
    let outside = [tokens.get(..own.first), tokens.get(own.end..)];
    let calls =
        |it: &[Token<'_>]| it.windows(2).any(|it| matches!(it, [name, open] if name.is("route") && open.is("(")));
    (!outside.into_iter().flatten().any(calls)).then_some(route)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_the_rule_never_meet_those_that_are_put_in() {
        let prepared = Prepared::new("var guard$ = 1; try { guard$$ } catch (e) { }").unwrap();
        assert!(prepared.source().starts_with("((guard$$$,tick$)=>("), "{}", prepared.source());
    }

    #[test]
    fn places_lead_back_to_the_text() {
        let prepared = Prepared::new("var a = 1;\ntry { a } catch (e) { b.c }").unwrap();
        let line = prepared.source().lines().nth(2).unwrap();
        let column = u32::try_from(line.find("b.c").unwrap() + 1).unwrap();
        assert_eq!(prepared.locate(3, column), Some(Place { line: 2, column: 23 }));
        assert_eq!(prepared.locate(1, 5), None);
    }

    #[test]
    #[cfg(feature = "boa")]
    fn comments_are_left_out_where_all_else_stays_in_its_place() {
        let text = "// first\nvar u = 'http://a'; // the address\nfunction f() {// empty\n}\nu /* // */ // last";
        let prepared = Prepared::ticking(text).unwrap();
        let lines: Vec<&str> = prepared.source().lines().skip(1).collect();
        let wanted = ["", "var u = 'http://a'; ", "function f() {tick$();", "}", "return u /* // */ ", "})"];
        assert_eq!(lines, wanted);
        assert!(Prepared::new(text).unwrap().source().contains("// the address"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_fall(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40), strange in ".{0,12}") {
            let text = format!("{}{strange}", pieces.join(""));
            match Prepared::new(&text) {
                Ok(prepared) => {
                    let shown = text.trim_start_matches('\u{feff}').len();
                    prop_assert!(prepared.source().len() >= shown);
                    let _ = prepared.locate(2, prepared.in_characters(2, 9));
                }
                Err(fault) => prop_assert!(fault.explain(&text).line.is_some()),
            }
        }
    }

    const PIECES: &[&str] = &[
        "a",
        "b ",
        "1",
        "'x'",
        "`y`",
        "`${",
        "}`",
        "/",
        "/x/",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        "\n",
        ",",
        ".",
        "?",
        ":",
        "=",
        "=>",
        "==",
        "+",
        "++",
        "!",
        "if (",
        "else ",
        "for (",
        "while (",
        "do ",
        "try {",
        "catch (e) {",
        "catch {",
        "finally {",
        "switch (a) {",
        "case 1:",
        "default:",
        "function f(",
        "function (",
        "class ",
        "var ",
        "let ",
        "const ",
        "return ",
        "throw ",
        "new ",
        "typeof ",
        "in ",
        "of ",
        "//",
        "/*",
        "*/",
        "\\",
        "甲",
        "\u{2028}",
        "\u{feff}",
        "'",
        "`",
        "label: ",
        "break;",
        "async ",
        "import ",
        "...",
        "route(",
    ];
}
