//! Supervised worker processes.

mod bell;
mod build;
mod confinement;
mod error;
mod fault;
mod frame;
mod link;
mod loading;
mod os;
mod part;
mod pending;
mod pool;
mod process;
mod queue;
mod serve;
mod service;
mod supervisor;
mod turn;

pub use confinement::Confinement;
pub use confinement::Enforced;
pub use error::JobError;
pub use error::Limit;
pub use error::PoolError;
#[doc(hidden)]
pub use fault::Fault;
#[doc(hidden)]
pub use fault::FaultHook;
#[doc(hidden)]
pub use fault::Step;
pub use os::CountingAllocator;
pub use part::Part;
pub use part::Payload;
pub use part::SharedBytes;
pub use pending::Pending;
pub use pool::Activity;
pub use pool::Pool;
pub use pool::PoolSettings;
pub use pool::PoolStatus;
pub use pool::WorkerStatus;
pub use serve::WORKER_ARGUMENT;
pub use serve::serve;
pub use service::PartBytes;
pub use service::PartId;
pub use service::RunLimits;
pub use service::Service;
pub use turn::Job;
pub use turn::Parts;
pub use turn::Reply;
