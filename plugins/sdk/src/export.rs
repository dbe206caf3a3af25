//! The functions that the host calls, for any [`Router`].
//!
//! Each catches panics, and turns errors into a code and a text. A pointer that cannot be right is an error, as far as
//! that can be seen.
#![expect(unsafe_code, reason = "the other side speaks in pointers")]

use std::ffi::c_void;
use std::mem;
use std::ptr;
use std::slice;

use pointsman_plugin_api::abi::Bytes;
use pointsman_plugin_api::abi::HostV1;
use pointsman_plugin_api::abi::PM_ABI_MINOR;
use pointsman_plugin_api::abi::PM_E_BADBLOB;
use pointsman_plugin_api::abi::PM_E_CONFIG;
use pointsman_plugin_api::abi::PM_E_INTERNAL;
use pointsman_plugin_api::abi::PM_E_PANIC;
use pointsman_plugin_api::abi::PM_PASS;
use pointsman_plugin_api::abi::PM_USE;
use pointsman_plugin_api::abi::PluginV1;
use pointsman_plugin_api::blob;
use pointsman_plugin_api::blob::PM_KIND_PROVIDERS;

use crate::blob::Blob;
use crate::call::Call;
use crate::config::Config;
use crate::host;
use crate::panic;
use crate::router::Plugin;
use crate::router::Router;
use crate::router::Verdict;
use crate::selection::Selection;

/// A snapshot, and the list it was made of.
struct Held<S> {
    snapshot: S,
    providers: Blob<'static>,
}

/// Why a call has no answer.
struct Failure {
    code: i32,
    text: String,
}

/// Fills the table; behind `pointsman_plugin_entry_v1`.
///
/// # Safety
///
/// `host` and `out` are null, or point to structs of the size that their first field says. `host` lives until the
/// process ends.
pub unsafe fn entry<P: Plugin>(host: *const HostV1, out: *mut PluginV1) -> i32 {
    /// Every host of version 1 knows the functions up to here.
    const LEAST: usize = mem::offset_of!(PluginV1, self_test);
    // SAFETY: a static of the plugin. The read keeps it in the library: the linker drops sections that nobody needs.
    let _ = P::SECTION.first().map(|byte| unsafe { ptr::read_volatile(byte) });
    if host.is_null() || out.is_null() {
        return PM_E_INTERNAL;
    }
    // SAFETY: not null; both begin with their size, in four bytes.
    let (host_size, out_size) = unsafe { (*host.cast::<u32>() as usize, *out.cast::<u32>() as usize) };
    if host_size < size_of::<HostV1>() || out_size < LEAST {
        return PM_E_INTERNAL;
    }
    // Whole functions only.
    let filled = out_size.min(size_of::<PluginV1>()) / size_of::<usize>() * size_of::<usize>();
    let table = PluginV1 {
        struct_size: filled as u32,
        abi_minor: PM_ABI_MINOR,
        router_new: Some(router_new::<P>),
        router_free: Some(router_free::<P>),
        snapshot_new: Some(snapshot_new::<P>),
        snapshot_free: Some(snapshot_free::<P>),
        route: Some(route::<P>),
        self_test: Some(self_test::<P>),
    };
    // SAFETY: `out` has as many bytes as it says, and no more than that are written. The host is large enough.
    unsafe {
        ptr::copy_nonoverlapping((&raw const table).cast::<u8>(), out.cast::<u8>(), filled);
        host::remember(host);
    }
    panic::install_hook();
    0
}

unsafe extern "C" fn router_new<R: Router>(call: *mut c_void, config: Bytes, router: *mut *mut c_void) -> i32 {
    guarded(call, || {
        not_null(router)?;
        let wrong = |text| Failure { code: PM_E_CONFIG, text };
        // SAFETY: the host lends the bytes for as long as this call.
        let text = std::str::from_utf8(unsafe { config.as_slice() });
        let text = text.map_err(|_| wrong("the configuration is not UTF-8".into()))?;
        let made = R::new(&Config::parse(text).map_err(wrong)?).map_err(wrong)?;
        // SAFETY: not null, and the host waits for a pointer there.
        unsafe { *router = Box::into_raw(Box::new(made)).cast() };
        Ok(PM_USE)
    })
}

unsafe extern "C" fn router_free<R: Router>(router: *mut c_void) {
    if !router.is_null() {
        // SAFETY: made by `router_new`, and the host frees it once. The hook has told of a panic.
        let _ = panic::caught(|| drop(unsafe { Box::from_raw(router.cast::<R>()) }));
    }
}

