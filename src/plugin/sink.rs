//! Where a plugin's log lines and counts go, and how many there may be.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use std::time::Instant;

use parking_lot::Mutex;
use pointsman_plugin_api::abi::PM_LOG_ERROR;
use pointsman_plugin_api::abi::PM_LOG_INFO;
use pointsman_plugin_api::abi::PM_LOG_WARN;
use serde::Deserialize;
use serde::Serialize;

/// So many lines at once, and as many again each second.
const LINES: u32 = 20;
const REFILL: Duration = Duration::from_secs(1);
/// How long a line is at most.
pub(crate) const LINE_BYTES: usize = 1 << 10;
/// How many different counters a plugin may have, and how long their names are.
const COUNTERS: usize = 64;
const COUNTER_BYTES: usize = 64;

/// The host's ear for one image. It lives until the process ends: a thread of a plugin that is gone may still speak.
pub(crate) struct Sink {
    label: String,
    place: Place,
    state: Mutex<State>,
}

/// Where lines go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// To the host's log.
    Log,
    /// Into the next answer.
    Answer,
}

/// What a plugin said in another process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    /// Lines with their levels.
    lines: Vec<(i32, String)>,
    /// How many more there were.
    left_out: u64,
    counts: Vec<(String, i64)>,
}

#[derive(Debug, Default)]
struct State {
    since: Option<Instant>,
    lines: u32,
    left_out: u64,
    kept: Vec<(i32, String)>,
    counts: BTreeMap<String, i64>,
}

// === impl Sink ===

impl Sink {
    /// `label` is name, version and hash.
    pub(crate) fn new(label: String, place: Place) -> Self {
        Self { label, place, state: Mutex::default() }
    }

    pub(crate) fn log(&self, level: i32, message: &[u8]) {
        let mut state = self.state.lock();
        let now = Instant::now();
        if state.since.is_none_or(|since| now.duration_since(since) >= REFILL) {
            let left_out = if self.place == Place::Log { std::mem::take(&mut state.left_out) } else { 0 };
            state.since = Some(now);
            state.lines = 0;
            if left_out > 0 {
                tracing::warn!(plugin = %self.label, left_out, "plugin said more than may be logged");
            }
        }
        if state.lines >= LINES {
            state.left_out = state.left_out.saturating_add(1);
            return;
        }
        state.lines += 1;
        let line = text_of(message, LINE_BYTES);
        match self.place {
            Place::Answer => state.kept.push((level, line)),
            Place::Log => {
                drop(state);
                tell(&self.label, level, &line);
            }
        }
    }

    pub(crate) fn count(&self, name: &[u8], add: i64) {
        let mut state = self.state.lock();
        let name = text_of(name, COUNTER_BYTES);
        if let Some(count) = state.counts.get_mut(&name) {
            *count = count.saturating_add(add);
        } else if state.counts.len() < COUNTERS {
            state.counts.insert(name, add);
        }
    }

    /// What was said since it was last asked.
    pub(crate) fn take(&self) -> Said {
        let mut state = self.state.lock();
        let (lines, left_out) = (std::mem::take(&mut state.kept), std::mem::take(&mut state.left_out));
        Said { lines, left_out, counts: std::mem::take(&mut state.counts).into_iter().collect() }
    }

    /// Takes over what was said in another process.
    pub(crate) fn take_over(&self, said: &Said) {
        for (level, line) in &said.lines {
            self.log(*level, line.as_bytes());
        }
        for (name, add) in &said.counts {
            self.count(name.as_bytes(), *add);
        }
        if said.left_out > 0 {
            let mut state = self.state.lock();
            state.left_out = state.left_out.saturating_add(said.left_out);
        }
    }

    /// The counters by name.
    pub(crate) fn counts(&self) -> Vec<(String, i64)> {
        self.state.lock().counts.iter().map(|(name, count)| (name.clone(), *count)).collect()
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").field("label", &self.label).finish_non_exhaustive()
    }
}

/// A plugin's text, cut to `limit` bytes; what is no UTF-8 is shown as such.
pub(crate) fn text_of(bytes: &[u8], limit: usize) -> String {
    let cut = bytes.get(..limit.min(bytes.len())).unwrap_or_default();
    let text = String::from_utf8_lossy(cut);
    // A character that was cut in two is not the plugin's fault.
    let text = if bytes.len() > limit { text.trim_end_matches(char::REPLACEMENT_CHARACTER) } else { &text };
    text.to_owned()
}

fn tell(label: &str, level: i32, line: &str) {
    match level {
        PM_LOG_ERROR => tracing::error!(plugin = label, line, "plugin says"),
        PM_LOG_WARN => tracing::warn!(plugin = label, line, "plugin says"),
        PM_LOG_INFO => tracing::info!(plugin = label, line, "plugin says"),
        _ => tracing::debug!(plugin = label, line, "plugin says"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_lines_are_twenty_and_a_count() {
        let sink = Sink::new("a 1.0.0".to_owned(), Place::Answer);
        for _ in 0..1_000_000 {
            sink.log(PM_LOG_INFO, b"again");
        }
        let Said { lines, left_out, .. } = sink.take();
        assert_eq!(lines.len() as u64 + left_out, 1_000_000);
        assert!(lines.len() <= 200, "{}", lines.len());
    }

    #[test]
    fn texts_are_cut_at_a_character() {
        assert_eq!(text_of("aé".as_bytes(), 2), "a");
        assert_eq!(text_of(b"a\xff", 8), "a\u{fffd}");
    }
}
