//! The entries in order.

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::rpc::Url;
use crate::rpc::UrlError;
use crate::rpc::keys;
use crate::stand_in::StandIn;
use crate::stand_in::StandInEntry;

/// How the providers behave: the first entry that fits one counts, and without one it answers at once.
///
/// ```
/// use pointsman::rpc::Url;
/// use pointsman::stand_in::{Failure, FailureKind, NamePattern, StandIn, StandInEntry, StandIns};
/// let failing = StandIn { failure: Some(Failure::always(FailureKind::Network)), ..StandIn::default() };
/// let entry = StandInEntry { providers: vec![NamePattern::new("10.0.*")], stand_in: failing.clone(), ..Default::default() };
/// let stand_ins = StandIns::new([entry]);
/// assert_eq!(stand_ins.of(&Url::parse("dubbo://10.0.0.1:20880/S")?), failing);
/// assert_eq!(stand_ins.of(&Url::parse("dubbo://10.1.0.1:20880/S")?), StandIn::default());
/// # Ok::<(), pointsman::rpc::UrlError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct StandIns {
    entries: Vec<StandInEntry>,
    /// Where each entry begins, if they were read.
    places: Vec<Origin>,
}

// === impl StandIns ===

impl StandIns {
    /// These entries, the earlier before the later.
    #[must_use]
    pub fn new(entries: impl IntoIterator<Item = StandInEntry>) -> Self {
        Self { entries: entries.into_iter().collect(), places: Vec::new() }
    }

    pub(super) fn add(&mut self, entry: StandInEntry, place: Origin) {
        self.entries.push(entry);
        self.places.push(place);
    }

    /// The entries.
    #[must_use]
    pub fn entries(&self) -> &[StandInEntry] {
        &self.entries
    }

    /// How the provider `url` behaves.
    #[must_use]
    pub fn of(&self, url: &Url) -> StandIn {
        self.entry(url).map(|entry| entry.stand_in.clone()).unwrap_or_default()
    }

    /// The provider `url` with the weight that its entry gives it, in place of all its own, those of methods included.
    ///
    /// # Errors
    ///
    /// The URL is none with its new weight, as one beyond the limits of URLs.
    pub fn weighted(&self, url: &Url) -> Result<Url, UrlError> {
        let Some(weight) = self.entry(url).and_then(|entry| entry.weight) else { return Ok(url.clone()) };
        let (head, query) = url.as_str().split_once('?').unwrap_or((url.as_str(), ""));
        let is_weight = |pair: &&str| {
            let key = pair.split_once('=').map_or(*pair, |(key, _)| key);
            key == keys::WEIGHT || key.strip_suffix(keys::WEIGHT).is_some_and(|method| method.ends_with('.'))
        };
        let kept = query.split('&').filter(|pair| !pair.is_empty() && !is_weight(pair));
        let own = format!("{}={weight}", keys::WEIGHT);
        let query: Vec<&str> = kept.chain([own.as_str()]).collect();
        Url::parse(&format!("{head}?{}", query.join("&")))
    }

    /// Warnings of entries that are for none of `providers`, earlier entries taken into account.
    #[must_use]
    pub fn unused<'a>(&self, providers: impl IntoIterator<Item = &'a Url>) -> Vec<Finding> {
        let mut is_used = vec![false; self.entries.len()];
        let fitting = providers.into_iter().filter_map(|url| self.entries.iter().position(|entry| entry.fits(url)));
        for at in fitting {
            if let Some(used) = is_used.get_mut(at) {
                *used = true;
            }
        }
        let unused = self.places.iter().zip(is_used).filter(|(_, is_used)| !is_used);
        let finding = |origin: &Origin| {
            Finding::warning("standin::unused", "no provider is left for this entry")
                .with_help("the first entry that fits a provider counts: name one that is there, or move the entry up")
                .at(origin, 0..1, "this entry")
        };
        unused.map(|(origin, _)| finding(origin)).collect()
    }

    fn entry(&self, url: &Url) -> Option<&StandInEntry> {
        self.entries.iter().find(|entry| entry.fits(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_takes_the_place_of_all_that_a_provider_has() {
        let stand_ins = StandIns::new([StandInEntry { weight: Some(7), ..StandInEntry::default() }]);
        for (url, expected) in [
            ("dubbo://h:1/S", "dubbo://h:1/S?weight=7"),
            ("dubbo://h:1/S?weight=100&a=b", "dubbo://h:1/S?a=b&weight=7"),
            ("dubbo://h:1/S?find.weight=3&myweight=1", "dubbo://h:1/S?myweight=1&weight=7"),
        ] {
            assert_eq!(stand_ins.weighted(&Url::parse(url).unwrap()).unwrap().as_str(), expected);
        }
    }
}
