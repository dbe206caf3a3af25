//! Texts at which Dubbo and Pointsman answer differently: the rows of `docs/differences.md` that a rule touches.

use crate::cli::check::analysis::analysed_rule::AnalysedRule;
use crate::cli::check::analysis::analysed_rule::Goal;
use crate::condition::Dialect;
use crate::condition::Pair;
use crate::condition::Pattern;
use crate::condition::Subject;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;
use crate::rule::Body;
use crate::rule::Document;
use crate::tag::AddressPattern;
use crate::tag::Tag;

/// Below this weight one part in a hundred more or less is worth a word.
const SMALL_WEIGHT: u32 = 20;

/// A row of `docs/differences.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    name: &'static str,
    dubbo: &'static str,
    ours: &'static str,
}

const RANGES: Row = Row {
    name: "ranges",
    dubbo: "drops an open upper end, so that every provider passes and no consumer",
    ours: "reads it as no upper bound",
};
const LOOKUPS: Row = Row {
    name: "lookups-of-nothing",
    dubbo: "compares a text of its own where an argument or an attachment with a dot in its name is missing, so that `!=` and `*` match",
    ours: "matches nothing that is not there",
};
const PREFIXES: Row = Row {
    name: "prefixes-inside-words",
    dubbo: "deletes `consumer.` and `provider.` inside of values too",
    ours: "drops them in front of a key only",
};
const WEIGHTS: Row = Row {
    name: "weights-of-destinations",
    dubbo: "gives the first destination one part too many and the last one too few, and takes 0 for 100",
    ours: "gives each its share",
};
const RATIO: Row = Row {
    name: "affinity-without-a-match",
    dubbo: "keeps nobody where no provider is like the consumer, since nobody is 0 percent",
    ours: "keeps every provider then",
};
const ANY_PORT: Row = Row {
    name: "addresses-with-any-port",
    dubbo: "matches nobody with such an address",
    ours: "matches it as it is written",
};
const HOST_NAMES: Row =
    Row { name: "names-of-hosts", dubbo: "looks names up on each call", ours: "compares names as texts" };
const NO_ADDRESSES: Row = Row {
    name: "tags-without-addresses",
    dubbo: "ignores the whole document over a tag without `addresses` and `match`",
    ours: "counts the other tags",
};
const EMPTY: Row = Row {
    name: "empty-documents",
    dubbo: "leaves the old rules in force when an empty document takes their place (Java)",
    ours: "clears them",
};

/// The rows that a condition touches.
pub(super) fn find_rule(rule: &AnalysedRule<'_>) -> Vec<Finding> {
    let sides = rule.goal.sides();
    let pairs = || rule.when.pairs().iter().chain(sides.iter().flat_map(|side| side.iter()));
    let (is_v3, patterns) = (rule.dialect == Dialect::V3, || pairs().flat_map(patterns_of));
    let touched = [
        (RANGES, is_v3 && patterns().any(|one| matches!(one, Pattern::Range { high: None, .. }))),
        (LOOKUPS, is_v3 && rule.when.pairs().iter().any(looks_up_nothing)),
        (PREFIXES, patterns().any(has_prefix)),
        (WEIGHTS, matches!(&rule.goal, Goal::Drawn(to) if has_small_share(to))),
    ];
    touched.into_iter().filter(|(_, is_touched)| *is_touched).map(|(row, _)| rule.told(told(row), row.name)).collect()
}

