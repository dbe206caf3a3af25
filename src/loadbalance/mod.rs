//! Load balancing: which one of the candidates a call goes to.
//!
//! A chain leaves candidates; a [`LoadBalance`] picks one of them. Order of work:
//!
//! 1. [`LoadBalanceRegistry::choose`] finds the policy that a consumer or provider names for the method, once;
//! 2. [`CandidateTable::build`] works out what depends on the candidates alone: weights, an alias table, a ring, a
//!    rotation; it is kept as long as the candidates are, and each part is made when it is asked for;
//! 3. [`LoadBalance::select`] picks, from the table and from what is known of the invokers at this moment
//!    ([`InvokerStates`]: calls in flight, response times, reported load, availability);
//! 4. [`InvokerStates::begin`] counts the call for as long as its [`InFlight`] lives.
//!
//! - One candidate is picked whatever the policy; with none there is no answer; with several there always is one.
//! - Candidates that were tried already or are unavailable are picked only where no others are left.
//! - Picking takes no memory and no lock once a table is warm; `roundrobin` takes one when a part of its order is used up.
//! - Draws come from the call's seed and times from its clock: the same state, seed and time give the same answer.
//!
//! Names and parameters are Dubbo's; `docs/loadbalance.md` is the manual.

mod adaptive;
mod alias_table;
mod balance_tables;
mod candidate_table;
mod candidates;
mod consistent_hash;
mod dice;
mod hash_key;
mod hash_ring;
mod in_flight;
mod invoker_states;
mod least;
mod least_active;
mod list_availability;
mod load_balance;
mod random;
mod registry;
mod registry_error;
mod response_window;
mod rotation;
mod rotation_block;
mod round_robin;
mod shortest_response;
mod state_chunk;
mod weight;

pub use adaptive::Adaptive;
pub use balance_tables::BalanceTables;
pub use candidate_table::CandidateTable;
pub use candidates::Candidates;
pub use consistent_hash::ConsistentHash;
pub use in_flight::InFlight;
pub use invoker_states::InvokerStates;
pub use least_active::LeastActive;
pub use list_availability::ListAvailability;
pub use load_balance::BalanceCall;
pub use load_balance::LoadBalance;
pub use random::Random;
pub use registry::LoadBalanceRegistry;
pub use registry_error::LoadBalanceError;
pub use response_window::MeanResponse;
pub use round_robin::RoundRobin;
pub use shortest_response::ShortestResponse;
pub use weight::MethodWeights;
pub use weight::Weight;
pub use weight::warm_up_weight;
