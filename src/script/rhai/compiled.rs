//! A program that was parsed and checked.

use rhai::AST;
use rhai::ASTNode;
use rhai::CallFnOptions;
use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::Expr;
use rhai::ParseError;
use rhai::ParseErrorType;
use rhai::Position;
use rhai::Scope;
use rhai::Stmt;

use crate::script::CompileError;
use crate::script::rhai::call::BINDINGS;
use crate::script::rhai::call::binding;
use crate::script::rhai::closures::Misplaced;
use crate::script::rhai::closures::misplaced;

/// The tree, and how it gives its value.
#[derive(Debug)]
pub(super) struct Compiled {
    ast: AST,
    // How many of `(invokers, invocation, context)` the function `route` takes, if it is what gives the value.
    route: Option<usize>,
    /// Whether there are declarations alone, so that nothing else can give one.
    is_bare: bool,
}

/// The function that is called when a program does nothing but declare it.
const ROUTE: &str = "route";

const RESERVED: &str = "the word is reserved or not available in rules";

/// The list's name.
pub(super) const INVOKERS: &str = "invokers";

// === impl Compiled ===

impl Compiled {
    /// The most bytes of a text; whoever asks has a lower limit of its own.
    const MAX_TEXT_BYTES: usize = 1 << 20;

    /// Parses and checks `text`; nothing of it runs.
    pub(super) fn of(engine: &Engine, text: &str) -> Result<Self, CompileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.len() > Self::MAX_TEXT_BYTES {
            return Err(error("the text is too long", Position::NONE, Some("write a shorter rule")));
        }
        let mut scope = Scope::new();
        scope.push(INVOKERS, ());
        BINDINGS.iter().for_each(|name| {
            scope.push(*name, ());
        });
        let ast = engine.compile_with_scope(&scope, text).map_err(|error| parse_error(&error, text))?;
        if let Some((kind, position)) = misplaced(&ast) {
            return Err(misplaced_error(kind, position));
        }
        let route = route(&ast);
        let is_declaration = |statement: &Stmt| matches!(statement, Stmt::Var(..) | Stmt::Noop(..));
        let is_bare = ast.statements().iter().all(is_declaration);
        Ok(Self { ast, route, is_bare })
    }

    /// The value over `invokers`.
    pub(super) fn evaluate(&self, engine: &Engine, invokers: Dynamic) -> Result<Dynamic, Box<EvalAltResult>> {
        let mut scope = Scope::new();
        let Some(count) = self.route else {
            scope.push_dynamic(INVOKERS, invokers);
            return engine.eval_ast_with_scope(&mut scope, &self.ast);
        };
        if !self.is_bare {
            scope.push_dynamic(INVOKERS, invokers.clone());
            let value: Dynamic = engine.eval_ast_with_scope(&mut scope, &self.ast)?;
            if value.is_array() {
                return Ok(value);
            }
            scope.clear();
        }
        let mut arguments = vec![invokers];
        arguments.extend(["invocation", "context"].into_iter().filter_map(binding));
        arguments.truncate(count);
        engine.call_fn_with_options(CallFnOptions::new().eval_ast(false), &mut scope, &self.ast, ROUTE, arguments)
    }
}

/// How many arguments `route` takes, if the program declares it and calls it nowhere: it is called unless the program
/// comes to a list by itself.
fn route(ast: &AST) -> Option<usize> {
    let count =
        ast.iter_fn_def().filter(|function| function.name == ROUTE).map(|function| function.params.len()).max()?;
    if count > 3 {
        return None;
    }
    let is_call = |path: &[ASTNode<'_>]| match path.last() {
        Some(ASTNode::Expr(Expr::FnCall(call, _))) | Some(ASTNode::Stmt(Stmt::FnCall(call, _))) => call.name == ROUTE,
        _ => false,
    };
    let mut is_called = false;
    for statement in ast.statements() {
        statement.walk(&mut Vec::new(), &mut |path: &[ASTNode<'_>]| {
            is_called |= is_call(path);
            true
        });
    }
    (!is_called).then_some(count)
}

fn misplaced_error(kind: Misplaced, position: Position) -> CompileError {
    let (message, help) = match kind {
        Misplaced::Capture => (
            "a closure that uses outer variables cannot be kept as a value",
            "write it where it is used, as in `invokers.filter(|i| …)`, or make it a function with parameters",
        ),
        Misplaced::Value => (
            "a function cannot be kept as a value beside closures that use outer variables",
            "write the closure where it is used, as in `invokers.filter(|i| …)`",
        ),
        Misplaced::Name => (
            "a function has the name of a list's method that takes a closure",
            "give it another name than `filter`, `map`, `find` and the like",
        ),
        Misplaced::Curry => ("`curry` is not available", "write a closure, as in `invokers.filter(|i| …)`"),
    };
    error(message, position, Some(help))
}

fn parse_error(found: &ParseError, text: &str) -> CompileError {
    let position = found.position();
    let is_disabled = || found.err_type().to_string().ends_with("is disabled");
    let help = lookalike(text, position).or_else(|| help(found.err_type()).map(str::to_owned));
    let help = help.or_else(|| is_disabled().then(|| RESERVED.to_owned()));
    let mut error = error(&found.err_type().to_string(), position, None);
    error.help = help;
    error
}

fn help(kind: &ParseErrorType) -> Option<&'static str> {
    match kind {
        ParseErrorType::ExprTooDeep => Some("split it: give parts of it a name with `let`"),
        ParseErrorType::VariableUndefined(_) => Some(
            "a rule sees `invokers`, `invocation`, `context` and `now`; a function sees the last three and its parameters",
        ),
        ParseErrorType::Reserved(_) => Some(RESERVED),
        ParseErrorType::UnexpectedEOF => Some("a bracket, a quote or a comment is still open"),
        ParseErrorType::MissingToken(token, _) if matches!(token.as_str(), ")" | "]" | "}") => {
            Some("a bracket is still open")
        }
        ParseErrorType::MissingToken(token, _) if token == ";" => Some("end the statement before it with `;`"),
        _ => None,
    }
}

/// Help for a character that looks like another.
fn lookalike(text: &str, position: Position) -> Option<String> {
    let line = text.lines().nth(position.line()?.checked_sub(1)?)?;
    // Where the parser stands may be a little past the character that stopped it.
    let at = position.position()?.saturating_sub(1);
    let found = line.chars().skip(at).take(2).find_map(|character| Some((character, ascii(character)?)));
    found.map(|(character, plain)| {
        format!("`{character}` (U+{:04X}) is no `{plain}`: type the plain character", u32::from(character))
    })
}

fn ascii(character: char) -> Option<char> {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{201c}' | '\u{201d}' => Some('"'),
        '\u{3001}' => Some(','),
        '\u{3002}' => Some('.'),
        '\u{a0}' | '\u{3000}' | '\u{200b}' | '\u{feff}' => Some(' '),
        '\u{2013}' | '\u{2014}' | '\u{2212}' => Some('-'),
        _ => None,
    }
}

fn error(message: &str, position: Position, help: Option<&str>) -> CompileError {
    let number = |number: Option<usize>| number.and_then(|number| u32::try_from(number).ok());
    CompileError {
        message: message.to_owned(),
        line: number(position.line()),
        column: number(position.position()),
        help: help.map(str::to_owned),
    }
}
