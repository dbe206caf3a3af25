//! Names that a text assigns without declaring them: `for (i = 0; …)`, `x = 1`.

use std::collections::BTreeSet;

use super::statement::Statement;
use super::statement::StatementKind;
use super::token::Token;
use super::token::TokenKind;

/// Names that assigning does not change.
const FIXED: [&str; 4] = ["undefined", "NaN", "Infinity", "async"];

/// Names that stand on the left of an assignment somewhere. More than that are harmless: the text's own declarations
/// win over those that the rule gets for these names.
pub(super) fn assigned<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut parameters_end = 0;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at + 1);
        if token.is("(") && are_parameters(tokens, at) {
            parameters_end = parameters_end.max(token.partner);
        }
        if at < parameters_end {
            continue;
        }
        let is_target = next.is_some_and(|next| {
            let is_loop = (next.is("of") || next.is("in")) && before.is_some_and(|it| it.is("("));
            let steps = next.is("++") || next.is("--");
            assigns(next) || (steps && !next.after_line) || is_loop
        });
        let is_stepped = before.is_some_and(|before| before.is("++") || before.is("--"));
        let is_member = before.is_some_and(|before| before.is(".") || before.is("?."));
        if token.is_name() && !is_member && (is_target || is_stepped) && !FIXED.contains(&token.text) {
            names.insert(token.text);
        }
        if (token.is("]") || token.is("}")) && next.is_some_and(|next| next.is("=")) {
            names.extend(pattern(tokens, token.partner, at));
        }
    }
    names
}

/// Names that `let`, `const` and `class` declare among `statements`; they must not be declared once more.
pub(super) fn lexical<'a>(tokens: &[Token<'a>], statements: &[Statement]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let declarations = statements.iter().filter(|it| it.kind == StatementKind::Declaration);
    for statement in declarations {
        let Some(own) = tokens.get(statement.first..statement.end) else { continue };
        match own {
            [word, name, ..] if word.is("class") => {
                names.insert(name.text);
            }
            // Every name in the declaration: more than are declared, which only leaves them alone.
            [word, ..] if word.is("let") || word.is("const") => {
                names.extend(own.iter().filter(|it| it.is_name()).map(|it| it.text));
            }
            _ => {}
        }
    }
    names
}

/// Whether it is an operator that changes what stands on its left.
fn assigns(token: &Token<'_>) -> bool {
    let is_comparison = || matches!(token.text, "==" | "===" | "!=" | "!==" | "<=" | ">=");
    token.kind == TokenKind::Mark && token.text.ends_with('=') && !is_comparison()
}

/// Whether the brackets that open at `at` hold the parameters of a function.
fn are_parameters(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(open) = tokens.get(at) else { return false };
    let behind = tokens.get(open.partner + 1);
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let is_head = before.is_some_and(|word| ["if", "for", "while", "switch", "with"].iter().any(|it| word.is(it)));
    !is_head && behind.is_some_and(|it| it.is("=>") || it.is("{"))
}

/// The names inside of `[…]` or `{…}` in front of `=`, unless it is an element (`list[i] = …`).
fn pattern<'a>(tokens: &[Token<'a>], open: usize, close: usize) -> Vec<&'a str> {
    let before = open.checked_sub(1).and_then(|at| tokens.get(at));
    let is_element = tokens.get(open).is_some_and(|it| it.is("[")) && before.is_some_and(Token::ends_expression);
    let inside = tokens.get(open..close).unwrap_or_default();
    if is_element { Vec::new() } else { inside.iter().filter(|it| it.is_name()).map(|it| it.text).collect() }
}
