//! Where affinity documents deliberately mean something else than in Dubbo.

use super::documents::Difference;

/// Every difference of affinity documents.
pub(crate) const DIFFERENCES: &[Difference] = &[];
