//! A call as one blob, for routers behind a C interface or in another process: only what they declared, written once a
//! walk and shared by all of them.
//!
//! The layout of a chain's calls is known when the chain is bound. Everything that no call changes is laid out then, so
//! that writing a call is one copy and the values behind it.

use std::cell::Cell;
use std::cell::Ref;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;
use std::time::Duration;

use pointsman_plugin_api::blob::BlobHeader;
use pointsman_plugin_api::blob::CALL_BYTES;
use pointsman_plugin_api::blob::HEADER_BYTES;
use pointsman_plugin_api::blob::PARAM_BYTES;
use pointsman_plugin_api::blob::PM_BLOB_LAYOUT;
use pointsman_plugin_api::blob::PM_BLOB_MAGIC;
use pointsman_plugin_api::blob::PM_KIND_CALL;
use pointsman_plugin_api::blob::PM_NONE;
use pointsman_plugin_api::blob::PM_WANT_EXPLAIN;
use pointsman_plugin_api::blob::STRING_BYTES;

use crate::router::Input;
use crate::router::Selection;
use crate::router::Surroundings;
use crate::rpc::Invocation;
use crate::rpc::ServiceKey;
use crate::rpc::Value;

/// What a router wants to find in the blob of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallParts {
    /// Attachments, arguments, the method that is meant, and parts of the time in UTC.
    pub inputs: BTreeSet<Input>,
    /// Every attachment.
    pub has_all_attachments: bool,
    /// The seed of random choices.
    pub has_seed: bool,
    /// The time as exactly as the host has it.
    pub has_time: bool,
    /// What a call may take, if anybody measures.
    pub deadline: Option<Duration>,
}

/// How the calls of a chain are laid out.
#[derive(Debug)]
pub struct CallLayout {
    parts: CallParts,
    /// Sorted by name, as the blob wants them.
    slots: Vec<Slot>,
    has_method: bool,
    /// A whole blob without values: header, item, room for params and strings, names.
    template: Vec<u8>,
    group: Option<Box<str>>,
    version: Option<Box<str>>,
}

#[derive(Debug)]
struct Slot {
    name: Box<str>,
    input: Input,
}

/// Where a walk keeps the blob of its call. The memory serves one call after another.
#[derive(Default)]
pub struct CallBlob {
    state: RefCell<Written>,
    /// The last selection that was made for a call.
    spare: Cell<Option<Box<Selection>>>,
}

#[derive(Debug, Default)]
struct Written {
    bytes: Vec<u8>,
    is_current: bool,
}

/// One call, as it is written.
#[derive(Clone, Copy)]
pub(crate) struct CallView<'a> {
    pub(crate) invocation: &'a dyn Invocation,
    pub(crate) around: Surroundings<'a>,
    pub(crate) seed: u64,
    pub(crate) is_explaining: bool,
}

// === impl CallParts ===

impl CallParts {
    /// Takes in what another router of the chain wants.
    pub fn unite(&mut self, other: &Self) {
        self.inputs.extend(other.inputs.iter().cloned());
        self.has_all_attachments |= other.has_all_attachments;
        self.has_seed |= other.has_seed;
        self.has_time |= other.has_time;
        self.deadline = match (self.deadline, other.deadline) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
}

// === impl CallLayout ===

impl CallLayout {
    /// The layout of calls of `service` for routers that want `parts`.
    #[must_use]
    pub fn of(parts: CallParts, service: &ServiceKey) -> Self {
        Self::laid_out(parts, service.group().map(Into::into), service.version().map(Into::into))
    }

    fn laid_out(parts: CallParts, group: Option<Box<str>>, version: Option<Box<str>>) -> Self {
        let slot = |input: &Input| Some(Slot { name: name_of(input)?.into(), input: input.clone() });
        let mut slots: Vec<Slot> = parts.inputs.iter().filter_map(slot).collect();
        slots.sort_by(|one, other| one.name.cmp(&other.name));
        let has_method = parts.inputs.contains(&Input::TargetMethod);
        let mut layout = Self { parts, slots, has_method, template: Vec::new(), group, version };
        layout.template = layout.template();
        layout
    }

