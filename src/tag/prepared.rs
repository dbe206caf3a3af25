//! A tag rule over one list: the positions of each tag, and the way from a call's tag to them.

use std::borrow::Cow;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::router::Binding;
use crate::router::BoundRouter;
use crate::router::BuildError;
use crate::router::Column;
use crate::router::Inputs;
use crate::router::InvokerList;
use crate::router::PreparedRouter;
use crate::router::Reason;
use crate::router::RouteError;
use crate::router::RouteRequest;
use crate::router::Routed;
use crate::router::Selection;
use crate::router::Visitor;
use crate::rpc::keys;
use crate::tag::RegexBudget;
use crate::tag::Tag;
use crate::tag::hosts::Hosts;
use crate::tag::router::CompiledTag;
use crate::tag::router::CompiledTags;

/// What is said where neither the call nor a provider has a tag.
pub const NO_TAG: &str = "the call has no tag, and no provider either";

/// What stands between the levels of a tag.
const LEVEL: char = '|';

/// A rule over one list, for any consumer.
#[derive(Debug)]
pub(crate) struct PreparedTags {
    /// Whether there is a rule at all.
    has_rule: bool,
    is_force: bool,
    inputs: Arc<Inputs>,
    /// The positions of each tag that the rule lists.
    listed: HashMap<String, Selection>,
    /// The positions of each tag that providers carry themselves.
    carried: HashMap<Box<str>, Selection>,
    /// The positions that no tag of the rule takes and that carry none.
    untagged: Selection,
    /// Whether `untagged` is all of the list.
    is_untagged: bool,
}

/// A rule over one list for one consumer.
#[derive(Debug)]
struct BoundTags {
    prepared: Arc<PreparedTags>,
    /// The consumer's tag, for calls without one.
    tag: Option<Box<str>>,
    /// Whether the consumer forces tags, for calls that do not say.
    is_force: bool,
}

/// What is left for a tag, and in whose name.
enum Found<'a> {
    Listed(&'a str, &'a Selection),
    Carried(&'a Selection),
    Nobody(&'static str),
    Untagged,
}

// === impl PreparedTags ===

impl PreparedTags {
    pub(crate) fn new(rule: Option<&CompiledTags>, is_force: bool, inputs: &Arc<Inputs>, list: &InvokerList) -> Self {
        let column = list.column(keys::TAG);
        let hosts = Hosts::of(list);
        let (mut listed, mut untagged) = (HashMap::new(), list.all().clone());
        for tag in rule.into_iter().flat_map(|rule| &rule.tags) {
            let positions = positions_of(tag, &hosts);
            // A tag that nobody can carry is as if it were not there.
            let is_listed = if tag.is_by_match { !positions.is_empty() } else { tag.has_addresses };
            if tag.name.is_empty() {
                untagged.subtract(&positions);
            } else if is_listed {
                listed.insert(tag.name.clone(), positions);
            }
        }
        let carried: HashMap<Box<str>, Selection> = column
            .values()
            .filter(|(_, value)| !value.is_empty())
            .map(|(number, value)| (value.into(), of_value(&column, number, list.len())))
            .collect();
        carried.values().chain(listed.values()).for_each(|positions| untagged.subtract(positions));
        let is_untagged = untagged == *list.all();
        Self { has_rule: rule.is_some(), is_force, inputs: Arc::clone(inputs), listed, carried, untagged, is_untagged }
    }

    /// The positions that the rule lists for `tag`, or for a level above it unless the call forces.
    fn listed(&self, tag: &str, is_forced: bool) -> Option<(&str, &Selection)> {
        if let Some((name, positions)) = self.listed.get_key_value(tag) {
            return Some((name, positions));
        }
        if is_forced {
            return None;
        }
        let mut level = tag;
        loop {
            level = level.rsplit_once(LEVEL)?.0.trim_end_matches(LEVEL);
            // An empty level is none: `a||b` is `a|b`.
            let found = if level.contains("||") || level.starts_with(LEVEL) {
                self.listed.get_key_value(&*without_empty_levels(level))
            } else {
                self.listed.get_key_value(level)
            };
            if let Some((name, positions)) = found {
                return Some((name, positions));
            }
        }
    }

    fn find<'a>(&'a self, tag: &'a str, is_forced: bool, candidates: &Selection) -> Found<'a> {
        match self.listed(tag, is_forced) {
            Some((level, positions)) if positions.meets(candidates) => return Found::Listed(level, positions),
            Some(_) if self.is_force => return Found::Nobody("`force` of the rule says that nobody is better"),
            Some(_) => {}
            None => {
                if let Some(positions) = self.carried.get(tag).filter(|positions| positions.meets(candidates)) {
                    return Found::Carried(positions);
                }
            }
        }
        if is_forced {
            Found::Nobody("the call's `dubbo.force.tag` says that nobody is better")
        } else {
            Found::Untagged
        }
    }

    /// The providers without a tag; nobody if there are none.
    fn without_tag(&self, candidates: &Selection) -> Routed<'_> {
        if self.is_untagged {
            Routed::Pass
        } else if self.untagged.meets(candidates) {
            Routed::Kept(&self.untagged)
        } else {
            Routed::Blocked
        }
    }
}

