//! From the entries of `*.rules` to sheets.

use hashbrown::HashMap;

use crate::condition::Dialect;
use crate::diagnostics::Finding;
use crate::router::PARAMETERS;
use crate::router::Phase;
use crate::router::RuleHeader;
use crate::router::Scope;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::rule::DocumentScope;
use crate::source::convert::loss::Place;
use crate::source::convert::sheet::Flags;
use crate::source::convert::sheet::Item;
use crate::source::convert::sheet::Sheet;
use crate::source::convert::sides::Sides;
use crate::source::folder::RuleEntry;

const CONDITION: &str = "condition";

/// An entry that can stand in a document.
struct Read {
    key: String,
    flags: Flags,
    item: Item,
}

/// The rules as the documents that they could be: those of a service together, the greater priority first.
///
/// # Errors
///
/// A rule that cannot be read.
pub(super) fn sheets_of(entries: &[RuleEntry], findings: &mut Vec<Finding>) -> Result<Vec<Sheet>, Vec<Finding>> {
    let mut errors = Vec::new();
    let mut by_key: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Vec<Read>> = Vec::new();
    for entry in entries {
        match read(entry, findings) {
            Ok(Some(read)) => {
                let at = *by_key.entry(read.key.clone()).or_insert(groups.len());
                match groups.get_mut(at) {
                    Some(group) => group.push(read),
                    None => groups.push(vec![read]),
                }
            }
            Ok(None) => {}
            Err(finding) => errors.push(*finding),
        }
    }
    if errors.is_empty() {
        Ok(groups.into_iter().filter_map(|group| sheet(group, findings)).collect())
    } else {
        Err(errors)
    }
}

/// Whether an entry is a condition, in the one way of writing it or the other.
pub(super) fn is_condition(entry: &RuleEntry) -> bool {
    let url = entry.to_url();
    match url.protocol() {
        Some(CONDITION) => true,
        Some("route") => url.parameter(keys::ROUTER) == Some(CONDITION),
        _ => false,
    }
}

fn read(entry: &RuleEntry, findings: &mut Vec<Finding>) -> Result<Option<Read>, Box<Finding>> {
    let place = Place { origin: entry.line_origin().clone(), bytes: entry.line_bytes() };
    if !is_condition(entry) {
        let help = "keep the rule as it is";
        findings.push(place.not_converted("it is no condition, and conditions alone have other forms", help));
        return Ok(None);
    }
    let definition = entry.to_definition();
    let header = RuleHeader::read(&definition, CONDITION, Phase::Rule)
        .map_err(|error| Box::new(error.into_finding(&definition.origin, definition.source_bytes)))?;
    let url = entry.to_url();
    let dialect = url.non_empty_parameter(keys::DIALECT).and_then(Dialect::parse).unwrap_or_default();
    let sides =
        Sides::of_text(entry.text(), dialect, entry.origin()).map_err(|error| Box::new(Finding::from(error)))?;
    let Some(key) = key_of(&header.scope, &place, findings) else { return Ok(None) };
    tell_what_is_lost(&url, &header.scope, &place, findings);
    let flags = Flags {
        is_enabled: header.is_enabled,
        is_force: header.is_force,
        is_runtime: header.is_runtime,
        priority: header.priority,
        on_error: header.on_error,
        dialect,
    };
    Ok(Some(Read { key, flags, item: Item { sides, name: entry.name().map(str::to_owned), place } }))
}

/// The key of the document that the rule could stand in.
fn key_of(scope: &Scope, place: &Place, findings: &mut Vec<Finding>) -> Option<String> {
    let Some(interface) = scope.interface.as_deref() else {
        let help = "write a rule for each service: `@service com.shop.OrderService` in front of it";
        findings.push(place.not_converted("it is for every service, and a document is for one", help));
        return None;
    };
    let (group, version) = (scope.group.as_deref(), scope.version.as_deref());
    let key = ServiceKey::new(group, interface, version);
    let is_list = [group, version].into_iter().flatten().any(|part| part.contains(','));
    if is_list || interface.contains(['/', ':']) || ServiceKey::parse(key.as_str()) != key {
        let why = "it is for several groups or versions, or a path, and the key of a document names one service";
        findings.push(place.not_converted(why, "write a rule for each group and version"));
        return None;
    }
    if group.is_none() || version.is_none() {
        let missing = match (group, version) {
            (None, None) => "neither group nor version",
            (None, _) => "no group",
            _ => "no version",
        };
        let what = format!(
            "the rule is for every group and version that it does not name, the document for `{key}` with {missing}"
        );
        findings.push(place.changed(&what, "a service in several versions needs a document for each"));
    }
    Some(key.as_str().to_owned())
}

