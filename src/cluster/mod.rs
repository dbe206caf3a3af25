//! What stands between a call and its attempts: how often, at whom, and what a failure means.
//!
//! A [`Cluster`] is one policy, named as in Dubbo: [`Failover`], [`Failfast`], [`Failsafe`], [`Failback`], [`Forking`],
//! [`Broadcast`], [`Available`], [`Mergeable`], [`ZoneAware`]. It asks the [`ClusterSite`] for a provider
//! ([`ClusterCall::pick`]) and tries it ([`ClusterCall::attempt`]); everything else is its own affair. What business code
//! threw is an answer: it is never a reason to ask another provider.

mod attempt;
mod available;
mod broadcast;
mod call;
mod failback;
mod failfast;
mod failover;
mod failsafe;
mod failures;
mod forking;
mod join;
mod mergeable;
mod mock_cluster;
mod mock_rule;
mod observer;
mod registry;
mod reported_load;
mod retry_budget;
mod site;
mod sticky;
mod terms;
mod trait_cluster;
mod zone_aware;

pub use attempt::Picked;
pub use available::Available;
pub use broadcast::Broadcast;
pub use call::ClusterCall;
pub use failback::Failback;
pub use failfast::Failfast;
pub use failover::Failover;
pub use failsafe::Failsafe;
pub use failures::Tried;
pub use forking::Forking;
pub use mergeable::Mergeable;
pub use mock_cluster::MockCluster;
pub use mock_rule::MockRule;
pub use mock_rule::MockRuleError;
pub use observer::AttemptRecord;
pub use observer::CallObserver;
pub use registry::ClusterRegistry;
pub use retry_budget::RetryBudget;
pub use site::ClusterSite;
pub use trait_cluster::Cluster;
pub use zone_aware::ZoneAware;
