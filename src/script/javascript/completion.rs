//! Makes the value of a text the value of a function: marks the expression whose value counts.
//!
//! The value of a program is that of its last statement that has one. Where that is an expression, or ends in one in each
//! branch, `return` in front of it says the same. Inside of loops and `switch` the value is kept in a variable.

use super::statement::Statement;
use super::statement::StatementKind;
use super::statement::Statements;
use super::token::Token;

/// Text to put into a rule's text, at an offset in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) at: usize,
    pub(super) text: String,
}

/// Marks the values of a text.
#[derive(Debug)]
pub(super) struct Completion<'a> {
    statements: Statements<'a>,
    variable: &'a str,
    /// What to put in, in no order.
    pub(super) insertions: Vec<Insertion>,
    /// Whether the variable is used.
    pub(super) keeps_value: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Return,
    Keep,
}

// === impl Completion ===

impl<'a> Completion<'a> {
    pub(super) fn new(tokens: &'a [Token<'a>], variable: &'a str) -> Self {
        Self { statements: Statements { tokens }, variable, insertions: Vec::new(), keeps_value: false }
    }

    /// Marks the value of `list`; false if none of it has one.
    pub(super) fn mark(&mut self, list: &[Statement]) -> bool {
        self.mark_list(list, Mode::Return)
    }

    fn mark_list(&mut self, list: &[Statement], mode: Mode) -> bool {
        let is_silent = |it: &&Statement| matches!(it.kind, StatementKind::Silent | StatementKind::Declaration);
        let is_empty = |it: &&Statement| it.kind == StatementKind::Block && it.end == it.first + 2;
        let Some(last) = list.iter().rev().find(|it| !is_silent(it) && !is_empty(it)) else { return false };
        self.mark_one(*last, mode);
        true
    }

    fn mark_at(&mut self, place: usize, mode: Mode) {
        let statement = self.statements.at(place);
        self.mark_one(statement, mode);
    }

    fn mark_one(&mut self, statement: Statement, mode: Mode) {
        match statement.kind {
            StatementKind::Silent | StatementKind::Declaration | StatementKind::End => {}
            StatementKind::Expression => self.mark_expression(statement, mode),
            StatementKind::Block => self.mark_braces(statement.first, mode),
            StatementKind::Prefixed => self.mark_at(statement.inner, mode),
            StatementKind::Choice => self.mark_branches(statement, mode),
            StatementKind::Attempt => self.mark_attempt(statement, mode),
            StatementKind::Loop => self.mark_at(statement.inner, Mode::Keep),
            StatementKind::Switch => self.mark_cases(statement),
        }
    }

    fn mark_expression(&mut self, statement: Statement, mode: Mode) {
        let tokens = self.statements.tokens;
        let last = statement.end.checked_sub(1).and_then(|at| tokens.get(at));
        let (Some(first), Some(last)) = (tokens.get(statement.first), last) else { return };
        match mode {
            Mode::Return => self.insert(first.start, "return ".to_owned()),
            Mode::Keep => {
                self.keeps_value = true;
                self.insert(first.start, format!("{}=(", self.variable));
                self.insert(last.end(), ")".to_owned());
            }
        }
    }

    fn mark_braces(&mut self, open: usize, mode: Mode) {
        if let Some(token) = self.statements.tokens.get(open) {
            let list = self.statements.list(open + 1, token.partner);
            self.mark_list(&list, mode);
        }
    }

    /// An `else if` goes on as a loop, so that a long chain is no deep call.
    fn mark_branches(&mut self, statement: Statement, mode: Mode) {
        let mut choice = statement;
        loop {
            let branch = self.statements.at(choice.inner);
            self.mark_one(branch, mode);
            if !self.statements.tokens.get(branch.next).is_some_and(|it| it.is("else")) {
                return;
            }
            let other = self.statements.at(branch.next + 1);
            if other.kind != StatementKind::Choice {
                return self.mark_one(other, mode);
            }
            choice = other;
        }
    }

    fn mark_attempt(&mut self, statement: Statement, mode: Mode) {
        let tokens = self.statements.tokens;
        self.mark_braces(statement.inner, mode);
        let behind = tokens.get(statement.inner).map_or(statement.end, |open| open.partner + 1);
        if tokens.get(behind).is_some_and(|it| it.is("catch")) {
            let group = tokens.get(behind + 1).filter(|it| it.is("("));
            self.mark_braces(group.map_or(behind + 1, |group| group.partner + 1), mode);
        }
    }

    /// Every expression that stands as a statement of a `case`, since the last one that runs counts.
    fn mark_cases(&mut self, statement: Statement) {
        let tokens = self.statements.tokens;
        let Some(open) = statement.end.checked_sub(1).and_then(|at| tokens.get(at)).map(|close| close.partner) else {
            return;
        };
        let mut at = open + 1;
        while at + 1 < statement.end {
            let is_label = tokens.get(at).is_some_and(|it| it.is("case") || it.is("default"));
            if is_label {
                at = self.behind_label(at);
                continue;
            }
            let inner = self.statements.at(at);
            self.mark_one(inner, Mode::Keep);
            at = inner.next.max(at + 1);
        }
    }

    /// Behind the colon of `case …:`.
    fn behind_label(&self, label: usize) -> usize {
        let tokens = self.statements.tokens;
        let (mut at, mut choices) = (label + 1, 0_usize);
        while let Some(token) = tokens.get(at) {
            match token.text {
                "?" => choices += 1,
                ":" if choices == 0 => return at + 1,
                ":" => choices -= 1,
                _ if token.closes() => return at,
                _ => {}
            }
            at = if token.opens() { token.partner.max(at) + 1 } else { at + 1 };
        }
        at
    }

    fn insert(&mut self, at: usize, text: String) {
        self.insertions.push(Insertion { at, text });
    }
}
