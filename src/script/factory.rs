//! From `script://…?type=…&rule=…` to a router.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::diagnostics::Finding;
use crate::diagnostics::Origin;
use crate::router::BuildError;
use crate::router::FactoryContext;
use crate::router::Language;
use crate::router::Phase;
use crate::router::Router;
use crate::router::RouterFactory;
use crate::router::RuleDefinition;
use crate::router::RuleHeader;
use crate::router::Zone;
use crate::router::parse_duration;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::script::CompileError;
use crate::script::EngineKind;
use crate::script::Program;
use crate::script::ScriptHost;
use crate::script::router::ScriptRouter;

const KIND: &str = "script";

/// Compiles `script://` rules.
#[derive(Clone)]
pub struct ScriptRouterFactory {
    host: HostSource,
}

#[derive(Clone)]
enum HostSource {
    None,
    Ready(ScriptHost),
    WhenNeeded(Arc<Maker>, Arc<Mutex<Option<ScriptHost>>>),
}

type Maker = dyn Fn() -> Result<ScriptHost, Finding> + Send + Sync;

// === impl ScriptRouterFactory ===

impl ScriptRouterFactory {
    /// Rules run as `host` allows.
    #[must_use]
    pub fn new(host: ScriptHost) -> Self {
        Self { host: HostSource::Ready(host) }
    }

    /// Rules run as the host that `make` makes allows; it is made for the first script, so that worker processes are
    /// started only where there is something for them. Where it cannot be made the rule is refused, and the next one
    /// tries again.
    #[must_use]
    pub fn when_needed(make: impl Fn() -> Result<ScriptHost, Finding> + Send + Sync + 'static) -> Self {
        Self { host: HostSource::WhenNeeded(Arc::new(make), Arc::default()) }
    }

    /// Refuses every rule: nobody has said where scripts may run.
    #[must_use]
    pub fn without_host() -> Self {
        Self { host: HostSource::None }
    }
}

impl RouterFactory for ScriptRouterFactory {
    fn protocol(&self) -> &str {
        KIND
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let header = RuleHeader::read(definition, KIND, Phase::Rule)?;
        let text = definition.rule_text()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let language = language(&definition.url)?;
        let host = &self.host(definition)?;
        let engine = engine(&definition.url, language, host)?;
        check_size(text, host.limits().source_bytes, &definition.rule_origin)?;
        let deadline = deadline(&definition.url, host, definition, context)?;
        let zone = zone(&definition.url)?;
        let name: Arc<str> = definition.rule_origin.source().name().into();
        let program = Program { engine, name, text: text.into() };
        let program = host.compile(program).map_err(|error| finding_of(&error, text, &definition.rule_origin))?;
        Ok(Arc::new(ScriptRouter::new(header, host.clone(), program, deadline, zone)))
    }
}

impl ScriptRouterFactory {
    fn host(&self, definition: &RuleDefinition) -> Result<ScriptHost, BuildError> {
        match &self.host {
            HostSource::None => Err(no_host(&definition.origin, definition.source_bytes)),
            HostSource::Ready(host) => Ok(host.clone()),
            HostSource::WhenNeeded(make, made) => {
                let mut made = made.lock();
                if let Some(host) = &*made {
                    return Ok(host.clone());
                }
                let at = |finding: Finding| finding.at(&definition.origin, 0..definition.source_bytes, "this rule");
                let host = make().map_err(at)?;
                *made = Some(host.clone());
                Ok(host)
            }
        }
    }
}

impl fmt::Debug for ScriptRouterFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScriptRouterFactory")
    }
}

fn language(url: &Url) -> Result<Language, BuildError> {
    let Some(text) = url.non_empty_parameter(keys::TYPE) else { return Ok(Language::JavaScript) };
    Language::parse(text).ok_or_else(|| invalid(keys::TYPE, "`javascript` (`js`), `rhai` or `lua`", text))
}

fn engine(url: &Url, language: Language, host: &ScriptHost) -> Result<EngineKind, BuildError> {
    let Some(name) = url.non_empty_parameter(keys::ENGINE) else { return Ok(host.default_engine(language)) };
    let found = EngineKind::parse(name).filter(|kind| EngineKind::of(language).contains(kind));
    let expected = match language {
        Language::JavaScript => "`boa` or `quickjs`",
        Language::Rhai => "`rhai`",
        Language::Lua => "`luau`",
    };
    found.ok_or_else(|| invalid(keys::ENGINE, expected, name))
}

