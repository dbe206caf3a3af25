//! `stand-ins.yaml`: a list of entries.

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::diagnostics::nearest;
use crate::stand_in::Failure;
use crate::stand_in::FailureKind;
use crate::stand_in::Latency;
use crate::stand_in::NamePattern;
use crate::stand_in::StandIn;
use crate::stand_in::StandInEntry;
use crate::stand_in::StandIns;
use crate::yaml;
use crate::yaml::Data;
use crate::yaml::FieldSlugs;
use crate::yaml::Fields;
use crate::yaml::Node;
use crate::yaml::Report;

const SLUGS: FieldSlugs = FieldSlugs {
    unknown_key: "standin::unknown_key",
    missing_key: "standin::missing_key",
    wrong_type: "standin::wrong_type",
    wrong_value: "standin::wrong_value",
};

const PROVIDER: &str = "provider";
const SERVICE: &str = "service";
const LATENCY: &str = "latency";
const FAILURE: &str = "failure";
const WEIGHT: &str = "weight";
const ANSWER: &str = "answer";
const KIND: &str = "kind";
const RATE: &str = "rate";
const MESSAGE: &str = "message";

const KEYS: &[&str] = &[PROVIDER, SERVICE, LATENCY, FAILURE, WEIGHT, ANSWER];
const FAILURE_KEYS: &[&str] = &[KIND, RATE, MESSAGE];
const KINDS_HELP: &str = "the kinds are network, timeout, exception and hang";

/// Reads the stand-ins of a text. An entry with an error is not among them.
///
/// ```
/// use pointsman::diagnostics::SourceText;
/// use pointsman::stand_in::read_stand_ins;
/// let text = "- provider: 10.0.*\n  latency: 2ms..8ms\n  failure: {kind: timeout, rate: 5%}\n";
/// let (stand_ins, findings) = read_stand_ins(&SourceText::new("stand-ins.yaml", text));
/// assert_eq!((stand_ins.entries().len(), findings.len()), (1, 0));
/// ```
#[must_use]
pub fn read_stand_ins(source: &SourceText) -> (StandIns, Vec<Finding>) {
    let (documents, findings) = yaml::read(source);
    let mut report = Report::new(source, &SLUGS);
    report.findings = findings;
    let (mut stand_ins, whole) = (StandIns::default(), Origin::whole(source.clone()));
    for document in &documents {
        match &document.data {
            Data::List(nodes) => {
                for node in nodes {
                    if let Some(entry) = read_entry(node, &mut report) {
                        stand_ins.add(entry, whole.part(node.span.start));
                    }
                }
            }
            // A document without anything in it, as comments alone are.
            Data::Scalar { .. } if document.text().is_none() => {}
            Data::Scalar { .. } | Data::Map(_) => {
                report.wrong_type(document, "this document", "a list", "each entry begins with `- provider: …`");
            }
        }
    }
    (stand_ins, report.findings)
}

fn read_entry(node: &Node, report: &mut Report) -> Option<StandInEntry> {
    let before = report.findings.len();
    let fields = report.fields(node, "an entry", KEYS, &[])?;
    let providers = read_patterns(fields, PROVIDER, report);
    let services = read_patterns(fields, SERVICE, report);
    let weight = fields.get(WEIGHT).and_then(|node| {
        let weight: Option<u32> = report.number(node, WEIGHT);
        if weight.is_some_and(|weight| i32::try_from(weight).is_err()) {
            report.wrong_value(node, WEIGHT, "at most 2147483647", "100 is the usual weight");
        }
        weight
    });
    let latency = fields.get(LATENCY).and_then(|node| {
        let latency = node.text().and_then(Latency::read);
        if latency.is_none() {
            let help = "write `5ms`, or `2ms..8ms` for any time between; the units are us, ms and s, an hour the most";
            report.wrong_value(node, LATENCY, "a time, or a range of times", help);
        }
        latency
    });
    let failure = fields.get(FAILURE).and_then(|node| read_failure(node, report));
    let answer = fields.get(ANSWER).map(Node::to_value);
    // Every part is read for its findings, whatever the others are like.
    if report.findings.len() > before {
        return None;
    }
    let stand_in = StandIn { latency: latency.unwrap_or_default(), failure, answer };
    Some(StandInEntry { providers, services, weight, stand_in })
}

/// A pattern, or a list of some.
fn read_patterns(fields: Fields<'_>, key: &str, report: &mut Report) -> Vec<NamePattern> {
    let texts = fields.get(key).and_then(|node| report.text_or_texts(node, key)).unwrap_or_default();
    texts.iter().map(|text| NamePattern::new(text)).collect()
}

/// `failure: network`, or a map.
fn read_failure(node: &Node, report: &mut Report) -> Option<Failure> {
    if let Data::Scalar { .. } = node.data {
        return read_kind(node, FAILURE, report).map(Failure::always);
    }
    let fields = report.fields(node, "`failure`", FAILURE_KEYS, &[])?;
    let kind = report.required(fields, KIND, "`failure`", KINDS_HELP);
    let kind = kind.and_then(|node| read_kind(node, KIND, report));
    let rate = fields.get(RATE).map_or(Some(1.0), |node| read_rate(node, report));
    let message = fields.get(MESSAGE).and_then(|node| report.text(node, MESSAGE));
    Some(Failure { kind: kind?, rate: rate?, message: message.map(Into::into) })
}

