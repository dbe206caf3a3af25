//! A provider table as Rhai values, by column.

use std::cell::Cell;
use std::cell::OnceCell;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rhai::Dynamic;

use crate::rpc::Url;
use crate::rpc::keys;
use crate::script::ProviderTable;
use crate::script::Run;

/// The parts of a URL beside its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Host,
    Port,
    Address,
    Path,
    Protocol,
    Service,
    Group,
    Version,
    Text,
}

/// The values of one table: a column is made when it is first read and serves every later run over the table. Texts are
/// counted references, so that reading one allocates nothing.
#[derive(Debug)]
pub(super) struct Columns {
    table: Arc<ProviderTable>,
    parts: [OnceCell<Box<[Dynamic]>>; Part::COUNT],
    parameters: RefCell<VecDeque<Rc<Column>>>,
}

#[derive(Debug)]
struct Column {
    key: Box<str>,
    values: Box<[Dynamic]>,
    // The last run that was told to have looked at it.
    noted: Cell<u64>,
}

// === impl Part ===

impl Part {
    const COUNT: usize = 9;

    fn of(self, url: &Url) -> Dynamic {
        let text = match self {
            Self::Port => return url.port().map_or(Dynamic::UNIT, |port| i64::from(port).into()),
            Self::Text => return masked(url).into(),
            Self::Host => url.host(),
            Self::Address => url.address(),
            Self::Path => url.path(),
            Self::Protocol => url.protocol(),
            Self::Service => url.service_interface(),
            Self::Group => url.non_empty_parameter(keys::GROUP),
            Self::Version => url.non_empty_parameter(keys::VERSION),
        };
        text.map_or(Dynamic::UNIT, Into::into)
    }
}

// === impl Columns ===

impl Columns {
    /// A script that reads more columns than this makes the oldest go; what it computes stays right.
    const MAX_COLUMNS: usize = 64;

    /// How many values of a column are looked through for an equal one.
    const SHARED_TEXTS: usize = 16;

    /// A longer key is looked up each time.
    const MAX_KEY_BYTES: usize = 128;

    pub(super) fn of(table: Arc<ProviderTable>) -> Self {
        Self { table, parts: Default::default(), parameters: RefCell::default() }
    }

    pub(super) fn table(&self) -> &Arc<ProviderTable> {
        &self.table
    }

    /// A part of the URL at `position`.
    pub(super) fn part(&self, position: u32, part: Part) -> Dynamic {
        let make = || self.table.urls().iter().map(|url| part.of(url)).collect();
        let column = self.parts.get(part as usize).map(|cell| cell.get_or_init(make));
        column.and_then(|column| column.get(position as usize)).cloned().unwrap_or(Dynamic::UNIT)
    }

    /// The parameter `key` at `position`, `()` where it is absent; tells `run` once that it was looked at.
    pub(super) fn parameter(&self, position: u32, key: &str, run_number: u64, run: &Run) -> Dynamic {
        let column = self.column(key);
        let Some(column) = column else {
            run.note_column(key);
            return self.table.url(position as usize).map_or(Dynamic::UNIT, |url| shown_parameter(url, key));
        };
        if column.noted.replace(run_number) != run_number {
            run.note_column(key);
        }
        column.values.get(position as usize).cloned().unwrap_or(Dynamic::UNIT)
    }

    /// The values of `key` in order; empty if no provider has one, so that keys without providers take no room.
    fn values(&self, key: &str) -> Box<[Dynamic]> {
        if self.table.urls().iter().all(|url| url.parameter(key).is_none()) {
            return Box::default();
        }
        // Most keys have few values; equal ones share a text.
        let mut texts: Vec<Dynamic> = Vec::new();
        let value = |url: &Url| {
            let value = shown_parameter(url, key);
            let is_it = |known: &&Dynamic| match (known.as_immutable_string_ref(), value.as_immutable_string_ref()) {
                (Ok(known), Ok(value)) => *known == *value,
                _ => false,
            };
            if let Some(known) = texts.iter().find(is_it) {
                return known.clone();
            }
            if texts.len() < Self::SHARED_TEXTS {
                texts.push(value.clone());
            }
            value
        };
        self.table.urls().iter().map(value).collect()
    }

    fn column(&self, key: &str) -> Option<Rc<Column>> {
        if let Some(column) = self.parameters.borrow().iter().find(|column| &*column.key == key) {
            return Some(column.clone());
        }
        if key.len() > Self::MAX_KEY_BYTES {
            return None;
        }
        let values = self.values(key);
        let column = Rc::new(Column { key: key.into(), values, noted: Cell::new(0) });
        let mut columns = self.parameters.borrow_mut();
        columns.truncate(Self::MAX_COLUMNS - 1);
        columns.push_front(column.clone());
        Some(column)
    }
}

/// All parameters of a URL as scripts may see them; the last of a key is the one in force.
pub(super) fn shown_parameters(url: &Url) -> rhai::Map {
    let shown = |(key, value)| (rhai::Identifier::from(key), if is_secret(key) { STARS } else { value }.into());
    url.parameters().map(shown).collect()
}

const STARS: &str = "******";

fn shown_parameter(url: &Url, key: &str) -> Dynamic {
    let shown = |value| if is_secret(key) { STARS } else { value };
    url.parameter(key).map_or(Dynamic::UNIT, |value| shown(value).into())
}

fn is_secret(key: &str) -> bool {
    key.strip_prefix("default.").unwrap_or(key) == keys::PASSWORD
}

/// The text of a URL with stars for a password among its parameters.
fn masked(url: &Url) -> String {
    let text = url.as_str();
    let Some((body, query)) = text.split_once('?') else {
        return text.to_owned();
    };
    let mut shown = String::with_capacity(text.len());
    shown.push_str(body);
    shown.push('?');
    for pair in query.split_inclusive(['&', ';']) {
        match pair.split_once('=') {
            Some((key, _)) if is_secret(key) => {
                shown.push_str(key);
                shown.push('=');
                shown.push_str(STARS);
                shown.extend(pair.chars().last().filter(|end| matches!(end, '&' | ';')));
            }
            _ => shown.push_str(pair),
        }
    }
    shown
}
