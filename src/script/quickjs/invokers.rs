//! Which invoker of a table an element of an answer is.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::hash::Hash as _;
use std::hash::Hasher;

use rquickjs::Array;
use rquickjs::Ctx;
use rquickjs::Persistent;
use rquickjs::Result;
use rquickjs::Value;

/// The invokers of one table by identity. They are held, so that no other object can be at the address of one.
#[derive(Debug)]
pub(super) struct Invokers {
    number: u64,
    places: HashMap<u64, u32, BuildHasherDefault<Bits>>,
    _held: Persistent<Array<'static>>,
}

/// Takes the bits of one value as its hash.
#[derive(Debug, Default)]
pub(super) struct Bits(u64);

// === impl Invokers ===

impl Invokers {
    pub(super) fn new<'js>(ctx: &Ctx<'js>, number: u64, invokers: Array<'js>) -> Result<Self> {
        let mut places = HashMap::with_capacity_and_hasher(invokers.len(), BuildHasherDefault::default());
        for (place, invoker) in invokers.iter::<Value<'_>>().enumerate() {
            places.insert(bits(&invoker?), u32::try_from(place).unwrap_or(u32::MAX));
        }
        Ok(Self { number, places, _held: Persistent::save(ctx, invokers) })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The places of the elements of `list`, strangers left out.
    pub(super) fn places(&self, list: &Array<'_>) -> Result<Vec<u32>> {
        let mut places = Vec::with_capacity(list.len().min(self.places.len()));
        for at in 0..list.len() {
            let element: Value<'_> = list.get(at)?;
            if element.is_object()
                && let Some(place) = self.places.get(&bits(&element))
            {
                places.push(*place);
            }
        }
        Ok(places)
    }
}

fn bits(value: &Value<'_>) -> u64 {
    let mut bits = Bits::default();
    value.hash(&mut bits);
    bits.finish()
}

// === impl Bits ===

impl Hasher for Bits {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_i32(&mut self, _tag: i32) {}

    fn write_u64(&mut self, bits: u64) {
        // The low bits of addresses are all alike.
        self.0 = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
