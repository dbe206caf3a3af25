//! A plugin's code, loaded into this process, and everything that is called in it.
//!
//! An image is never unloaded: libraries keep thread locals and threads that would outlive it. The host frees every
//! snapshot before its router.
#![expect(unsafe_code, reason = "loading a library and calling through its function pointers")]

use std::ffi::CStr;
use std::ffi::c_void;
use std::os::fd::AsRawFd as _;
use std::os::fd::BorrowedFd;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use libloading::os::unix::Library;
use libloading::os::unix::RTLD_LOCAL;
use libloading::os::unix::RTLD_NOW;
use parking_lot::Mutex;
use pointsman_plugin_api::abi::Bytes;
use pointsman_plugin_api::abi::ENTRY_SYMBOL;
use pointsman_plugin_api::abi::EntryV1;
use pointsman_plugin_api::abi::HostV1;
use pointsman_plugin_api::abi::PM_ABI_MINOR;
use pointsman_plugin_api::abi::PM_PASS;
use pointsman_plugin_api::abi::PM_USE;
use pointsman_plugin_api::abi::PluginV1;

use crate::plugin::answer::Refusal;
use crate::plugin::guarded_words::GuardedWords;
use crate::plugin::guarded_words::WroteOutside;
use crate::plugin::sink::LINE_BYTES;
use crate::plugin::sink::Sink;
use crate::plugin::sink::text_of;
use crate::router::Selection;
use crate::worker::KeptBytes;

/// Explanations of one call.
pub(crate) const EXPLANATIONS: usize = 16;
/// Libraries that plugins may need, see `elf.rs`; loaded before a worker gives up files.
const LIBRARIES: [&CStr; 5] = [c"libm.so.6", c"libdl.so.2", c"libpthread.so.0", c"librt.so.1", c"libgcc_s.so.1"];

/// Counts loads: each has a path of its own, since the loader knows libraries by their paths too.
static LOADS: AtomicU64 = AtomicU64::new(0);

/// A library that is loaded and has answered its entry.
#[derive(Debug)]
pub(crate) struct Image {
    functions: Functions,
    /// Held while it is called, if it wants to be called by one thread at a time.
    serial: Option<Mutex<()>>,
    sink: &'static Sink,
}

/// The functions that must be there.
#[derive(Debug, Clone, Copy)]
struct Functions {
    router_new: unsafe extern "C" fn(*mut c_void, Bytes, *mut *mut c_void) -> i32,
    router_free: unsafe extern "C" fn(*mut c_void),
    snapshot_new: unsafe extern "C" fn(*mut c_void, *mut c_void, Bytes, *mut *mut c_void) -> i32,
    snapshot_free: unsafe extern "C" fn(*mut c_void),
    route:
        unsafe extern "C" fn(*mut c_void, *const c_void, *const c_void, Bytes, Bytes, *const u64, *mut u64, u32) -> i32,
    self_test: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
}

/// A router that a plugin made for one rule.
#[derive(Debug)]
pub(crate) struct NativeRouter {
    image: Arc<Image>,
    handle: Handle,
}

/// A router over one list.
#[derive(Debug)]
pub(crate) struct NativeSnapshot {
    router: Arc<NativeRouter>,
    /// The plugin may point into it until the snapshot is freed.
    _providers: KeptBytes,
    provider_count: usize,
    handle: Handle,
}

/// What a route came to.
///
/// PERF: pointers and numbers: an answer goes through several hands (`plugin/route`).
#[derive(Debug, Default)]
pub(crate) struct NativeAnswer {
    /// Who is kept; none for no opinion.
    pub(crate) selection: Option<Box<Selection>>,
    pub(crate) refusal: Option<Box<Refusal>>,
    said: Option<Box<Said>>,
    /// Bits that were set for providers which were no candidates, or are none at all.
    pub(crate) stray_bits: u32,
}

/// Something that a plugin made and only it understands.
#[derive(Debug)]
struct Handle(*mut c_void);

// SAFETY: the contract has plugins make what may be used and freed on any thread.
unsafe impl Send for Handle {}

// SAFETY: `route` may be called on many threads at once, or the image is serial; everything else has `&mut` or drops.
unsafe impl Sync for Handle {}

/// What `call` points to while a plugin is called.
struct CallContext {
    is_explaining: bool,
    said: Option<Box<Said>>,
}

