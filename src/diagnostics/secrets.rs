//! Where secrets stand in a text of which nothing else is known: a line of a file, a rule, a URL, a message.
//!
//! The text is looked at with its percent escapes decoded once, since a URL carries its rule encoded. Where it is not
//! clear how far a secret goes, too much is hidden rather than too little.

use std::ops::Range;

use crate::diagnostics::Mask;

/// One character of a text, decoded, and its bytes.
#[derive(Clone, Copy)]
struct Unit {
    c: char,
    start: usize,
    is_encoded: bool,
}

/// What is known of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It stands somewhere as it is: everything in it is data.
    Source,
    /// It quotes data between backticks.
    Message,
}

/// A text as units.
struct Units {
    units: Vec<Unit>,
    length: usize,
    kind: Kind,
}

/// The bytes of `text` that `mask` hides, in order, none twice.
pub(super) fn find(text: &str, kind: Kind, mask: &Mask) -> Vec<Range<usize>> {
    let units = Units { units: decode(text), length: text.len(), kind };
    let mut found = units.values(mask);
    found.extend(units.tag_value(mask));
    found.extend(units.passwords_after_schemes());
    found.extend(units.passwords_of_words());
    let bytes = found.into_iter().map(|range| units.byte(range.start)..units.byte(range.end)).collect();
    merge(bytes)
}

/// Sorts ranges and joins those that touch.
pub(super) fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Percent escapes of ASCII characters become the character; everything else stands for itself.
fn decode(text: &str) -> Vec<Unit> {
    let mut units = Vec::with_capacity(text.len());
    let mut skipped_to = 0;
    for (start, c) in text.char_indices().filter(|(_, c)| !c.is_control() || matches!(c, '\n' | '\t')) {
        if start < skipped_to {
            continue;
        }
        let code = (c == '%').then(|| text.get(start + 1..start + 3)).flatten();
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(u8::is_ascii);
        match byte {
            Some(byte) => {
                skipped_to = start + 3;
                units.push(Unit { c: char::from(byte), start, is_encoded: true });
            }
            None => units.push(Unit { c, start, is_encoded: false }),
        }
    }
    units
}

// === impl Units ===

impl Units {
    fn at(&self, index: usize) -> Option<Unit> {
        self.units.get(index).copied()
    }

    fn is(&self, index: usize, c: char) -> bool {
        self.at(index).is_some_and(|unit| unit.c == c)
    }

    fn byte(&self, index: usize) -> usize {
        self.at(index).map_or(self.length, |unit| unit.start)
    }

    fn is_arrow(&self, index: usize) -> bool {
        self.is(index, '=') && self.is(index + 1, '>')
    }

    /// The end of a quotation: a backtick that no word follows.
    fn is_quotation_end(&self, index: usize) -> bool {
        self.kind == Kind::Message
            && self.is(index, '`')
            && self.at(index + 1).is_none_or(|next| !next.c.is_alphanumeric())
    }

    fn first(&self, range: Range<usize>, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut range = range;
        range.find(|index| fits(*index))
    }

    fn last(&self, range: Range<usize>, c: char) -> Option<usize> {
        range.rev().find(|index| self.is(*index, c))
    }

