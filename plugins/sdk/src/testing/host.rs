//! A host that remembers what it is told.
#![expect(unsafe_code, reason = "plugins call it by pointer")]

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr;

use pointsman_plugin_api::abi::Bytes;
use pointsman_plugin_api::abi::HostV1;
use pointsman_plugin_api::abi::PM_ABI_MINOR;

/// What is heard while one function of the plugin runs.
#[derive(Debug, Default)]
pub(super) struct Ears {
    heard: RefCell<Heard>,
}

#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) failure: Option<(i32, String)>,
    pub(super) explanations: Vec<String>,
}

thread_local! {
    static LOGS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static COUNTS: RefCell<Vec<(String, i64)>> = const { RefCell::new(Vec::new()) };
}

struct Host(HostV1);

// SAFETY: its context is null, and its functions may be called from any thread.
unsafe impl Sync for Host {}

static HOST: Host = Host(HostV1 {
    struct_size: size_of::<HostV1>() as u32,
    abi_minor: PM_ABI_MINOR,
    ctx: ptr::null_mut(),
    log: Some(log),
    fail: Some(fail),
    explain: Some(explain),
    count: Some(count),
});

// === impl Ears ===

impl Ears {
    /// What the plugin gets as `call`; good while `self` is.
    pub(super) fn handle(&self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }

    pub(super) fn into_heard(self) -> Heard {
        self.heard.into_inner()
    }
}

pub(super) fn host() -> &'static HostV1 {
    &HOST.0
}

/// The lines of this thread since they were last taken.
pub(super) fn take_logs() -> Vec<String> {
    LOGS.take()
}

/// The counts of this thread since they were last taken.
pub(super) fn take_counts() -> Vec<(String, i64)> {
    COUNTS.take()
}

unsafe extern "C" fn log(_: *mut c_void, level: i32, message: Bytes) {
    let level = ["error", "warn", "info", "debug"].get(level.wrapping_sub(1) as usize).unwrap_or(&"?");
    // SAFETY: lent for this call.
    let line = format!("{level}: {}", unsafe { text(message) });
    // A thread of the plugin that ends has no place for lines any more.
    let _ = LOGS.try_with(|logs| logs.borrow_mut().push(line));
}

unsafe extern "C" fn count(_: *mut c_void, name: Bytes, add: i64) {
    // SAFETY: lent for this call.
    let name = unsafe { text(name) };
    let _ = COUNTS.try_with(|counts| counts.borrow_mut().push((name, add)));
}

unsafe extern "C" fn fail(call: *mut c_void, code: i32, message: Bytes) {
    // SAFETY: the handle comes from `Ears::handle` and is used while they are there; the text is lent for this call.
    let (ears, text) = unsafe { (&*call.cast::<Ears>(), text(message)) };
    ears.heard.borrow_mut().failure = Some((code, text));
}

unsafe extern "C" fn explain(call: *mut c_void, message: Bytes) {
    // SAFETY: the handle comes from `Ears::handle` and is used while they are there; the text is lent for this call.
    let (ears, text) = unsafe { (&*call.cast::<Ears>(), text(message)) };
    ears.heard.borrow_mut().explanations.push(text);
}

/// # Safety
///
/// The bytes are there.
unsafe fn text(message: Bytes) -> String {
    // SAFETY: the caller's promise.
    String::from_utf8_lossy(unsafe { message.as_slice() }).into_owned()
}