    fn string_count(&self) -> usize {
        2 * self.slots.len() + 3
    }

    fn strings_at(&self) -> usize {
        HEADER_BYTES + CALL_BYTES + self.slots.len() * PARAM_BYTES
    }

    fn bytes_at(&self) -> usize {
        self.strings_at() + self.string_count() * STRING_BYTES
    }

    fn header(&self) -> BlobHeader {
        BlobHeader {
            magic: PM_BLOB_MAGIC,
            layout: PM_BLOB_LAYOUT,
            kind: PM_KIND_CALL,
            generation: 0,
            total_len: 0,
            item_count: 1,
            item_off: small(HEADER_BYTES),
            param_count: small(self.slots.len()),
            param_off: small(HEADER_BYTES + CALL_BYTES),
            string_count: small(self.string_count()),
            string_off: small(self.strings_at()),
            bytes_off: small(self.bytes_at()),
        }
    }

    /// Strings: the names, group, version, method, then a value for each name.
    fn template(&self) -> Vec<u8> {
        let names = self.slots.len();
        let mut blob = Vec::with_capacity(self.bytes_at() + 256);
        self.header().append_to(&mut blob);
        let mut item = Item { group: PM_NONE, version: PM_NONE, method: PM_NONE, ..Item::default() };
        item.deadline_ns = self.parts.deadline.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let number = |offset: usize| small(names + offset);
        if self.group.is_some() {
            item.group = number(0);
        }
        if self.version.is_some() {
            item.version = number(1);
        }
        if self.has_method {
            item.method = number(2);
        }
        item.append_to(&mut blob);
        blob.resize(self.bytes_at(), 0);
        let texts = self.slots.iter().map(|slot| &*slot.name);
        let service = [&self.group, &self.version].map(|text| text.as_deref().unwrap_or_default());
        for (number, text) in texts.chain(service).enumerate() {
            self.append(&mut blob, number, |blob| write_text(Some(text), blob));
        }
        blob
    }

    /// Writes the call.
    fn write(&self, call: &CallView<'_>, blob: &mut Vec<u8>) {
        blob.clear();
        if self.parts.has_all_attachments {
            return self.with_attachments_of(call).write(call, blob);
        }
        blob.extend_from_slice(&self.template);
        if self.has_method {
            let method = call.invocation.target_method();
            self.append(blob, self.slots.len() + 2, |blob| write_text(Some(method), blob));
        }
        let mut count = 0;
        for (key, slot) in self.slots.iter().enumerate() {
            let value = self.slots.len() + 3 + count;
            if self.append(blob, value, |blob| write_input(&slot.input, call, blob)) {
                let at = HEADER_BYTES + CALL_BYTES + count * PARAM_BYTES;
                put(blob, at, &small(key).to_le_bytes());
                put(blob, at + 4, &small(value).to_le_bytes());
                count += 1;
            }
        }
        self.finish(call, blob, count);
    }

    /// What is not known before the values are there.
    fn finish(&self, call: &CallView<'_>, blob: &mut [u8], count: usize) {
        let total = small(blob.len());
        put(blob, 16, &total.to_le_bytes());
        put(blob, 28, &small(count).to_le_bytes());
        put(blob, HEADER_BYTES + 4, &small(count).to_le_bytes());
        let flags = if call.is_explaining { PM_WANT_EXPLAIN } else { 0 };
        put(blob, HEADER_BYTES + 20, &flags.to_le_bytes());
        let seed = if self.parts.has_seed { call.seed } else { 0 };
        put(blob, HEADER_BYTES + 32, &seed.to_le_bytes());
        if self.parts.has_time {
            put(blob, HEADER_BYTES + 40, &call.around.clock.now().as_millisecond().to_le_bytes());
        }
    }

