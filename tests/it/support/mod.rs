//! What the tests share.

pub(crate) mod by_hand;
pub(crate) mod naive;
pub(crate) mod routing;