impl PreparedRouter for PreparedTags {
    fn bind(self: Arc<Self>, binding: &Binding<'_>) -> Result<Arc<dyn BoundRouter>, BuildError> {
        let tag = binding.consumer.non_empty_parameter(keys::TAG).map(Into::into);
        let is_force = binding.consumer.parameter(keys::FORCE_TAG).is_some_and(is_true);
        Ok(Arc::new(BoundTags { prepared: self, tag, is_force }))
    }
}

// === impl BoundTags ===

impl BoundRouter for BoundTags {
    fn inputs(&self) -> &Inputs {
        &self.prepared.inputs
    }

    fn route<'a>(
        &'a self,
        request: &RouteRequest<'a>,
        candidates: &Selection,
        visitor: Option<&mut dyn Visitor>,
    ) -> Result<Routed<'a>, RouteError> {
        let tag = request.attachment(keys::TAG)?.filter(|tag| !tag.is_empty()).or(self.tag.as_deref());
        let is_forced =
            request.attachment(keys::FORCE_TAG)?.filter(|text| !text.is_empty()).map_or(self.is_force, is_true);
        let tags = &*self.prepared;
        let Some(tag) = tag else {
            if let Some(visitor) = visitor {
                visitor.reason(Reason::Note(tags.note_without_tag().into()));
            }
            return Ok(tags.without_tag(candidates));
        };
        let found = tags.find(tag, is_forced, candidates);
        if let Some(visitor) = visitor {
            visitor.reason(Reason::Note(tags.note(tag, &found)));
        }
        Ok(match found {
            Found::Listed(_, positions) | Found::Carried(positions) => Routed::Kept(positions),
            Found::Nobody(_) => Routed::Blocked,
            Found::Untagged => tags.without_tag(candidates),
        })
    }
}

// === What it says of itself ===

impl PreparedTags {
    fn note_without_tag(&self) -> &'static str {
        match (self.is_untagged, self.has_rule) {
            (true, _) => NO_TAG,
            (false, true) => {
                "the call has no tag: providers that a tag of the rule takes, or that carry one, are not for it"
            }
            (false, false) => "the call has no tag: providers that carry one themselves are not for it",
        }
    }

    fn note(&self, tag: &str, found: &Found<'_>) -> Cow<'static, str> {
        // The built-in router sees the providers of which no tag document speaks.
        let no_candidate = match self.has_rule {
            true => "which no candidate has",
            false => "which no provider without a tag document carries",
        };
        match found {
            Found::Listed(level, _) if *level == tag => format!("the call's tag is `{tag}`, which the rule lists"),
            Found::Listed(level, _) => format!("the call's tag is `{tag}`; the rule lists `{level}` above it"),
            Found::Carried(_) => format!("the call's tag is `{tag}`, which providers carry as `{}`", keys::TAG),
            Found::Nobody(why) => format!("the call's tag is `{tag}`, {no_candidate}; {why}"),
            Found::Untagged => {
                format!("the call's tag is `{tag}`, {no_candidate}: those without a tag serve it")
            }
        }
        .into()
    }
}

