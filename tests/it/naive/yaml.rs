//! The plain data of a YAML text, as a tree.

use std::collections::HashMap;

use saphyr_parser::Event;
use saphyr_parser::Parser;
use saphyr_parser::ScalarStyle;

/// A document that does not take effect; what was in force before it stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Nothing,
    Flag(bool),
    /// As it was written.
    Number(String),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

/// What has begun and not ended.
enum Open {
    List(usize, Vec<Tree>),
    Map(usize, Vec<Tree>),
}

/// Reads a text with one document at most. Tags, keys that are no scalars and keys that stand twice are no plain data.
pub(crate) fn read(text: &str) -> Result<Tree, Broken> {
    let (mut open, mut documents, mut anchors) = (Vec::new(), Vec::new(), HashMap::new());
    for event in Parser::new_from_str(text) {
        let (value, anchor) = match event.map_err(|_| Broken)?.0 {
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                return Err(Broken);
            }
            Event::Scalar(text, style, anchor, None) => (scalar(&text, style == ScalarStyle::Plain), anchor),
            Event::SequenceStart(anchor, None) => {
                open.push(Open::List(anchor, Vec::new()));
                continue;
            }
            Event::MappingStart(anchor, None) => {
                open.push(Open::Map(anchor, Vec::new()));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop().ok_or(Broken)? {
                Open::List(anchor, items) => (Tree::List(items), anchor),
                Open::Map(anchor, items) => (map(items)?, anchor),
            },
            Event::Alias(anchor) => (anchors.get(&anchor).cloned().ok_or(Broken)?, 0),
            _ => continue,
        };
        if anchor != 0 {
            anchors.insert(anchor, value.clone());
        }
        match open.last_mut() {
            Some(Open::List(_, items) | Open::Map(_, items)) => items.push(value),
            None => documents.push(value),
        }
    }
    if documents.len() > 1 { Err(Broken) } else { Ok(documents.pop().unwrap_or(Tree::Nothing)) }
}

impl Tree {
    /// The value of `key`; nothing where a map lacks it.
    pub(crate) fn get(&self, key: &str) -> &Tree {
        let entries = if let Tree::Map(entries) = self { entries.as_slice() } else { &[] };
        entries.iter().find(|(name, _)| name == key).map_or(&Tree::Nothing, |(_, value)| value)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        matches!(self, Tree::Map(entries) if entries.iter().any(|(name, _)| name == key))
    }

    /// A text, or none where nothing stands.
    pub(crate) fn text(&self) -> Result<Option<&str>, Broken> {
        match self {
            Tree::Nothing => Ok(None),
            Tree::Text(text) => Ok(Some(text)),
            _ => Err(Broken),
        }
    }

    /// The items of a list, or none where nothing stands.
    pub(crate) fn items(&self) -> Result<&[Tree], Broken> {
        match self {
            Tree::Nothing => Ok(&[]),
            Tree::List(items) => Ok(items),
            _ => Err(Broken),
        }
    }
}

fn map(items: Vec<Tree>) -> Result<Tree, Broken> {
    let mut entries: Vec<(String, Tree)> = Vec::new();
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let key = match key {
            Tree::Text(text) | Tree::Number(text) => text,
            Tree::Flag(flag) => flag.to_string(),
            Tree::Nothing | Tree::List(_) | Tree::Map(_) => return Err(Broken),
        };
        if entries.iter().any(|(known, _)| *known == key) {
            return Err(Broken);
        }
        entries.push((key, value));
    }
    Ok(Tree::Map(entries))
}

/// What a scalar is; `yes`, `no`, `on` and `off` are truth values, as in the YAML 1.1 that Dubbo reads.
fn scalar(text: &str, is_plain: bool) -> Tree {
    if !is_plain {
        return Tree::Text(text.to_owned());
    }
    match text.to_ascii_lowercase().as_str() {
        "" | "~" | "null" => Tree::Nothing,
        "true" | "yes" | "on" => Tree::Flag(true),
        "false" | "no" | "off" => Tree::Flag(false),
        _ if text.parse::<f64>().is_ok() && text.contains(|c: char| c.is_ascii_digit()) => {
            Tree::Number(text.to_owned())
        }
        _ => Tree::Text(text.to_owned()),
    }
}
