//! Anything, fed to a plugin.

use pointsman_plugin_api::abi::PM_E_DEADLINE;
use pointsman_plugin_api::abi::PM_E_PANIC;
use pointsman_plugin_api::blob::Blob;

use crate::bitmap::bit;
use crate::router::Plugin;
use crate::testing::answer::Failure;
use crate::testing::call::CallBuilder;
use crate::testing::call::call;
use crate::testing::declared::Declared;
use crate::testing::declared::config_keys;
use crate::testing::harness::object_of;
use crate::testing::harness::write_consumer;
use crate::testing::harness::write_providers;
use crate::testing::host;
use crate::testing::session::Session;

/// Texts that plugins trip over.
const ODD: [&str; 14] =
    ["", "*", "0", "-1", "010", "é", "\0", "a=b&c", "\"\\\n", "💥", "{key}", " x ", "99999999999999999999", "NaN"];

/// Makes a configuration, a list and calls from `data`, some of them broken, and leads the plugin through them.
///
/// For a fuzzer, or for a test with [`samples`]:
///
/// ```standalone_crate
/// # use pointsman_plugin::*;
/// # struct All;
/// # impl Router for All {
/// #     type Snapshot = ();
/// #     fn new(_: &Config) -> Result<Self, String> { Ok(Self) }
/// #     fn snapshot(&self, _: &Blob) -> Result<(), String> { Ok(()) }
/// #     fn route(&self, _: &(), _: &Call, _: &mut Selection) -> Result<Verdict, String> { Ok(Verdict::Use) }
/// # }
/// # pointsman_plugin!(All, name = "all");
/// testing::samples(1_000).for_each(|data| testing::fuzz::<All>(&data));
/// ```
///
/// # Panics
///
/// The plugin panicked, or broke its contract.
pub fn fuzz<P: Plugin>(data: &[u8]) {
    let mut source = Source { data };
    let is_raw = source.one_in(4);
    let config = source.config::<P>();
    let names: Vec<String> = names_of::<P>(&config);
    let text = if is_raw { source.bytes() } else { object_of(&config).into_bytes() };
    let providers = if is_raw { source.bytes() } else { source.providers(&names) };
    let count = Blob::read(&providers).map_or(0, |blob| blob.len());
    let session = match Session::start::<P>(&text, providers) {
        Ok(session) => session,
        Err(failure) => return check(&failure),
    };
    for _ in 0..=source.byte() % 4 {
        let url = format!("consumer://10.0.0.9/S?{}", source.query(&names));
        let consumer = write_consumer(&url, P::MANIFEST.inputs.consumer, &config).unwrap_or_default();
        let request = source.call(&names).write(&P::MANIFEST.inputs, &config);
        let (consumer, request) = (source.bent(consumer), source.bent(request));
        let input: Vec<u64> = (0..count.div_ceil(64)).map(|word| source.word() & mask(word, count)).collect();
        match session.route(&consumer, &request, &input) {
            Ok(routed) => {
                let is_narrower = routed.words.iter().zip(&input).all(|(kept, input)| kept & !input == 0);
                assert!(is_narrower, "the plugin keeps who did not come in");
            }
            Err(failure) => check(&failure),
        }
    }
    drop(session);
    let logs = host::take_logs();
    assert!(!logs.iter().any(|line| line.starts_with("error: panicked")), "the plugin panicked: {logs:?}");
    host::take_counts();
}

/// Inputs for [`fuzz`], the same at every run.
pub fn samples(count: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(move |_| {
        let length = next() % 400;
        (0..length).map(|_| (next() >> 32) as u8).collect()
    })
}

/// Data that is used up from the front; zeroes after its end.
struct Source<'a> {
    data: &'a [u8],
}

