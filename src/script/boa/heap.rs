//! The heap that all contexts of a thread share.

use boa_engine::gc::Gc;

/// Makes this thread's heap, if there is none. It is gone as late as what is made after it.
pub(crate) fn begin_heap() {
    drop(Gc::new(()));
}
