//! From a `file:` URL to the rule that stands in the file.

use std::sync::Arc;

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::diagnostics::SourceText;
use crate::file::place::Place;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::Language;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::router::TextReader;
use crate::rpc::Url;
use crate::rpc::keys;

/// How many files may stand inside one another.
pub const MAX_NESTING: usize = 2;

const FILE: &str = "file";
const ROUTE: &str = "route";
const SCRIPT: &str = "script";

/// Parameters that the rule in the file does not get: they speak of the file, or it has its own.
const NOT_KEPT: [&str; 4] = [keys::ROUTER, keys::RULE, keys::TYPE, keys::INTERFACE];

/// Makes rules of files; the protocol is `file`.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileRouterFactory;

/// A reader one file deeper.
struct Nested<'a> {
    inner: &'a mut dyn TextReader,
}

// === impl FileRouterFactory ===

impl RouterFactory for FileRouterFactory {
    fn protocol(&self) -> &str {
        FILE
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let url = &definition.url;
        let router = url.parameter_or(keys::ROUTER, SCRIPT);
        if matches!(router, FILE | ROUTE) {
            return Err(wrong_router(router, definition));
        }
        let registry = context.registry;
        let factory = registry.factory(router)?;
        let place = Place::of(url).ok_or_else(|| missing_path(definition))?;
        let language = if router == SCRIPT { Some(language(&place, definition)?) } else { None };
        let Some(reader) = context.reader.as_deref_mut() else { return Err(not_from_here(definition)) };
        if reader.depth() >= MAX_NESTING {
            return Err(too_deep(definition));
        }
        let text = reader.read(&place.path).map_err(|error| placed(error, &place, definition))?;
        let inner = inner_definition(definition, &place, router, language, text)?;
        let mut nested = Nested { inner: reader };
        let mut context = FactoryContext { registry, reader: Some(&mut nested), warnings: &mut *context.warnings };
        factory.create_router(&inner, &mut context)
    }
}

// === impl Nested ===

impl TextReader for Nested<'_> {
    fn read(&mut self, path: &str) -> Result<SourceText, BuildError> {
        self.inner.read(path)
    }

    fn depth(&self) -> usize {
        self.inner.depth() + 1
    }
}

/// The rule in the file, with the parameters of the URL that named it.
fn inner_definition(
    outer: &RuleDefinition,
    place: &Place,
    router: &str,
    language: Option<Language>,
    source: SourceText,
) -> Result<RuleDefinition, BuildError> {
    let url = inner_url(&outer.url, place, router, language, source.text());
    let url = Url::parse(&url).map_err(|error| {
        let finding = Finding::error("file::not_a_rule", format!("the file makes no rule: {error}"));
        BuildError::from(finding.with_help("look at its size and at its path").at(
            &outer.origin,
            0..outer.source_bytes,
            "this file",
        ))
    })?;
    Ok(RuleDefinition { url, rule_origin: Origin::whole(source), ..outer.clone() })
}

fn inner_url(url: &Url, place: &Place, router: &str, language: Option<Language>, rule: &str) -> String {
    let interface = url.non_empty_parameter(keys::INTERFACE).unwrap_or(keys::ANY);
    let mut text = format!("{router}://{}/{interface}?", place.host);
    text.reserve(rule.len() * 2 + 200);
    let kind = language.map(Language::as_str).or_else(|| url.non_empty_parameter(keys::TYPE));
    let kind = kind.map(|kind| (keys::TYPE, kind));
    // In a URL the last of a key counts, and it also does in the copy.
    let kept = url.parameters().filter(|(key, _)| !NOT_KEPT.contains(key));
    for (key, value) in kind.into_iter().chain(kept) {
        for part in [key, "=", value, "&"] {
            text.push_str(part);
        }
    }
    text.push_str("rule=");
    text.extend(utf8_percent_encode(rule, NON_ALPHANUMERIC));
    text
}

fn language(place: &Place, definition: &RuleDefinition) -> Result<Language, BuildError> {
    let language = place.suffix().and_then(Language::of_suffix).ok_or_else(|| {
        let found = place.suffix().map_or_else(|| "none".to_owned(), |suffix| format!("`.{suffix}`"));
        let message = format!("expected a file of a script, found the suffix {found}");
        let help = format!("the suffixes are {}", Language::SUFFIXES);
        error("file::unknown_suffix", message, &help, definition)
    })?;
    match definition.url.non_empty_parameter(keys::TYPE) {
        Some(kind) if Language::of_suffix(kind) != Some(language) => {
            let message = format!("expected `{}` for `type`, as the suffix says, found `{kind}`", language.as_str());
            Err(error("file::wrong_type", message, "leave `type` away: the suffix tells", definition))
        }
        _ => Ok(language),
    }
}

/// What could not be read, shown where its name stands; a finding that shows a place inside the file keeps it.
fn placed(cause: BuildError, place: &Place, definition: &RuleDefinition) -> BuildError {
    match cause {
        BuildError::Rule(finding) if finding.place().is_none() => {
            let message = format!("`{}`: {}", place.path, finding.message());
            let placed = Finding::new(finding.slug(), finding.severity(), message);
            let placed = placed.with_help(finding.help_text().unwrap_or("check the path"));
            placed.at(&definition.origin, 0..definition.source_bytes, "named here").into()
        }
        other => other,
    }
}

fn wrong_router(router: &str, definition: &RuleDefinition) -> BuildError {
    let message = format!("a file holds no rule of the kind `{router}`");
    error("file::wrong_router", message, "name the kind that the text is of, for example `router=script`", definition)
}

fn missing_path(definition: &RuleDefinition) -> BuildError {
    let help = "write `file:///path/route.js`; a path without a slash in front is below the rules folder";
    error("file::missing_path", "expected the path of a file in UTF-8", help, definition)
}

fn not_from_here(definition: &RuleDefinition) -> BuildError {
    let message = "a rule that comes from here may not read files";
    error("file::not_from_here", message, "write the text into the rule, or the rule into a rules folder", definition)
}

fn too_deep(definition: &RuleDefinition) -> BuildError {
    let message = format!("expected at most {MAX_NESTING} files inside one another, found more");
    error("file::too_deep", message, "name the last file directly", definition)
}

fn error(slug: &'static str, message: impl Into<String>, help: &str, definition: &RuleDefinition) -> BuildError {
    let finding = Finding::error(slug, message).with_help(help);
    finding.at(&definition.origin, 0..definition.source_bytes, "in this rule").into()
}
