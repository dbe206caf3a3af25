//! What is refused before an engine parses: depth that overflows parsers, and forms that are not ECMAScript or have no
//! place in a rule, each with the words to write instead.

use super::fault::Fault;
use super::fault::FaultKind;
use super::token::Token;
use super::token::TokenKind;

/// More than this of one kind on end no hand writes; parsers recurse over each.
const MOST: usize = 1_000;

/// Checks the tokens of a text.
pub(super) fn scan(tokens: &[Token<'_>]) -> Result<(), Fault> {
    // PERF: fewer tokens hold too few of anything (`script/compile`).
    let mut runs = (tokens.len() > MOST).then(Runs::default);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at + 1);
        if let Some(runs) = &mut runs {
            runs.count(token, before, at.checked_sub(2).and_then(|at| tokens.get(at)))?;
        }
        let is_member = before.is_some_and(|dot| dot.is(".") || dot.is("?."));
        if token.is_word() && !is_member {
            form(tokens, at, next).map_or(Ok(()), |kind| Err(Fault::at(token.start, kind)))?;
        }
    }
    Ok(())
}

/// The form that begins at `at`, if it is refused.
fn form(tokens: &[Token<'_>], at: usize, next: Option<&Token<'_>>) -> Option<FaultKind> {
    let word = tokens.get(at)?;
    let next = next?;
    match word.text {
        "for" if next.is("each") && tokens.get(at + 2).is_some_and(|it| it.is("(")) => Some(FaultKind::ForEach),
        "for" if next.is("await") => Some(FaultKind::Waiting),
        "function" => {
            let open = tokens.get(at + 1..).unwrap_or_default().iter().take(3).find(|it| it.is("("))?;
            let body = tokens.get(open.partner + 1);
            (!body.is_some_and(|it| it.is("{"))).then_some(FaultKind::ExpressionClosure)
        }
        "async" if !next.after_line => {
            let is_arrow = |place: usize| tokens.get(place).is_some_and(|it| it.is("=>"));
            let is_group = next.is("(") && (is_arrow(next.partner + 1) || is_body(tokens, next.partner + 1));
            let is_member = (next.is_word() || next.is("*") || next.is("[")) && has_member(tokens, at);
            let waits = next.is("function") || is_group || (next.is_word() && is_arrow(at + 2)) || is_member;
            waits.then_some(FaultKind::Waiting)
        }
        "import" if !next.is(":") => Some(FaultKind::Import),
        "catch" if next.is("(") && tokens.get(at + 2).is_some_and(|it| it.is("{") || it.is("[")) => {
            is_body(tokens, next.partner + 1).then_some(FaultKind::CatchPattern)
        }
        _ => None,
    }
}

fn is_body(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|it| it.is("{"))
}

/// Whether `async` at `at` stands in front of a method of a class or an object.
fn has_member(tokens: &[Token<'_>], at: usize) -> bool {
    let open = tokens.get(at + 1..).unwrap_or_default().iter().take(4).find(|it| it.is("("));
    open.is_some_and(|open| is_body(tokens, open.partner + 1))
}

#[derive(Default)]
struct Runs {
    // Whether each bracket that is open is a round one: `;` between those ends no statement.
    rounds: Vec<bool>,
    prefixes: usize,
    heads: usize,
    chained: usize,
    branches: usize,
    arrows: usize,
    choices: usize,
}

// === impl Runs ===

impl Runs {
    fn count(
        &mut self,
        token: &Token<'_>,
        before: Option<&Token<'_>>,
        second: Option<&Token<'_>>,
    ) -> Result<(), Fault> {
        if token.kind == TokenKind::Literal {
            self.prefixes = 0;
            return Ok(());
        }
        let is_prefix =
            matches!(token.text, "!" | "~" | "-" | "+" | "--" | "++" | "typeof" | "void" | "delete" | "new" | "yield");
        let on_end = |count: &mut usize, goes_on: bool| *count = if goes_on { *count + 1 } else { 0 };
        on_end(&mut self.prefixes, is_prefix);
        if matches!(token.text, "if" | "for" | "while" | "with" | "do") {
            self.heads += 1;
        } else if (token.is(";") && self.rounds.last() != Some(&true)) || token.is("}") {
            self.heads = 0;
        }
        if token.closes() {
            self.rounds.pop();
        }
        if token.opens() {
            self.rounds.push(token.is("("));
        }
        // `a = b = c = …` and its like: the same operator with one token between.
        if matches!(token.text, "=" | "**" | ":" | "??")
            && let Some(second) = second
        {
            on_end(&mut self.chained, second.is(token.text));
        }
        self.branches += usize::from(token.is("if") && before.is_some_and(|word| word.is("else")));
        self.arrows += usize::from(token.is("=>"));
        self.choices += usize::from(token.is("?"));
        let counts = [
            (self.prefixes, "operators in front of one operand"),
            (self.heads, "statements inside of one another"),
            (self.chained, "operators on end"),
            (self.branches, "`else if`"),
            (self.arrows, "`=>`"),
            (self.choices, "`?`"),
        ];
        match counts.iter().find(|(count, _)| *count > MOST) {
            Some((_, what)) => Err(Fault::at(token.start, FaultKind::TooMany { what, most: MOST })),
            None => Ok(()),
        }
    }
}
