//! Condition documents: texts, or destinations from `v3.1` on.

use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;

use super::Shares;
use super::World;
use super::document::Header;
use super::yaml::Broken;
use super::yaml::Tree;
use crate::support::naive::NaiveRule;
use crate::support::naive::Reading;

/// What a condition document asks for.
#[derive(Debug)]
pub(crate) struct Conditions {
    force: bool,
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    Text(NaiveRule),
    /// Whom it is for, and where they may go: the providers and the weight of each destination.
    Destinations(Option<NaiveRule>, Vec<(Option<NaiveRule>, u32)>),
}

impl Conditions {
    /// `None`: the document says that there are no conditions.
    pub(crate) fn read(document: &Tree, header: Header) -> Result<Option<Self>, Broken> {
        if !document.has("conditions") {
            return Err(Broken);
        }
        let version = header.version.to_ascii_lowercase();
        let items = document.get("conditions").items()?;
        let is_newer = !version.starts_with("v3.1") && version.as_str() > "v3.1";
        let has_destinations =
            version.starts_with("v3.1") || (is_newer && items.iter().any(|it| matches!(it, Tree::Map(_))));
        if is_newer && !has_destinations {
            return Err(Broken);
        }
        let step = |item: &Tree| if has_destinations { destinations(item, &header) } else { text(item, &header) };
        // What is switched off is not read, but its form is.
        let steps = if header.is_enabled || has_destinations {
            items.iter().map(step).collect::<Result<Vec<_>, _>>()?
        } else {
            Vec::new()
        };
        let is_active = header.is_enabled && !steps.is_empty();
        Ok(is_active.then_some(Self { force: header.force, steps }))
    }

    /// Routes one call among `candidates`.
    pub(crate) fn route(&self, world: &World, call: &RpcInvocation<'static>, candidates: &[usize]) -> Shares {
        let mut shares = vec![(candidates.to_vec(), 1.0)];
        for step in &self.steps {
            let routed = shares.into_iter().flat_map(|(candidates, share)| {
                let next = step.route(world, call, &candidates, self.force);
                next.into_iter().map(move |(kept, of_it)| (kept, of_it * share))
            });
            shares = super::merged(routed);
        }
        shares
    }
}

impl Step {
    fn route(&self, world: &World, call: &RpcInvocation<'static>, candidates: &[usize], force: bool) -> Shares {
        let providers: Vec<Url> = candidates.iter().map(|at| world.invokers[*at].clone()).collect();
        let certain = |kept: Vec<usize>| vec![(kept, 1.0)];
        let kept_by = |rule: &NaiveRule| -> Vec<usize> {
            rule.route(&world.consumer, &providers, call, true).into_iter().map(|at| candidates[at]).collect()
        };
        match self {
            _ if candidates.is_empty() => certain(Vec::new()),
            Self::Text(rule) => {
                let kept = rule.route(&world.consumer, &providers, call, force);
                certain(kept.into_iter().map(|at| candidates[at]).collect())
            }
            // `from` stands on the left of `=> false`: it matches where nobody is left.
            Self::Destinations(Some(from), _) if !kept_by(from).is_empty() => certain(candidates.to_vec()),
            Self::Destinations(_, to) if to.is_empty() => certain(Vec::new()),
            Self::Destinations(_, to) => {
                let kept = |rule: &Option<NaiveRule>| rule.as_ref().map_or_else(|| candidates.to_vec(), kept_by);
                let found: Vec<(Vec<usize>, u32)> = to.iter().map(|(rule, weight)| (kept(rule), *weight)).collect();
                let found: Vec<_> = found.into_iter().filter(|(kept, _)| !kept.is_empty()).collect();
                if found.is_empty() {
                    return certain(if force { Vec::new() } else { candidates.to_vec() });
                }
                drawn(found)
            }
        }
    }
}

/// Each with its weight's share; where all weigh nothing, all alike.
fn drawn(found: Vec<(Vec<usize>, u32)>) -> Shares {
    let sum: f64 = found.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let even = 1.0 / found.len() as f64;
    let share = |weight: u32| if sum == 0.0 { even } else { f64::from(weight) / sum };
    super::merged(found.into_iter().map(|(kept, weight)| (kept, share(weight))).filter(|(_, share)| *share > 0.0))
}

fn text(item: &Tree, header: &Header) -> Result<Step, Broken> {
    let Tree::Text(text) = item else { return Err(Broken) };
    NaiveRule::parse(text, header.dialect, header.reading).map(Step::Text).map_err(|_| Broken)
}

/// A side of destinations. `consumer.` and `provider.` belong to the word here, as in Dubbo.
fn parse_with_prefixes(text: &str, header: &Header) -> Result<NaiveRule, Broken> {
    let marked = text.replace("consumer.", "\u{1}consumer.").replace("provider.", "\u{1}provider.");
    let mut rule = NaiveRule::parse(&marked, header.dialect, header.reading).map_err(|_| Broken)?;
    for condition in rule.when.iter_mut().chain(rule.then.iter_mut().flatten()) {
        let words = condition.equal.iter_mut().chain(&mut condition.unequal).chain([&mut condition.key]);
        words.for_each(|word| *word = word.replace('\u{1}', ""));
    }
    Ok(rule)
}

fn destinations(item: &Tree, header: &Header) -> Result<Step, Broken> {
    let is_map = |tree: &Tree| matches!(tree, Tree::Map(_));
    let (from, to) = (item.get("from"), item.get("to"));
    if !is_map(item) || !(is_map(from) || *from == Tree::Nothing) || (*from == Tree::Nothing && *to == Tree::Nothing) {
        return Err(Broken);
    }
    let side = |place: &Tree, word| match place.get("match") {
        Tree::Nothing => Ok(None),
        Tree::Flag(flag) if flag.to_string() == word => Ok(None),
        Tree::Text(text) if text.trim().is_empty() || text.trim() == word => Ok(None),
        Tree::Text(text) => Ok(Some(text.clone())),
        _ => Err(Broken),
    };
    let parse = |text: String| parse_with_prefixes(&text, header);
    let from = side(from, "true")?.map(|text| parse(format!("{text} => false"))).transpose()?;
    let destination = |place: &Tree| {
        if !is_map(place) {
            return Err(Broken);
        }
        let rule = side(place, "false")?.map(|text| parse(format!("=> {text}"))).transpose()?;
        let weight = match place.get("weight") {
            Tree::Nothing => 100,
            Tree::Number(text) | Tree::Text(text) => match text.parse::<i64>() {
                Ok(weight) if weight < 0 && header.reading == Reading::AsDubbo => 100,
                Ok(weight) => u32::try_from(weight).map_err(|_| Broken)?,
                Err(_) => return Err(Broken),
            },
            _ => return Err(Broken),
        };
        Ok((rule, weight))
    };
    let to = to.items()?.iter().map(destination).collect::<Result<Vec<_>, _>>()?;
    Ok(Step::Destinations(from, to))
}
