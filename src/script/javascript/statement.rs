//! Finds the statements of a text: where each begins and ends, and what kind it is.

use super::token::Token;
use super::token::TokenKind;

/// What a statement is, as far as its value matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementKind {
    /// No value: `;`, `break`, a declaration.
    Silent,
    /// `var`, `let`, `const`, `class`, `function`.
    Declaration,
    /// An expression.
    Expression,
    /// `{ … }`.
    Block,
    /// `if (…) … else …`.
    Choice,
    /// `for`, `while`, `do`.
    Loop,
    /// `switch (…) { … }`.
    Switch,
    /// `try { … } catch … finally …`.
    Attempt,
    /// `name: …` or `with (…) …`; its value is that of the statement inside.
    Prefixed,
    /// `return`, `throw`.
    End,
}

/// A statement; places of tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    pub(super) first: usize,
    /// The place behind its last token, without a `;`.
    pub(super) end: usize,
    /// The place where the next one begins.
    pub(super) next: usize,
    /// Where the statement inside begins, if it has one: the branch, the body.
    pub(super) inner: usize,
}

/// Finds statements among tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statements<'a> {
    pub(super) tokens: &'a [Token<'a>],
}

// === impl Statements ===

impl<'a> Statements<'a> {
    /// The statements from `first` up to `end`.
    pub(super) fn list(self, first: usize, end: usize) -> Vec<Statement> {
        let mut list = Vec::new();
        let mut at = first;
        while at < end {
            let statement = self.at(at);
            // A text that is no program may stand still; the engine will refuse it.
            at = statement.next.max(at + 1);
            list.push(statement);
        }
        list
    }

    /// The statement that begins at `first`.
    pub(super) fn at(self, first: usize) -> Statement {
        let simple = |kind, end, next| Statement { kind, first, end, next, inner: end };
        let Some(token) = self.get(first) else { return simple(StatementKind::Silent, first, first + 1) };
        let is_next = |text: &str| self.get(first + 1).is_some_and(|it| it.is(text));
        match token.text {
            _ if token.kind == TokenKind::Literal || token.kind == TokenKind::Template => self.expression(first),
            ";" => simple(StatementKind::Silent, first, first + 1),
            "{" => simple(StatementKind::Block, token.partner + 1, token.partner + 1),
            "function" => self.function(first),
            "class" => {
                let end = self.behind_braces(first);
                simple(StatementKind::Declaration, end, end)
            }
            "var" | "const" => self.ending(first, StatementKind::Declaration),
            "let" if self.get(first + 1).is_some_and(|it| it.is_name() || it.is("[") || it.is("{")) => {
                self.ending(first, StatementKind::Declaration)
            }
            "break" | "continue" | "debugger" => self.jump(first),
            "return" | "throw" => self.ending(first, StatementKind::End),
            "if" => self.choice(first),
            "for" | "while" => self.headed(first, StatementKind::Loop),
            "with" => self.headed(first, StatementKind::Prefixed),
            "do" => self.until(first),
            "switch" => {
                let end = self.behind_braces(first);
                simple(StatementKind::Switch, end, end)
            }
            "try" => self.attempt(first),
            _ if token.is_name() && is_next(":") => {
                let body = self.at(first + 2);
                Statement { kind: StatementKind::Prefixed, first, end: body.end, next: body.next, inner: first + 2 }
            }
            _ => self.expression(first),
        }
    }

    /// The place behind the brackets that open at `at`, whole templates included.
    fn behind(self, at: usize) -> usize {
        let mut place = at;
        while let Some(token) = self.get(place)
            && token.opens()
            && token.partner > place
        {
            place = token.partner;
        }
        place + 1
    }

    fn get(self, at: usize) -> Option<&'a Token<'a>> {
        self.tokens.get(at)
    }

    fn function(self, first: usize) -> Statement {
        let end = self.behind_braces(first);
        Statement { kind: StatementKind::Declaration, first, end, next: end, inner: first }
    }

    /// Behind the first braces that come after `first`, other brackets skipped.
    fn behind_braces(self, first: usize) -> usize {
        let mut at = first + 1;
        while let Some(token) = self.get(at) {
            if token.closes() {
                return at;
            }
            let is_brace = token.is("{");
            at = self.behind(at);
            if is_brace {
                return at;
            }
        }
        at
    }

    fn jump(self, first: usize) -> Statement {
        let label = self.get(first + 1).is_some_and(|it| it.is_name() && !it.after_line);
        let end = first + 1 + usize::from(label);
        let next = end + usize::from(self.get(end).is_some_and(|it| it.is(";")));
        Statement { kind: StatementKind::Silent, first, end, next, inner: end }
    }

    fn expression(self, first: usize) -> Statement {
        self.ending(first, StatementKind::Expression)
    }

    /// A statement that ends with `;`, or where a line ends and what follows cannot go on.
    fn ending(self, first: usize, kind: StatementKind) -> Statement {
        let mut at = first;
        let mut ends_with_arrow = false;
        while let Some(token) = self.get(at) {
            let before = at.checked_sub(1).and_then(|at| self.get(at)).filter(|_| at > first);
            if token.is(";") {
                return Statement { kind, first, end: at, next: at + 1, inner: at };
            }
            let is_cut = before.is_some_and(|before| {
                let cannot_go_on = !goes_on(token) || (ends_with_arrow && !token.is(","));
                token.after_line && before.ends_expression() && cannot_go_on
            });
            if token.closes() || is_cut {
                break;
            }
            ends_with_arrow = token.is("{") && before.is_some_and(|before| before.is("=>"));
            at = self.behind(at);
        }
        Statement { kind, first, end: at, next: at, inner: at }
    }

    fn choice(self, first: usize) -> Statement {
        let inner = self.behind(first + 1);
        let branch = self.at(inner);
        let next = self.get(branch.next).filter(|it| it.is("else")).map(|_| self.at(branch.next + 1).next);
        let next = next.unwrap_or(branch.next);
        Statement { kind: StatementKind::Choice, first, end: next, next, inner }
    }

    fn headed(self, first: usize, kind: StatementKind) -> Statement {
        let inner = self.behind(first + 1);
        let body = self.at(inner);
        Statement { kind, first, end: body.next, next: body.next, inner }
    }

    fn until(self, first: usize) -> Statement {
        let body = self.at(first + 1);
        let end = self.behind(body.next + 1);
        let next = end + usize::from(self.get(end).is_some_and(|it| it.is(";")));
        Statement { kind: StatementKind::Loop, first, end, next, inner: first + 1 }
    }

    fn attempt(self, first: usize) -> Statement {
        let mut end = self.behind(first + 1);
        for word in ["catch", "finally"] {
            if self.get(end).is_some_and(|it| it.is(word)) {
                end = self.behind_braces(end);
            }
        }
        Statement { kind: StatementKind::Attempt, first, end, next: end, inner: first + 1 }
    }
}

/// Whether an expression goes on with this token on a new line.
pub(super) fn goes_on(token: &Token<'_>) -> bool {
    match token.kind {
        TokenKind::Literal => token.text.starts_with('`'),
        TokenKind::Template => true,
        TokenKind::Word => token.is("in") || token.is("instanceof"),
        TokenKind::Mark => !matches!(token.text, "{" | "++" | "--" | "!" | "~" | "#"),
    }
}
