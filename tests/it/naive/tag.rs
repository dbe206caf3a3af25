//! The tag router: a document's tags, else the providers' own.

use pointsman::rpc::Invocation;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use regex::Regex;

use super::World;
use super::address::matches_address;
use super::document::Header;
use super::yaml::Broken;
use super::yaml::Tree;

const TAG: &str = "dubbo.tag";
const FORCE: &str = "dubbo.force.tag";

/// What a tag document says.
#[derive(Debug)]
pub(crate) struct Tags {
    force: bool,
    tags: Vec<Tag>,
}

#[derive(Debug)]
struct Tag {
    name: Option<String>,
    addresses: Vec<String>,
    /// `None`: there is no `match`, or the version of the document knows none.
    matchers: Option<Vec<Matcher>>,
}

/// A parameter and what its value has to be.
#[derive(Debug)]
struct Matcher {
    key: Option<String>,
    value: Vec<(String, String)>,
}

impl Tags {
    /// `None`: the document says that there are no tags, or is not enabled.
    pub(crate) fn read(document: &Tree, header: Header) -> Result<Option<Self>, Broken> {
        if !document.has("tags") {
            return Err(Broken);
        }
        let has_matchers = header.version.starts_with("v3.0");
        let tags = document.get("tags").items()?.iter().map(|tag| Tag::read(tag, has_matchers));
        let tags = tags.collect::<Result<Vec<_>, _>>()?;
        let is_active = header.is_enabled && !tags.is_empty();
        Ok(is_active.then_some(Self { force: header.force, tags }))
    }

    /// The addresses of each name; of two tags with one name the later counts, those that match last.
    fn by_name(&self, world: &World) -> Vec<(Option<&str>, Vec<String>)> {
        let listed = self.tags.iter().filter(|tag| !tag.addresses.is_empty());
        let listed = listed.map(|tag| (tag.name.as_deref(), tag.addresses.clone()));
        let matched = self.tags.iter().filter(|tag| tag.addresses.is_empty()).filter_map(|tag| {
            let matchers = tag.matchers.as_ref()?;
            let found = world.invokers.iter().filter(|url| matchers.iter().all(|matcher| matcher.accepts(url)));
            let addresses: Vec<String> = found.map(|url| url.address().unwrap_or_default().to_owned()).collect();
            (!addresses.is_empty()).then_some((tag.name.as_deref(), addresses))
        });
        let mut by_name: Vec<(Option<&str>, Vec<String>)> = Vec::new();
        for (name, addresses) in listed.chain(matched) {
            by_name.retain(|(known, _)| *known != name);
            by_name.push((name, addresses));
        }
        by_name
    }
}

impl Tag {
    fn read(tag: &Tree, has_matchers: bool) -> Result<Self, Broken> {
        if !matches!(tag, Tree::Map(_)) {
            return Err(Broken);
        }
        let written = |address: &Tree| match address {
            Tree::Text(text) | Tree::Number(text) => Ok(text.clone()),
            Tree::Nothing => Ok("null".to_owned()),
            _ => Err(Broken),
        };
        let addresses = tag.get("addresses").items()?.iter().map(written).collect::<Result<Vec<_>, _>>()?;
        let matchers = if has_matchers && addresses.is_empty() && *tag.get("match") != Tree::Nothing {
            Some(tag.get("match").items()?.iter().map(Matcher::read).collect::<Result<Vec<_>, _>>()?)
        } else {
            None
        };
        Ok(Self { name: tag.get("name").text()?.map(str::to_owned), addresses, matchers })
    }
}

impl Matcher {
    fn read(matcher: &Tree) -> Result<Self, Broken> {
        if !matches!(matcher, Tree::Map(_)) {
            return Err(Broken);
        }
        let written = |value: &Tree| match value {
            Tree::Text(text) | Tree::Number(text) => Ok(Some(text.clone())),
            Tree::Flag(flag) => Ok(Some(flag.to_string())),
            Tree::Nothing => Ok(None),
            _ => Err(Broken),
        };
        let mut value = Vec::new();
        match matcher.get("value") {
            Tree::Nothing => {}
            Tree::Map(entries) => {
                for (name, wanted) in entries {
                    value.extend(written(wanted)?.map(|wanted| (name.clone(), wanted)));
                }
            }
            _ => return Err(Broken),
        }
        if value.iter().any(|(name, wanted)| name == "regex" && whole(wanted).is_none()) {
            return Err(Broken);
        }
        Ok(Self { key: matcher.get("key").text()?.map(str::to_owned), value })
    }