    /// Adds a text and says where it stands; answers whether there was one.
    fn append(&self, blob: &mut Vec<u8>, number: usize, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        let start = blob.len();
        if !write(blob) {
            return false;
        }
        let at = self.strings_at() + number * STRING_BYTES;
        let (off, len) = (small(start.saturating_sub(self.bytes_at())), small(blob.len() - start));
        put(blob, at, &off.to_le_bytes());
        put(blob, at + 4, &len.to_le_bytes());
        true
    }

    /// With all attachments nothing is known before the call, not even how many strings there are.
    fn with_attachments_of(&self, call: &CallView<'_>) -> Self {
        let mut parts = CallParts { has_all_attachments: false, ..self.parts.clone() };
        call.invocation.for_each_attachment(&mut |key, _| {
            parts.inputs.insert(Input::Attachment(key.into()));
        });
        Self::laid_out(parts, self.group.clone(), self.version.clone())
    }
}

// === impl CallBlob ===

impl CallBlob {
    /// Another call begins: what was written is of an earlier one.
    pub fn clear(&mut self) {
        self.state.get_mut().is_current = false;
    }

    /// Keeps the memory of a selection that was made for a call, for the next one.
    pub fn reuse(&self, made: Box<Selection>) {
        self.spare.set(Some(made));
    }

    /// The selection that was made last, if nobody has taken it yet.
    #[cfg_attr(not(feature = "plugins"), allow(dead_code, reason = "plugins ask for it"))]
    pub(crate) fn spare(&self) -> Option<Box<Selection>> {
        self.spare.take()
    }

    /// The blob of the call that is being walked; written when it is asked for first.
    pub(crate) fn get(&self, layout: &CallLayout, call: &CallView<'_>) -> Option<Ref<'_, [u8]>> {
        {
            let mut written = self.state.try_borrow_mut().ok()?;
            if !written.is_current {
                layout.write(call, &mut written.bytes);
                written.is_current = true;
            }
        }
        Some(Ref::map(self.state.try_borrow().ok()?, |written| written.bytes.as_slice()))
    }
}

impl fmt::Debug for CallBlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallBlob").field("state", &self.state).finish_non_exhaustive()
    }
}

/// As `pointsman_plugin_api::blob::CallItem`, in its order.
#[derive(Default)]
struct Item {
    method: u32,
    group: u32,
    version: u32,
    deadline_ns: u64,
}

impl Item {
    fn append_to(&self, blob: &mut Vec<u8>) {
        blob.extend([0, 0, self.method, self.group, self.version, 0].map(u32::to_le_bytes).iter().flatten());
        blob.extend([self.deadline_ns, 0, 0].map(u64::to_le_bytes).iter().flatten());
    }
}

/// What an input is called in a blob; none for the method, which has a place of its own, and for what no blob has.
fn name_of(input: &Input) -> Option<String> {
    Some(match input {
        Input::Attachment(key) => format!("@{key}"),
        Input::Argument(index) => format!("#{index}"),
        Input::Now(granularity, _) => format!("%{}", granularity.as_str()),
        _ => return None,
    })
}

/// Adds the text of an input; false where the call lacks it.
fn write_input(input: &Input, call: &CallView<'_>, blob: &mut Vec<u8>) -> bool {
    match input {
        // PERF: texts and numbers are copied, not made first (`plugin/request`).
        Input::Attachment(key) => write_text(call.invocation.attachment(key), blob),
        Input::Argument(index) => call.invocation.argument(*index).map(|value| write_value(value, blob)).is_some(),
        other => write_text(other.read(call.invocation, call.around).as_deref(), blob),
    }
}

/// Adds a text, if there is one.
fn write_text(text: Option<&str>, blob: &mut Vec<u8>) -> bool {
    text.map(|text| blob.extend_from_slice(text.as_bytes())).is_some()
}

fn write_value(value: &Value<'_>, blob: &mut Vec<u8>) {
    struct Bytes<'a>(&'a mut Vec<u8>);
    impl std::fmt::Write for Bytes<'_> {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
    match value {
        Value::Text(text) => blob.extend_from_slice(text.as_bytes()),
        // Writing to memory cannot fail.
        Value::Int(number) => {
            let _ = write!(Bytes(blob), "{number}");
        }
        other => blob.extend_from_slice(other.text().as_bytes()),
    }
}

