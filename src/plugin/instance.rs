//! A plugin with one configuration: its router, and that over lists. Rules with the same configuration share it.

use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use crate::plugin::PluginHost;
use crate::plugin::loaded::MadeRouter;
use crate::plugin::loaded::MadeSnapshot;
use crate::plugin::loaded::Plugin;
use crate::plugin::names::Configuration;
use crate::router::InvokerList;
use crate::router::Selection;

/// How many calls over a list are kept for trying another version of the plugin.
const SAMPLES: usize = 4;

/// A plugin with one configuration.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) plugin: Arc<Plugin>,
    pub(crate) configuration: Configuration,
    made: MadeRouter,
    /// The lists it stands over now, with calls that it had there.
    placed: Mutex<Vec<Weak<Placed>>>,
}

/// The router over one list.
#[derive(Debug)]
pub(crate) struct Placed {
    list: Arc<InvokerList>,
    snapshot: MadeSnapshot,
    sample_count: AtomicUsize,
    samples: Mutex<Vec<Sample>>,
}

/// A call as a plugin had it.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) consumer: Vec<u8>,
    pub(crate) request: Vec<u8>,
    pub(crate) candidates: Selection,
}

// === impl Instance ===

impl Instance {
    pub(crate) fn new(plugin: Arc<Plugin>, configuration: Configuration, made: MadeRouter) -> Self {
        Self { plugin, configuration, made, placed: Mutex::default() }
    }

    /// The router over `list`: the same for all who ask while somebody has it.
    pub(crate) fn place(&self, list: &Arc<InvokerList>, host: &PluginHost) -> Result<Arc<Placed>, String> {
        let mut known = self.placed.lock();
        if let Some(placed) = known.iter().filter_map(Weak::upgrade).find(|placed| Arc::ptr_eq(&placed.list, list)) {
            return Ok(placed);
        }
        let blob = host.blob_of(list).map_err(|error| error.to_string())?;
        let snapshot = self.made.snapshot(&blob).map_err(|refusal| refusal.to_string())?;
        let placed = Arc::new(Placed {
            list: Arc::clone(list),
            snapshot,
            sample_count: AtomicUsize::new(0),
            samples: Mutex::default(),
        });
        known.retain(|placed| placed.strong_count() > 0);
        known.push(Arc::downgrade(&placed));
        Ok(placed)
    }

    /// The lists it stands over now.
    pub(crate) fn placed(&self) -> Vec<Arc<Placed>> {
        self.placed.lock().iter().filter_map(Weak::upgrade).collect()
    }
}

// === impl Placed ===

impl Placed {
    pub(crate) fn snapshot(&self) -> &MadeSnapshot {
        &self.snapshot
    }

    pub(crate) fn list(&self) -> &Arc<InvokerList> {
        &self.list
    }

    pub(crate) fn samples(&self) -> Vec<Sample> {
        self.samples.lock().clone()
    }

    /// Keeps a call, while there are few.
    pub(crate) fn keep(&self, consumer: &[u8], request: &[u8], candidates: &Selection) {
        if self.sample_count.load(Ordering::Relaxed) >= SAMPLES {
            return;
        }
        if self.sample_count.fetch_add(1, Ordering::Relaxed) < SAMPLES {
            let sample =
                Sample { consumer: consumer.to_vec(), request: request.to_vec(), candidates: candidates.clone() };
            self.samples.lock().push(sample);
        }
    }
}