/// What a plugin said in a call.
#[derive(Debug, Default)]
struct Said {
    failure: Option<String>,
    explanations: Vec<String>,
}

// === impl Image ===

impl Image {
    /// Loads the library in `memory`, which nobody can change. `between` runs when all code is loaded and nothing but its
    /// constructors has run.
    ///
    /// # Errors
    ///
    /// The loader, `between` or the entry refuse.
    pub(crate) fn load(
        memory: BorrowedFd<'_>,
        is_serial: bool,
        sink: Sink,
        between: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<Arc<Self>, Refusal> {
        let path = unique_path(memory.as_raw_fd());
        // SAFETY: the caller has decided to trust this code, or this process is made for code that is not trusted.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL | libc::RTLD_NODELETE) };
        let library = library.map_err(|error| {
            let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            Refusal::unusable(format!("it cannot be loaded: {}", why.replace(&path, "the library")))
        })?;
        between()?;
        // SAFETY: the symbol of this name is a function of this type by the contract of this major version.
        let entry = unsafe { library.get::<EntryV1>(ENTRY_SYMBOL.as_bytes()) };
        let entry = *entry.map_err(|error| Refusal::unusable(format!("it has no entry: {error}")))?;
        // It stays: see above. The handle is never closed.
        std::mem::forget(library);
        let sink: &'static Sink = Box::leak(Box::new(sink));
        let functions = Functions::ask(entry, sink)?;
        Ok(Arc::new(Self { functions, serial: is_serial.then(Mutex::default), sink }))
    }

    pub(crate) fn sink(&self) -> &'static Sink {
        self.sink
    }

    /// Asks the plugin whether it works, if it can tell.
    pub(crate) fn self_test(&self) -> Result<(), Refusal> {
        let Some(self_test) = self.functions.self_test else { return Ok(()) };
        let mut context = CallContext::new(false);
        let _one = self.serial.as_ref().map(Mutex::lock);
        // SAFETY: a function of the plugin, called as the contract says; `call` lives until it returns.
        let code = unsafe { self_test(context.as_call()) };
        context.control(code)
    }

    pub(crate) fn new_router(self: &Arc<Self>, config: &str) -> Result<Arc<NativeRouter>, Refusal> {
        let (mut context, mut handle) = (CallContext::new(false), ptr::null_mut());
        let _one = self.serial.as_ref().map(Mutex::lock);
        // SAFETY: as above; `config` and `handle` live until it returns.
        let code =
            unsafe { (self.functions.router_new)(context.as_call(), Bytes::of(config.as_bytes()), &raw mut handle) };
        context.control(code)?;
        Ok(Arc::new(NativeRouter { image: Arc::clone(self), handle: Handle(handle) }))
    }
}

// === impl Functions ===

impl Functions {
    fn ask(entry: EntryV1, sink: &'static Sink) -> Result<Self, Refusal> {
        let host: &'static HostV1 = Box::leak(Box::new(HostV1 {
            struct_size: size_of::<HostV1>() as u32,
            abi_minor: PM_ABI_MINOR,
            ctx: ptr::from_ref(sink).cast_mut().cast(),
            log: Some(host_log),
            fail: Some(host_fail),
            explain: Some(host_explain),
            count: Some(host_count),
        }));
        let mut table = PluginV1::empty();
        // SAFETY: both structs are as large as they say, and the host's lives until the process ends.
        let code = unsafe { entry(host, &raw mut table) };
        if code != PM_USE {
            return Err(Refusal::unusable(format!("its entry returned {code}")));
        }
        // All of version 1.0 must be there; later minors only add.
        let least = std::mem::offset_of!(PluginV1, self_test) as u32;
        if table.struct_size < least {
            let message = format!("expected a `struct_size` of at least {least}, found {}", table.struct_size);
            return Err(Refusal::unusable(message));
        }
        if table.struct_size > size_of::<PluginV1>() as u32 {
            let message =
                format!("expected a `struct_size` of at most {}, found {}", size_of::<PluginV1>(), table.struct_size);
            return Err(Refusal::unusable(message));
        }
        if table.abi_minor > PM_ABI_MINOR {
            let message = format!("expected an `abi_minor` of at most {PM_ABI_MINOR}, found {}", table.abi_minor);
            return Err(Refusal::unusable(message));
        }
        let missing = |name: &str| Refusal::unusable(format!("the function `{name}` is null"));
        Ok(Self {
            router_new: table.router_new.ok_or_else(|| missing("router_new"))?,
            router_free: table.router_free.ok_or_else(|| missing("router_free"))?,
            snapshot_new: table.snapshot_new.ok_or_else(|| missing("snapshot_new"))?,
            snapshot_free: table.snapshot_free.ok_or_else(|| missing("snapshot_free"))?,
            route: table.route.ok_or_else(|| missing("route"))?,
            self_test: if table.struct_size > least { table.self_test } else { None },
        })
    }
}

