//! The directories of an engine: told of a list before calls see it.

use std::sync::Arc;
use std::sync::Weak;

use parking_lot::Mutex;

use crate::router::InvokerList;
use crate::rpc::contained;
use crate::runtime::following::Following;
use crate::runtime::snapshot::Snapshot;

/// Who follows the lists of an engine.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    followers: Mutex<Vec<Weak<Following>>>,
}

/// Directories whose list a change replaces, with the new list; none where their service is gone.
pub(crate) struct Prepared(Vec<(Arc<Following>, Option<Arc<InvokerList>>)>);

// === impl Followers ===

impl Followers {
    pub(crate) fn add(&self, follower: &Arc<Following>) {
        let mut followers = self.followers.lock();
        followers.retain(|follower| follower.strong_count() > 0);
        followers.push(Arc::downgrade(follower));
    }

    /// Lets those prepare whose list `next` replaces. What panics there stays there: a call makes up for it.
    pub(crate) fn prepare(&self, current: &Snapshot, next: &Snapshot) -> Prepared {
        let followers: Vec<_> = self.followers.lock().iter().filter_map(Weak::upgrade).collect();
        let list = |snapshot: &Snapshot, follower: &Following| {
            snapshot.service(&follower.service).map(|(_, service)| Arc::clone(service.chain.list()))
        };
        let is_same = |a: &Option<Arc<InvokerList>>, b: &Option<Arc<InvokerList>>| {
            a.as_ref().map(Arc::as_ptr) == b.as_ref().map(Arc::as_ptr)
        };
        let mut prepared = Vec::new();
        for follower in followers {
            let (old, new) = (list(current, &follower), list(next, &follower));
            if !is_same(&old, &new) {
                if let Some(new) = &new {
                    // Told already.
                    let _ = contained("making invokers", || follower.prepare(new));
                }
                prepared.push((follower, new));
            }
        }
        Prepared(prepared)
    }
}

// === impl Prepared ===

impl Prepared {
    /// Lets them let go of what they had before.
    pub(crate) fn settle(self) {
        for (follower, list) in self.0 {
            // Dropping an invoker is a stranger's code too.
            let _ = contained("letting go of invokers", || follower.settle(list.as_ref()));
        }
    }
}
