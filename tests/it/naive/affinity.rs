//! Affinity: the providers that are as the consumer is, if they are enough.

use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;

use super::World;
use super::document::Header;
use super::yaml::Broken;
use super::yaml::Tree;
use crate::support::naive::NaiveRule;
use crate::support::naive::Reading;

/// What an affinity document asks for.
#[derive(Debug)]
pub(crate) struct Affinity {
    pub(crate) key: String,
    ratio: f64,
}

impl Affinity {
    /// A service's document has to say that it is of `v3.1`.
    pub(crate) fn read_of_service(document: &Tree, header: Header) -> Result<Option<Self>, Broken> {
        if header.version.starts_with("v3.1") { Self::read(document, header) } else { Err(Broken) }
    }

    /// `None`: the document is not enabled.
    pub(crate) fn read(document: &Tree, header: Header) -> Result<Option<Self>, Broken> {
        let aware = document.get("affinityAware");
        let key = aware.get("key").text()?.map(str::trim).unwrap_or_default();
        let ratio = match aware.get("ratio") {
            Tree::Nothing if aware.has("ratio") => return Err(Broken),
            Tree::Nothing => 0.0,
            Tree::Number(text) | Tree::Text(text) => text.parse().map_err(|_| Broken)?,
            _ => return Err(Broken),
        };
        if key.is_empty() || !(0.0..=100.0).contains(&ratio) {
            return Err(Broken);
        }
        Ok(header.is_enabled.then(|| Self { key: key.to_owned(), ratio }))
    }

    /// Routes one call among `candidates`.
    pub(crate) fn route(&self, world: &World, call: &RpcInvocation<'static>, candidates: &[usize]) -> Vec<usize> {
        let Some(wanted) = world.consumer.raw(&self.key) else { return candidates.to_vec() };
        let is_alike = |provider: &Url| provider.raw(&self.key).is_some_and(|found| is_meant(wanted, found, call));
        let alike: Vec<usize> = candidates.iter().copied().filter(|at| is_alike(&world.invokers[*at])).collect();
        let is_enough = alike.len() as f64 / candidates.len() as f64 >= self.ratio / 100.0;
        if alike.is_empty() || !is_enough { candidates.to_vec() } else { alike }
    }
}

/// As `=> key=$key`: the consumer's value may be a pattern.
fn is_meant(wanted: &str, found: &str, call: &RpcInvocation<'static>) -> bool {
    let provider = Url::parse(&format!("dubbo://0.0.0.0/S?k={found}")).unwrap();
    let consumer = Url::parse(&format!("consumer://0.0.0.0/S?k={wanted}")).unwrap();
    let rule = NaiveRule::parse("=> k=$k", pointsman::condition::Dialect::V3, Reading::Strict);
    rule.is_ok_and(|rule| !rule.route(&consumer, &[provider], call, true).is_empty())
}
