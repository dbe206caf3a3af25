//! Where closures may stand.
//!
//! A closure that captures variables shares them. Kept in a variable it could be captured by the next, and so on without
//! end: dropping such a chain overflows the stack, and a ring of two is never dropped. So a capturing closure stands
//! where a method of a list takes it, as in `invokers.filter(|i| i.param("zone") == zone)`; and a program with one keeps
//! no function in a variable, because a map that holds a function under `filter` would be handed the closure.

use rhai::AST;
use rhai::ASTNode;
use rhai::Expr;
use rhai::Position;
use rhai::Stmt;

use crate::script::rhai::call::BINDINGS;

/// A closure, or a name of a function, where none may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misplaced {
    /// A capturing closure that no method of a list takes.
    Capture,
    /// A function as a value in a program with capturing closures.
    Value,
    /// A function of the script's own with the name of a method that takes a closure.
    Name,
    /// `curry`.
    Curry,
}

/// Methods that take a closure, call it, and do not hand it out; and which argument it is.
const TAKERS: [(&str, usize); 18] = [
    ("all", 0),
    ("dedup", 0),
    ("drain", 0),
    ("filter", 0),
    ("find", 0),
    ("find_map", 0),
    ("for_each", 0),
    ("index_of", 0),
    ("map", 0),
    ("order", 0),
    ("order_by", 0),
    ("reduce", 0),
    ("reduce_rev", 0),
    ("retain", 0),
    ("some", 0),
    ("sort", 0),
    ("sort_by", 0),
    ("zip", 1),
];

/// What a walk over the tree has met.
#[derive(Debug, Default)]
struct Found {
    captures: bool,
    stray_capture: Option<Position>,
    value: Option<Position>,
    curry: Option<Position>,
}

/// The first closure that may not stand where it does.
pub(super) fn misplaced(ast: &AST) -> Option<(Misplaced, Position)> {
    let functions: Vec<&str> = ast.iter_fn_def().map(|function| function.name.as_str()).collect();
    let mut found = Found::default();
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        found.see(path, &functions);
        true
    });
    let of = |kind, position: Option<Position>| position.map(|position| (kind, position));
    let first = of(Misplaced::Curry, found.curry).or(of(Misplaced::Capture, found.stray_capture));
    if first.is_some() || !found.captures {
        return first;
    }
    let takes = |name: &&&str| TAKERS.iter().any(|(taker, _)| taker == *name);
    let named = functions.iter().find(takes).map(|_| (Misplaced::Name, Position::NONE));
    named.or(of(Misplaced::Value, found.value))
}

// === impl Found ===

impl Found {
    /// Looks at the last node of `path`.
    fn see(&mut self, path: &[ASTNode<'_>], functions: &[&str]) {
        match path {
            [before @ .., ASTNode::Expr(block @ Expr::Stmt(_)), ASTNode::Stmt(share @ Stmt::Share(shared))] => {
                // The host's bindings are values, not variables: nothing is shared.
                if shared.iter().all(|(variable, index)| index.is_none() && BINDINGS.contains(&variable.name.as_str()))
                {
                    return;
                }
                self.captures = true;
                if !is_taken(before, block) {
                    self.stray_capture.get_or_insert(share.position());
                }
            }
            [.., ASTNode::Stmt(share @ Stmt::Share(_))] => {
                self.captures = true;
                self.stray_capture.get_or_insert(share.position());
            }
            // The last call of a block or a function is a statement, and yet its value.
            [.., ASTNode::Stmt(call @ Stmt::FnCall(called, _))] => self.see_call(&called.name, call.position()),
            [before @ .., ASTNode::Expr(expression)] => self.see_expression(before, expression, functions),
            _ => {}
        }
    }

    fn see_expression(&mut self, before: &[ASTNode<'_>], expression: &Expr, functions: &[&str]) {
        let position = expression.position();
        match expression {
            Expr::FnCall(call, _) if !is_beside_share(before) => self.see_call(&call.name, position),
            Expr::MethodCall(call, _) => self.see_call(&call.name, position),
            Expr::DynamicConstant(value, _) if value.is_fnptr() => {
                let is_curried =
                    matches!(before.last(), Some(ASTNode::Expr(Expr::FnCall(call, _))) if call.name == "curry");
                if !is_curried && !is_taken(before, expression) {
                    self.value.get_or_insert(position);
                }
            }
            Expr::Variable(variable, None, _)
                if functions.contains(&variable.1.as_str()) && !is_taken(before, expression) =>
            {
                self.value.get_or_insert(position);
            }
            _ => {}
        }
    }

    fn see_call(&mut self, name: &str, position: Position) {
        match name {
            "curry" => {
                self.curry.get_or_insert(position);
            }
            "Fn" => {
                self.value.get_or_insert(position);
            }
            _ => {}
        }
    }
}

/// Whether `expression` is what the call at the end of `before` takes as its closure.
fn is_taken(before: &[ASTNode<'_>], expression: &Expr) -> bool {
    let Some(ASTNode::Expr(Expr::MethodCall(call, _))) = before.last() else {
        return false;
    };
    let taker = TAKERS.iter().find(|(name, _)| *name == call.name.as_str());
    taker.and_then(|(_, index)| call.args.get(*index)).is_some_and(|argument| std::ptr::eq(argument, expression))
}

/// Whether a call stands where Rhai itself puts the `curry` of a capturing closure: beside the sharing of its variables.
fn is_beside_share(before: &[ASTNode<'_>]) -> bool {
    match before {
        [.., ASTNode::Expr(Expr::Stmt(block)), ASTNode::Stmt(_)] => {
            block.statements().first().is_some_and(|first| matches!(first, Stmt::Share(_)))
        }
        _ => false,
    }
}
