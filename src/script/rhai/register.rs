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

/// A function or method that changes nothing of its first argument. Of two with the same name and types the later wins.
pub(super) fn set_fn<A: 'static, const N: usize, const X: bool, R, const F: bool, T>(
    module: &mut Module,
    name: &str,
    function: T,
) where
    R: Clone + 'static,
    T: RhaiNativeFunc<A, N, X, R, F> + 'static,
{
    #[cfg(test)]
    note("method", name, N);
    FuncRegistration::new(name).in_global_namespace().with_purity(true).set_into_module(module, function);
}

/// A method that changes its first argument; constants refuse it.
pub(super) fn set_mut<A: 'static, const N: usize, const X: bool, R, const F: bool, T>(
    module: &mut Module,
    name: &str,
    function: T,
) where
    R: Clone + 'static,
    T: RhaiNativeFunc<A, N, X, R, F> + 'static,
{
    #[cfg(test)]
    note("method", name, N);
    FuncRegistration::new(name).in_global_namespace().with_purity(false).set_into_module(module, function);
}

/// A property.
pub(super) fn set_get<A: 'static, const N: usize, const X: bool, R, const F: bool, T>(
    module: &mut Module,
    name: &str,
    function: T,
) where
    R: Clone + 'static,
    T: RhaiNativeFunc<A, N, X, R, F> + 'static,
{
    #[cfg(test)]
    note("property", name, N);
    FuncRegistration::new_getter(name).set_into_module(module, function);
}

/// Writing a property.
pub(super) fn set_set<A: 'static, const N: usize, const X: bool, R, const F: bool, T>(
    module: &mut Module,
    name: &str,
    function: T,
) where
    R: Clone + 'static,
    T: RhaiNativeFunc<A, N, X, R, F> + 'static,
{
    #[cfg(test)]
    note("written", name, N);
    FuncRegistration::new_setter(name).set_into_module(module, function);
}

/// `value[index]`.
pub(super) fn set_index<A: 'static, const N: usize, const X: bool, R, const F: bool, T>(
    module: &mut Module,
    function: T,
) where
    R: Clone + 'static,
    T: RhaiNativeFunc<A, N, X, R, F> + 'static,
{
    #[cfg(test)]
    note("index", "[]", N);
    FuncRegistration::new_index_getter().set_into_module(module, function);
}
