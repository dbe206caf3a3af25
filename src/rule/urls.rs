//! A document's rules as rule URLs, which the factory registry compiles.

use percent_encoding::AsciiSet;
use percent_encoding::CONTROLS;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde::Serialize;

use crate::condition::Dialect;
use crate::diagnostics::Origin;
use crate::router::OnError;
use crate::router::Phase;
use crate::router::Placement;
use crate::router::Reach;
use crate::router::Scope;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::rpc::UrlError;
use crate::rpc::keys;
use crate::rule::Body;
use crate::rule::Document;
use crate::rule::DocumentKind;
use crate::rule::Placed;

/// What would end a value, or a part of the URL.
const RESERVED: &AsciiSet = &CONTROLS.add(b' ').add(b'&').add(b'=').add(b'?').add(b'#').add(b'%').add(b';').add(b'@');

/// One rule of a document.
#[derive(Debug, Clone)]
pub struct DocumentRule {
    /// The rule as a URL: what a router factory reads.
    pub url: Url,
    /// Its text as a person wrote it; empty where it is no single text.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
    /// How many bytes of the source that is.
    pub bytes: usize,
    /// Its name, if the document has one.
    pub name: Option<String>,
    /// When it runs, and for whom.
    pub placement: Placement,
    /// The same rule stands before, for other consumers: nothing is to be said of it twice.
    pub is_copy: bool,
}

/// What differs from rule to rule of a document.
struct Part<'a> {
    protocol: &'a str,
    text: String,
    shown: &'a str,
    origin: &'a Origin,
    bytes: usize,
    parameters: Vec<(&'a str, &'a str)>,
}

// === impl Document ===

impl Document {
    /// The rules in the order of the document.
    ///
    /// # Errors
    ///
    /// A key makes no URL, as one with a control character does.
    pub fn rules(&self) -> Result<Vec<DocumentRule>, UrlError> {
        let parts = self.parts();
        let (placements, count) = (self.placements(), parts.len());
        let mut rules = Vec::with_capacity(count * placements.len());
        for (at, placement) in placements.iter().enumerate() {
            let head = self.head(placement);
            for (number, part) in parts.iter().enumerate() {
                let name = self.name.as_ref().map(|name| match count {
                    1 => name.clone(),
                    _ => format!("{name}[{number}]"),
                });
                rules.push(DocumentRule {
                    url: self.url(&head, part, name.as_deref())?,
                    text: part.shown.to_owned(),
                    origin: part.origin.clone(),
                    bytes: part.bytes,
                    name,
                    placement: placement.clone(),
                    is_copy: at > 0,
                });
            }
        }
        Ok(rules)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        match &self.body {
            Body::Conditions(texts) => texts.iter().map(|text| Part::of_text("condition", text)).collect(),
            Body::Destinations(rules) => rules.iter().map(|rule| Part::of_data("destinations", rule)).collect(),
            Body::Tags(rule) => vec![Part::of_data("tag", rule)],
            Body::Affinity(rule) => vec![Part::of_data("affinity", rule)],
            Body::Script(body) => {
                let mut part = Part::of_text("script", &body.script);
                part.parameters.push((keys::TYPE, body.language.as_str()));
                part.parameters.extend(body.engine.iter().map(|engine| (keys::ENGINE, engine.as_str())));
                vec![part]
            }
            Body::Plugin(name, parameters) => {
                let mut part = Part { text: String::new(), ..Part::of_text(&name.value, name) };
                part.parameters.extend(parameters.iter().map(|(key, value)| (key.as_str(), value.as_str())));
                vec![part]
            }
            Body::Nothing => Vec::new(),
        }
    }

