//! An allocator that counts while a run is on, and stops the worker at the run's limit.
#![expect(unsafe_code, reason = "an allocator is unsafe by nature")]

use std::alloc::GlobalAlloc;
use std::alloc::Layout;
use std::alloc::System;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::worker::frame;
use crate::worker::frame::Kind;

/// The system's allocator; in a worker it counts what a run allocates.
///
/// A program that serves ([`serve`](crate::worker::serve)) installs it with `#[global_allocator]`. Outside of runs it
/// costs one load. Without it no run has a memory limit of its own, only the process has one.
#[derive(Debug)]
pub struct CountingAllocator;

static IS_ARMED: AtomicBool = AtomicBool::new(false);
static LIMIT: AtomicI64 = AtomicI64::new(i64::MAX);
/// Allocated less freed since arming; below zero when a run frees what was there before.
static NET: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);
static SOCKET: AtomicU64 = AtomicU64::new(0);

/// Counts from now on; more than `limit` bytes at a time end the process with a last frame to `socket`.
pub(in crate::worker) fn arm(limit: u64, socket: i32) {
    LIMIT.store(i64::try_from(limit).unwrap_or(i64::MAX), Relaxed);
    NET.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    SOCKET.store(u64::try_from(socket).unwrap_or(0), Relaxed);
    IS_ARMED.store(true, Relaxed);
}

/// Ends the count; the most that was held at a time.
pub(in crate::worker) fn disarm() -> u64 {
    IS_ARMED.store(false, Relaxed);
    u64::try_from(PEAK.load(Relaxed)).unwrap_or(0)
}

// SAFETY: every call goes to `System` with the arguments of the caller; counting touches atomics only.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's contract is that of `System`.
        found(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's contract is that of `System`.
        found(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: the caller's contract is that of `System`, from which the pointer came.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        shrink(layout.size());
        // SAFETY: the caller's contract is that of `System`, from which the pointer came.
        found(unsafe { System.realloc(pointer, layout, size) })
    }
}

// PERF: load and store, no read-modify-write: while armed, one thread of the worker allocates and the other sleeps.
fn grow(size: usize) {
    if IS_ARMED.load(Relaxed) {
        let net = NET.load(Relaxed).saturating_add(i64::try_from(size).unwrap_or(i64::MAX));
        if net > LIMIT.load(Relaxed) {
            stop(net);
        }
        NET.store(net, Relaxed);
        if net > PEAK.load(Relaxed) {
            PEAK.store(net, Relaxed);
        }
    }
}

fn shrink(size: usize) {
    if IS_ARMED.load(Relaxed) {
        NET.store(NET.load(Relaxed).saturating_sub(i64::try_from(size).unwrap_or(i64::MAX)), Relaxed);
    }
}

/// What the system gave. Nothing means that the limit of the process was reached before that of the run.
fn found(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() && IS_ARMED.load(Relaxed) {
        stop(NET.load(Relaxed));
    }
    pointer
}

/// The last frame, from the stack: nothing can be allocated here.
#[cold]
fn stop(net: i64) -> ! {
    IS_ARMED.store(false, Relaxed);
    let mut last = [0_u8; frame::HEADER + 8];
    let (head, used) = last.split_at_mut(frame::HEADER);
    head.copy_from_slice(&[8, 0, 0, 0, Kind::Memory as u8]);
    used.copy_from_slice(&u64::try_from(net).unwrap_or(0).to_le_bytes());
    let socket = i32::try_from(SOCKET.load(Relaxed)).unwrap_or(0);
    // SAFETY: the buffer is valid for its length; a socket that is gone is an error that nobody hears.
    unsafe { libc::send(socket, last.as_ptr().cast(), last.len(), libc::MSG_NOSIGNAL) };
    super::exit_now(frame::EXIT_TOLD)
}
