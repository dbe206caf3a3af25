//! `[scripts]`: where scripts run, and within what.

use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use crate::source::config::reader::Reader;
use crate::source::config::reader::SIZES;
use crate::source::config::reader::TIMES;

/// What the host decides about scripts; what is none is left to the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ScriptConfig {
    /// `isolation`.
    pub isolation: ScriptIsolation,
    /// `domain`.
    pub domain: ScriptDomain,
    /// `workers`: how many worker processes there are.
    pub workers: Option<u64>,
    /// `queue`: how long a call waits for one of them.
    pub queue: Option<Duration>,
    /// `javascript`: the engine for rules that name none.
    pub javascript: Option<JavaScriptEngine>,
    /// `deadline`: processor time of a run.
    pub deadline: Option<Duration>,
    /// `deadline-per-candidate`: what each candidate adds to it.
    pub deadline_per_candidate: Option<Duration>,
    /// `memory`: bytes that a run may allocate.
    pub memory_bytes: Option<u64>,
    /// `operations`: steps of a run, where the engine counts them.
    pub operations: Option<u64>,
    /// `call-depth`: calls inside of calls.
    pub call_depth: Option<u64>,
    /// `source-bytes`: bytes of a rule's text.
    pub source_bytes: Option<u64>,
    /// `log-lines`: lines that a run may log.
    pub log_lines: Option<u64>,
    /// `log-bytes`: bytes that a run may log.
    pub log_bytes: Option<u64>,
}

/// Where scripts run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScriptIsolation {
    /// In supervised processes.
    #[default]
    Worker,
    /// On the calling thread: the texts are trusted.
    Inline,
}

/// Which scripts share a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScriptDomain {
    /// None.
    Rule,
    /// Those of one folder.
    #[default]
    Source,
    /// All.
    All,
}

/// An engine for JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JavaScriptEngine {
    /// boa.
    Boa,
    /// QuickJS.
    QuickJs,
}

const ISOLATION: &str = "isolation";
const DOMAIN: &str = "domain";
const WORKERS: &str = "workers";
/// More processes than this use a machine up before they help.
const MAX_WORKERS: u64 = 256;
const QUEUE: &str = "queue";
const JAVASCRIPT: &str = "javascript";
const DEADLINE: &str = "deadline";
const DEADLINE_PER_CANDIDATE: &str = "deadline-per-candidate";
const MEMORY: &str = "memory";
const OPERATIONS: &str = "operations";
const CALL_DEPTH: &str = "call-depth";
const SOURCE_BYTES: &str = "source-bytes";
const LOG_LINES: &str = "log-lines";
const LOG_BYTES: &str = "log-bytes";
const KEYS: [&str; 13] = [
    ISOLATION,
    DOMAIN,
    WORKERS,
    QUEUE,
    JAVASCRIPT,
    DEADLINE,
    DEADLINE_PER_CANDIDATE,
    MEMORY,
    OPERATIONS,
    CALL_DEPTH,
    SOURCE_BYTES,
    LOG_LINES,
    LOG_BYTES,
];

// === impl ScriptConfig ===

impl ScriptConfig {
    pub(super) fn read(value: &Spanned<DeValue<'_>>, reader: &mut Reader<'_>) -> Self {
        let mut config = Self::default();
        let DeValue::Table(table) = value.get_ref() else {
            let _: Option<()> = reader.wrong_type("scripts", "a table", value.get_ref().type_str(), value);
            return config;
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                ISOLATION => {
                    let words = [("worker", ScriptIsolation::Worker), ("inline", ScriptIsolation::Inline)];
                    config.isolation = reader.word(ISOLATION, value, &words).unwrap_or_default();
                }
                DOMAIN => {
                    let words =
                        [("source", ScriptDomain::Source), ("rule", ScriptDomain::Rule), ("all", ScriptDomain::All)];
                    config.domain = reader.word(DOMAIN, value, &words).unwrap_or_default();
                }
                JAVASCRIPT => {
                    let words = [("boa", JavaScriptEngine::Boa), ("quickjs", JavaScriptEngine::QuickJs)];
                    config.javascript = reader.word(JAVASCRIPT, value, &words);
                }
                _ => config.set_limit(key, value, reader),
            }
        }
        config
    }

    fn set_limit(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        reader: &mut Reader<'_>,
    ) {
        let name = key.get_ref().as_ref();
        let mut time = || reader.amount(name, value, "a time such as `20ms`", &TIMES).map(Duration::from_micros);
        match name {
            QUEUE => self.queue = time(),
            DEADLINE => self.deadline = time(),
            DEADLINE_PER_CANDIDATE => self.deadline_per_candidate = time(),
            MEMORY => self.memory_bytes = reader.amount(name, value, "a size such as `32MiB`", &SIZES),
            SOURCE_BYTES => self.source_bytes = reader.amount(name, value, "a size such as `64KiB`", &SIZES),
            LOG_BYTES => self.log_bytes = reader.amount(name, value, "a size such as `4KiB`", &SIZES),
            WORKERS => self.workers = reader.count_up_to(name, value, MAX_WORKERS),
            OPERATIONS => self.operations = reader.count(name, value),
            CALL_DEPTH => self.call_depth = reader.count(name, value),
            LOG_LINES => self.log_lines = reader.count(name, value),
            _ => reader.unknown_key(key, &KEYS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceText;
    use crate::source::config::HostConfig;

    #[test]
    fn every_key_of_scripts_is_read() {
        let text = "[scripts]\nisolation = 'inline'\ndomain = 'rule'\nworkers = 2\nqueue = '50ms'\njavascript = 'quickjs'\n\
                    deadline = '5 ms'\ndeadline-per-candidate = '2us'\nmemory = '16MiB'\noperations = 1_000\n\
                    call-depth = 64\nsource-bytes = '32KiB'\nlog-lines = 5\nlog-bytes = '512B'\n";
        let config = HostConfig::read(&SourceText::new("config.toml", text)).unwrap().scripts;
        let expected = ScriptConfig {
            isolation: ScriptIsolation::Inline,
            domain: ScriptDomain::Rule,
            workers: Some(2),
            queue: Some(Duration::from_millis(50)),
            javascript: Some(JavaScriptEngine::QuickJs),
            deadline: Some(Duration::from_millis(5)),
            deadline_per_candidate: Some(Duration::from_micros(2)),
            memory_bytes: Some(16 << 20),
            operations: Some(1_000),
            call_depth: Some(64),
            source_bytes: Some(32 << 10),
            log_lines: Some(5),
            log_bytes: Some(512),
        };
        assert_eq!(config, expected);
    }

    #[test]
    fn amounts_without_a_unit_and_unknown_keys_are_errors_at_their_places() {
        let text = "[scripts]\ndeadline = '20'\nmemory = 32\nworkers = 0\nqueu = '1ms'\n";
        let findings = HostConfig::read(&SourceText::new("config.toml", text)).unwrap_err();
        let mut found: Vec<_> = findings.iter().map(|finding| (finding.line_and_column(), finding.message())).collect();
        found.sort_unstable();
        let expected = [
            (Some((2, 12)), "expected a time such as `20ms` for `deadline`, found `20`"),
            (Some((3, 10)), "expected a size such as `32MiB` for `memory`, found integer"),
            (Some((4, 11)), "expected a whole number from 1 on for `workers`, found `0`"),
            (Some((5, 1)), "unknown key `queu`"),
        ];
        assert_eq!(found, expected);
    }
}
