//! What the ABI promises holds for a plugin made with this crate, whatever the host does.
#![expect(unsafe_code, reason = "the test is a host")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports by panicking")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering;

use pointsman_plugin::*;
use pointsman_plugin_api::abi::Bytes;
use pointsman_plugin_api::abi::HostV1;
use pointsman_plugin_api::abi::PM_E_BADBLOB;
use pointsman_plugin_api::abi::PM_E_CONFIG;
use pointsman_plugin_api::abi::PM_E_INTERNAL;
use pointsman_plugin_api::abi::PluginV1;

struct Sample;

impl Router for Sample {
    type Snapshot = ();
    fn new(_: &Config) -> Result<Self, String> {
        Ok(Self)
    }
    fn snapshot(&self, _: &Blob) -> Result<(), String> {
        Ok(())
    }
    fn route(&self, (): &(), _: &Call, keep: &mut Selection) -> Result<Verdict, String> {
        keep.remove(0);
        Ok(Verdict::Use)
    }
    fn self_test() -> Result<(), String> {
        Err("no moon tonight".into())
    }
}

const VERSION: &str = "9.9.9";

pointsman_plugin!(Sample, serial = true, inputs = { clock: ["hour"], arguments: [0, 3], random: true }, version = VERSION, name = "sample",);

static FAILED: AtomicI32 = AtomicI32::new(0);

unsafe extern "C" fn fail(_: *mut c_void, code: i32, _: Bytes) {
    FAILED.store(code, Ordering::Relaxed);
}

fn host() -> &'static HostV1 {
    let host = HostV1 {
        struct_size: size_of::<HostV1>() as u32,
        abi_minor: 0,
        ctx: ptr::null_mut(),
        log: None,
        fail: Some(fail),
        explain: None,
        count: None,
    };
    Box::leak(Box::new(host))
}

#[test]
fn keys_stand_in_any_order() {
    let manifest = Sample::MANIFEST;
    assert_eq!((manifest.name, manifest.version, manifest.serial), ("sample", "9.9.9", true));
    let inputs = manifest.inputs;
    assert_eq!(
        (inputs.clock, inputs.arguments, inputs.random, inputs.method),
        (&["hour"][..], &[0, 3][..], true, false)
    );
    let text = std::str::from_utf8(Sample::SECTION).unwrap();
    assert!(text.starts_with("pointsman-plugin 1\n{\"abi\":1,") && text.ends_with("}}"), "{text}");
}

#[test]
fn the_entry_fills_no_more_than_the_host_knows() {
    unsafe extern "C" {
        fn pointsman_plugin_entry_v1(host: *const HostV1, out: *mut PluginV1) -> i32;
    }
    for (size, code, filled) in [(8, PM_E_INTERNAL, 8), (48, 0, 48), (52, 0, 48), (56, 0, 56), (4_096, 0, 56)] {
        let mut out = [PluginV1::empty(), PluginV1::empty()];
        out[0].struct_size = size;
        out[1].struct_size = 0x5555_5555;
        // SAFETY: a whole host that is leaked, and more room than is written.
        let answered = unsafe { pointsman_plugin_entry_v1(host(), out.as_mut_ptr()) };
        assert_eq!((answered, out[0].struct_size, out[1].struct_size), (code, filled, 0x5555_5555), "{size}");
        assert_eq!(
            (out[0].route.is_some(), out[0].self_test.is_some()),
            (code == 0, code == 0 && size >= 56),
            "{size}"
        );
    }
    let mut small = *host();
    small.struct_size = 40;
    // SAFETY: null is allowed, and so is a host that says it is small.
    let answers = unsafe {
        let out = &raw mut *Box::leak(Box::new(PluginV1::empty()));
        [
            pointsman_plugin_entry_v1(ptr::null(), out),
            pointsman_plugin_entry_v1(host(), ptr::null_mut()),
            pointsman_plugin_entry_v1(&raw const small, out),
        ]
    };
    assert_eq!(answers, [PM_E_INTERNAL; 3]);
}

#[test]
fn null_pointers_and_broken_bytes_are_answered_with_a_code() {
    let mut table = PluginV1::empty();
    let none = ptr::null_mut::<c_void>();
    let list = |kind| {
        let mut writer = pointsman_plugin_api::write::ProvidersWriter::new(kind, 0);
        writer.push(&pointsman_plugin_api::write::Row::default(), []).unwrap();
        writer.finish().unwrap()
    };
    let (providers, consumer) = (list(1), list(2));
    // SAFETY: a host's calls in their order, with bytes that outlive them; null where that is what is tried.
    unsafe {
        assert_eq!(__private::entry::<Sample>(host(), &raw mut table), 0);
        let (new, snapshot_new, route) = (table.router_new.unwrap(), table.snapshot_new.unwrap(), table.route.unwrap());
        let mut router = none;
        for (config, code) in
            [(&b"{}"[..], 0), (b"", PM_E_CONFIG), (b"{\"a\":1}", PM_E_CONFIG), (b"{\"\xff\":\"\"}", PM_E_CONFIG)]
        {
            let mut made = none;
            FAILED.store(0, Ordering::Relaxed);
            assert_eq!(new(none, Bytes::of(config), &raw mut made), code, "{config:?}");
            assert_eq!((made.is_null(), FAILED.load(Ordering::Relaxed)), (code != 0, code));
            router = if code == 0 { made } else { router };
        }
        assert_eq!(new(none, Bytes::of(b"{}"), ptr::null_mut()), PM_E_INTERNAL);
        let mut snapshot = none;
        assert_eq!(snapshot_new(none, none, Bytes::of(&providers), &raw mut snapshot), PM_E_INTERNAL);
        for bad in [&consumer[..], b"", &providers[1..]] {
            assert_eq!(snapshot_new(none, router, Bytes::of(bad), &raw mut snapshot), PM_E_BADBLOB);
        }
        assert_eq!(snapshot_new(none, router, Bytes::of(&providers), &raw mut snapshot), 0);
        let (input, mut out) = ([1_u64], [1_u64]);
        let (input, out) = (input.as_ptr(), out.as_mut_ptr());
        let nothing = Bytes { ptr: ptr::null(), len: 0 };
        assert_eq!(route(none, router, snapshot, nothing, nothing, input, out, 1), PM_E_BADBLOB);
        assert_eq!(route(none, router, snapshot, Bytes::of(&providers), nothing, input, out, 1), PM_E_BADBLOB);
        assert_eq!(route(none, none, snapshot, nothing, nothing, input, out, 1), PM_E_INTERNAL);
        let test = table.self_test.unwrap();
        assert_eq!(test(none), PM_E_INTERNAL);
        table.snapshot_free.unwrap()(snapshot);
        table.router_free.unwrap()(router);
        table.snapshot_free.unwrap()(none);
        table.router_free.unwrap()(none);
    }
}
