//! What a list and a call cost: a route allocates nothing, and an index of a long list is made quickly.
#![expect(unsafe_code, reason = "an allocator that counts, and functions of the ABI")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test reports by panicking; this one also measures"
)]

use std::alloc::GlobalAlloc;
use std::alloc::Layout;
use std::alloc::System;
use std::cell::Cell;
use std::ptr;
use std::time::Duration;
use std::time::Instant;

use pointsman_plugin::*;
use pointsman_plugin_api::abi::Bytes;
use pointsman_plugin_api::abi::HostV1;
use pointsman_plugin_api::abi::PluginV1;
use pointsman_plugin_api::blob::PM_KIND_CONSUMER;
use pointsman_plugin_api::blob::PM_KIND_PROVIDERS;
use pointsman_plugin_api::write::ProvidersWriter;
use pointsman_plugin_api::write::Row;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct AreaCode {
    key: String,
}

impl Router for AreaCode {
    type Snapshot = Index;
    fn new(_: &Config) -> Result<Self, String> {
        Ok(Self { key: "areaCode".into() })
    }
    fn snapshot(&self, providers: &Blob) -> Result<Index, String> {
        Ok(providers.index_by(&self.key))
    }
    fn route(&self, index: &Index, call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
        let Some(area) = call.argument(0).or_else(|| call.consumer(&self.key)) else { return Ok(Verdict::Pass) };
        keep.retain(index.get(area));
        call.explain(|| format!("in {area}"));
        Ok(Verdict::Use)
    }
}

pointsman_plugin!(AreaCode, name = "areaCode", inputs = { consumer: ["areaCode"] });

/// `count` providers with 25 parameters each: 30 areas, and a time that nobody shares.
fn providers(count: usize) -> Vec<u8> {
    let keys: Vec<String> = (0..23).map(|key| format!("parameter{key}")).collect();
    let areas: Vec<String> = (0..30).map(|area| format!("0{area}")).collect();
    let times: Vec<String> = (0..count).map(|time| (1_700_000_000_000 + time).to_string()).collect();
    let mut writer = ProvidersWriter::new(PM_KIND_PROVIDERS, 1);
    for (place, time) in times.iter().enumerate() {
        let common = keys.iter().map(|key| (key.as_str(), "a value that all of them have"));
        let own = [("areaCode", areas[place % 30].as_str()), ("timestamp", time.as_str())];
        writer.push(&Row { host: Some("10.0.0.1"), port: 20_880, ..Row::default() }, common.chain(own)).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn an_index_of_ten_thousand_providers_is_made_in_a_moment() {
    let bytes = providers(10_000);
    let blob = Blob::read(&bytes).unwrap();
    for key in ["areaCode", "timestamp", "parameter7", "none"] {
        let best = (0..10).map(|_| {
            let start = Instant::now();
            let index = blob.index_by(key);
            (start.elapsed(), index.len())
        });
        let (time, values) = best.min().unwrap();
        println!("index_by {key} over {} MiB: {time:?}, {values} values", bytes.len() >> 20);
        // A millisecond or two; this much only where each provider is compared with each.
        assert!(time < Duration::from_millis(250), "{key}: {time:?}");
    }
}

#[test]
fn a_route_allocates_nothing() {
    let host = HostV1 {
        struct_size: size_of::<HostV1>() as u32,
        abi_minor: 0,
        ctx: ptr::null_mut(),
        log: None,
        fail: None,
        explain: None,
        count: None,
    };
    let host: &'static HostV1 = Box::leak(Box::new(host));
    let mut writer = ProvidersWriter::new(PM_KIND_CONSUMER, 0);
    writer.push(&Row::default(), [("areaCode", "07")]).unwrap();
    let consumer = writer.finish().unwrap();
    // A call without anything: an item of zeroes but for its texts.
    let mut request = vec![0; 96];
    for (place, word) in [(0, 0x3142_4d50_u32), (4, 0x0003_0001), (16, 96), (20, 1), (24, 48), (44, 96)] {
        request[place..place + 4].copy_from_slice(&word.to_le_bytes());
    }
    for count in [10, 1_000, 10_000] {
        let list = providers(count);
        let (mut table, mut router, mut snapshot) = (PluginV1::empty(), ptr::null_mut(), ptr::null_mut());
        let input = vec![u64::MAX; count.div_ceil(64)];
        let mut out = input.clone();
        let none = ptr::null_mut();
        // SAFETY: a host's calls in their order, with bytes that outlive them.
        unsafe {
            assert_eq!(__private::entry::<AreaCode>(host, &raw mut table), 0);
            assert_eq!(table.router_new.unwrap()(none, Bytes::of(b"{}"), &raw mut router), 0);
            assert_eq!(table.snapshot_new.unwrap()(none, router, Bytes::of(&list), &raw mut snapshot), 0);
            let (consumer, request, words) = (Bytes::of(&consumer), Bytes::of(&request), input.len() as u32);
            let route = || {
                table.route.unwrap()(none, router, snapshot, consumer, request, input.as_ptr(), out.as_mut_ptr(), words)
            };
            let mut route = route;
            assert_eq!(route(), 0);
            let (before, start) = (ALLOCATIONS.get(), Instant::now());
            (0..10_000).for_each(|_| assert_eq!(route(), 0));
            let time = start.elapsed() / 10_000;
            assert_eq!(ALLOCATIONS.get(), before);
            println!("route over {count}: {time:?}");
            table.snapshot_free.unwrap()(snapshot);
            table.router_free.unwrap()(router);
        }
        assert_eq!(
            out.iter().map(|word| word.count_ones() as usize).sum::<usize>(),
            (0..count).filter(|it| it % 30 == 7).count()
        );
    }
}
