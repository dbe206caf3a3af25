//! Short words for registering functions in a module.

use rhai::FuncRegistration;
use rhai::Module;
use rhai::RhaiNativeFunc;

#[cfg(test)]
thread_local! {
    /// What was registered on this thread, for the list of what scripts can reach.
    pub(super) static REGISTERED: std::cell::RefCell<std::collections::BTreeSet<String>> = const { std::cell::RefCell::new(std::collections::BTreeSet::new()) };
}

#[cfg(test)]
fn note(kind: &str, name: &str, parameters: usize) {
    REGISTERED.with_borrow_mut(|registered| registered.insert(format!("{kind} {name}/{parameters}")));
}

/// How a function is registered.
pub(super) struct Registration {
    #[cfg(test)]
    noted: (&'static str, String),
    how: FuncRegistration,
}

/// Registers a function. Of two with the same name and types the later wins.
pub(super) fn set<A: 'static, const N: usize, const X: bool, R, const F: bool, T>(
    module: &mut Module,
    registration: Registration,
    function: T,
) where
    R: Clone + 'static,
    T: RhaiNativeFunc<A, N, X, R, F> + 'static,
{
    #[cfg(test)]
    note(registration.noted.0, &registration.noted.1, N);
    registration.how.set_into_module(module, function);
}

/// A function or method that changes nothing of its first argument.
pub(super) fn method(name: &str) -> Registration {
    Registration::new("method", name, FuncRegistration::new(name).in_global_namespace().with_purity(true))
}

/// A method that changes its first argument; constants refuse it.
pub(super) fn changing(name: &str) -> Registration {
    Registration::new("method", name, FuncRegistration::new(name).in_global_namespace().with_purity(false))
}

/// A property.
pub(super) fn property(name: &str) -> Registration {
    Registration::new("property", name, FuncRegistration::new_getter(name))
}

/// Writing a property.
pub(super) fn written(name: &str) -> Registration {
    Registration::new("written", name, FuncRegistration::new_setter(name))
}

/// `value[index]`.
pub(super) fn index() -> Registration {
    Registration::new("index", "[]", FuncRegistration::new_index_getter())
}

// === impl Registration ===

impl Registration {
    #[cfg_attr(not(test), expect(unused_variables, reason = "only the list of what scripts can reach names them"))]
    fn new(kind: &'static str, name: &str, how: FuncRegistration) -> Self {
        Self {
            #[cfg(test)]
            noted: (kind, name.to_owned()),
            how,
        }
    }
}
