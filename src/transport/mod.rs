//! Ways to call: what makes an invoker of a provider's URL. `injvm` stays in the process, a stand-in only plays.

mod injvm;
mod stand_in;

pub use injvm::InjvmProtocol;
pub use stand_in::StandInProtocol;
