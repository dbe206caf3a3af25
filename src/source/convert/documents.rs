//! From documents to sheets.

use crate::condition::DestinationRule;
use crate::condition::ParseError;
use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::rule::Body;
use crate::rule::Document;
use crate::rule::DocumentKind;
use crate::rule::Placed;
use crate::source::convert::loss::Place;
use crate::source::convert::sheet::Flags;
use crate::source::convert::sheet::Item;
use crate::source::convert::sheet::Sheet;
use crate::source::convert::sides::Sides;

/// The condition documents as sheets; of the others it is told that they are left out.
///
/// # Errors
///
/// A condition that cannot be read.
pub(super) fn sheets_of(documents: &[Document], findings: &mut Vec<Finding>) -> Result<Vec<Sheet>, Vec<Finding>> {
    let (mut sheets, mut errors) = (Vec::new(), Vec::new());
    for document in documents {
        let place = Place { origin: document.origin().clone(), bytes: 0 };
        if document.kind() != DocumentKind::Condition {
            let why = format!("it is a {} document, and conditions alone have other forms", document.kind());
            findings.push(place.not_converted(&why, "keep the document as it is, in a file of its own"));
            continue;
        }
        let items = match document.body() {
            Body::Conditions(texts) => read(document, texts, &mut errors, |text: &String, origin| {
                Sides::of_text(text, document.dialect(), origin)
            }),
            Body::Destinations(rules) => read(document, rules, &mut errors, |rule: &DestinationRule, origin| {
                Sides::of_destinations(rule, document.dialect(), origin)
            }),
            _ => Vec::new(),
        };
        sheets.push(Sheet {
            scope: document.scope(),
            key: document.key().to_owned(),
            flags: Flags::of(document),
            name: document.name().map(str::to_owned),
            items,
            place,
        });
    }
    if errors.is_empty() { Ok(sheets) } else { Err(errors) }
}

fn read<T>(
    document: &Document,
    rules: &[Placed<T>],
    errors: &mut Vec<Finding>,
    read: impl Fn(&T, &Origin) -> Result<Sides, ParseError>,
) -> Vec<Item> {
    let mut items = Vec::with_capacity(rules.len());
    for (number, rule) in rules.iter().enumerate() {
        let place = Place { origin: rule.origin.clone(), bytes: rule.bytes };
        let name = document.name().map(|name| match rules.len() {
            1 => name.to_owned(),
            _ => format!("{name}[{number}]"),
        });
        match read(&rule.value, &rule.origin) {
            Ok(sides) => items.push(Item { sides, name, place }),
            Err(error) => errors.push(Finding::from(error)),
        }
    }
    items
}
