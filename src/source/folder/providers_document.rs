//! `providers.yaml`: a list of providers, each a URL or a map with a URL and parameters.

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::rpc::Url;
use crate::source::folder::providers::Providers;
use crate::yaml;
use crate::yaml::Data;
use crate::yaml::Node;

const PROVIDERS: &str = "providers";
const URL: &str = "url";
const PARAMETERS: &str = "parameters";

/// Reads the providers in the order of the file; what is wrong goes to `findings`.
pub(crate) fn read_providers_document(source: &SourceText, findings: &mut Vec<Finding>) -> Vec<Url> {
    let whole = Origin::whole(source.clone());
    let (documents, found) = yaml::read(source);
    findings.extend(found);
    let mut providers = Providers::new(&whole, findings);
    for document in &documents {
        match list_of(document) {
            Some(items) => items.iter().for_each(|item| read_item(item, &mut providers)),
            None => providers.report(wrong(document, "a list of providers"), document.span.clone(), "this value"),
        }
    }
    providers.finish()
}

/// A list, or a map with the list under `providers`; nothing is an empty one.
fn list_of(node: &Node) -> Option<&[Node]> {
    match &node.data {
        Data::List(items) => Some(items),
        Data::Map(entries) => match entries.as_slice() {
            [(key, list)] if key.text == PROVIDERS => list_of(list),
            _ => None,
        },
        Data::Scalar { .. } => node.text().is_none().then_some(&[]),
    }
}

fn read_item(node: &Node, providers: &mut Providers<'_>) {
    let (url, parameters) = match &node.data {
        Data::Map(entries) => {
            let get = |name: &str| entries.iter().find(|(key, _)| key.text == name).map(|(_, node)| node);
            for (key, _) in entries.iter().filter(|(key, _)| ![URL, PARAMETERS].contains(&key.text.as_str())) {
                let finding =
                    Finding::warning("rule::unknown_key", format!("unknown key `{}` in a provider", key.text));
                let help = format!("the keys are {URL}, {PARAMETERS}");
                providers.report(finding.with_help(help), key.span.clone(), "not read");
            }
            (get(URL).unwrap_or(node), get(PARAMETERS))
        }
        _ => (node, None),
    };
    let Some(text) = url.text() else {
        return providers.report(wrong(url, "a provider's URL"), node.span.clone(), "this provider");
    };
    let mut text = text.trim().to_owned();
    let Some(Data::Map(entries)) = parameters.map(|node| &node.data) else {
        return providers.add(&text, &url.span);
    };
    for (key, value) in entries {
        text.push(if text.contains('?') { '&' } else { '?' });
        text.push_str(&format!("{}={}", key.text, value.text().unwrap_or_default()));
    }
    providers.add(&text, &url.span);
}

fn wrong(node: &Node, expected: &str) -> Finding {
    Finding::error("rule::wrong_type", format!("expected {expected}, found {}", node.kind()))
        .with_help("write `- dubbo://HOST:PORT/SERVICE?key=value`")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finding's name, line and column.
    type Told = (&'static str, Option<(usize, usize)>);

    fn read(text: &str) -> (Vec<String>, Vec<Told>) {
        let mut findings = Vec::new();
        let urls = read_providers_document(&SourceText::new("providers.yaml", text), &mut findings);
        let told = findings.iter().map(|finding| (finding.slug(), finding.line_and_column())).collect();
        (urls.iter().map(ToString::to_string).collect(), told)
    }

    #[test]
    fn urls_and_maps_are_providers() {
        let text =
            "providers:\n- dubbo://h:1/S\n- url: dubbo://h:2/S?a=1\n  parameters: {weight: 200, dubbo.tag: gray}\n";
        let expected = ["dubbo://h:1/S", "dubbo://h:2/S?a=1&weight=200&dubbo.tag=gray"].map(str::to_owned).to_vec();
        assert_eq!(read(text), (expected, Vec::new()));
    }

    #[test]
    fn what_is_no_provider_is_told_at_its_place() {
        let (urls, told) = read("- dubbo://h:1/S\n- dubbo://h:1/S\n- dubbo://h:x/S\n- [1]\n- {weight: 1}\n");
        assert_eq!(urls.len(), 2);
        let expected = [
            ("providers::duplicate", Some((2, 3))),
            ("providers::wrong_url", Some((3, 13))),
            ("rule::wrong_type", Some((4, 3))),
            ("rule::unknown_key", Some((5, 4))),
            ("rule::wrong_type", Some((5, 3))),
        ];
        assert_eq!(told, expected);
        assert_eq!(read("providers: 3").1, [("rule::wrong_type", Some((1, 1)))]);
    }
}
