//! What rules in Lua see, what they may not, and what becomes of those that go too far.

mod api;
mod hostile;
mod isolation;
mod limits;
mod reachable;
mod support;
