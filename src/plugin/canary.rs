//! Another version of a plugin is tried on what the present one serves before it takes over.

use std::sync::Arc;

use crate::plugin::PluginHost;
use crate::plugin::answer::Refusal;
use crate::plugin::host::json_of;
use crate::plugin::instance::Instance;
use crate::plugin::instance::Sample;
use crate::plugin::loaded::MadeSnapshot;
use crate::plugin::loaded::Plugin;

/// Has `plugin` serve what `instances` serve: their configurations over their lists, and calls that they had.
///
/// # Errors
///
/// It refuses a configuration or a list, panics, breaks the contract, is lost, or takes too long.
pub(crate) fn try_out(plugin: &Plugin, instances: &[Arc<Instance>], host: &PluginHost) -> Result<(), Refusal> {
    for instance in instances {
        let made = plugin.new_router(&json_of(&instance.configuration))?;
        for placed in instance.placed() {
            let blob = host.blob_of(placed.list()).map_err(|error| Refusal::unusable(error.to_string()))?;
            let snapshot = made.snapshot(&blob)?;
            placed.samples().iter().try_for_each(|sample| route(&snapshot, sample))?;
        }
    }
    Ok(())
}

fn route(snapshot: &MadeSnapshot, sample: &Sample) -> Result<(), Refusal> {
    let Sample { consumer, request, candidates } = sample;
    let (stray_bits, refusal) = match snapshot {
        MadeSnapshot::Native(snapshot) => {
            let answer = snapshot.route(consumer, request, candidates, false, Box::default());
            (answer.stray_bits, answer.refusal.map(|refusal| *refusal))
        }
        MadeSnapshot::Process(snapshot) => {
            let answer = snapshot.start(consumer, request, candidates, false).wait();
            let (answer, _) =
                answer.map_err(|error| Refusal::unusable(format!("in a call that was tried: {error}")))?;
            (answer.stray_bits, answer.refusal)
        }
    };
    if stray_bits > 0 {
        return Err(Refusal::contract("in a call that was tried, it kept providers that were no candidates"));
    }
    match refusal {
        // An error is an answer: the present version may give the same.
        Some(refusal) if refusal.is_breach() || refusal.is_panic() => Err(refusal),
        _ => Ok(()),
    }
}