    /// When and for whom the rules run: an application's document reaches its providers, and consumers of its name.
    fn placements(&self) -> Vec<Placement> {
        let phase = match self.kind {
            DocumentKind::Condition => Phase::Service,
            DocumentKind::Tag => Phase::Tag,
            DocumentKind::Script | DocumentKind::Plugin => Phase::Rule,
            DocumentKind::Affinity => Phase::Affinity,
        };
        if let Some(service) = self.service() {
            return vec![Placement { phase, scope: Scope { service: Some(service), ..Scope::default() } }];
        }
        let of_providers = Scope { providers: Reach::Application(self.key.clone()), ..Scope::default() };
        if matches!(self.kind, DocumentKind::Tag | DocumentKind::Script) {
            return vec![Placement { phase, scope: of_providers }];
        }
        let is_condition = self.kind == DocumentKind::Condition;
        let phases = if is_condition { [Phase::ProviderApplication, Phase::ConsumerApplication] } else { [phase; 2] };
        let [of_provider, of_consumer] = phases;
        let except = Scope { except_application: Some(self.key.clone()), ..of_providers };
        let of_consumers = Scope { application: Some(self.key.clone()), ..Scope::default() };
        vec![Placement { phase: of_provider, scope: except }, Placement { phase: of_consumer, scope: of_consumers }]
    }

    /// What all rules of a placement have in common, without the protocol.
    fn head(&self, placement: &Placement) -> String {
        let service: Option<&ServiceKey> = placement.scope.service.as_ref();
        let interface = service.map_or(keys::ANY, ServiceKey::interface);
        let mut head = format!("://{}/", keys::ANY_HOST);
        head.extend(utf8_percent_encode(interface, RESERVED));
        push(&mut head, '?', keys::CATEGORY, keys::ROUTERS);
        let group_and_version = service
            .into_iter()
            .flat_map(|service| [(keys::GROUP, service.group()), (keys::VERSION, service.version())]);
        for (key, value) in group_and_version {
            value.into_iter().for_each(|value| push(&mut head, '&', key, value));
        }
        if let Reach::Application(application) = &placement.scope.providers {
            push(&mut head, '&', keys::REMOTE_APPLICATION, application);
        }
        placement.scope.application.iter().for_each(|application| push(&mut head, '&', keys::APPLICATION, application));
        let flags = [(keys::FORCE, self.is_force, true), (keys::ENABLED, self.is_enabled, false)];
        for (key, value, _) in flags.into_iter().filter(|(_, value, told)| value == told) {
            push(&mut head, '&', key, if value { "true" } else { "false" });
        }
        if self.is_runtime {
            push(&mut head, '&', keys::RUNTIME, "true");
        }
        if self.priority != 0 {
            push(&mut head, '&', keys::PRIORITY, &self.priority.to_string());
        }
        if let Some(on_error) = self.on_error.filter(|on_error| *on_error != OnError::default()) {
            push(&mut head, '&', keys::ON_ERROR, on_error.as_str());
        }
        if self.kind == DocumentKind::Condition && self.dialect != Dialect::V2 {
            push(&mut head, '&', keys::DIALECT, self.dialect.as_str());
        }
        head
    }

    fn url(&self, head: &str, part: &Part<'_>, name: Option<&str>) -> Result<Url, UrlError> {
        let mut text = String::with_capacity(part.protocol.len() + head.len() + part.text.len() * 2 + 64);
        text.push_str(part.protocol);
        text.push_str(head);
        part.parameters.iter().for_each(|(key, value)| push(&mut text, '&', key, value));
        name.into_iter().for_each(|name| push(&mut text, '&', keys::NAME, name));
        if !part.text.is_empty() {
            text.push_str("&rule=");
            text.extend(utf8_percent_encode(&part.text, NON_ALPHANUMERIC));
        }
        Url::parse(&text)
    }
}

// === impl Part ===

impl<'a> Part<'a> {
    fn of_text(protocol: &'a str, text: &'a Placed<String>) -> Self {
        let Placed { value, origin, bytes } = text;
        Self { protocol, text: value.clone(), shown: value, origin, bytes: *bytes, parameters: Vec::new() }
    }

    fn of_data(protocol: &'a str, data: &'a Placed<impl Serialize>) -> Self {
        let Placed { value, origin, bytes } = data;
        // Texts, numbers and lists of them always make JSON.
        let text = serde_json::to_string(value).unwrap_or_default();
        Self { protocol, text, shown: "", origin, bytes: *bytes, parameters: Vec::new() }
    }
}

fn push(text: &mut String, separator: char, key: &str, value: &str) {
    text.push(separator);
    text.extend(utf8_percent_encode(key, RESERVED));
    text.push('=');
    text.extend(utf8_percent_encode(value, RESERVED));
}
