//! From a rule's text to bytecode.

use mlua::chunk::Compiler;

use crate::script::CompileError;
use crate::script::luau::rewrite;
use crate::script::luau::rewrite::Shape;
use crate::script::luau::rewrite::TooDeep;

/// How the machine calls a rule's text in its messages.
pub(super) const CHUNK: &str = "rule";
/// A longer text is refused, whatever the host's limit for sources is.
const MAX_BYTES: usize = 1 << 20;

/// Names that the engine puts in place of Lua's own: the compiler must not know better what they do.
const REPLACED: [&str; 10] = [
    "next",
    "pairs",
    "pcall",
    "setmetatable",
    "tostring",
    "xpcall",
    "math.random",
    "string.find",
    "table.move",
    "table.sort",
];
/// Globals that differ from run to run.
const OF_RUN: [&str; 5] = ["invokers", "invocation", "context", "now", "_G"];

/// A compiled text.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) bytecode: Vec<u8>,
    pub(super) shape: Shape,
}

/// Makes the compiler that every text goes through.
pub(super) fn compiler() -> Compiler {
    Compiler::new()
        .set_optimization_level(1)
        .set_debug_level(1)
        .set_mutable_globals(OF_RUN)
        .set_disabled_builtins(REPLACED)
}

/// Compiles a rule's text.
pub(super) fn compile(compiler: &Compiler, text: &str) -> Result<Compiled, CompileError> {
    if text.len() > MAX_BYTES {
        let help = Some("split it into several rules".to_owned());
        return Err(CompileError { message: "the text is too long".to_owned(), line: None, column: None, help });
    }
    let shape = rewrite::prepare(text).map_err(|TooDeep(at)| too_deep(text, at))?;
    // A text that ends with `return` takes no more statements: what it returns is then its answer.
    let called = shape.with_call.as_ref().and_then(|with_call| compiler.compile(with_call).ok());
    let compiled = called.map_or_else(|| compiler.compile(&shape.text), Ok);
    let bytecode = compiled.map_err(|error| described(&error, text))?;
    Ok(Compiled { bytecode, shape })
}

fn too_deep(text: &str, at: usize) -> CompileError {
    let before = text.get(..at).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    CompileError {
        message: "the brackets nest too deep".to_owned(),
        line: u32::try_from(line).ok(),
        column: u32::try_from(column).ok(),
        help: Some("give parts a name with `local`".to_owned()),
    }
}

fn described(error: &mlua::Error, text: &str) -> CompileError {
    let whole = match error {
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        other => other.to_string(),
    };
    let (line, message) = split_position(&whole);
    let written = line.and_then(|line| text.lines().nth(line as usize - 1)).unwrap_or_default();
    let column = line.map(|_| column_of(message, written));
    CompileError { message: lower_first(message), line, column, help: Some(help_for(written, message).to_owned()) }
}

/// Splits `…:LINE: message`.
pub(super) fn split_position(message: &str) -> (Option<u32>, &str) {
    let Some((head, rest)) = message.split_once(": ") else { return (None, message) };
    let line = head.rsplit(':').next().and_then(|digits| digits.parse().ok()).filter(|line| *line > 0);
    if line.is_some() { (line, rest) } else { (None, message) }
}

/// The machine tells the line alone; its message quotes what it stumbled over, which is looked for in the line.
fn column_of(message: &str, written: &str) -> u32 {
    let quoted = ["got '", "nexpected '"].iter().find_map(|before| message.split_once(before));
    let quoted = quoted.and_then(|(_, rest)| rest.split_once('\'')).map(|(token, _)| token);
    let quoted = quoted.filter(|token| !token.is_empty()).and_then(|token| written.find(token));
    let start = quoted.unwrap_or_else(|| written.len() - written.trim_start().len());
    let column = written.get(..start).unwrap_or_default().chars().count() + 1;
    u32::try_from(column).unwrap_or(1)
}

fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}

fn help_for(written: &str, message: &str) -> &'static str {
    const HELPS: [(&str, &str); 9] = [
        ("!=", "`not equal` is written `~=`"),
        ("&&", "`and` is a word in Lua"),
        ("||", "`or` is a word in Lua"),
        ("===", "`equal` is written `==`"),
        ("=>", "a function is written `function(x) … end`"),
        ("++", "write `x += 1`"),
        ("//", "a comment begins with `--`"),
        ("goto", "Luau has no `goto`: use `continue` or `break`"),
        ("else if", "write `elseif`, or close the inner `if` with `end`"),
    ];
    let found = HELPS.iter().find(|(sign, _)| written.contains(sign)).map(|(_, help)| *help);
    let is_deep = message.contains("recursion depth");
    found.filter(|_| !is_deep).unwrap_or(if is_deep {
        "give parts a name with `local`"
    } else {
        "rules are written in Luau: Lua 5.1 with `continue`, `+=`, `if … then … else` as a value and types"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> CompileError {
        compile(&compiler(), text).unwrap_err()
    }

    #[test]
    fn errors_tell_line_and_column_in_the_rules_own_text() {
        for (text, line, column) in [
            ("return {", 1, 1),
            ("for k, v in t do\n  local x = y != z\nend", 2, 15),
            ("function route(i)\n    retrun i end", 2, 5),
            ("local x = 1\n\nlocal = 3", 3, 7),
        ] {
            let error = error(text);
            assert_eq!((error.line, error.column), (Some(line), Some(column)), "{text}: {error:?}");
        }
    }

    #[test]
    fn help_knows_what_other_languages_write() {
        for (text, help) in [
            ("if a != b then end", "`~=`"),
            ("if a && b then end", "`and`"),
            ("// a comment", "`--`"),
            ("x++", "`x += 1`"),
            ("local x = = 1", "Luau"),
        ] {
            let found = error(text).help.unwrap();
            assert!(found.contains(help), "{text}: {found}");
        }
    }
}