/// The rows that a document without conditions touches.
pub(super) fn find_document(document: &Document) -> Vec<Finding> {
    let at = |row: Row, origin: &Origin, bytes: usize| told(row).at(origin, 0..bytes, row.name);
    match document.body() {
        Body::Affinity(placed) if placed.value.ratio == 0.0 => vec![at(RATIO, &placed.origin, placed.bytes)],
        Body::Nothing => vec![at(EMPTY, document.origin(), 0)],
        Body::Tags(placed) => {
            let tags = || placed.value.tags.iter();
            // What is no address, or means nobody, was told as that.
            let is_meant = |text: &&str| AddressPattern::parse(text).is_some_and(|pattern| !pattern.is_empty());
            let addresses = || tags().flat_map(|tag| &tag.addresses).map(|address| address.trim()).filter(is_meant);
            let of_address = |row: Row, is_touched: fn(&str) -> bool| {
                let address = addresses().find(|address| is_touched(address))?;
                let found = place_of(address, placed.origin.source().text(), placed.origin.offset(0));
                let whole = Origin::whole(placed.origin.source().clone());
                let told = told_of(row, &format!("at `{address}` "));
                Some(match found {
                    Some(place) => told.at(&whole, place..place + address.len(), row.name),
                    None => told.at(&placed.origin, 0..placed.bytes, row.name),
                })
            };
            let is_v30 = document.version().starts_with("v3.0");
            let no_addresses =
                (is_v30 && tags().any(says_nothing)).then(|| at(NO_ADDRESSES, &placed.origin, placed.bytes));
            let of_addresses = [of_address(ANY_PORT, has_any_port), of_address(HOST_NAMES, is_name)];
            of_addresses.into_iter().flatten().chain(no_addresses).collect()
        }
        _ => Vec::new(),
    }
}

fn told(row: Row) -> Finding {
    told_of(row, "")
}

/// The same with a text that the row speaks of in front.
fn told_of(row: Row, lead: &str) -> Finding {
    let Row { name, dubbo, ours } = row;
    let message = format!("{lead}Dubbo {dubbo}; Pointsman {ours}");
    let help = format!("see `{name}` in docs/differences.md");
    Finding::new("check::differs_from_dubbo", Severity::Info, message).with_help(help)
}

fn patterns_of(pair: &Pair) -> impl Iterator<Item = &Pattern> {
    pair.matches().iter().chain(pair.mismatches())
}

/// A pair that Dubbo holds against a text of its own where there is nothing to look at.
fn looks_up_nothing(pair: &Pair) -> bool {
    let is_loose = !pair.mismatches().is_empty() || pair.matches().contains(&Pattern::Any);
    match pair.key().subject() {
        Subject::Argument(_) => is_loose,
        // There Dubbo finds nothing even if the attachment is there.
        Subject::Attachment(name) => name.contains('.'),
        _ => false,
    }
}

fn has_prefix(pattern: &Pattern) -> bool {
    let text = pattern.to_string();
    text.contains("consumer.") || text.contains("provider.")
}

fn has_small_share(to: &[(Vec<Pair>, u32)]) -> bool {
    to.len() > 1 && to.iter().any(|(_, weight)| *weight <= SMALL_WEIGHT)
}

/// Where an address stands by itself behind the first `addresses` of the tags that begin at byte `start`.
fn place_of(address: &str, text: &str, start: usize) -> Option<usize> {
    let first = start + text.get(start..)?.find("addresses")?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '*' | '/');
    let found = text.get(first..)?.match_indices(address).map(|(at, _)| first + at);
    let is_alone = |at: &usize| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + address.len()..).and_then(|text| text.chars().next());
        !before.into_iter().chain(after).any(is_part)
    };
    let mut found = found.filter(is_alone);
    found.next()
}

/// `*:20880`, `10.0.0.1:*`, `10.0.0.0/8:20880`.
fn has_any_port(address: &str) -> bool {
    let Some((host, port)) = address.rsplit_once(':') else { return false };
    port == "*" || host == "*" || (host.contains('/') && !host.contains(':'))
}

fn is_name(address: &str) -> bool {
    let host = address.split_once(':').map_or(address, |(host, _)| host);
    !address.starts_with('[')
        && address.matches(':').count() < 2
        && host.chars().any(|c| c.is_alphabetic())
        && !host.contains('/')
}

fn says_nothing(tag: &Tag) -> bool {
    tag.addresses.is_empty() && tag.matches.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_dubbo_reads_otherwise_are_known() {
        for (address, any_port, name) in [
            ("*:20880", true, false),
            ("10.0.0.1:*", true, false),
            ("10.0.0.0/8:20880", true, false),
            ("10.0.0.0/8", false, false),
            ("*.*.*.*:20881", false, false),
            ("0.0.0.0:20880", false, false),
            ("10.0.0.1-30:20880", false, false),
            ("node-1.local:20880", false, true),
            ("node-1.local", false, true),
            ("[2001:db8::a]:20880", false, false),
            ("2001:db8::a", false, false),
        ] {
            assert_eq!((has_any_port(address), is_name(address)), (any_port, name), "{address}");
        }
    }
}
