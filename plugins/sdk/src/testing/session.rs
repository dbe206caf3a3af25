//! A router and a snapshot, by the functions of the ABI.
#![expect(unsafe_code, reason = "the functions of the plugin are called by pointer")]

use std::ffi::c_void;
use std::ptr;

use pointsman_plugin_api::abi::Bytes;
use pointsman_plugin_api::abi::PM_PASS;
use pointsman_plugin_api::abi::PM_USE;
use pointsman_plugin_api::abi::PluginV1;

use crate::export;
use crate::panic;
use crate::router::Plugin;
use crate::router::Verdict;
use crate::testing::answer::Failure;
use crate::testing::host;
use crate::testing::host::Ears;
use crate::testing::host::Heard;

/// Stands around the words of an answer, and must stand there afterwards.
const GUARD: u64 = 0x5aa5_c33c_0ff0_9669;

/// A router and a snapshot, freed in the right order.
#[derive(Debug)]
pub(super) struct Session {
    table: PluginV1,
    router: *mut c_void,
    snapshot: *mut c_void,
    /// Stays where it is until the snapshot is freed.
    providers: Vec<u8>,
}

/// What `route` left behind.
#[derive(Debug)]
pub(super) struct Routed {
    pub(super) verdict: Verdict,
    pub(super) words: Vec<u64>,
    pub(super) explanations: Vec<String>,
}

// === impl Session ===

impl Session {
    pub(super) fn start<P: Plugin>(config: &[u8], providers: Vec<u8>) -> Result<Self, Failure> {
        let mut table = PluginV1::empty();
        // SAFETY: both structs are whole, and the host is a static.
        let code = unsafe { export::entry::<P>(host::host(), &raw mut table) };
        checked("pointsman_plugin_entry_v1", code, Heard::default())?;
        let mut session = Self { table, router: ptr::null_mut(), snapshot: ptr::null_mut(), providers };
        let mut router = ptr::null_mut();
        session.enter("router_new", |table, call| {
            // SAFETY: the bytes and the place for the router outlive the call.
            table.router_new.map(|new| unsafe { new(call, Bytes::of(config), &raw mut router) })
        })?;
        session.router = router;
        let mut snapshot = ptr::null_mut();
        let lent = Bytes::of(&session.providers);
        session.enter("snapshot_new", |table, call| {
            // SAFETY: the router is alive, and the providers stay until the snapshot is freed.
            table.snapshot_new.map(|new| unsafe { new(call, router, lent, &raw mut snapshot) })
        })?;
        session.snapshot = snapshot;
        Ok(session)
    }

    pub(super) fn self_test<P: Plugin>() -> Result<(), Failure> {
        let mut table = PluginV1::empty();
        // SAFETY: both structs are whole, and the host is a static.
        let code = unsafe { export::entry::<P>(host::host(), &raw mut table) };
        checked("pointsman_plugin_entry_v1", code, Heard::default())?;
        let session = Self { table, router: ptr::null_mut(), snapshot: ptr::null_mut(), providers: Vec::new() };
        // SAFETY: it takes nothing but the handle.
        session.enter("self_test", |table, call| table.self_test.map(|test| unsafe { test(call) })).map(drop)
    }

    pub(super) fn route(&self, consumer: &[u8], request: &[u8], input: &[u64]) -> Result<Routed, Failure> {
        let mut guarded = vec![GUARD];
        guarded.extend_from_slice(input);
        guarded.push(GUARD);
        let words = input.len() as u32;
        let (code, heard) = self.enter("route", |table, call| {
            let (consumer, request) = (Bytes::of(consumer), Bytes::of(request));
            let out = guarded.as_mut_ptr().wrapping_add(1);
            // SAFETY: router and snapshot are alive, `input` and `out` have that many words, all outlive the call.
            table.route.map(|route| unsafe {
                route(call, self.router, self.snapshot, consumer, request, input.as_ptr(), out, words)
            })
        })?;
        assert!(
            guarded.first() == Some(&GUARD) && guarded.pop() == Some(GUARD),
            "the plugin wrote beside the words of its answer"
        );
        let words = guarded.split_off(1);
        let verdict = if code == PM_PASS { Verdict::Pass } else { Verdict::Use };
        Ok(Routed { verdict, words, explanations: heard.explanations })
    }

    /// Calls a function of the plugin, if it has it.
    fn enter(
        &self,
        step: &'static str,
        work: impl FnOnce(&PluginV1, *mut c_void) -> Option<i32>,
    ) -> Result<(i32, Heard), Failure> {
        let ears = Ears::default();
        let code = panic::inside(|| work(&self.table, ears.handle()));
        let heard = ears.into_heard();
        match code {
            Some(code) => checked(step, code, heard),
            None => Err(Failure { step, code: 0, text: "the function is missing".into(), logs: host::take_logs() }),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        panic::inside(|| {
            if let Some(free) = self.table.snapshot_free.filter(|_| !self.snapshot.is_null()) {
                // SAFETY: made by `snapshot_new`, freed once, before its router and its providers.
                unsafe { free(self.snapshot) };
            }
            if let Some(free) = self.table.router_free.filter(|_| !self.router.is_null()) {
                // SAFETY: made by `router_new`, freed once.
                unsafe { free(self.router) };
            }
        });
    }
}

fn checked(step: &'static str, code: i32, heard: Heard) -> Result<(i32, Heard), Failure> {
    let is_done = code == PM_USE || code == PM_PASS && step == "route";
    if is_done {
        return Ok((code, heard));
    }
    let text = match heard.failure {
        Some((told, text)) if told == code => text,
        Some((told, text)) => format!("{text} (and told the code {told})"),
        None => "no text".into(),
    };
    Err(Failure { step, code, text, logs: host::take_logs() })
}