    /// The values of keys that are masked.
    fn values(&self, mask: &Mask) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let (mut index, mut has_arrow) = (0, false);
        while let Some(unit) = self.at(index) {
            has_arrow |= self.is_arrow(index);
            let is_separator = (unit.c == '=' && !self.is_arrow(index)) || self.ends_quoted_key(index);
            index += 1;
            if is_separator && mask.hides(&self.key_before(index - 1)) {
                let end = self.value_end(index, unit.is_encoded, has_arrow);
                let last = (index..end).rev().find(|at| self.at(*at).is_some_and(|unit| !is_blank(unit.c)));
                found.extend(last.map(|last| index..last + 1));
                index = end;
            }
        }
        found
    }

    /// `@token value`, which was meant as a tag.
    fn tag_value(&self, mask: &Mask) -> Option<Range<usize>> {
        let name: String = self.chars(0..self.units.len()).skip(1).take_while(|c| !is_blank(*c)).collect();
        let after = 1 + name.chars().count();
        let line_end = self.first(after..self.units.len(), |index| self.is(index, '\n')).unwrap_or(self.units.len());
        (self.is(0, '@') && mask.hides(&name)).then(|| (after + 1).min(line_end)..line_end)
    }

    /// The `:` of `"key": "value"`.
    fn ends_quoted_key(&self, index: usize) -> bool {
        self.is(index, ':') && index.checked_sub(1).is_some_and(|before| self.is(before, '"'))
    }

    /// The key in front of a separator: blanks, `!`, quotes and the `]` of `attachments[key]` are seen through.
    fn key_before(&self, separator: usize) -> String {
        let before = self.units.get(..separator).unwrap_or_default();
        let mut key: Vec<char> = before
            .iter()
            .rev()
            .map(|unit| unit.c)
            .skip_while(|c| is_blank(*c) || matches!(c, '!' | ']' | '"' | '\''))
            .take_while(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
            .collect();
        key.reverse();
        key.into_iter().collect()
    }

    /// Where the value that begins at `start` ends: only `&` and the first `=>` are sure to be no part of it. In an
    /// encoded rule they are encoded too, and the `&` of the URL around it ends the value as well.
    fn value_end(&self, start: usize, is_encoded: bool, has_arrow: bool) -> usize {
        let ends = |index: usize| {
            let Some(unit) = self.at(index) else { return true };
            let is_plain = is_encoded || !unit.is_encoded;
            (is_plain && (unit.c == '&' || (!has_arrow && self.is_arrow(index))))
                || (unit.c == '\n' && !unit.is_encoded)
                || self.is_quotation_end(index)
        };
        self.first(start..self.units.len(), ends).unwrap_or(self.units.len())
    }

    /// `//user:password@`; and what looks like it: `//user:pass:word/…` is no host with a port.
    fn passwords_after_schemes(&self) -> Vec<Range<usize>> {
        let is_scheme = |index: usize| self.is(index, ':') && self.is(index + 1, '/') && self.is(index + 2, '/');
        let schemes = (0..self.units.len()).filter(|index| is_scheme(*index));
        schemes
            .filter_map(|scheme| {
                let start = scheme + 3;
                let is_encoded = self.at(scheme).is_some_and(|unit| unit.is_encoded);
                let next = self.first(start..self.units.len(), is_scheme).unwrap_or(self.units.len());
                let is_end = |index: usize| {
                    let is_plain = self.at(index).is_some_and(|unit| is_encoded || !unit.is_encoded);
                    (is_plain && (self.is(index, '?') || self.is(index, '\n'))) || self.is_quotation_end(index)
                };
                let end = self.first(start..next, is_end).unwrap_or(next);
                self.password(start, end, next)
            })
            .collect()
    }

    /// The password in the part `start..end` in front of the query, which goes on to `next`.
    fn password(&self, start: usize, end: usize, next: usize) -> Option<Range<usize>> {
        let colon = self.first(start..end, |index| self.is(index, ':'))?;
        if let Some(at) = self.last(colon..end, '@') {
            return Some(colon + 1..at);
        }
        let host_end = self
            .first(colon..end, |index| self.at(index).is_some_and(|unit| unit.c == '/' || unit.c.is_whitespace()))
            .unwrap_or(end);
        let is_port = self.chars(colon + 1..host_end).all(|c| c.is_ascii_digit() || c == '-');
        let is_ip = self.chars(start..host_end).take_while(|c| *c != '%').all(is_of_ip) || self.is(start, '[');
        if is_port || is_ip {
            return None;
        }
        // A password may hold the `?` that seems to end the host.
        let query_end = self.first(end..next, |index| self.at(index).is_some_and(|unit| unit.c.is_whitespace()));
        let at = self.last(end..query_end.unwrap_or(next), '@');
        let has_colon = self.chars(colon + 1..host_end).any(|c| c == ':');
        at.or(has_colon.then_some(host_end)).map(|to| colon + 1..to)
    }

    /// `user:password@` without a scheme.
    fn passwords_of_words(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        // The first colon of the word, and the last `@` after it.
        let (mut colon, mut at) = (None, None);
        for index in 0..self.units.len() {
            if self.begins_word(index) {
                found.extend(password_between(colon.take(), at.take()));
            } else if self.is(index, ':') {
                colon = colon.or(Some(index));
            } else if self.is(index, '@') {
                at = Some(index);
            }
        }
        found.extend(password_between(colon, at));
        found
    }

    /// Whether a user may stand behind this character.
    fn begins_word(&self, index: usize) -> bool {
        let is_after = |c: char, distance: usize| index.checked_sub(distance).is_some_and(|before| self.is(before, c));
        match self.at(index).map(|unit| unit.c) {
            Some('?' | '&' | '\n') => true,
            Some('>') => is_after('=', 1),
            Some('/') => is_after('/', 1) && is_after(':', 2),
            Some('`') => self.kind == Kind::Message,
            _ => false,
        }
    }

    fn chars(&self, range: Range<usize>) -> impl Iterator<Item = char> + '_ {
        self.units.get(range).unwrap_or_default().iter().map(|unit| unit.c)
    }
}

fn password_between(colon: Option<usize>, at: Option<usize>) -> Option<Range<usize>> {
    let (colon, at) = (colon?, at?);
    (colon < at).then_some(colon + 1..at)
}

fn is_blank(c: char) -> bool {
    c == '+' || c.is_whitespace()
}

fn is_of_ip(c: char) -> bool {
    c.is_ascii_hexdigit() || matches!(c, ':' | '.')
}
