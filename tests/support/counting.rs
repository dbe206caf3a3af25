//! An allocator that counts what this thread does, and what all of them hold.
#![expect(unsafe_code, reason = "an allocator cannot be had without")]
#![allow(dead_code, reason = "each test program asks for a part of it")]

use std::alloc::GlobalAlloc;
use std::alloc::Layout;
use std::alloc::System;
use std::cell::Cell;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

static OF_ALL: AtomicI64 = AtomicI64::new(0);

/// Passes on to the system's allocator.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often this thread has asked for memory.
pub(crate) fn allocations() -> u64 {
    ALLOCATIONS.get()
}

/// Bytes that this thread has asked for and not given back.
pub(crate) fn live_bytes() -> i64 {
    LIVE.get()
}

/// Bytes asked for and not given back, whichever thread did it.
pub(crate) fn live_bytes_of_all() -> i64 {
    OF_ALL.load(Ordering::Relaxed)
}

fn count(asked: usize, given_back: usize) {
    ALLOCATIONS.set(ALLOCATIONS.get() + u64::from(asked > 0));
    let more = asked as i64 - given_back as i64;
    LIVE.set(LIVE.get() + more);
    OF_ALL.fetch_add(more, Ordering::Relaxed);
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
