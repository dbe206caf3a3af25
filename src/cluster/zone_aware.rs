//! `zone-aware`: one registry out of several.

use crate::cluster::Cluster;
use crate::cluster::ClusterCall;
use crate::cluster::Picked;
use crate::cluster::Tried;
use crate::rpc::Answer;
use crate::rpc::RpcError;
use crate::rpc::RpcErrorKind;
use crate::rpc::RpcResult;
use crate::rpc::Url;

/// Chooses between registries, each of which is an invoker of the directory, as `ZoneAwareClusterInvoker`: a preferred one
/// that can be reached; else those of the zone that the attachment `registry_zone` names; else by load balance.
///
/// With the attachment `registry_zone_force=true` a call that finds nobody in its zone fails. The parameters of a registry
/// are read in both spellings that are in use: `preferred` and `registry.preferred`, `zone` and `registry.zone`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ZoneAware;

/// Attachments.
const ZONE: &str = "registry_zone";
const ZONE_FORCE: &str = "registry_zone_force";

// === impl ZoneAware ===

impl ZoneAware {
    /// The policy's name.
    pub const NAME: &str = "zone-aware";

    async fn run(call: &ClusterCall<'_>) -> RpcResult {
        let all = call.all().await?;
        let states = call.site.directory().states();
        let can_be_reached = |picked: &&Picked| states.is_available(picked.id) && picked.invoker.is_available();
        let is_preferred = |picked: &&Picked| parameter(picked.url(), "preferred") == Some("true");
        if let Some(picked) = all.iter().filter(is_preferred).find(can_be_reached) {
            return Self::ask(call, picked).await;
        }
        let zone = call.invocation.attachment(ZONE).filter(|zone| !zone.is_empty());
        if let Some(zone) = zone {
            let is_there = |picked: &&Picked| parameter(picked.url(), "zone") == Some(zone);
            if let Some(picked) = all.iter().filter(is_there).find(can_be_reached) {
                return Self::ask(call, picked).await;
            }
            if call.invocation.attachment(ZONE_FORCE) == Some("true") {
                let message = format!(
                    "{}: no registry of zone `{zone}` can be reached, and the call may go to no other",
                    call.title()
                );
                return Err(RpcError::new(RpcErrorKind::NoInvokerAvailableAfterFilter, message));
            }
        }
        let mut tried = Tried::default();
        let chosen = call.pick(&mut tried).await?;
        // A registry without providers is asked only where all are.
        let other = if can_be_reached(&&chosen) { None } else { all.iter().find(can_be_reached) };
        Self::ask(call, other.unwrap_or(&chosen)).await
    }

    async fn ask(call: &ClusterCall<'_>, picked: &Picked) -> RpcResult {
        let mut tried = Tried::default();
        let result = call.attempt(picked, &mut tried).await;
        result.map_err(|error| tried.failure(Self::NAME, call.site, call.invocation, error))
    }
}

impl Cluster for ZoneAware {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn invoke<'a>(&'a self, call: &'a ClusterCall<'a>) -> Answer<'a> {
        Answer::later(Self::run(call))
    }
}

/// A parameter of a registry, in either spelling.
fn parameter<'a>(url: &'a Url, key: &str) -> Option<&'a str> {
    url.non_empty_parameter(&format!("registry.{key}")).or_else(|| url.non_empty_parameter(key))
}