fn put(blob: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = blob.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// Calls of more than 4 GiB do not come over any wire.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use pointsman_plugin_api::blob::Blob;

    use super::*;
    use crate::router::ClockGranularity;
    use crate::router::FixedClock;
    use crate::router::Zone;
    use crate::rpc::RpcInvocation;

    fn write(parts: CallParts, call: &RpcInvocation<'_>, is_explaining: bool) -> Vec<u8> {
        let layout = CallLayout::of(parts, &ServiceKey::parse("g/Orders:1.0"));
        let clock = FixedClock("2026-11-30T22:30:15Z".parse().unwrap());
        let view = CallView { invocation: call, around: Surroundings::at(&clock), seed: 7, is_explaining };
        let blob = CallBlob::default();
        blob.get(&layout, &view).unwrap().to_vec()
    }

    fn call() -> RpcInvocation<'static> {
        RpcInvocation::new("Orders", "$invoke")
            .with_argument("java.lang.String", "create")
            .with_argument("long", -5_i64)
            .with_attachment("b", "two")
            .with_attachment("a", "")
            .with_attachment("secret", "no")
    }

    #[test]
    fn what_was_declared_is_read_back_and_nothing_else() {
        let attachments = ["b", "a", "absent"].map(|key| Input::Attachment(key.into()));
        let inputs = attachments
            .into_iter()
            .chain([Input::Argument(1), Input::Argument(9), Input::TargetMethod])
            .chain([Input::Now(ClockGranularity::Hour, Zone::utc())])
            .collect();
        let bytes = write(CallParts { inputs, ..CallParts::default() }, &call(), false);
        let request = Blob::read(&bytes).unwrap().request().unwrap();
        let found: Vec<_> = request.parameters().collect();
        assert_eq!(found, [("#1", "-5"), ("%hour", "22"), ("@a", ""), ("@b", "two")]);
        let fixed = (request.method(), request.group(), request.version());
        assert_eq!(fixed, (Some("create"), Some("g"), Some("1.0")));
        assert_eq!((request.marked(b'@', "b"), request.marked(b'@', "secret")), (Some("two"), None));
        let item = request.item();
        assert_eq!((item.flags, item.seed, item.now_ms, item.deadline_ns), (0, 0, 0, 0));
    }

    #[test]
    fn all_attachments_seed_time_and_the_wish_for_reasons_come_when_asked_for() {
        let parts = CallParts {
            inputs: [Input::Argument(0), Input::Attachment("b".into())].into(),
            has_all_attachments: true,
            has_seed: true,
            has_time: true,
            deadline: Some(Duration::from_millis(20)),
        };
        let bytes = write(parts, &call(), true);
        let request = Blob::read(&bytes).unwrap().request().unwrap();
        let found: Vec<_> = request.parameters().collect();
        assert_eq!(found, [("#0", "create"), ("@a", ""), ("@b", "two"), ("@secret", "no")]);
        assert_eq!((request.method(), request.parameter("@b")), (None, Some("two")));
        let item = request.item();
        assert_eq!((item.seed, item.now_ms, item.deadline_ns), (7, 1_796_077_815_000, 20_000_000));
        assert!(request.wants_explanation());
    }

    #[test]
    fn a_chain_writes_what_any_of_its_plugins_wants() {
        let of = |input: Input| CallParts { inputs: [input].into(), ..CallParts::default() };
        let mut parts = of(Input::TargetMethod);
        parts.unite(&CallParts { has_seed: true, ..of(Input::Attachment("b".into())) });
        let bytes = write(parts, &call(), false);
        let request = Blob::read(&bytes).unwrap().request().unwrap();
        assert_eq!(
            (request.method(), request.marked(b'@', "b"), request.item().seed),
            (Some("create"), Some("two"), 7)
        );
    }
}
