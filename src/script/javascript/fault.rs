//! What is wrong with a rule's text before the engine has seen it.

use crate::script::CompileError;
use crate::script::javascript::place::Place;

/// Something wrong, and where, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    start: usize,
    kind: FaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FaultKind {
    Empty,
    NeverClosed,
    NeverOpened,
    TooDeep { most: usize },
    TooMany { what: &'static str, most: usize },
    Letter(char),
    EscapedName,
    MarkupComment,
    BigInteger,
    ForEach,
    ExpressionClosure,
    Waiting,
    Import,
    CatchPattern,
}

// === impl Fault ===

impl Fault {
    pub(super) fn at(start: usize, kind: FaultKind) -> Self {
        Self { start, kind }
    }

    /// The fault for whoever wrote `text`.
    pub(crate) fn explain(&self, text: &str) -> CompileError {
        let place = Place::of(text, self.start);
        let (message, help) = self.kind.words();
        CompileError { message, line: Some(place.line), column: Some(place.column), help: Some(help) }
    }
}

// === impl FaultKind ===

impl FaultKind {
    fn words(&self) -> (String, String) {
        let (message, help) = match self {
            Self::Letter(letter) => return stranger(*letter),
            Self::TooDeep { most } => {
                let message = format!("brackets are nested more than {most} deep");
                return (message, "give inner parts names: `var part = …;`".to_owned());
            }
            Self::TooMany { what, most } => {
                let message = format!("more than {most} {what}");
                return (message, "use a list, a map or a loop".to_owned());
            }
            Self::Empty => {
                ("there is nothing to run", "write an expression whose value is the list, such as `invokers`")
            }
            Self::NeverClosed => ("this is never closed", "add what ends it, or delete it"),
            Self::NeverOpened => ("this closes nothing that is open", "delete it, or open the bracket it belongs to"),
            Self::EscapedName => ("a name with `\\`", "write the letter itself"),
            Self::MarkupComment => ("`<!--` and `-->` are comments of HTML", "write `//`"),
            Self::BigInteger => ("big integers are left out", "write the number without `n`"),
            Self::ForEach => (
                "`for each` is not ECMAScript: only Nashorn had it",
                "write `for (var item of list)` instead of `for each (var item in list)`",
            ),
            Self::ExpressionClosure => (
                "a function without braces is not ECMAScript: only Nashorn had it",
                "write `function (x) { return …; }` or `x => …`",
            ),
            Self::Waiting => ("a rule cannot wait: there is no `async` and no `await`", "write a plain function"),
            Self::Import => ("a rule cannot load anything", "write what it needs into the rule itself"),
            Self::CatchPattern => ("a pattern in `catch`", "write `catch (error)` and take it apart inside"),
        };
        (message.to_owned(), help.to_owned())
    }
}

/// A letter that only looks like one of the language's, or is none at all.
fn stranger(letter: char) -> (String, String) {
    let code = u32::from(letter);
    let meant = match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(code - 0xfee0).map(String::from),
        '‘' | '’' | '‛' | '′' => Some("'".to_owned()),
        '“' | '”' | '„' | '″' => Some("\"".to_owned()),
        '、' => Some(",".to_owned()),
        '。' => Some(".".to_owned()),
        '【' | '「' => Some("[".to_owned()),
        '】' | '」' => Some("]".to_owned()),
        '《' => Some("<".to_owned()),
        '》' => Some(">".to_owned()),
        '–' | '—' | '−' => Some("-".to_owned()),
        '…' => Some("...".to_owned()),
        _ => None,
    };
    let is_blank = letter.is_whitespace();
    let is_hidden =
        is_blank || letter.is_control() || matches!(letter, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}');
    let name = match letter {
        '\u{a0}' => "a no-break space".to_owned(),
        '\u{3000}' => "a full-width space".to_owned(),
        '\u{feff}' => "a byte order mark".to_owned(),
        _ if is_blank => "an unusual space".to_owned(),
        _ if is_hidden => "an invisible letter".to_owned(),
        _ => format!("`{letter}`"),
    };
    let help = match meant {
        Some(meant) => format!("write `{meant}`"),
        None if is_blank => "write an ordinary space".to_owned(),
        None => "delete it, or put it in quotes".to_owned(),
    };
    (format!("{name} (U+{code:04X}) is no letter of JavaScript"), help)
}
