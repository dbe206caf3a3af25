//! What a worker process does with a plugin: loads it, gives up what loading took, and calls it.

use std::sync::Arc;

use hashbrown::HashMap;
use pointsman_plugin_api::blob::Blob;
use serde::Deserialize;
use serde::Serialize;

use crate::plugin::answer::Refusal;
use crate::plugin::answer::RouteAnswer;
use crate::plugin::answer::words_of;
use crate::plugin::native::Image;
use crate::plugin::native::NativeAnswer;
use crate::plugin::native::NativeRouter;
use crate::plugin::native::NativeSnapshot;
use crate::plugin::native::load_common_libraries;
use crate::plugin::sink::Place;
use crate::plugin::sink::Sink;
use crate::router::Selection;
use crate::worker::KeptBytes;
use crate::worker::PartBytes;
use crate::worker::PartId;
use crate::worker::Seal;
use crate::worker::Service;

/// What a part of bytes begins with that is a [`PartContent`]; libraries and blobs begin with marks of their own.
pub(crate) const CONTENT: u8 = b'c';

/// A part that is no library and no blob.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum PartContent<'a> {
    /// A router of the library.
    Router { config: &'a str },
    /// A router over a list; both are parts, by their numbers.
    Snapshot { router: u64, providers: u64 },
}

/// What a worker is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request<'a> {
    /// Nothing more: the parts were taken in.
    Check,
    /// A route over the snapshot that is the last of the parts.
    Route {
        #[serde(with = "raw")]
        consumer: &'a [u8],
        #[serde(with = "raw")]
        request: &'a [u8],
        /// The words of the candidates' selection; empty for all.
        #[serde(with = "raw")]
        input: &'a [u8],
        is_explaining: bool,
    },
}

/// Calls one plugin for a host in another process.
#[derive(Debug)]
pub struct PluginService {
    seal: Option<Seal>,
    image: Option<Arc<Image>>,
    parts: HashMap<PartId, Held>,
}

#[derive(Debug)]
enum Held {
    Library,
    Router(Arc<NativeRouter>),
    Providers(KeptBytes),
    Snapshot(NativeSnapshot),
}

// === impl PluginService ===

impl PluginService {
    /// A service without a plugin. Made before the process gives up files: what plugins may need is loaded now.
    #[must_use]
    pub fn new(seal: Seal) -> Self {
        load_common_libraries();
        // Asked for the first time, the clock of log lines looks for the kernel's page.
        let _ = std::time::Instant::now();
        Self { seal: Some(seal), image: None, parts: HashMap::new() }
    }

    fn take_in(&mut self, bytes: PartBytes<'_>) -> Result<Held, Refusal> {
        match &*bytes {
            [0x7f, b'E', b'L', b'F', ..] => self.load(bytes),
            [CONTENT, content @ ..] => {
                let content = postcard::from_bytes(content).map_err(|_| Refusal::unusable("unreadable part"))?;
                self.make(&content)
            }
            _ => Ok(Held::Providers(bytes.keep())),
        }
    }

    fn load(&mut self, bytes: PartBytes<'_>) -> Result<Held, Refusal> {
        let memory = bytes.memory().ok_or_else(|| Refusal::unusable("the library came as a copy"))?;
        let seal = self.seal.take().ok_or_else(|| Refusal::unusable("a worker loads one library only"))?;
        let close = || seal.close().map_err(|_| Refusal::unusable("the worker cannot be sealed"));
        let image = Image::load(memory, false, Sink::new(String::new(), Place::Answer), close)?;
        image.self_test()?;
        self.image = Some(image);
        Ok(Held::Library)
    }

    fn make(&self, content: &PartContent<'_>) -> Result<Held, Refusal> {
        let missing = || Refusal::unusable("a part is missing");
        match content {
            PartContent::Router { config } => {
                let image = self.image.as_ref().ok_or_else(missing)?;
                Ok(Held::Router(image.new_router(config)?))
            }
            PartContent::Snapshot { router, providers } => {
                let held = |number: u64| self.parts.get(&PartId::of(number));
                let (Some(Held::Router(router)), Some(Held::Providers(providers))) = (held(*router), held(*providers))
                else {
                    return Err(missing());
                };
                let count = Blob::read(providers).map_or(0, |blob| blob.len());
                Ok(Held::Snapshot(router.snapshot(providers.clone(), count)?))
            }
        }
    }

    fn answer(&self, parts: &[PartId], request: &[u8]) -> RouteAnswer {
        let refused = |why| RouteAnswer { refusal: Some(Refusal::unusable(why)), ..RouteAnswer::default() };
        let Ok(request) = postcard::from_bytes(request) else { return refused("unreadable request") };
        let Request::Route { consumer, request, input, is_explaining } = request else { return RouteAnswer::default() };
        let Some(Held::Snapshot(snapshot)) = parts.last().and_then(|part| self.parts.get(part)) else {
            return refused("the snapshot is missing");
        };
        let count = snapshot.provider_count();
        let candidates = match input {
            [] => Selection::all(count),
            bytes => Selection::from_words(count, &words_of(bytes)),
        };
        let answer = snapshot.route(consumer, request, &candidates, is_explaining, Box::default());
        let explanations = answer.explanations().to_vec();
        let NativeAnswer { selection, refusal, stray_bits, .. } = answer;
        let words = selection.map(|selection| selection.into_words());
        RouteAnswer { words, refusal: refusal.map(|it| *it), explanations, stray_bits, ..RouteAnswer::default() }
    }
}

impl Service for PluginService {
    fn install(&mut self, part: PartId, bytes: PartBytes<'_>) -> Result<(), Vec<u8>> {
        let held = self.take_in(bytes).map_err(|refusal| postcard::to_stdvec(&refusal).unwrap_or_default())?;
        self.parts.insert(part, held);
        Ok(())
    }

    fn forget(&mut self, part: PartId) {
        self.parts.remove(&part);
    }

    fn run(&mut self, parts: &[PartId], request: &[u8], _limits: &crate::worker::RunLimits) -> Vec<u8> {
        let mut answer = self.answer(parts, request);
        if let Some(image) = &self.image {
            answer.said = image.sink().take();
        }
        postcard::to_stdvec(&answer).unwrap_or_default()
    }
}

/// Bytes as one piece: a list of numbers would be written one by one.
mod raw {
    use serde::Deserialize as _;
    use serde::Deserializer;
    use serde::Serializer;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'de [u8], D::Error> {
        <&[u8]>::deserialize(deserializer)
    }
}