// === impl NativeRouter ===

impl NativeRouter {
    /// Puts the router over a list of so many providers.
    pub(crate) fn snapshot(
        self: &Arc<Self>,
        providers: KeptBytes,
        provider_count: usize,
    ) -> Result<NativeSnapshot, Refusal> {
        let (mut context, mut handle) = (CallContext::new(false), ptr::null_mut());
        let _one = self.image.serial.as_ref().map(Mutex::lock);
        let call = context.as_call();
        // SAFETY: as above; the router is alive, and the providers stay until the snapshot is freed.
        let code =
            unsafe { (self.image.functions.snapshot_new)(call, self.handle.0, Bytes::of(&providers), &raw mut handle) };
        context.control(code)?;
        Ok(NativeSnapshot { router: Arc::clone(self), _providers: providers, provider_count, handle: Handle(handle) })
    }
}

impl Drop for NativeRouter {
    fn drop(&mut self) {
        let _one = self.image.serial.as_ref().map(Mutex::lock);
        // SAFETY: made by `router_new` of the same image, and no snapshot of it is left: they hold the router.
        unsafe { (self.image.functions.router_free)(self.handle.0) };
    }
}

// === impl NativeSnapshot ===

impl NativeSnapshot {
    /// Asks the plugin which of `candidates` stay; `memory` becomes the answer. What it sets beyond them is taken away
    /// and counted.
    #[inline]
    pub(crate) fn route(
        &self,
        consumer: &[u8],
        request: &[u8],
        candidates: &Selection,
        is_explaining: bool,
        mut memory: Box<Selection>,
    ) -> NativeAnswer {
        let mut context = CallContext::new(is_explaining);
        let outcome = memory.rewrite(candidates.list_length(), |words| {
            let mut words = GuardedWords::of(candidates.words(), words);
            let code = self.call(&mut context, consumer, request, candidates.words(), words.answer());
            words.check().map(|()| (code, words.take()))
        });
        match outcome {
            Ok((PM_USE, stray_bits)) => {
                NativeAnswer { selection: Some(memory), refusal: None, said: context.said, stray_bits }
            }
            Ok((PM_PASS, _)) => NativeAnswer { said: context.said, ..NativeAnswer::default() },
            Ok((code, _)) => context.refused(code),
            Err(WroteOutside) => {
                let refusal = Some(Box::new(Refusal::contract("it wrote outside of its answer")));
                NativeAnswer { refusal, said: context.said, ..NativeAnswer::default() }
            }
        }
    }

    /// Calls the plugin, which may write as many words from `out` on as `input` has.
    #[inline]
    fn call(&self, context: &mut CallContext, consumer: &[u8], request: &[u8], input: &[u64], out: *mut u64) -> i32 {
        let NativeRouter { image, handle } = &*self.router;
        let words = u32::try_from(input.len()).unwrap_or(u32::MAX);
        let (consumer, request) = (Bytes::of(consumer), Bytes::of(request));
        let _one = image.serial.as_ref().map(Mutex::lock);
        // SAFETY: router and snapshot are alive, `out` points behind the guards of memory with room for `words` words and
        // more guards, and everything else is borrowed until the call returns.
        unsafe {
            let (router, snapshot) = (handle.0, self.handle.0);
            (image.functions.route)(context.as_call(), router, snapshot, consumer, request, input.as_ptr(), out, words)
        }
    }

    pub(crate) fn provider_count(&self) -> usize {
        self.provider_count
    }
}

impl Drop for NativeSnapshot {
    fn drop(&mut self) {
        let _one = self.router.image.serial.as_ref().map(Mutex::lock);
        // SAFETY: made by `snapshot_new` of the same image; no route over it runs, since none borrows it any more.
        unsafe { (self.router.image.functions.snapshot_free)(self.handle.0) };
    }
}