fn without_empty_levels(tag: &str) -> String {
    let levels: Vec<&str> = tag.split(LEVEL).filter(|level| !level.is_empty()).collect();
    levels.join("|")
}

/// Java's `Boolean.parseBoolean`.
fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

fn of_value(column: &Column, number: usize, length: usize) -> Selection {
    let mut positions = Selection::none(length);
    column.add_to(number, &mut positions);
    positions
}

/// Who carries the tags of a rule, over one list.
#[derive(Debug)]
pub struct Carriers<'l> {
    hosts: Hosts<'l>,
    budget: RegexBudget,
}

// === impl Carriers ===

impl<'l> Carriers<'l> {
    /// Looks at `list`.
    #[must_use]
    pub fn of(list: &'l InvokerList) -> Self {
        Self { hosts: Hosts::of(list), budget: RegexBudget::default() }
    }

    /// The providers that carry `tag` by what the rule says; none if it cannot be compiled.
    pub fn of_tag(&mut self, tag: &Tag) -> Option<Selection> {
        Some(positions_of(&CompiledTag::of(tag, &mut self.budget).ok()?, &self.hosts))
    }
}

fn positions_of(tag: &CompiledTag, hosts: &Hosts<'_>) -> Selection {
    let list = hosts.list();
    if tag.is_by_match {
        return matching(tag, list);
    }
    let addresses = list.column(keys::ADDRESS);
    let mut positions = Selection::none(list.len());
    for (text, pattern) in &tag.addresses {
        if pattern.is_plain() {
            addresses.number(text).into_iter().for_each(|number| addresses.add_to(number, &mut positions));
        } else if let Some(port) = pattern.port() {
            let mut of_hosts = Selection::none(list.len());
            hosts.add_to(pattern.host(), &mut of_hosts);
            of_hosts.intersect(&at_port(port, list));
            positions.unite(&of_hosts);
        } else {
            hosts.add_to(pattern.host(), &mut positions);
        }
    }
    positions
}

fn at_port(port: u16, list: &InvokerList) -> Selection {
    let column = list.column(keys::PORT);
    let mut positions = Selection::none(list.len());
    column.number(&port.to_string()).into_iter().for_each(|number| column.add_to(number, &mut positions));
    // A provider without a port is at port 0.
    if port == 0 {
        let mut without = list.all().clone();
        without.subtract(column.present());
        positions.unite(&without);
    }
    positions
}

/// The providers that fulfil all conditions, and with them all at the same addresses.
fn matching(tag: &CompiledTag, list: &InvokerList) -> Selection {
    let mut fitting = list.all().clone();
    for (key, wanted) in &tag.matches {
        // Parts of the URL itself are no parameters.
        let column = if keys::URL_PARTS.contains(&key.as_str()) { Arc::default() } else { list.column(key) };
        let mut positions = Selection::none(list.len());
        column
            .values()
            .filter(|(_, value)| wanted.is_match(value))
            .for_each(|(number, _)| column.add_to(number, &mut positions));
        if wanted.accepts_absent() {
            let mut absent = list.all().clone();
            absent.subtract(column.present());
            positions.unite(&absent);
        }
        fitting.intersect(&positions);
    }
    at_the_addresses_of(&fitting, list)
}

/// All that share an address with one of `fitting`; one without a port stands for its whole host.
fn at_the_addresses_of(fitting: &Selection, list: &InvokerList) -> Selection {
    let (addresses, hosts) = (list.column(keys::ADDRESS), list.column(keys::HOST));
    let mut all = fitting.clone();
    for (number, address) in addresses.values() {
        if addresses.positions(number).any(|position| fitting.contains(position)) {
            addresses.add_to(number, &mut all);
            hosts.number(address).into_iter().for_each(|number| hosts.add_to(number, &mut all));
        }
    }
    all
}
