//! An allocator that counts what all threads of the host hold.
#![expect(unsafe_code, reason = "an allocator cannot be had without")]

use std::alloc::GlobalAlloc;
use std::alloc::Layout;
use std::alloc::System;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;

static LIVE: AtomicI64 = AtomicI64::new(0);

/// Passes on to the system's allocator.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes asked for and not given back, whichever thread did it.
pub(crate) fn live_bytes() -> i64 {
    LIVE.load(Ordering::Relaxed)
}

fn count(asked: usize, given_back: usize) {
    LIVE.fetch_add(asked as i64 - given_back as i64, Ordering::Relaxed);
}

// SAFETY: every call is passed on unchanged to `System`, which keeps the contract; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
