//! What is learnt of a text before it is compiled, and what is changed in it. Lines stay where they are.

use crate::script::luau::scan::Kind;
use crate::script::luau::scan::Token;
use crate::script::luau::scan::tokens;

/// The most brackets inside of brackets.
const MAX_NESTING: usize = 200;
/// Stands around what a loop visits; see `library.lua`.
const ITERATE: &str = "__iterate(";
/// Calls a `route` that the text declares and leaves uncalled.
const CALL: &str = "\nif route then return route(invokers, invocation, context) end";
/// Words that may begin a block inside of what a loop visits.
const BLOCKS: [&str; 7] = ["function", "if", "for", "while", "repeat", "then", "else"];

/// A text that can be compiled.
#[derive(Debug)]
pub(super) struct Shape {
    /// The text to compile.
    pub(super) text: String,
    /// The same with a call of `route` after it; only where it is declared and not called.
    pub(super) with_call: Option<String>,
    /// Whether single arguments are looked at, never their list.
    pub(super) has_lazy_arguments: bool,
    /// Whether single attachments are looked at, never their map.
    pub(super) has_lazy_attachments: bool,
    /// Whether a loop could not be looked into.
    pub(super) has_hidden_loop: bool,
}

/// Where a text nests too deep, as an offset.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooDeep(pub(super) usize);

/// The tokens of a text with the text.
struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

/// Looks at `text` and prepares it.
pub(super) fn prepare(text: &str) -> Result<Shape, TooDeep> {
    let reader = Reader { text, tokens: tokens(text) };
    reader.check_nesting()?;
    let (text, has_hidden_loop) = reader.with_watched_loops();
    let with_call = reader.declares_uncalled_route().then(|| format!("{text}{CALL}"));
    Ok(Shape {
        text,
        with_call,
        has_lazy_arguments: reader.has_only_elements_of("arguments"),
        has_lazy_attachments: reader.has_only_elements_of("attachments"),
        has_hidden_loop,
    })
}

// === impl Reader ===

