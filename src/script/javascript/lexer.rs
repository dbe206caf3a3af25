//! Splits a rule's text into tokens: enough of JavaScript to find statements, brackets and names, not to check it.
//!
//! Where a text is no JavaScript the tokens may be wrong; the engine's own parser then refuses it. A text that is split
//! differently here and there would be one written to that end, which [`Prepared`](super::Prepared) withstands.

use std::ops::Range;

use super::fault::Fault;
use super::fault::FaultKind;
use super::token::Token;
use super::token::TokenKind;

/// Longest first.
const MARKS: [&str; 33] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
];

/// Reads the tokens of `text`, and where its comments of one line are.
///
/// # Errors
///
/// A text, template, comment or bracket that does not end; brackets nested too deeply; a letter that is none of the
/// language's.
pub(super) fn tokens_and_comments(text: &str) -> Result<(Vec<Token<'_>>, Vec<Range<usize>>), Fault> {
    let tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut lexer = Lexer { text, at: 0, tokens, comments: Vec::new(), open: Vec::new(), after_line: true };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.skip_blanks()? {
        lexer.read()?;
    }
    match lexer.open.last().and_then(|place| lexer.tokens.get(*place)) {
        Some(open) => Err(Fault::at(open.start, FaultKind::NeverClosed)),
        None => Ok((lexer.tokens, lexer.comments)),
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token<'a>>,
    // Those of one line, without its end.
    comments: Vec<Range<usize>>,
    // Places of the brackets that are open.
    open: Vec<usize>,
    after_line: bool,
}

// === impl Lexer ===

impl<'a> Lexer<'a> {
    /// Brackets inside of brackets; deeper ones overflow the stacks of parsers.
    const MOST_NESTED: usize = 64;

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Goes to the next token; false at the end.
    fn skip_blanks(&mut self) -> Result<bool, Fault> {
        loop {
            match self.byte(0) {
                0 if self.at >= self.text.len() => return Ok(false),
                b'\n' | b'\r' => {
                    self.after_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.byte(1) == b'/' => self.skip_line(),
                b'/' if self.byte(1) == b'*' => self.skip_comment()?,
                b'<' if self.rest().starts_with("<!--") => return Err(Fault::at(self.at, FaultKind::MarkupComment)),
                b'-' if self.after_line && self.rest().starts_with("-->") => {
                    return Err(Fault::at(self.at, FaultKind::MarkupComment));
                }
                0xe2 if self.rest().starts_with(['\u{2028}', '\u{2029}']) => {
                    self.after_line = true;
                    self.at += 3;
                }
                _ => return Ok(true),
            }
        }
    }

    fn skip_line(&mut self) {
        let end = self.rest().find(['\n', '\r', '\u{2028}', '\u{2029}']);
        let start = self.at;
        self.at += end.unwrap_or(self.rest().len());
        self.comments.push(start..self.at);
    }

    fn skip_comment(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let Some(length) = rest.get(2..).and_then(|inside| inside.find("*/")) else {
            return Err(Fault::at(self.at, FaultKind::NeverClosed));
        };
        let inside = rest.get(..length + 2).unwrap_or_default();
        self.after_line |= inside.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        self.at += length + 4;
        Ok(())
    }

    fn read(&mut self) -> Result<(), Fault> {
        let first = self.rest().chars().next().unwrap_or_default();
        match first {
            '"' | '\'' => self.read_text(first),
            '`' => self.read_template(),
            '}' if self.is_in_template() => self.read_template(),
            '/' if !self.divides() => self.read_expression(),
            '0'..='9' => self.read_number(),
            '.' if self.byte(1).is_ascii_digit() => self.read_number(),
            '$' | '_' => self.read_word(),
            letter if letter.is_alphabetic() => self.read_word(),
            '\\' => Err(Fault::at(self.at, FaultKind::EscapedName)),
            mark if mark.is_ascii_punctuation() => self.read_mark(mark),
            stranger => Err(Fault::at(self.at, FaultKind::Letter(stranger))),
        }
    }

    fn read_text(&mut self, quote: char) -> Result<(), Fault> {
        let mut is_escaped = false;
        for (at, letter) in self.rest().char_indices().skip(1) {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '\n' | '\r' => break,
                end if end == quote => return self.push(TokenKind::Literal, at + 1),
                _ => {}
            }
        }
        Err(Fault::at(self.at, FaultKind::NeverClosed))
    }

    /// Reads on from a backquote, or from the `}` that ends a `${`.
    fn read_template(&mut self) -> Result<(), Fault> {
        let is_first = self.byte(0) == b'`';
        let (mut is_escaped, mut is_dollar) = (false, false);
        for (at, letter) in self.rest().char_indices().skip(1) {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '`' => {
                    return self.push(if is_first { TokenKind::Literal } else { TokenKind::Template }, at + 1);
                }
                '{' if is_dollar => return self.push(TokenKind::Template, at + 1),
                _ => {}
            }
            is_dollar = letter == '$';
        }
        Err(Fault::at(self.at, FaultKind::NeverClosed))
    }

    fn read_expression(&mut self) -> Result<(), Fault> {
        let (mut is_escaped, mut is_in_class) = (false, false);
        for (at, letter) in self.rest().char_indices().skip(1) {
            match letter {
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => break,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                '/' if !is_in_class => {
                    let flags = self.rest().get(at + 1..).unwrap_or_default();
                    let flags = flags.len() - flags.trim_start_matches(|it: char| it.is_ascii_alphanumeric()).len();
                    return self.push(TokenKind::Literal, at + 1 + flags);
                }
                _ => {}
            }
        }
        Err(Fault::at(self.at, FaultKind::NeverClosed))
    }

    fn read_number(&mut self) -> Result<(), Fault> {
        let rest = self.rest().as_bytes();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_';
        let mut length = 0;
        let is_decimal = !matches!(rest.get(1).map(u8::to_ascii_lowercase), Some(b'x' | b'o' | b'b'));
        while let Some(&byte) = rest.get(length) {
            let before = length.checked_sub(1).and_then(|at| rest.get(at));
            let is_sign = is_decimal && matches!(byte, b'+' | b'-') && matches!(before, Some(b'e' | b'E'));
            if !(is_plain(byte) || is_sign) {
                break;
            }
            length += 1;
        }
        if rest.get(length.saturating_sub(1)) == Some(&b'n') {
            return Err(Fault::at(self.at, FaultKind::BigInteger));
        }
        self.push(TokenKind::Literal, length)
    }

    fn read_word(&mut self) -> Result<(), Fault> {
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '$' | '_' | '\u{200c}' | '\u{200d}');
        let rest = self.rest();
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        self.push(TokenKind::Word, length)
    }

    fn read_mark(&mut self, mark: char) -> Result<(), Fault> {
        let rest = self.rest();
        let is_ternary = |long: &str| long == "?." && self.byte(2).is_ascii_digit();
        let is_long = self.byte(1).is_ascii_punctuation();
        let long = MARKS.iter().filter(|_| is_long).find(|long| rest.starts_with(**long) && !is_ternary(long));
        match mark {
            '(' | '[' | '{' => self.push(TokenKind::Mark, 1),
            ')' | ']' | '}' => {
                let opening = self.open.last().and_then(|place| self.tokens.get(*place)).map(|open| open.text);
                let wanted = match mark {
                    ')' => "(",
                    ']' => "[",
                    _ => "{",
                };
                if opening == Some(wanted) {
                    self.push(TokenKind::Mark, 1)
                } else {
                    Err(Fault::at(self.at, FaultKind::NeverOpened))
                }
            }
            _ => self.push(TokenKind::Mark, long.map_or(1, |long| long.len())),
        }
    }

    fn push(&mut self, kind: TokenKind, length: usize) -> Result<(), Fault> {
        let (start, place) = (self.at, self.tokens.len());
        let text = self.text.get(start..start + length).unwrap_or_default();
        let mut token = Token { kind, text, start, after_line: self.after_line, partner: place };
        if token.closes()
            && let Some(open) = self.open.pop()
        {
            token.partner = open;
            if let Some(open) = self.tokens.get_mut(open) {
                open.partner = place;
            }
        }
        if token.opens() {
            if self.open.len() >= Self::MOST_NESTED {
                return Err(Fault::at(start, FaultKind::TooDeep { most: Self::MOST_NESTED }));
            }
            self.open.push(place);
        }
        self.tokens.push(token);
        self.at += length;
        self.after_line = false;
        Ok(())
    }

    fn is_in_template(&self) -> bool {
        let open = self.open.last().and_then(|place| self.tokens.get(*place));
        open.is_some_and(|open| open.kind == TokenKind::Template)
    }

    /// Whether a slash here divides; else it begins a regular expression.
    fn divides(&self) -> bool {
        let Some(last) = self.tokens.last() else { return false };
        if last.is(")") {
            // After the head of a statement there is an operand, after any other `)` there is none.
            let before = last.partner.checked_sub(1).and_then(|at| self.tokens.get(at));
            return !before.is_some_and(|word| ["if", "while", "for", "with"].iter().any(|head| word.is(head)));
        }
        if last.is("}") && last.kind == TokenKind::Mark {
            return self.is_value(last.partner);
        }
        last.ends_expression()
    }

    /// Whether the braces that open at `place` are an object or the body of a function that is a value.
    fn is_value(&self, place: usize) -> bool {
        let before = place.checked_sub(1).and_then(|at| self.tokens.get(at));
        match before {
            None => false,
            Some(before) if before.kind == TokenKind::Mark => !matches!(before.text, ";" | "{" | "}" | ")" | "=>"),
            Some(before) => matches!(before.text, "return" | "typeof" | "in" | "case" | "void" | "throw"),
        }
    }
}
