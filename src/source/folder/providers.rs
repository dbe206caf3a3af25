//! `providers.txt`: one provider URL a line, `#` comments.

use std::ops::Range;

use hashbrown::HashMap;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::rpc::Url;
use crate::source::folder::parameter::excerpt;

/// The largest `providers.txt`: 64 MiB, room for 100,000 long URLs.
pub const MAX_PROVIDERS_BYTES: u64 = 64 << 20;

/// Protocols of registered URLs that are no providers.
const OTHER_PROTOCOLS: [&str; 9] =
    ["absent", "condition", "consumer", "empty", "override", "registry", "route", "script", "tag"];

/// Providers while they are gathered: each is checked, and what is there twice is told.
pub(crate) struct Providers<'a> {
    whole: &'a Origin,
    findings: &'a mut Vec<Finding>,
    found_before: usize,
    providers: Vec<Url>,
    /// Protocol, address and service of each provider so far, and its line.
    seen: HashMap<String, usize>,
}

// === impl Providers ===

impl<'a> Providers<'a> {
    pub(crate) fn new(whole: &'a Origin, findings: &'a mut Vec<Finding>) -> Self {
        let found_before = findings.len();
        Self { whole, findings, found_before, providers: Vec::new(), seen: HashMap::new() }
    }

    /// Takes the provider `text`, which stands at `span` of the source, as it is or in other words.
    pub(crate) fn add(&mut self, text: &str, span: &Range<usize>) {
        let line = || self.whole.source().line_and_column(span.start).0;
        let is_as_written = self.whole.source().text().get(span.clone()) == Some(text);
        match read_provider(text, &self.whole.part(span.start), is_as_written) {
            Ok(url) => {
                if let Some(first) = self.seen.get(&identity(&url)) {
                    let finding = duplicate(*first, line());
                    self.report(finding, span.clone(), "the same again");
                } else {
                    self.seen.insert(identity(&url), line());
                }
                if url.protocol().is_none() {
                    let finding = Finding::warning("providers::no_protocol", "the provider has no protocol");
                    self.report(finding.with_help("begin it with `dubbo://`"), span.start..span.start, "none here");
                }
                self.providers.push(url);
            }
            Err(finding) => self.findings.push(finding),
        }
    }

    pub(crate) fn report(&mut self, finding: Finding, span: Range<usize>, label: &str) {
        self.findings.push(finding.at(self.whole, span, label));
    }

    pub(crate) fn finish(self) -> Vec<Url> {
        if self.providers.is_empty() && self.findings.len() == self.found_before {
            let finding = Finding::warning("providers::empty", "no provider in the file");
            let finding = finding.with_help("write one provider URL a line");
            self.findings.push(finding.in_file(self.whole.source().name()));
        }
        self.providers
    }
}

/// Reads the providers in the order of the file; what is wrong goes to `findings`.
pub(crate) fn read_providers(source: &SourceText, findings: &mut Vec<Finding>) -> Vec<Url> {
    let whole = Origin::whole(source.clone());
    let mut providers = Providers::new(&whole, findings);
    let mut start = 0;
    for raw in source.text().split_inclusive('\n') {
        let text = raw.trim();
        let at = start + (raw.len() - raw.trim_start().len());
        start += raw.len();
        if !text.is_empty() && !text.starts_with('#') {
            providers.add(text, &(at..at + text.len()));
        }
    }
    providers.finish()
}

