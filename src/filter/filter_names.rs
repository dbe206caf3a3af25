//! The list of filters in a URL: `auth,default,-echo`.

use crate::filter::Side;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::Url;
use crate::rpc::keys;

/// Where the defaults stand; with a `-` before it, nowhere.
const DEFAULT: &str = "default";
const REMOVE: char = '-';

/// What a URL says of the filters of one side, as `ExtensionLoader.getActivateExtension` reads it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FilterNames {
    /// The names to add, each once, those behind the place of the defaults last.
    before: Vec<String>,
    after: Vec<String>,
    removed: Vec<String>,
    /// Whether the URL says where the defaults stand.
    has_place: bool,
}

// === impl FilterNames ===

impl FilterNames {
    /// Reads `filter` and then the parameter of the side.
    pub(super) fn read(side: Side, url: &Url) -> Result<Self, RpcError> {
        let mut words = Vec::new();
        for key in [keys::FILTER, side.parameter()] {
            let text = url.parameter_decoded(key).transpose().map_err(|error| {
                RpcError::new(RpcErrorKind::Unknown, format!("expected names in `{key}`, found no text"))
                    .caused_by(error)
            })?;
            let text = text.unwrap_or_default();
            words.extend(text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned));
        }
        Ok(Self::of(words))
    }

    fn of(words: Vec<String>) -> Self {
        let (removed, added): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word.starts_with(REMOVE));
        let removed: Vec<_> = removed.iter().map(|word| word.trim_start_matches(REMOVE).trim().to_owned()).collect();
        let mut names = Self { before: Vec::new(), after: Vec::new(), removed, has_place: false };
        for word in added {
            if word == DEFAULT {
                names.has_place = true;
            } else if !names.names(&word) && !names.removes(&word) {
                let place = if names.has_place { &mut names.after } else { &mut names.before };
                place.push(word);
            }
        }
        names
    }

    /// Whether `name` is added by name.
    pub(super) fn names(&self, name: &str) -> bool {
        self.before.iter().chain(&self.after).any(|one| one == name)
    }

    /// Whether `name` is taken away, whoever adds it.
    pub(super) fn removes(&self, name: &str) -> bool {
        self.removed.iter().any(|one| one == name)
    }

    /// Whether no filter stands in the chain by default.
    pub(super) fn has_no_defaults(&self) -> bool {
        self.removes(DEFAULT)
    }

    /// The names before and behind the place of the defaults; none where the URL names no place, and order decides.
    pub(super) fn around_defaults(&self) -> Option<(&[String], &[String])> {
        self.has_place.then_some((&self.before, &self.after))
    }

    /// The names to add.
    pub(super) fn added(&self) -> impl Iterator<Item = &str> {
        self.before.iter().chain(&self.after).map(String::as_str)
    }

    /// The names to take away.
    pub(super) fn removed(&self) -> impl Iterator<Item = &str> {
        self.removed.iter().map(String::as_str).filter(|name| *name != DEFAULT)
    }
}
