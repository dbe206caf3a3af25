//! The pieces of a rule's text, and what can be said of each by itself.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number, text, regular expression, or a template without `${`.
    Literal,
    /// An operator or a bracket.
    Mark,
    /// What a template says before, between and after its `${…}`.
    Template,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    /// Where it starts, in bytes.
    pub(super) start: usize,
    /// Whether a line ends between the token before and this one.
    pub(super) after_line: bool,
    /// The place of the bracket that belongs to this one; its own place for everything else.
    pub(super) partner: usize,
}

// === impl Token ===

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    // PERF: asked some hundred times a token; lengths differ as a rule (`script/compile`).
    #[inline(always)]
    pub(super) fn is(&self, text: &str) -> bool {
        self.text.len() == text.len() && self.kind != TokenKind::Literal && self.text == text
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    pub(super) fn is_name(&self) -> bool {
        self.is_word() && !is_keyword(self.text)
    }

    pub(super) fn opens(&self) -> bool {
        match self.kind {
            TokenKind::Mark => matches!(self.text, "(" | "[" | "{"),
            TokenKind::Template => self.text.ends_with("${"),
            _ => false,
        }
    }

    pub(super) fn closes(&self) -> bool {
        match self.kind {
            TokenKind::Mark => matches!(self.text, ")" | "]" | "}"),
            TokenKind::Template => self.text.starts_with('}'),
            _ => false,
        }
    }

    /// Whether an expression may end with this token.
    pub(super) fn ends_expression(&self) -> bool {
        match self.kind {
            TokenKind::Literal => true,
            TokenKind::Template => !self.text.ends_with("${"),
            TokenKind::Word => !expects_operand(self.text),
            TokenKind::Mark => matches!(self.text, ")" | "]" | "}" | "++" | "--"),
        }
    }
}

/// Whether a word is no name.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "break"
            | "case"
            | "catch"
            | "class"
            | "const"
            | "continue"
            | "debugger"
            | "default"
            | "delete"
            | "do"
            | "else"
            | "export"
            | "extends"
            | "false"
            | "finally"
            | "for"
            | "function"
            | "if"
            | "import"
            | "in"
            | "instanceof"
            | "let"
            | "new"
            | "null"
            | "return"
            | "super"
            | "switch"
            | "this"
            | "throw"
            | "true"
            | "try"
            | "typeof"
            | "var"
            | "void"
            | "while"
            | "with"
            | "yield"
            | "enum"
    )
}

/// Whether an operand follows after a word.
fn expects_operand(word: &str) -> bool {
    matches!(
        word,
        "case"
            | "delete"
            | "do"
            | "else"
            | "extends"
            | "in"
            | "instanceof"
            | "new"
            | "return"
            | "throw"
            | "typeof"
            | "void"
            | "yield"
            | "default"
    )
}
