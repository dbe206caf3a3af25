//! A router plugin that panics where its configuration says, in the way it says: `in` and `do`.
//!
//! - `in`: `new`, `snapshot`, `route`, `drop_snapshot`, `drop_router`; anything else: nowhere.
//! - `do`: `str`, `string`, `any` (a payload that is no text), `drop` (a payload whose destructor panics), `thread` (a
//!   thread panics, and then whoever waits for it).
//!
//! Where it does not panic, it passes.
#![allow(clippy::panic, reason = "panicking is what this plugin is for")]

use std::panic;
use std::thread;

use pointsman_plugin::*;

/// The router, for one rule.
#[derive(Debug)]
pub struct Panics {
    plan: Plan,
}

/// What is prepared for a list: the plan, for when it is dropped.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
}

#[derive(Debug, Clone, Default)]
struct Plan {
    place: String,
    deed: String,
}

/// A payload whose destructor panics.
struct Bomb;

impl Router for Panics {
    type Snapshot = Prepared;

    fn new(config: &Config) -> Result<Self, String> {
        let text = |key| config.get(key).unwrap_or_default().to_owned();
        let plan = Plan { place: text("in"), deed: text("do") };
        plan.reached("new");
        Ok(Self { plan })
    }

    fn snapshot(&self, _: &Blob) -> Result<Prepared, String> {
        self.plan.reached("snapshot");
        Ok(Prepared { plan: self.plan.clone() })
    }

    fn route(&self, _: &Prepared, _: &Call, _: &mut Selection) -> Result<Verdict, String> {
        self.plan.reached("route");
        Ok(Verdict::Pass)
    }
}

// === impl Panics ===

impl Drop for Panics {
    fn drop(&mut self) {
        self.plan.reached("drop_router");
    }
}

// === impl Prepared ===

impl Drop for Prepared {
    fn drop(&mut self) {
        self.plan.reached("drop_snapshot");
    }
}

// === impl Plan ===

impl Plan {
    fn reached(&self, place: &str) {
        if self.place != place {
            return;
        }
        match &*self.deed {
            "str" => panic!("a panic with a str"),
            "string" => panic!("a panic with a string, in {place}"),
            "any" => panic::panic_any(place.len()),
            "drop" => panic::panic_any(Bomb),
            "thread" => {
                let ended = thread::spawn(|| panic!("a panic in a thread")).join();
                assert!(ended.is_ok(), "the thread did not come back");
            }
            _ => {}
        }
    }
}

// === impl Bomb ===

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a panic in the destructor of a payload");
    }
}

pointsman_plugin!(Panics, name = "panics");
