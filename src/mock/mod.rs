//! The mock selector: calls that ask for mock providers get them, all others never do.
//!
//! Attachment `invocation.need.mock` absent: all but the `mock://` providers; `true` in any case: the `mock://`
//! providers only; any other value, empty included: all. The protocol is compared exactly. The result stands when it
//! is empty. Follows `MockInvokersSelector` of Dubbo 3.3.

mod router;

pub use router::MockRouterFactory;
pub use router::MockSelector;