impl Reader<'_> {
    fn word(&self, index: usize) -> &str {
        self.tokens.get(index).and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }

    fn check_nesting(&self) -> Result<(), TooDeep> {
        let mut depth = 0_usize;
        for token in self.tokens.iter().filter(|token| token.kind == Kind::Symbol) {
            match self.text.as_bytes().get(token.start) {
                Some(b'(' | b'[' | b'{') => depth += 1,
                Some(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > MAX_NESTING {
                return Err(TooDeep(token.start));
            }
        }
        Ok(())
    }

    /// Whether `route` is declared, and mentioned nowhere else.
    fn declares_uncalled_route(&self) -> bool {
        let mut is_declared = false;
        for index in (0..self.tokens.len()).filter(|index| self.word(*index) == "route") {
            let before = index.checked_sub(1).map(|before| self.word(before)).unwrap_or_default();
            let is_value = self.word(index + 1) == "=" && self.word(index + 2) == "function";
            match before {
                "function" => is_declared = true,
                "." | ":" => {}
                _ if is_value => is_declared = true,
                _ => return false,
            }
        }
        is_declared
    }

    /// Whether `name` is only used as `name[…]`, or `name.word` for a map.
    fn has_only_elements_of(&self, name: &str) -> bool {
        (0..self.tokens.len()).filter(|index| self.is_mention(*index, name)).all(|index| {
            let is_length = name == "arguments" && index >= 3 && self.word(index - 3) == "#";
            match self.word(index + 1) {
                "[" => true,
                "." => name == "attachments" && self.word(index + 2) != ".",
                _ => is_length,
            }
        })
    }

    /// Whether the token is the word `name`, or a string that has it.
    fn is_mention(&self, index: usize, name: &str) -> bool {
        let is_text = self.tokens.get(index).is_some_and(|token| token.kind == Kind::Text);
        let word = self.word(index);
        if is_text { word.contains(name) } else { word == name }
    }

    /// The text with every loop over a value watched; and whether one could not be.
    fn with_watched_loops(&self) -> (String, bool) {
        let (mut text, mut copied, mut has_hidden_loop) = (String::with_capacity(self.text.len() + 64), 0, false);
        for index in (0..self.tokens.len()).filter(|index| self.word(*index) == "for") {
            let Some(first) = self.visited(index) else { continue };
            if matches!(self.word(first), "pairs" | "ipairs") && self.word(first + 1) == "(" {
                continue;
            }
            let Some(end) = self.end_of_visited(first) else {
                has_hidden_loop = true;
                continue;
            };
            let start = self.tokens.get(first).map_or(copied, |token| token.start);
            text.push_str(self.text.get(copied..start).unwrap_or_default());
            text.push_str(ITERATE);
            text.push_str(self.text.get(start..end).unwrap_or_default());
            text.push(')');
            copied = end;
        }
        text.push_str(self.text.get(copied..).unwrap_or_default());
        (text, has_hidden_loop)
    }

    /// The token after the `in` of the loop that begins at `index`; none for a loop over numbers.
    fn visited(&self, index: usize) -> Option<usize> {
        let end = (index + 1..self.tokens.len()).find(|at| matches!(self.word(*at), "in" | "=" | "do" | "for"))?;
        (self.word(end) == "in").then_some(end + 1)
    }

    /// Where what a loop visits ends, if its `do` can be told.
    fn end_of_visited(&self, first: usize) -> Option<usize> {
        let end = (first..self.tokens.len()).find(|at| self.word(*at) == "do" || BLOCKS.contains(&self.word(*at)))?;
        let is_plain = self.word(end) == "do" && end > first;
        self.tokens.get(end - 1).filter(|_| is_plain).map(|token| token.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_over_values_are_watched_and_others_left_alone() {
        for (text, expected) in [
            ("for i = 1, 3 do end", "for i = 1, 3 do end"),
            ("for _, v in ipairs(t) do end", "for _, v in ipairs(t) do end"),
            ("for k, v in t do end", "for k, v in __iterate(t) do end"),
            (
                "for k: string, v in f(a, {b}).c -- do\n do end",
                "for k: string, v in __iterate(f(a, {b}).c) -- do\n do end",
            ),
            ("local s = 'for k in t do' --[[ for k in t do ]]", "local s = 'for k in t do' --[[ for k in t do ]]"),
            (
                "s = `a{f(function() for k in t do end end)}b`",
                "s = `a{f(function() for k in __iterate(t) do end end)}b`",
            ),
            (
                "for k in next, t do for j in k do end end",
                "for k in __iterate(next, t) do for j in __iterate(k) do end end",
            ),
        ] {
            let shape = prepare(text).unwrap();
            assert_eq!(shape.text, expected);
            assert!(!shape.has_hidden_loop, "{text}");
        }
        assert!(prepare("for k in (function() return t end)() do end").unwrap().has_hidden_loop);
    }

    #[test]
    fn a_declared_route_is_called_unless_it_is_mentioned_elsewhere() {
        for (text, expected) in [
            ("function route(i) return i end", true),
            ("local function route(i) return i end", true),
            ("local route = function(i) return i end", true),
            ("function route(i) return i end return route(invokers)", false),
            ("function x.route(i) return i end return 1", false),
            ("return invokers", false),
        ] {
            assert_eq!(prepare(text).unwrap().with_call.is_some(), expected, "{text}");
        }
    }

    #[test]
    fn single_arguments_and_attachments_are_told_from_all_of_them() {
        for (text, arguments, attachments) in [
            ("return invocation.arguments[1] == 'a'", true, true),
            ("local n = #invocation.arguments", true, true),
            ("local a = invocation.arguments", false, true),
            ("for _, a in ipairs(invocation.arguments) do end", false, true),
            ("local a = invocation['arguments']", false, true),
            ("return invocation.attachments.region", true, true),
            ("return pairs(invocation.attachments)", true, false),
        ] {
            let shape = prepare(text).unwrap();
            assert_eq!((shape.has_lazy_arguments, shape.has_lazy_attachments), (arguments, attachments), "{text}");
        }
    }

    #[test]
    fn brackets_nest_so_deep_and_no_deeper() {
        assert!(prepare(&"(".repeat(MAX_NESTING)).is_ok());
        assert_eq!(prepare(&"[ ".repeat(MAX_NESTING + 1)).unwrap_err(), TooDeep(2 * MAX_NESTING));
    }
}