// === impl Source ===

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        *first
    }

    /// Rarely true; never after the end.
    fn one_in(&mut self, count: u8) -> bool {
        self.byte() % count == count - 1
    }

    fn word(&mut self) -> u64 {
        if self.byte() < 64 { u64::MAX } else { u64::from_le_bytes(std::array::from_fn(|_| self.byte())) }
    }

    fn bytes(&mut self) -> Vec<u8> {
        let (taken, rest) = self.data.split_at(usize::from(self.byte()).min(self.data.len()));
        self.data = rest;
        taken.to_vec()
    }

    fn text(&mut self) -> String {
        match self.byte() {
            0..8 => "long".repeat(100),
            8..40 => String::from_utf8_lossy(&self.bytes()).into_owned(),
            other => ODD.get(usize::from(other) % ODD.len()).copied().unwrap_or_default().to_owned(),
        }
    }

    /// One of the names, mostly.
    fn name(&mut self, names: &[String]) -> String {
        let place = usize::from(self.byte());
        names.get(place % (names.len() + 1)).cloned().unwrap_or_else(|| self.text())
    }

    /// Texts for the keys that the manifest speaks of, and one more.
    fn config<P: Plugin>(&mut self) -> Vec<(String, String)> {
        let mut config: Vec<(String, String)> = Vec::new();
        for key in config_keys(&all_names::<P>()).into_iter().chain(["key"]) {
            if !self.one_in(8) && !config.iter().any(|(known, _)| known == key) {
                config.push((key.to_owned(), self.text()));
            }
        }
        config
    }

    fn query(&mut self, names: &[String]) -> String {
        let pairs: Vec<_> = (0..self.byte() % 5).map(|_| self.name(names) + "=" + &self.text()).collect();
        pairs.join("&")
    }

    fn providers(&mut self, names: &[String]) -> Vec<u8> {
        let count = usize::from(self.byte()) % 150;
        // Few different ones: the data is short, and lists have much in common.
        let queries: Vec<_> = (0..4).map(|_| self.query(names)).collect();
        let urls = queries.iter().cycle().take(count).enumerate();
        let urls: Vec<_> = urls.map(|(place, query)| format!("dubbo://10.0.0.{place}:20880/S?{query}")).collect();
        let blob = write_providers(&urls).unwrap_or_default();
        self.bent(blob)
    }

    fn call(&mut self, names: &[String]) -> CallBuilder {
        let mut built = call(self.text()).group(self.text()).version(self.text());
        for _ in 0..self.byte() % 4 {
            built = built.attachment(self.name(names), self.text());
        }
        let arguments: Vec<_> = (0..self.byte() % 4).map(|_| self.text()).collect();
        built = built.arguments(arguments).seed(self.word()).now_ms(self.word().cast_signed());
        if self.one_in(2) { built.unexplained() } else { built }
    }

    /// The blob, sometimes with a few bytes that are wrong, or cut.
    fn bent(&mut self, mut blob: Vec<u8>) -> Vec<u8> {
        if self.one_in(4) {
            for _ in 0..self.byte() % 8 {
                let place = usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % blob.len().max(1);
                let value = self.byte();
                if let Some(byte) = blob.get_mut(place) {
                    *byte = value;
                }
            }
            if self.one_in(8) {
                blob.truncate(usize::from(self.byte()));
            }
        }
        blob
    }
}

/// What the plugin may ask a provider, a consumer or a call for.
fn names_of<P: Plugin>(config: &[(String, String)]) -> Vec<String> {
    let mut names = Declared::new(&all_names::<P>(), config).into_names();
    names.extend(config.iter().map(|(_, value)| value.clone()));
    names
}

fn all_names<P: Plugin>() -> Vec<&'static str> {
    [P::MANIFEST.inputs.consumer, P::MANIFEST.inputs.attachments].concat()
}

/// The bits of a word that stand for providers.
fn mask(word: usize, count: usize) -> u64 {
    if (word + 1) * 64 <= count { u64::MAX } else { bit(count).wrapping_sub(1) }
}

fn check(failure: &Failure) {
    assert!(failure.code != PM_E_PANIC, "the plugin panicked: {}", failure.text);
    assert!((PM_E_DEADLINE..0).contains(&failure.code), "no code of the ABI: {failure}");
}
