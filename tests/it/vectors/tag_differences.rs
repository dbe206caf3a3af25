//! Where tag documents deliberately mean something else than in Dubbo.

use super::documents::Difference;

/// Every difference of tag documents.
pub(crate) const DIFFERENCES: &[Difference] = &[];