/// Reads one; where the source has other words for it, findings are about its beginning.
fn read_provider(text: &str, origin: &Origin, is_as_written: bool) -> Result<Url, Finding> {
    let everything = if is_as_written { 0..text.len() } else { 0..0 };
    let lower = text.get(..text.len().min(40)).unwrap_or_default().to_ascii_lowercase();
    if lower.contains("%3a%2f%2f") && !lower.contains("://") {
        return Err(Finding::error("providers::encoded", "the URL is percent-encoded as a whole")
            .with_help("decode it once, as the registry's clients do")
            .at(origin, everything, "begins with an encoded `://`"));
    }
    let url = Url::parse(text).map_err(|error| {
        Finding::error("providers::wrong_url", error.to_string())
            .with_help("write `dubbo://HOST:PORT/SERVICE?key=value`")
            .at(origin, if is_as_written { error.offset().min(text.len())..text.len() } else { 0..0 }, "here")
    })?;
    if let Some(protocol) = url.protocol().filter(|protocol| OTHER_PROTOCOLS.contains(protocol)) {
        return Err(Finding::error("providers::not_a_provider", format!("expected a provider, found `{protocol}://`"))
            .with_help("rules stand in `rules/*.rules`; only providers stand here")
            .at(origin, 0..protocol.len().min(everything.end), "not the protocol of a provider"));
    }
    if url.host().is_none() {
        return Err(Finding::error("providers::no_address", "expected the provider's address")
            .with_help("write `dubbo://HOST:PORT/SERVICE`")
            .at(origin, everything, "no host here"));
    }
    if url.service_interface().is_none() {
        let found = excerpt(text);
        return Err(Finding::error("providers::no_service", format!("expected the provider's service in `{found}`"))
            .with_help("the service is the path, or the parameter `interface`")
            .at(origin, everything, "no service here"));
    }
    Ok(url)
}

/// What two providers must share to be one: protocol, address, service.
fn identity(url: &Url) -> String {
    let service = url.service_key();
    let service = service.as_ref().map_or("", |key| key.as_str());
    [url.protocol().unwrap_or_default(), "://", url.address().unwrap_or_default(), "/", service].concat()
}

fn duplicate(first: usize, second: usize) -> Finding {
    let message = format!("lines {first} and {second} are one provider: same protocol, address and service");
    Finding::warning("providers::duplicate", message).with_help("remove one; until then both stay in the list")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Url>, Vec<Finding>) {
        let mut findings = Vec::new();
        let providers = read_providers(&SourceText::new("providers.txt", text), &mut findings);
        (providers, findings)
    }

    #[test]
    fn blank_lines_and_comments_are_no_providers() {
        let (providers, findings) = read("# shop\n\n  # more\ndubbo://h:1/S\n\tdubbo://h:2/S\r\n");
        assert_eq!(providers.iter().map(Url::as_str).collect::<Vec<_>>(), ["dubbo://h:1/S", "dubbo://h:2/S"]);
        assert!(findings.is_empty(), "{findings:?}");
    }

    #[test]
    fn what_is_no_provider_is_an_error_at_its_line() {
        for (line, slug, column) in [
            ("dubbo://h:x/S", "providers::wrong_url", 11),
            ("dubbo://h:1", "providers::no_service", 1),
            ("dubbo:///S", "providers::no_address", 1),
            ("consumer://h/S", "providers::not_a_provider", 1),
            ("dubbo%3A%2F%2Fh%3A1%2FS", "providers::encoded", 1),
        ] {
            let (providers, findings) = read(&format!("# head\n{line}\n"));
            let [finding] = findings.as_slice() else { unreachable!("{line}: {findings:?}") };
            assert!(providers.is_empty());
            assert_eq!((finding.slug(), finding.line_and_column()), (slug, Some((2, column))), "{line}");
        }
    }

    #[test]
    fn duplicates_are_kept_and_named() {
        let (providers, findings) = read("dubbo://h:1/S?a=1\ndubbo://h:2/S\ndubbo://h:1/S?a=2\n");
        assert_eq!(providers.len(), 3);
        let [finding] = findings.as_slice() else { unreachable!("{findings:?}") };
        assert_eq!(finding.message(), "lines 1 and 3 are one provider: same protocol, address and service");
        assert_eq!(finding.line_and_column(), Some((3, 1)));
    }

    #[test]
    fn a_file_without_providers_is_a_warning() {
        let (_, findings) = read("# none yet\n");
        assert_eq!(findings.iter().map(Finding::slug).collect::<Vec<_>>(), ["providers::empty"]);
    }
}
