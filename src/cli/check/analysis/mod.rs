//! Rules that load, and still do nothing, or something else than they seem to.
//!
//! Each file here is one analysis: from the rules that were compiled and the folder's providers to findings. Only what is
//! certain is told, whatever consumer calls: a rule that may be right is never warned of.
//!
//! - Rules are looked at one by one; those that are held against each other are grouped by scope first, and providers are
//!   bitsets over one list, so that nothing grows with rules × providers or with rules × rules.
//! - A folder with errors is not analysed: what is missing would look wrong.

mod analyse;
mod analysed_rule;
mod coverage;
mod destinations;
mod differences;
mod impossible;
mod impure;
mod nobody;
mod providers;
mod shadowed;
mod strangers;
mod tags;

pub(crate) use analyse::analyse;
pub(crate) use impure::find as find_impure;
