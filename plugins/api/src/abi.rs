//! Functions, structs and codes, as C sees them.
//!
//! Marks: `[control]` one at a time for each router, off the path of calls; `[in call]` only while the call that `call`
//! stands for runs, on its thread; `[any thread]` at any time; `[concurrent]` on many threads at once.

use std::ffi::c_void;

/// The major version; it stands in the name of the entry symbol.
pub const PM_ABI_MAJOR: u32 = 1;
/// The minor version: grows when functions or fields are added.
pub const PM_ABI_MINOR: u32 = 0;

/// `route`: `out` holds the bitmap. Everywhere else: done.
pub const PM_USE: i32 = 0;
/// `route`: no opinion, all candidates stay.
pub const PM_PASS: i32 = 1;
/// The configuration is wrong.
pub const PM_E_CONFIG: i32 = -1;
/// The plugin panicked.
pub const PM_E_PANIC: i32 = -2;
/// A blob cannot be read.
pub const PM_E_BADBLOB: i32 = -3;
/// Anything else.
pub const PM_E_INTERNAL: i32 = -4;
/// The call's deadline is over.
pub const PM_E_DEADLINE: i32 = -5;

/// Levels of `log`.
pub const PM_LOG_ERROR: i32 = 1;
/// Something is not as it should be, and goes on.
pub const PM_LOG_WARN: i32 = 2;
/// Life cycle.
pub const PM_LOG_INFO: i32 = 3;
/// Everything else.
pub const PM_LOG_DEBUG: i32 = 4;

/// The entry symbol of this major version.
pub const ENTRY_SYMBOL: &str = "pointsman_plugin_entry_v1";

/// Borrowed bytes, valid until the call returns.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bytes {
    /// The first byte; may be null where `len` is 0.
    pub ptr: *const u8,
    /// How many there are.
    pub len: usize,
}

/// What the host lends to a plugin. It lives until the process ends. Append only.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct HostV1 {
    /// The size of this struct as the host knows it.
    pub struct_size: u32,
    /// The host's minor version.
    pub abi_minor: u32,
    /// For `log` and `count`.
    pub ctx: *mut c_void,
    /// `[any thread]` Writes a line to the host's log; copied, and no more than so many a second.
    pub log: Option<unsafe extern "C" fn(ctx: *mut c_void, level: i32, message: Bytes)>,
    /// `[in call]` Says why the call is about to return a negative code; copied.
    pub fail: Option<unsafe extern "C" fn(call: *mut c_void, code: i32, message: Bytes)>,
    /// `[in call]` Says why a route answers as it does; does nothing unless somebody asks. Copied.
    pub explain: Option<unsafe extern "C" fn(call: *mut c_void, message: Bytes)>,
    /// `[any thread]` Adds to a counter of the plugin. May be null.
    pub count: Option<unsafe extern "C" fn(ctx: *mut c_void, name: Bytes, add: i64)>,
}

/// What a plugin lends to the host. Append only.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PluginV1 {
    /// The host sets it to the size it knows; the plugin to the size it filled.
    pub struct_size: u32,
    /// The plugin's minor version.
    pub abi_minor: u32,
    /// `[control]` Once a rule: reads the configuration, a JSON object of texts.
    pub router_new: Option<unsafe extern "C" fn(call: *mut c_void, config: Bytes, router: *mut *mut c_void) -> i32>,
    /// `[control]` After the router's last snapshot was freed.
    pub router_free: Option<unsafe extern "C" fn(router: *mut c_void)>,
    /// `[control]` Once a list. `providers` stay where they are until `snapshot_free` of this snapshot returns.
    pub snapshot_new: Option<
        unsafe extern "C" fn(
            call: *mut c_void,
            router: *mut c_void,
            providers: Bytes,
            snapshot: *mut *mut c_void,
        ) -> i32,
    >,
    /// `[control]` After the last route over it.
    pub snapshot_free: Option<unsafe extern "C" fn(snapshot: *mut c_void)>,
    /// `[concurrent]` Must not block. `input` and `out` have `words` words, bit `i` for provider `i`; `out` comes filled
    /// with `input`.
    pub route: Option<
        unsafe extern "C" fn(
            call: *mut c_void,
            router: *const c_void,
            snapshot: *const c_void,
            consumer: Bytes,
            request: Bytes,
            input: *const u64,
            out: *mut u64,
            words: u32,
        ) -> i32,
    >,
    /// `[control]` Once, before the plugin is used. May be null.
    pub self_test: Option<unsafe extern "C" fn(call: *mut c_void) -> i32>,
}

/// The only function that a plugin must export, under the name `pointsman_plugin_entry_v1`.
pub type EntryV1 = unsafe extern "C" fn(host: *const HostV1, out: *mut PluginV1) -> i32;

// === impl Bytes ===

impl Bytes {
    /// Lends `bytes`.
    #[must_use]
    pub const fn of(bytes: &[u8]) -> Self {
        Self { ptr: bytes.as_ptr(), len: bytes.len() }
    }

    /// The bytes.
    ///
    /// # Safety
    ///
    /// `ptr` is null or points to `len` bytes that nobody changes while the slice is used.
    #[must_use]
    #[expect(unsafe_code, reason = "this is where a pointer becomes a slice")]
    pub unsafe fn as_slice<'a>(self) -> &'a [u8] {
        if self.ptr.is_null() || self.len == 0 {
            return &[];
        }
        // SAFETY: the caller's promise; not null by the test above.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }
}

// === impl PluginV1 ===

impl PluginV1 {
    /// An empty table, as the host hands it to the entry.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            abi_minor: 0,
            router_new: None,
            router_free: None,
            snapshot_new: None,
            snapshot_free: None,
            route: None,
            self_test: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_as_large_as_version_1_says() {
        assert_eq!((size_of::<Bytes>(), size_of::<HostV1>(), size_of::<PluginV1>()), (16, 48, 56));
    }

    #[test]
    fn null_bytes_are_no_bytes() {
        // SAFETY: null and empty are allowed, and the text outlives the slice.
        #[expect(unsafe_code, reason = "the function under test")]
        let (none, some) = unsafe { (Bytes { ptr: std::ptr::null(), len: 9 }.as_slice(), Bytes::of(b"ab").as_slice()) };
        assert_eq!((none, some), (&[][..], &b"ab"[..]));
    }
}
