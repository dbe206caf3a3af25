//! Cuts a text of Lua into tokens, as far as its shape must be known before it is compiled.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// A string, or a piece of one with expressions in it.
    Text,
    /// One byte of punctuation.
    Symbol,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A text that is read from front to back.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    /// For each string with an open expression, how many braces are open inside of it.
    open: Vec<usize>,
}

/// The tokens of `text` without comments; where a string or comment has no end, it ends with the text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0, tokens: Vec::new(), open: Vec::new() };
    while scanner.at < scanner.text.len() {
        scanner.step();
    }
    scanner.tokens
}

// === impl Scanner ===

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        let start = self.at;
        let kind = match (self.peek(0), self.peek(1)) {
            (b'-', b'-') => return self.comment(),
            (quote @ (b'"' | b'\''), _) => self.string(quote),
            (b'`', _) => self.template(),
            (b'[', b'[' | b'=') if self.long_bracket() => Kind::Text,
            (b'0'..=b'9', _) | (b'.', b'0'..=b'9') => self.run(Kind::Number),
            (b'_' | b'a'..=b'z' | b'A'..=b'Z', _) => self.run(Kind::Word),
            (b' ' | b'\t' | b'\r' | b'\n', _) => {
                self.at += 1;
                return;
            }
            (symbol, _) => match self.symbol(symbol) {
                Some(kind) => kind,
                None => return,
            },
        };
        self.tokens.push(Token { kind, start, end: self.at });
    }

    /// A symbol; or the rest of a string whose expression ends here.
    fn symbol(&mut self, symbol: u8) -> Option<Kind> {
        match (symbol, self.open.last_mut()) {
            (b'{', Some(depth)) => *depth += 1,
            (b'}', Some(0)) => {
                self.open.pop();
                return Some(self.template());
            }
            (b'}', Some(depth)) => *depth -= 1,
            _ => {}
        }
        self.at += 1;
        Some(Kind::Symbol)
    }

    fn run(&mut self, kind: Kind) -> Kind {
        let is_part = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || (kind == Kind::Number && c == b'.');
        while is_part(self.peek(0)) {
            self.at += 1;
        }
        kind
    }

    fn string(&mut self, quote: u8) -> Kind {
        self.at += 1;
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' => break,
                c => {
                    self.at += 1;
                    if c == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.text.len());
        Kind::Text
    }

    /// A piece of a string with expressions, from a quote or a closing brace to the next quote or opening brace.
    fn template(&mut self) -> Kind {
        self.at += 1;
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    break;
                }
                b'{' => {
                    self.at += 1;
                    self.open.push(0);
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        Kind::Text
    }

    fn comment(&mut self) {
        self.at += 2;
        if self.peek(0) == b'[' && self.long_bracket() {
            return;
        }
        while self.at < self.text.len() && self.peek(0) != b'\n' {
            self.at += 1;
        }
    }

    /// Passes `[[…]]` or `[=[…]=]`, if one begins here.
    fn long_bracket(&mut self) -> bool {
        let level = (1..).take_while(|ahead| self.peek(*ahead) == b'=').count();
        if self.peek(1 + level) != b'[' {
            return false;
        }
        self.at += 2 + level;
        while self.at < self.text.len() {
            let is_end = self.peek(0) == b']'
                && (1..=level).all(|ahead| self.peek(ahead) == b'=')
                && self.peek(1 + level) == b']';
            if is_end {
                self.at += 2 + level;
                return true;
            }
            self.at += 1;
        }
        true
    }
}
