//! What the host lends: its log, its counters, and the ears of a call.
//!
//! Before the entry was called there is no host, and all of this does nothing.
#![expect(unsafe_code, reason = "functions of the host are called by pointer")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering;

use pointsman_plugin_api::abi::Bytes;
use pointsman_plugin_api::abi::HostV1;

// INVARIANT: null, or a host whose `struct_size` covers `HostV1`, and that lives until the process ends.
static HOST: AtomicPtr<HostV1> = AtomicPtr::new(ptr::null_mut());

/// Keeps the host for later.
///
/// # Safety
///
/// `host` is null or points to a host of at least the size of `HostV1`, which lives until the process ends.
pub(crate) unsafe fn remember(host: *const HostV1) {
    HOST.store(host.cast_mut(), Ordering::Release);
}

/// Adds to a counter of the plugin, in the host's metrics. `name` should be one of a few.
///
/// ```
/// pointsman_plugin::count("fallbacks", 1);
/// ```
pub fn count(name: &str, add: i64) {
    if let Some(host) = host()
        && let Some(count) = host.count
    {
        // SAFETY: a function of the host with the context it wants, and a text that outlives the call.
        unsafe { count(host.ctx, Bytes::of(name.as_bytes()), add) }
    }
}

pub(crate) fn log(level: i32, text: &str) {
    if let Some(host) = host()
        && let Some(log) = host.log
    {
        // SAFETY: a function of the host with the context it wants, and a text that outlives the call.
        unsafe { log(host.ctx, level, Bytes::of(text.as_bytes())) }
    }
}

/// Says why `call` is about to return `code`.
pub(crate) fn fail(call: *mut c_void, code: i32, text: &str) {
    if let Some(fail) = host().and_then(|host| host.fail) {
        // SAFETY: a function of the host with the handle that came with this call, which still runs.
        unsafe { fail(call, code, Bytes::of(text.as_bytes())) }
    }
}

pub(crate) fn explain(call: *mut c_void, text: &str) {
    if let Some(explain) = host().and_then(|host| host.explain) {
        // SAFETY: a function of the host with the handle that came with this call, which still runs.
        unsafe { explain(call, Bytes::of(text.as_bytes())) }
    }
}

fn host() -> Option<&'static HostV1> {
    // SAFETY: the invariant of `HOST`.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}
