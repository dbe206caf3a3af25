//! What a person asks of one file.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostics::Finding;
use crate::plugin::AllowList;
use crate::plugin::Inspected;
use crate::plugin::Level;
use crate::plugin::PluginSettings;
use crate::plugin::host::check_threads;
use crate::plugin::inspect;
use crate::plugin::loaded::label;
use crate::plugin::process::PluginProcess;
use crate::plugin::sink::Place;
use crate::plugin::sink::Sink;
use crate::plugin::trust::admit;
use crate::worker::Payload;
use crate::worker::SharedBytes;

/// Loads the file at `path` in a confined process of its own, whoever allowed it or not, and asks it to test itself.
///
/// # Errors
///
/// As [`inspect`], and what loading, entry or self-test come to.
pub fn verify(path: &Path, name: &str, settings: &PluginSettings) -> Result<Inspected, Finding> {
    let plugin = inspect(path, name, settings)?;
    check_threads(&plugin.manifest, Level::Process).map_err(|finding| finding.in_file(name))?;
    let memory = SharedBytes::of(&plugin.file.bytes, &plugin.manifest.name);
    let refused = |why: String| Finding::error("plugin::refused", format!("{} {why}", plugin.manifest));
    let memory = memory.map_err(|error| refused(format!("cannot be copied: {error}")))?;
    let sink = Sink::new(label(&plugin.manifest, plugin.file.hash), Place::Log);
    let started = PluginProcess::start(Payload::Shared(Arc::new(memory)), settings, sink);
    started.map_err(|refusal| {
        let help = "run its own tests; a crash in a constructor, the entry or `self_test` shows in a debugger";
        refused(refusal.to_string()).with_help(help)
    })?;
    Ok(plugin)
}

/// Where the host would run a plugin.
///
/// # Errors
///
/// Nowhere: nobody has allowed it, or the list cannot be read.
pub fn standing(plugin: &Inspected, path: &Path, settings: &PluginSettings) -> Result<Level, Finding> {
    admit(plugin, path, settings, &AllowList::of(settings)?).map(|allowed| allowed.level)
}