fn read_kind(node: &Node, key: &str, report: &mut Report) -> Option<FailureKind> {
    let text = node.text().unwrap_or_default();
    let found = FailureKind::ALL.into_iter().find(|kind| kind.as_str() == text);
    if found.is_none() {
        let near = nearest(text, FailureKind::ALL.map(FailureKind::as_str));
        let help = near.map_or_else(|| KINDS_HELP.to_owned(), |near| format!("did you mean `{near}`?"));
        report.wrong_value(node, key, "a kind of failure", &help);
    }
    found
}

/// `5%` or `0.05`.
fn read_rate(node: &Node, report: &mut Report) -> Option<f64> {
    let text = node.text().unwrap_or_default();
    let rate = match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => text.parse().ok(),
    };
    let rate = rate.filter(|rate| (0.0..=1.0).contains(rate));
    if rate.is_none() {
        report.wrong_value(node, RATE, "a share of the calls", "write `5%`, or `0.05`");
    }
    rate
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rpc::Url;
    use crate::rpc::Value;

    /// A finding's name, line and column.
    type Told = (&'static str, Option<(usize, usize)>);

    fn told(text: &str) -> Vec<Told> {
        let (_, findings) = read_stand_ins(&SourceText::new("stand-ins.yaml", text));
        findings.iter().map(|finding| (finding.slug(), finding.line_and_column())).collect()
    }

    #[test]
    fn every_key_is_read() {
        let text = "\
- provider: [10.0.0.1, '*:20881']
  service: com.shop.*
  weight: 300
  latency: 2ms..8ms
  failure: {kind: exception, rate: 5%, message: sold out}
  answer: {order: 7}
- failure: hang
";
        let (stand_ins, findings) = read_stand_ins(&SourceText::new("stand-ins.yaml", text));
        assert!(findings.is_empty(), "{findings:?}");
        let of = |url: &str| stand_ins.of(&Url::parse(url).unwrap());
        let first = StandIn {
            latency: Latency::between(Duration::from_millis(2), Duration::from_millis(8)).unwrap(),
            failure: Some(Failure { kind: FailureKind::Exception, rate: 0.05, message: Some("sold out".into()) }),
            answer: Some(Value::Map(vec![("order".into(), Value::Int(7))])),
        };
        let last = StandIn { failure: Some(Failure::always(FailureKind::Hang)), ..StandIn::default() };
        assert_eq!(of("dubbo://10.0.0.1:20880/com.shop.A?group=g"), first);
        assert_eq!(of("dubbo://10.0.0.2:20881/com.shop.A"), first);
        assert_eq!(of("dubbo://10.0.0.2:20880/com.shop.A"), last);
        assert_eq!(of("dubbo://10.0.0.1:20880/org.A"), last);
        assert_eq!(stand_ins.entries()[0].weight, Some(300));
    }

    #[test]
    fn what_cannot_be_is_told_at_its_place() {
        for (text, slug, place) in [
            ("provider: 10.0.0.1\n", "standin::wrong_type", (1, 1)),
            ("- 10.0.0.1\n", "standin::wrong_type", (1, 3)),
            ("- latency: 5ms\n  wait: 3\n", "standin::unknown_key", (2, 3)),
            ("- provider: {}\n", "standin::wrong_type", (1, 13)),
            ("- latency: 5\n", "standin::wrong_value", (1, 12)),
            ("- latency: 8ms..2ms\n", "standin::wrong_value", (1, 12)),
            ("- weight: -1\n", "standin::wrong_type", (1, 11)),
            ("- weight: 4000000000\n", "standin::wrong_value", (1, 11)),
            ("- failure: networks\n", "standin::wrong_value", (1, 12)),
            ("- failure: {rate: 5%}\n", "standin::missing_key", (1, 12)),
            ("- failure: {kind: hang, rate: 150%}\n", "standin::wrong_value", (1, 31)),
        ] {
            assert_eq!(told(text), [(slug, Some(place))], "{text}");
        }
        assert_eq!(told("# nothing yet\n"), []);
    }

    #[test]
    fn an_entry_that_no_provider_is_left_for_is_told() {
        let text = "- provider: 10.*\n- provider: 10.0.0.1\n- provider: 11.*\n";
        let (stand_ins, _) = read_stand_ins(&SourceText::new("stand-ins.yaml", text));
        let providers = ["dubbo://10.0.0.1:1/S", "dubbo://10.0.0.2:1/S"].map(|url| Url::parse(url).unwrap());
        let unused = stand_ins.unused(&providers);
        let places: Vec<_> = unused.iter().map(Finding::line_and_column).collect();
        assert_eq!(places, [Some((2, 3)), Some((3, 3))]);
    }
}
