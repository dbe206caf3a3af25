//! Who was tried by one call, and the text of its failure.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::Weak;

use smallvec::SmallVec;

use crate::cluster::ClusterSite;
use crate::router::InvokerList;
use crate::rpc::Invocation;
use crate::rpc::InvokerId;
use crate::rpc::RpcError;
use crate::rpc::Url;

/// The providers that a call tried, in order, and out of how many.
#[derive(Debug, Default)]
pub struct Tried {
    tried: SmallVec<[(InvokerId, Url); 4]>,
    /// Where they stand in a list: found once, and good as long as that is the list.
    places: Places,
    candidates: usize,
    known: usize,
}

#[derive(Debug, Default)]
struct Places {
    list: Weak<InvokerList>,
    positions: SmallVec<[usize; 4]>,
}

/// So many providers are named in a failure.
const NAMED: usize = 5;

// === impl Tried ===

impl Tried {
    /// How many attempts there were.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        u32::try_from(self.tried.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn add(&mut self, id: InvokerId, url: &Url, candidates: usize, known: usize) {
        self.tried.push((id, url.clone()));
        (self.candidates, self.known) = (candidates, known);
    }

    /// Where those that were tried stand in `list`, in the order of the attempts.
    pub(super) fn positions(&mut self, list: &Arc<InvokerList>) -> &[usize] {
        if self.tried.is_empty() {
            return &[];
        }
        let Places { list: known, positions } = &mut self.places;
        if known.as_ptr() != Arc::as_ptr(list) {
            *known = Arc::downgrade(list);
            positions.clear();
        }
        // One that the list has no more stands nowhere.
        let position = |id: InvokerId| list.ids().iter().position(|other| *other == id).unwrap_or(usize::MAX);
        let found = positions.len();
        positions.extend(self.tried.iter().skip(found).map(|(id, _)| position(*id)));
        positions
    }

    /// The failure of the whole call, whose last attempt failed with `last`.
    pub(super) fn failure(
        &self,
        policy: &str,
        site: &ClusterSite,
        invocation: &dyn Invocation,
        last: RpcError,
    ) -> RpcError {
        let mut text = format!(
            "`{}.{}` failed under {policy}: {}",
            invocation.service(),
            invocation.target_method(),
            last.message()
        );
        if self.tried.is_empty() {
            let _ = write!(text, " (nobody was asked; consumer {})", site.consumer_name());
            return RpcError::new(last.kind(), text).caused_by(last);
        }
        let mut named: Vec<&str> = Vec::new();
        for (_, url) in &self.tried {
            let address = url.address().unwrap_or("?");
            if !named.contains(&address) {
                named.push(address);
            }
        }
        let (attempts, count) = (self.tried.len(), named.len());
        let more = if count > NAMED { ", …" } else { "" };
        named.truncate(NAMED);
        let plural = if attempts == 1 { "" } else { "s" };
        // Writing to a `String` cannot fail.
        let _ = write!(
            text,
            " ({attempts} attempt{plural} at {count} of {} that rules leave of {}: {}{more}; consumer {})",
            self.candidates,
            self.known,
            named.join(", "),
            site.consumer_name(),
        );
        RpcError::new(last.kind(), text).caused_by(last)
    }
}
