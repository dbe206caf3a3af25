//! What every routing rule is: the contract between the chain and the kinds of rules.
//!
//! A rule passes four stages, so that nothing is built on the call path:
//!
//! 1. *compile*: a [`RouterFactory`], found in the [`RouterFactoryRegistry`] by the rule URL's protocol, makes a
//!    [`Router`]; it knows no provider and no consumer;
//! 2. *prepare*: over one [`InvokerList`] it becomes a [`PreparedRouter`]: sides turn into bitsets;
//! 3. *bind*: for one consumer it becomes a [`BoundRouter`]: all that depends on the consumer alone is decided;
//! 4. *route*: a call is answered with a [`Routed`]; nothing is built, compiled or locked.
//!
//! A router narrows: it answers with a [`Selection`] over positions of the list and can neither invent nor reorder.

mod availability;
mod breaker;
mod call_blob;
mod clock;
mod definition;
mod draw;
mod error;
mod factory;
mod header;
mod index;
mod inputs;
mod invoker_list;
mod language;
mod parameters;
mod registry;
mod request;
mod routed;
mod scope;
mod selection;
mod stages;
mod visitor;

pub use availability::Availability;
pub use availability::Everybody;
pub use availability::FixedMark;
pub use availability::Surroundings;
pub use availability::availability_mark;
pub(crate) use breaker::Breaker;
pub(crate) use breaker::Standing;
pub use call_blob::CallBlob;
pub use call_blob::CallLayout;
pub use call_blob::CallParts;
pub(crate) use call_blob::CallView;
pub use clock::Clock;
pub use clock::ClockGranularity;
pub use clock::FixedClock;
pub use clock::SystemClock;
pub use clock::Zone;
pub use definition::Placement;
pub use definition::RuleDefinition;
pub use draw::Draw;
pub use draw::choose;
pub(crate) use draw::mix;
pub use error::BuildError;
pub use error::Limit;
pub use error::RouteError;
pub use factory::FactoryContext;
pub use factory::FactorySource;
pub use factory::OfferedFile;
pub use factory::RouterFactory;
pub use factory::TextReader;
pub use header::OnError;
pub use header::Phase;
pub use header::RuleHeader;
pub use header::RuleId;
pub use index::Column;
pub use index::InvokerIndex;
pub use inputs::Input;
pub use inputs::Inputs;
pub use inputs::Read;
pub use inputs::Reads;
pub use invoker_list::InvokerList;
pub use language::Language;
pub use parameters::PARAMETERS;
pub use parameters::parse_duration;
pub use parameters::read_flag;
pub use registry::RouterFactoryRegistry;
pub use request::RouteRequest;
pub use routed::Answer;
pub use routed::Routed;
pub use routed::Settled;
pub use routed::Ticket;
pub use scope::ConsumerMismatch;
pub use scope::Reach;
pub use scope::Scope;
pub use selection::Selection;
pub use stages::Binding;
pub use stages::BoundRouter;
pub use stages::PreparedRouter;
pub use stages::Router;
pub use visitor::Effect;
pub use visitor::Reason;
pub use visitor::Visitor;