/// The rule's own deadline. One above the host's has no effect, and says so.
fn deadline(
    url: &Url,
    host: &ScriptHost,
    definition: &RuleDefinition,
    context: &mut FactoryContext<'_>,
) -> Result<Option<Duration>, BuildError> {
    let Some(text) = url.non_empty_parameter(keys::DEADLINE) else { return Ok(None) };
    let wrong = || invalid(keys::DEADLINE, "a time with its unit, such as `5ms`", text);
    let (own, allowed) = (parse_duration(text).ok_or_else(wrong)?, host.limits().deadline);
    if own > allowed {
        let message = format!("the deadline of {text} is above the host's of {} us", allowed.as_micros());
        let finding = Finding::warning("script::deadline_above_host", message)
            .with_help("a rule may lower a limit; the host's holds")
            .at(&definition.origin, 0..definition.source_bytes, "this rule");
        context.warnings.push(finding);
    }
    Ok(Some(own))
}

fn zone(url: &Url) -> Result<Zone, BuildError> {
    let Some(name) = url.non_empty_parameter(keys::TIMEZONE) else { return Ok(Zone::utc()) };
    Zone::find(name).ok_or_else(|| invalid(keys::TIMEZONE, "a zone such as `Asia/Shanghai`", name))
}

fn invalid(name: &str, expected: &'static str, found: &str) -> BuildError {
    BuildError::InvalidParameter { name: name.to_owned(), expected, found: found.to_owned() }
}

fn no_host(origin: &Origin, length: usize) -> BuildError {
    Finding::error("script::no_isolation", "nobody has said where scripts may run")
        .with_help("register a `ScriptRouterFactory` with a `ScriptHost`; the command takes `--isolation`")
        .at(origin, 0..length, "this rule")
        .into()
}

fn check_size(text: &str, allowed: u64, origin: &Origin) -> Result<(), BuildError> {
    if text.trim().is_empty() {
        let finding = Finding::error("script::empty", "expected a script, found none");
        return Err(finding
            .with_help("write an expression whose value is a list of invokers")
            .at(origin, 0..0, "here")
            .into());
    }
    let found = text.len() as u64;
    if found <= allowed {
        return Ok(());
    }
    Err(Finding::error("script::too_large", format!("expected at most {allowed} bytes of script, found {found}"))
        .with_help("the limit is the host's `source-bytes`; split the rule, or write a plugin")
        .at(origin, 0..0, "this script")
        .into())
}

/// A compile error as a finding at its place in the rule's text.
fn finding_of(error: &CompileError, text: &str, origin: &Origin) -> BuildError {
    let (start, end) = span(text, error.line, error.column);
    let finding = Finding::error("script::compile", error.message.clone()).at(origin, start..end, "here");
    match &error.help {
        Some(help) => finding.with_help(help.clone()),
        None => finding,
    }
    .into()
}

/// The bytes of the character at a line and column; the whole line without a column, nothing without a line.
fn span(text: &str, line: Option<u32>, column: Option<u32>) -> (usize, usize) {
    let Some(line) = line else { return (0, 0) };
    let mut start = 0;
    for (number, content) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            let content = content.trim_end_matches(['\n', '\r']);
            let Some(column) = column else { return (start, start + content.len()) };
            let at = content.char_indices().nth(column.saturating_sub(1) as usize);
            let (at, length) = at.map_or((content.len(), 0), |(at, c)| (at, c.len_utf8()));
            return (start + at, start + at + length);
        }
        start += content.len();
    }
    (text.len(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_a_column_become_bytes() {
        for (line, column, expected) in [
            (None, None, (0, 0)),
            (Some(2), Some(2), (5, 8)),
            (Some(2), None, (4, 8)),
            (Some(2), Some(9), (8, 8)),
            (Some(9), Some(1), (10, 10)),
        ] {
            assert_eq!(span("abc\na杭\nb", line, column), expected, "{line:?} {column:?}");
        }
    }
}
