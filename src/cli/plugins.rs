//! Which plugins the command loads: what the configuration says.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::disk::ContentHash;
use crate::plugin::PluginHost;
use crate::plugin::PluginSettings;
use crate::plugin::PublicKey;
use crate::plugin::Trust;
use crate::router::RouterFactoryRegistry;
use crate::source::config::HostConfig;
use crate::source::config::PluginTrust;

/// How long a call of the command waits for a process where the configuration does not say.
const QUEUE: Duration = Duration::from_secs(10);

/// Lets the rules of `registry` use plugins. Nothing is started before one is allowed.
pub(crate) fn add_to(registry: &mut RouterFactoryRegistry, config: &HostConfig) {
    registry.add_source(Arc::new(PluginHost::new(settings(config))));
}

/// What the configuration says about plugins.
pub(crate) fn settings(config: &HostConfig) -> PluginSettings {
    let plugins = &config.plugins;
    let whole = |number: Option<u64>| number.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let mut settings = PluginSettings::new();
    settings.trust = match plugins.trust {
        PluginTrust::AllowList => Trust::AllowList,
        PluginTrust::None => Trust::None,
        PluginTrust::Signature => {
            Trust::Signature(plugins.keys.iter().filter_map(|key| PublicKey::parse(key)).collect())
        }
    };
    settings.denied = plugins.deny.iter().filter_map(|hash| ContentHash::parse(hash)).collect();
    settings.allow_list = config.allow_list();
    settings.state = config.state_folder();
    // This very program, even if its file was replaced since it started.
    settings.program = Some(PathBuf::from("/proc/self/exe"));
    // A command asks one thing after the other, and has nobody else to serve.
    settings.workers = whole(plugins.workers).unwrap_or(1);
    settings.limits.queue = plugins.queue.unwrap_or(QUEUE);
    settings.limits.deadline = plugins.deadline.unwrap_or(settings.limits.deadline);
    settings.libraries.clone_from(&plugins.libraries);
    settings.max_bytes = plugins.max_bytes.unwrap_or(settings.max_bytes);
    settings.max_images = whole(plugins.max_images).unwrap_or(settings.max_images);
    settings.may_be_writable = plugins.writable;
    settings.may_abort = plugins.abort;
    settings
}
