//! What all documents have in common.

use pointsman::condition::Dialect;

use super::yaml::Broken;
use super::yaml::Tree;
use super::yaml::read;
use crate::support::naive::Reading;

/// The fields that any document may have.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// `v3.0`; empty if it is not given.
    pub(crate) version: String,
    pub(crate) dialect: Dialect,
    pub(crate) reading: Reading,
    pub(crate) is_enabled: bool,
    pub(crate) force: bool,
}

/// A place where a document of one kind may stand: what is read there now, and what was read just before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) before: Option<&'a str>,
    /// `None`: deleted, or never there.
    pub(crate) text: Option<&'a str>,
}

impl Header {
    pub(crate) fn read(document: &Tree, reading: Reading) -> Result<Self, Broken> {
        let flag = |key: &str, default| flag(document.get(key), default, reading);
        for key in ["key", "scope", "name", "kind", "on-error"] {
            document.get(key).text()?;
        }
        for key in ["runtime", "dynamic"] {
            flag(key, false)?;
        }
        match document.get("priority") {
            Tree::Nothing => {}
            Tree::Number(text) | Tree::Text(text) if text.parse::<i32>().is_ok() => {}
            _ => return Err(Broken),
        }
        if !flag("valid", true)? {
            return Err(Broken);
        }
        let version = match document.get("configVersion") {
            Tree::Nothing => String::new(),
            Tree::Text(text) => text.clone(),
            Tree::Number(text) => format!("v{text}"),
            _ => return Err(Broken),
        };
        let dialect = match document.get("dialect").text()? {
            None | Some("v3" | "pointsman") => Dialect::V3,
            Some("v2") => Dialect::V2,
            Some(_) => return Err(Broken),
        };
        Ok(Self { version, dialect, reading, is_enabled: flag("enabled", true)?, force: flag("force", false)? })
    }
}

impl Place<'_> {
    /// What is in force: what the text says, or what the one before said if this one is broken.
    pub(crate) fn in_force<T>(self, reading: Reading, of: fn(&Tree, Header) -> Result<Option<T>, Broken>) -> Option<T> {
        let understand = |text: &str| match read(text)? {
            Tree::Nothing => Ok(None),
            Tree::Map(entries) if entries.is_empty() => Ok(None),
            document @ Tree::Map(_) => of(&document, Header::read(&document, reading)?),
            _ => Err(Broken),
        };
        match self.text.map(understand) {
            None => None,
            Some(Ok(rule)) => rule,
            Some(Err(Broken)) => self.before.and_then(|before| understand(before).ok()).flatten(),
        }
    }
}

/// A truth value, also between quotes. What is none is false in Dubbo.
fn flag(value: &Tree, default: bool, reading: Reading) -> Result<bool, Broken> {
    match value {
        Tree::Nothing => Ok(default),
        Tree::Flag(flag) => Ok(*flag),
        Tree::Text(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Tree::Text(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        _ if reading == Reading::AsDubbo => Ok(false),
        _ => Err(Broken),
    }
}