// === impl CallContext ===

impl CallContext {
    fn new(is_explaining: bool) -> Self {
        Self { is_explaining, said: None }
    }

    fn as_call(&mut self) -> *mut c_void {
        ptr::from_mut(self).cast()
    }

    fn said(&mut self) -> &mut Said {
        self.said.get_or_insert_default()
    }

    /// What a code means that says no more than yes or no.
    fn control(&mut self, code: i32) -> Result<(), Refusal> {
        match code {
            PM_USE => Ok(()),
            code if code < 0 => {
                let message = self.said().failure.take().unwrap_or_default();
                Err(Refusal::Code { code, message })
            }
            code => Err(Refusal::contract(format!("it returned the unknown code {code}"))),
        }
    }

    /// What a route comes to that has no answer.
    #[cold]
    fn refused(mut self, code: i32) -> NativeAnswer {
        let refusal = self.control(code).err().map(Box::new);
        NativeAnswer { refusal, said: self.said, ..NativeAnswer::default() }
    }
}

// === impl NativeAnswer ===

impl NativeAnswer {
    /// Why the answer is what it is, in the plugin's words.
    pub(crate) fn explanations(&self) -> &[String] {
        self.said.as_ref().map_or(&[], |said| &said.explanations)
    }
}

/// Makes sure that the loader finds what plugins may need when no file can be opened any more.
pub(crate) fn load_common_libraries() {
    for name in LIBRARIES {
        // SAFETY: libraries of the system, which most programs have loaded anyway; they stay.
        unsafe { libc::dlopen(name.as_ptr(), RTLD_NOW | RTLD_LOCAL | libc::RTLD_NODELETE) };
    }
}

/// The version of the C library that this process runs on; 0.0 where it does not say.
pub(crate) fn glibc_version() -> (u32, u32) {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: returns a text that ends in a zero and is never freed.
        let text = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) }.to_string_lossy();
        let mut parts = text.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
    }
    #[cfg(not(target_env = "gnu"))]
    (0, 0)
}

/// A path of the descriptor that no load had before: glibc answers a path that it knows with the library it has.
fn unique_path(descriptor: i32) -> String {
    let number = LOADS.fetch_add(1, Ordering::Relaxed);
    let bits = (0..u64::BITS - number.leading_zeros()).map(|bit| if number >> bit & 1 == 1 { "/." } else { "/" });
    // By number: a debugger that follows the path is another `self`.
    format!("/proc/{}/fd{}/{descriptor}", std::process::id(), bits.collect::<String>())
}

unsafe extern "C" fn host_log(ctx: *mut c_void, level: i32, message: Bytes) {
    // SAFETY: `ctx` is the sink that the host gave, which is never freed, and the bytes are borrowed for this call.
    guarded(|| unsafe {
        if let Some(sink) = ctx.cast::<Sink>().as_ref() {
            sink.log(level, message.as_slice());
        }
    });
}

unsafe extern "C" fn host_count(ctx: *mut c_void, name: Bytes, add: i64) {
    // SAFETY: as for `host_log`.
    guarded(|| unsafe {
        if let Some(sink) = ctx.cast::<Sink>().as_ref() {
            sink.count(name.as_slice(), add);
        }
    });
}

unsafe extern "C" fn host_fail(call: *mut c_void, _code: i32, message: Bytes) {
    // SAFETY: `call` is what the host gave to the call that runs on this thread, and nobody else looks at it now.
    guarded(|| unsafe {
        if let Some(context) = call.cast::<CallContext>().as_mut() {
            context.said().failure = Some(text_of(message.as_slice(), LINE_BYTES));
        }
    });
}

unsafe extern "C" fn host_explain(call: *mut c_void, message: Bytes) {
    // SAFETY: as for `host_fail`.
    guarded(|| unsafe {
        if let Some(context) = call.cast::<CallContext>().as_mut()
            && context.is_explaining
            && context.said().explanations.len() < EXPLANATIONS
        {
            context.said().explanations.push(text_of(message.as_slice(), LINE_BYTES));
        }
    });
}

/// No panic of the host's may cross into a plugin; a subscriber of the log can have one.
fn guarded(run: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(run));
}
