//! Ways to call: what makes an invoker of a provider's URL. `injvm` stays in the process.

mod injvm;

pub use injvm::InjvmProtocol;
