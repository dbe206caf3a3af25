//! Panics: caught, told to the host, and written nowhere else.
//!
//! A cdylib has a `std` of its own, so the host's hook does not see them. The hook that is installed here sends message
//! and place to the host's log, and keeps them for the answer of the call.

use std::any::Any;
use std::cell::Cell;
use std::cell::RefCell;
use std::mem;
use std::panic;
use std::panic::AssertUnwindSafe;
use std::panic::PanicHookInfo;
use std::sync::Once;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use pointsman_plugin_api::abi::PM_LOG_ERROR;

use crate::host;

/// What is said of a payload that is no text.
const NO_TEXT: &str = "a panic whose payload is no text";

static INSTALLED: Once = Once::new();
/// Set by the harness: the process is the author's tests, and their own panics are not for us.
static IS_TEST: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The last panic of this thread.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
    /// In a test: whether this thread is inside of the plugin.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Installs the hook, once.
pub(crate) fn install_hook() {
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_TEST.load(Ordering::Relaxed) && !IS_INSIDE.try_with(Cell::get).unwrap_or(false) {
                before(info);
            } else {
                take_note(info);
            }
        }));
    });
}

/// Does `work`; the text of a panic in it.
#[inline]
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(text_of_caught)
}

#[cold]
fn text_of_caught(payload: Box<dyn Any + Send>) -> String {
    let kept = LAST.try_with(RefCell::take).ok().flatten();
    let text = kept.unwrap_or_else(|| text_of(&*payload).to_owned());
    // Its destructor may panic in its turn, here, where nobody catches it.
    mem::forget(payload);
    text
}

/// Does `work`, which enters the plugin, in a test.
pub(crate) fn inside<T>(work: impl FnOnce() -> T) -> T {
    IS_TEST.store(true, Ordering::Relaxed);
    let before = IS_INSIDE.replace(true);
    let done = work();
    IS_INSIDE.set(before);
    done
}

fn take_note(info: &PanicHookInfo<'_>) {
    let message = text_of(info.payload());
    let text = match info.location() {
        Some(place) => format!("{message} (at {place})"),
        None => message.to_owned(),
    };
    host::log(PM_LOG_ERROR, &format!("panicked: {text}"));
    let _ = LAST.try_with(|last| last.replace(Some(text)));
}

fn text_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or(NO_TEXT)
}