    /// The first form that is there decides, in this order.
    fn accepts(&self, provider: &Url) -> bool {
        let found = self.key.as_deref().and_then(|key| provider.parameter(key));
        let wanted = |form: &str| self.value.iter().find(|(name, _)| name == form).map(|(_, wanted)| wanted.as_str());
        match found {
            Some(found) if wanted("exact").is_some() => wanted("exact") == Some(found),
            Some(found) if wanted("prefix").is_some() => wanted("prefix").is_some_and(|it| found.starts_with(it)),
            Some(found) if wanted("regex").is_some() => {
                wanted("regex").and_then(whole).is_some_and(|regex| regex.is_match(found))
            }
            Some(found) if wanted("wildcard").is_some() => {
                wanted("wildcard") == Some(found) || wanted("wildcard") == Some("*")
            }
            _ if wanted("empty").is_some() => found.is_none_or(str::is_empty),
            _ => wanted("noempty").is_some() && found.is_some_and(|found| !found.is_empty()),
        }
    }
}

/// Routes one call among `candidates`.
pub(crate) fn route(
    rule: Option<&Tags>,
    world: &World,
    call: &RpcInvocation<'static>,
    candidates: &[usize],
) -> Vec<usize> {
    let asked = |key: &str| {
        let attached = call.attachment(key).filter(|value| !value.is_empty());
        attached.or_else(|| world.consumer.non_empty_parameter(key))
    };
    let forced = asked(FORCE).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let keep = |accept: &dyn Fn(&Url) -> bool| -> Vec<usize> {
        candidates.iter().copied().filter(|at| accept(&world.invokers[*at])).collect()
    };
    let own = |url: &Url| url.non_empty_parameter(TAG).map(str::to_owned);
    let is_in = |addresses: &[String], url: &Url| {
        let (host, port) = (url.host().unwrap_or_default(), url.port().unwrap_or(0));
        addresses.iter().any(|address| matches_address(address, host, port))
    };
    let Some(rule) = rule else {
        let Some(tag) = asked(TAG) else { return keep(&|url| own(url).is_none()) };
        let tagged = keep(&|url| own(url).as_deref() == Some(tag));
        return if tagged.is_empty() && !forced { keep(&|url| own(url).is_none()) } else { tagged };
    };
    let by_name = rule.by_name(world);
    let is_anywhere = |url: &Url| by_name.iter().any(|(_, addresses)| is_in(addresses, url));
    let untagged = keep(&|url| own(url).is_none() && !is_anywhere(url));
    let Some(tag) = asked(TAG) else { return untagged };
    let listed = |name: &str| by_name.iter().find(|(known, _)| *known == Some(name)).map(|(_, addresses)| addresses);
    // The providers' own tags count only where the document lists none.
    let (found, is_final) = match levels(tag, forced).iter().find_map(|level| listed(level)) {
        Some(addresses) => (keep(&|url| is_in(addresses, url)), rule.force || forced),
        None => (keep(&|url| own(url).as_deref() == Some(tag)), forced),
    };
    if found.is_empty() && !is_final { untagged } else { found }
}

/// `a|b|c`, `a|b`, `a`; the tag itself alone for a call that forces.
fn levels(tag: &str, forced: bool) -> Vec<String> {
    if forced || !tag.contains('|') {
        return vec![tag.to_owned()];
    }
    let parts: Vec<&str> = tag.split('|').filter(|part| !part.is_empty()).collect();
    (1..=parts.len()).rev().map(|count| parts[..count].join("|")).collect()
}

/// A regular expression of the whole value.
fn whole(regex: &str) -> Option<Regex> {
    Regex::new(&format!("^(?:{regex})$")).ok()
}
