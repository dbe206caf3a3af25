//! Being told to stop: what came until then is still told.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Whether somebody pressed Ctrl-C, or the process was asked to end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interruption(Arc<AtomicBool>);

// === impl Interruption ===

impl Interruption {
    /// From now on the first signal is only taken down; a second one ends the process.
    pub(crate) fn catch() -> io::Result<Self> {
        let this = Self::default();
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&this.0))?;
            signal_hook::flag::register(signal, Arc::clone(&this.0))?;
        }
        Ok(this)
    }

    pub(crate) fn has_come(&self) -> bool {
        self.0.load(Relaxed)
    }
}
