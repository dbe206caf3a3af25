//! A plugin with all that it is given.

use std::fmt;
use std::marker::PhantomData;

use pointsman_plugin_api::abi::PM_E_CONFIG;
use pointsman_plugin_api::blob::PM_KIND_CONSUMER;
use pointsman_plugin_api::blob::PM_KIND_PROVIDERS;
use pointsman_plugin_api::write::ProvidersWriter;
use pointsman_plugin_api::write::TooLarge;

use crate::bitmap::bit;
use crate::bitmap::positions_of;
use crate::router::Plugin;
use crate::router::Verdict;
use crate::testing::answer::Failure;
use crate::testing::answer::Kept;
use crate::testing::call::CallBuilder;
use crate::testing::call::call;
use crate::testing::declared::Declared;
use crate::testing::host;
use crate::testing::session::Session;
use crate::testing::url::Url;

/// Begins a test of the plugin `P`; the example of the crate has one.
pub fn plugin<P: Plugin>() -> Harness<P> {
    let (config, providers, consumer) = (Vec::new(), Vec::new(), String::new());
    Harness { given: Given { config, providers, consumer, call: call("call"), candidates: None }, plugin: PhantomData }
}

/// A plugin and what it is given; [`plugin`] begins one.
#[must_use]
pub struct Harness<P> {
    given: Given,
    plugin: PhantomData<fn() -> P>,
}

/// A router with its snapshot, for many calls.
pub struct Running<P> {
    session: Session,
    given: Given,
    consumer: Vec<u8>,
    plugin: PhantomData<fn() -> P>,
}

#[derive(Debug, Clone)]
struct Given {
    config: Vec<(String, String)>,
    providers: Vec<String>,
    consumer: String,
    call: CallBuilder,
    candidates: Option<Vec<usize>>,
}

// === impl Harness ===

impl<P: Plugin> Harness<P> {
    /// Sets a key of the rule's configuration.
    pub fn config(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let (key, value) = (key.into(), value.into());
        self.given.config.retain(|(known, _)| *known != key);
        self.given.config.push((key, value));
        self
    }

    /// The list, as URLs: `dubbo://10.0.0.1:20880/com.shop.OrderService?areaCode=010`. Nothing in them is decoded.
    pub fn providers(mut self, urls: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.given.providers = urls.into_iter().map(Into::into).collect();
        self
    }

    /// The consumer's URL.
    pub fn consumer(mut self, url: impl Into<String>) -> Self {
        self.given.consumer = url.into();
        self
    }

    /// The call.
    pub fn call(mut self, call: CallBuilder) -> Self {
        self.given.call = call;
        self
    }

    /// Who of the list is left by the routers before; all, unless this is called.
    pub fn candidates(mut self, positions: impl IntoIterator<Item = usize>) -> Self {
        self.given.candidates = Some(positions.into_iter().collect());
        self
    }

    /// Answers the call.
    ///
    /// # Errors
    ///
    /// The configuration, the list or the call failed.
    pub fn route(self) -> Result<Kept, Failure> {
        let call = self.given.call.clone();
        self.start()?.route(&call)
    }