unsafe extern "C" fn snapshot_new<R: Router>(
    call: *mut c_void,
    router: *mut c_void,
    providers: Bytes,
    snapshot: *mut *mut c_void,
) -> i32 {
    guarded(call, || {
        not_null(router)?;
        not_null(snapshot)?;
        // SAFETY: the providers stay where they are until the snapshot is freed, and nobody keeps them longer.
        let inner = read(unsafe { providers.as_slice() }, PM_KIND_PROVIDERS, "the providers")?;
        let providers = Blob::new(inner);
        // SAFETY: made by `router_new`, not yet freed.
        let router = unsafe { &*router.cast::<R>() };
        let made = router.snapshot(&providers).map_err(internal)?;
        // SAFETY: not null, and the host waits for a pointer there.
        unsafe { *snapshot = Box::into_raw(Box::new(Held { snapshot: made, providers })).cast() };
        Ok(PM_USE)
    })
}

unsafe extern "C" fn snapshot_free<R: Router>(snapshot: *mut c_void) {
    if !snapshot.is_null() {
        // SAFETY: made by `snapshot_new`, and the host frees it once. The hook has told of a panic.
        let _ = panic::caught(|| drop(unsafe { Box::from_raw(snapshot.cast::<Held<R::Snapshot>>()) }));
    }
}

unsafe extern "C" fn route<R: Router>(
    call: *mut c_void,
    router: *const c_void,
    snapshot: *const c_void,
    consumer: Bytes,
    request: Bytes,
    input: *const u64,
    out: *mut u64,
    words: u32,
) -> i32 {
    guarded(call, || {
        not_null(router)?;
        not_null(snapshot)?;
        // SAFETY: made by `router_new` and `snapshot_new`, not yet freed; the bytes are lent for as long as this call.
        let (router, held, consumer, request) = unsafe {
            let held = &*snapshot.cast::<Held<R::Snapshot>>();
            (&*router.cast::<R>(), held, consumer.as_slice(), request.as_slice())
        };
        let request = blob::Blob::read(request).and_then(|blob| blob.request());
        let request = request.ok_or_else(|| bad_blob("the call"))?;
        if words > 0 && (input.is_null() || out.is_null() || ptr::eq(input, out)) {
            return Err(internal("no room for the answer".into()));
        }
        let (input, out): (&[u64], &mut [u64]) = match words as usize {
            0 => (&[], &mut []),
            // SAFETY: not null; two runs of `words` words each, which nobody else writes meanwhile.
            words => unsafe { (slice::from_raw_parts(input, words), slice::from_raw_parts_mut(out, words)) },
        };
        let mut keep = Selection::new(input, out);
        let call = Call { handle: call, request, consumer, providers: &held.providers };
        Ok(match router.route(&held.snapshot, &call, &mut keep).map_err(internal)? {
            Verdict::Use => PM_USE,
            Verdict::Pass => PM_PASS,
        })
    })
}

unsafe extern "C" fn self_test<R: Router>(call: *mut c_void) -> i32 {
    guarded(call, || R::self_test().map_err(internal).map(|()| PM_USE))
}

/// Does `work`, and tells the host why it failed.
#[inline]
fn guarded(call: *mut c_void, work: impl FnOnce() -> Result<i32, Failure>) -> i32 {
    // PERF: a failure is put aside where it is met, so that no more than a code comes back (`plugin/route`).
    let mut met = None;
    let code = panic::caught(|| {
        work().unwrap_or_else(|failure| {
            let code = failure.code;
            met = Some(failure);
            code
        })
    });
    match (code, met) {
        (Ok(code), None) => code,
        (Ok(_), Some(failure)) => tell(call, &failure),
        (Err(text), _) => tell(call, &Failure { code: PM_E_PANIC, text }),
    }
}

#[cold]
fn tell(call: *mut c_void, failure: &Failure) -> i32 {
    host::fail(call, failure.code, &failure.text);
    failure.code
}

#[inline]
fn not_null<T>(pointer: *const T) -> Result<(), Failure> {
    if pointer.is_null() { Err(internal("a null pointer from the host".into())) } else { Ok(()) }
}

fn read<'a>(bytes: &'a [u8], kind: u16, what: &str) -> Result<blob::Blob<'a>, Failure> {
    blob::Blob::read(bytes).filter(|blob| blob.header().kind == kind).ok_or_else(|| bad_blob(what))
}

#[cold]
fn bad_blob(what: &str) -> Failure {
    Failure { code: PM_E_BADBLOB, text: format!("{what} cannot be read") }
}

#[cold]
fn internal(text: String) -> Failure {
    Failure { code: PM_E_INTERNAL, text }
}
