//! From a script's text to its rule.

use std::sync::Arc;

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::Severity;
use crate::diagnostics::SourceText;
use crate::diagnostics::nearest;
use crate::router::Language;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::source::folder::RuleEntry;
use crate::source::folder::RuleKind;
use crate::source::folder::script_file::comments::leading_comments;
use crate::source::folder::tag::SERVICE;
use crate::source::folder::tag::Tag;
use crate::source::folder::tag::TagText;
use crate::source::folder::tag::group_and_version;
use crate::source::folder::tag::service_of;
use crate::source::folder::tag::url_head;

/// The largest script in a folder: 1 MiB; what may run is far less, and the script itself is refused then.
pub const MAX_SCRIPT_BYTES: u64 = 1 << 20;

const SCRIPT: &str = "script";
const TAGS: [&str; 11] = [
    SERVICE,
    keys::APPLICATION,
    keys::FORCE,
    keys::PRIORITY,
    keys::ON_ERROR,
    keys::NAME,
    keys::ENGINE,
    keys::DEADLINE,
    keys::TIMEZONE,
    keys::RUNTIME,
    keys::ENABLED,
];

/// The rule that a script is; what is wrong goes to `findings`, and an error there means that there is no rule.
pub(crate) fn read_script(source: &SourceText, language: Language, findings: &mut Vec<Finding>) -> Vec<RuleEntry> {
    let whole = Origin::whole(source.clone());
    let mut tags: Vec<Tag> = Vec::new();
    let mut has_error = false;
    for text in leading_comments(source.text(), language).into_iter().filter(|text| text.text.starts_with('@')) {
        match read_tag(text, &whole) {
            Ok(tag) => {
                findings.extend(take_repeated(&mut tags, tag.key).map(|_| repeated(&tag, &whole)));
                tags.push(tag);
            }
            Err(finding) => {
                has_error |= finding.severity() == Severity::Error;
                findings.push(finding);
            }
        }
    }
    if has_error {
        return Vec::new();
    }
    if !tags.iter().any(|tag| tag.key == SERVICE) {
        findings.push(for_all_services(&whole));
    }
    match Url::parse(&url_text(&tags, source.text(), language)) {
        Ok(url) => vec![entry(url, &whole)],
        Err(error) => {
            findings.push(Finding::error("route::not_a_url", error.to_string()).in_file(source.name()));
            Vec::new()
        }
    }
}

fn read_tag(text: TagText<'_>, whole: &Origin) -> Result<Tag, Finding> {
    let (word, label) = (text.word(), "not a tag of scripts");
    let at = text.start..text.start + 1 + word.len();
    if word == keys::DIALECT {
        let finding = Finding::error("rules::unknown_tag", "a script has no dialect: only conditions are read in one");
        return Err(finding.with_help("remove the line").at(whole, at, label));
    }
    text.read(&TAGS, whole).map_err(|finding| {
        // Comments for tools (`@param`, `@author`) may stand there too; what looks like a tag of ours may not.
        let is_foreign = !TAGS.contains(&word) && nearest(word, TAGS).is_none();
        if is_foreign { finding.with_severity(Severity::Warning) } else { finding }
    })
}

fn take_repeated(tags: &mut Vec<Tag>, key: &str) -> Option<Tag> {
    let earlier = tags.iter().position(|tag| tag.key == key)?;
    Some(tags.remove(earlier))
}

fn url_text(tags: &[Tag], text: &str, language: Language) -> String {
    let value_of = |key: &str| tags.iter().find(|tag| tag.key == key).map(|tag| tag.value.as_str());
    let service: Option<ServiceKey> = value_of(SERVICE).and_then(service_of);
    let mut url = url_head(SCRIPT, service.as_ref());
    url.reserve(text.len() * 2 + 160);
    let is_said = |tag: &&Tag| tag.key != SERVICE && !(tag.key == keys::APPLICATION && tag.value == keys::ANY);
    let parameters = tags.iter().filter(is_said).map(|tag| (tag.key, tag.value.as_str()));
    let kind = std::iter::once((keys::TYPE, language.as_str()));
    for (key, value) in kind.chain(group_and_version(service.as_ref())).chain(parameters) {
        for part in ["&", key, "=", value] {
            url.push_str(part);
        }
    }
    for part in ["&", keys::RULE, "="] {
        url.push_str(part);
    }
    url.extend(utf8_percent_encode(text, NON_ALPHANUMERIC));
    url
}

fn entry(url: Url, whole: &Origin) -> RuleEntry {
    let text: Arc<str> = whole.source().text().into();
    let name = url.non_empty_parameter(keys::NAME).map(Arc::from);
    // What is wrong with the rule as a whole is shown at its first line.
    let line_bytes = text.lines().next().map_or(0, str::len);
    RuleEntry {
        url,
        text,
        origin: whole.clone(),
        line_origin: whole.clone(),
        line_bytes,
        line: 1,
        kind: RuleKind::Script,
        name,
        placement: None,
        is_copy: false,
    }
}

fn repeated(tag: &Tag, whole: &Origin) -> Finding {
    let message = format!("`@{}` stands twice, the last one counts", tag.key);
    Finding::warning("rules::repeated_tag", message)
        .with_help("keep one of them; a script has one value for each tag")
        .at(whole, tag.at.clone(), "again here")
}

fn for_all_services(whole: &Origin) -> Finding {
    Finding::new("rules::all_services", Severity::Info, "without `@service` the script is for all services")
        .with_help("write `@service com.shop.OrderService` into a comment above the code; `*` says that all are meant")
        .at(whole, 0..0, "no `@service` above the code")
}