    /// Makes the router and the snapshot, for many calls.
    ///
    /// ```standalone_crate
    /// # use pointsman_plugin::*;
    /// # struct First;
    /// # impl Router for First {
    /// #     type Snapshot = ();
    /// #     fn new(_: &Config) -> Result<Self, String> { Ok(Self) }
    /// #     fn snapshot(&self, _: &Blob) -> Result<(), String> { Ok(()) }
    /// #     fn route(&self, _: &(), call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
    /// #         let len = call.providers().len();
    /// #         keep.keep_only(|position| call.seed().is_some_and(|seed| seed as usize % len == position));
    /// #         Ok(Verdict::Use)
    /// #     }
    /// # }
    /// # pointsman_plugin!(First, name = "first", inputs = { random: true });
    /// let running = testing::plugin::<First>().providers(["tri://a:1/S", "tri://b:1/S"]).start()?;
    /// for seed in 1..100 {
    ///     assert_eq!(running.route(&testing::call("get").seed(seed))?.positions(), [seed as usize % 2]);
    /// }
    /// # Ok::<(), testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The configuration or the list failed.
    pub fn start(self) -> Result<Running<P>, Failure> {
        let inputs = P::MANIFEST.inputs;
        let given = self.given;
        let names = [inputs.consumer, inputs.attachments].concat();
        let failed = |text: String| Failure { step: "harness", code: PM_E_CONFIG, text, logs: host::take_logs() };
        if let [key, ..] = &*Declared::new(&names, &given.config).missing {
            return Err(failed(format!("an input is `{{{key}}}`, and the configuration has no `{key}`")));
        }
        let too_large = |error: TooLarge| failed(error.to_string());
        let providers = write_providers(&given.providers).map_err(too_large)?;
        let consumer = write_consumer(&given.consumer, inputs.consumer, &given.config).map_err(too_large)?;
        let session = Session::start::<P>(object_of(&given.config).as_bytes(), providers)?;
        Ok(Running { session, given, consumer, plugin: PhantomData })
    }

    /// The plugin's look at itself.
    ///
    /// # Errors
    ///
    /// It cannot work here.
    pub fn self_test(self) -> Result<(), Failure> {
        Session::self_test::<P>()
    }
}

impl<P> Clone for Harness<P> {
    fn clone(&self) -> Self {
        Self { given: self.given.clone(), plugin: PhantomData }
    }
}

impl<P> fmt::Debug for Harness<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Harness").field(&self.given).finish()
    }
}

// === impl Running ===

impl<P: Plugin> Running<P> {
    /// Answers a call.
    ///
    /// # Errors
    ///
    /// The call failed.
    pub fn route(&self, call: &CallBuilder) -> Result<Kept, Failure> {
        let given = &self.given;
        let count = given.providers.len();
        let mut input = vec![0; count.div_ceil(64)];
        let candidates = given.candidates.as_ref().map_or((0..count).collect(), Clone::clone);
        for position in candidates.into_iter().filter(|position| *position < count) {
            if let Some(word) = input.get_mut(position / 64) {
                *word |= bit(position);
            }
        }
        let request = call.write(&P::MANIFEST.inputs, &given.config);
        let routed = self.session.route(&self.consumer, &request, &input)?;
        // What a host does: a plugin can only narrow.
        let kept = if routed.verdict == Verdict::Pass { &input } else { &routed.words };
        let kept: Vec<u64> = kept.iter().zip(&input).map(|(kept, input)| kept & input).collect();
        let positions: Vec<usize> = positions_of(&kept).collect();
        let urls = positions.iter().filter_map(|position| given.providers.get(*position));
        Ok(Kept {
            verdict: routed.verdict,
            urls: urls.map(|url| Url::split(url).text().to_owned()).collect(),
            positions,
            explanations: routed.explanations,
            logs: host::take_logs(),
            counts: host::take_counts(),
        })
    }
}

impl<P> fmt::Debug for Running<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("session", &self.session).field("given", &self.given).finish_non_exhaustive()
    }
}

pub(super) fn write_providers(urls: &[String]) -> Result<Vec<u8>, TooLarge> {
    let urls: Vec<_> = urls.iter().map(|url| Url::split(url)).collect();
    let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, 1);
    urls.iter().try_for_each(|url| url.write(&mut writer))?;
    writer.finish()
}

pub(super) fn write_consumer(url: &str, declared: &[&str], config: &[(String, String)]) -> Result<Vec<u8>, TooLarge> {
    let url = Url::split(url);
    let mut writer = ProvidersWriter::new(PM_KIND_CONSUMER, 0);
    url.write_declared(&Declared::new(declared, config), &mut writer)?;
    writer.finish()
}

/// A JSON object of texts.
pub(super) fn object_of(config: &[(String, String)]) -> String {
    let quoted = |text: &String| {
        let mut out = String::from('"');
        for letter in text.chars() {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
                other => out.push(other),
            }
        }
        out + "\""
    };
    let pairs: Vec<_> = config.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value))).collect();
    format!("{{{}}}", pairs.join(","))
}