fn tell_what_is_lost(url: &Url, scope: &Scope, place: &Place, findings: &mut Vec<Finding>) {
    let folded = |key: &str, value: &str| {
        (
            format!("that it is for consumers with `{key}={value}` only"),
            format!("write `{key}={value}` into its left side"),
        )
    };
    let consumers = [(keys::HOST, &scope.host), (keys::APPLICATION, &scope.application)];
    for (key, value) in consumers {
        if let Some((what, help)) = value.as_ref().map(|value| folded(key, value)) {
            findings.push(place.lost(&what, &help));
        }
    }
    for (key, value) in url.parameters() {
        let plain = key.strip_prefix(keys::DEFAULT_PREFIX).unwrap_or(key);
        let is_of_scripts = matches!(plain, keys::ENGINE | keys::DEADLINE | keys::TIMEZONE | keys::TYPE);
        if !PARAMETERS.contains(&plain) || is_of_scripts {
            findings.push(place.lost(&format!("`{key}={value}`"), "nothing reads it; leave it out"));
        }
    }
}

/// One document of the rules of a service. It has one of each flag: what differs is lost.
fn sheet(mut group: Vec<Read>, findings: &mut Vec<Finding>) -> Option<Sheet> {
    group.sort_by_key(|read| std::cmp::Reverse(read.flags.priority));
    let is_enabled = group.iter().any(|read| read.flags.is_enabled);
    group.retain(|read| {
        let stays = read.flags.is_enabled == is_enabled;
        if !stays {
            let why = "it is switched off, and a document switches all of its rules off, or none";
            findings.push(read.item.place.not_converted(why, "take the rule out of the file"));
        }
        stays
    });
    let first = group.first()?;
    let (key, flags, place) = (first.key.clone(), first.flags.clone(), first.item.place.clone());
    for read in group.iter().skip(1) {
        for (key, value, common) in differences(&read.flags, &flags) {
            let what = format!("`{key}={value}` of one rule: its document has `{common}`");
            findings.push(read.item.place.lost(&what, "the rules of a document have all flags in common"));
        }
    }
    let name = common_name(&group);
    if name.is_none() {
        for (read, name) in group.iter().filter_map(|read| Some((read, read.item.name.as_ref()?))) {
            let what = format!("the name `{name}` of one rule");
            findings.push(read.item.place.lost(&what, "a document has a name, and numbers its rules"));
        }
    }
    let items = group.into_iter().map(|read| read.item).collect();
    Some(Sheet { scope: DocumentScope::Service, key, flags, name, items, place })
}

/// The flags in which rules of one document differ: key, own value, the document's.
fn differences(own: &Flags, common: &Flags) -> Vec<(&'static str, String, String)> {
    let of = |flags: &Flags| {
        [
            (keys::PRIORITY, flags.priority.to_string()),
            (keys::FORCE, flags.is_force.to_string()),
            (keys::RUNTIME, flags.is_runtime.to_string()),
            (keys::ON_ERROR, flags.on_error.as_str().to_owned()),
            (keys::DIALECT, flags.dialect.as_str().to_owned()),
        ]
    };
    let pairs = of(own).into_iter().zip(of(common));
    pairs.filter(|(own, common)| own != common).map(|((key, value), (_, common))| (key, value, common)).collect()
}

/// The name of the document that gives the rules their names: `a`, or `a` for `a[0]`, `a[1]`, …
fn common_name(group: &[Read]) -> Option<String> {
    let names: Vec<&str> = group.iter().filter_map(|read| read.item.name.as_deref()).collect();
    if let ([name], 1) = (names.as_slice(), group.len()) {
        return Some((*name).to_owned());
    }
    let stem = names.first()?.strip_suffix("[0]")?;
    let is_numbered = |(number, name): (usize, &&str)| **name == format!("{stem}[{number}]");
    (names.len() == group.len() && names.iter().enumerate().all(is_numbered)).then(|| stem.to_owned())
}
