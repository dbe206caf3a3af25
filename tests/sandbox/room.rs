//! Who may run beside whom: tests that count bytes share the room, tests that storm have it to themselves.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use parking_lot::RwLock;
use parking_lot::RwLockReadGuard;
use parking_lot::RwLockWriteGuard;

static ROOM: RwLock<()> = RwLock::new(());

/// What takes longer hangs.
const GUARD: Duration = Duration::from_secs(5);

/// Beside others that hold next to nothing.
pub(crate) fn shared() -> RwLockReadGuard<'static, ()> {
    ROOM.read()
}

/// Beside nobody.
pub(crate) fn alone() -> RwLockWriteGuard<'static, ()> {
    ROOM.write()
}

/// What `work` comes to, on a thread of its own; it may not hang.
pub(crate) fn within_the_guard<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    let thread = thread::spawn(move || tell.send(work()));
    match told.recv_timeout(GUARD) {
        Ok(value) => {
            // What the thread still holds would be counted.
            thread.join().unwrap().unwrap();
            value
        }
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{what}: hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().err().unwrap_or_else(|| Box::new(format!("{what}: no word"))))
        }
    }
}

/// Says that it is over when it is dropped: also when a test fails, so that whoever spins until then ends.
pub(crate) struct Over<'a>(pub(crate) &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
