//! Invokers and their URLs as Rhai sees them: handles that hold a position.

use std::rc::Rc;

use rhai::Dynamic;
use rhai::ImmutableString;
use rhai::Map;
use rhai::Module;

use crate::script::rhai::columns::Part;
use crate::script::rhai::columns::shown_parameters;
use crate::script::rhai::host::Host;
use crate::script::rhai::register::method;
use crate::script::rhai::register::property;
use crate::script::rhai::register::set;
use crate::script::rhai::register::written;

/// The provider at a position of the table. Only the host makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Invoker(pub(super) u32);

/// Its URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProviderUrl(u32);

/// The parts that `url.x` reads and, on the run's copy, writes.
const PARTS: [(&str, Part); 8] = [
    ("host", Part::Host),
    ("port", Part::Port),
    ("address", Part::Address),
    ("path", Part::Path),
    ("protocol", Part::Protocol),
    ("service", Part::Service),
    ("group", Part::Group),
    ("version", Part::Version),
];

/// Registers both types.
pub(super) fn register(module: &mut Module, host: &Rc<Host>) {
    module.set_custom_type::<Invoker>("Invoker").set_custom_type::<ProviderUrl>("Url");
    set(module, property("url"), |invoker: &mut Invoker| ProviderUrl(invoker.0));
    // A write such as `invoker.url.host = "x"` ends with writing `url` back.
    set(module, written("url"), |_: &mut Invoker, _: ProviderUrl| ());
    let it = host.clone();
    set(module, property("available"), move |invoker: &mut Invoker| {
        let position = invoker.0 as usize;
        it.read(|run| run.is_available(position))
    });
    let it = host.clone();
    set(module, property("address"), move |invoker: &mut Invoker| it.part(invoker.0, Part::Address));
    register_parameters(module, host, |invoker: &mut Invoker| invoker.0);
    set(module, method("=="), |one: &mut Invoker, other: Invoker| *one == other);
    set(module, method("!="), |one: &mut Invoker, other: Invoker| *one != other);

    for (name, part) in PARTS {
        let it = host.clone();
        set(module, property(name), move |url: &mut ProviderUrl| it.part(url.0, part));
        let it = host.clone();
        set(module, written(name), move |url: &mut ProviderUrl, value: Dynamic| it.rewrite(url.0, part, value));
    }
    register_parameters(module, host, |url: &mut ProviderUrl| url.0);
    let it = host.clone();
    set(module, property("params"), move |url: &mut ProviderUrl| {
        let position = url.0 as usize;
        it.read(|run| run.table().url(position).map(shown_parameters).unwrap_or_else(Map::new))
    });
    set(module, method("=="), |one: &mut ProviderUrl, other: ProviderUrl| *one == other);
    set(module, method("!="), |one: &mut ProviderUrl, other: ProviderUrl| *one != other);
}

/// `x.param(key)`, `x.param(key, default)`, and the text of `x`.
fn register_parameters<T: rhai::Variant + Clone>(module: &mut Module, host: &Rc<Host>, position: fn(&mut T) -> u32) {
    let it = host.clone();
    set(module, method("param"), move |value: &mut T, key: ImmutableString| it.parameter(position(value), &key));
    let it = host.clone();
    set(module, method("param"), move |value: &mut T, key: ImmutableString, default: Dynamic| {
        let found = it.parameter(position(value), &key);
        // As in Dubbo, an empty value is none.
        let is_empty = found.is_unit() || found.as_immutable_string_ref().is_ok_and(|text| text.is_empty());
        if is_empty { default } else { found }
    });
    for name in ["to_string", "to_debug"] {
        let it = host.clone();
        set(module, method(name), move |value: &mut T| -> ImmutableString {
            it.part(position(value), Part::Text).into_immutable_string().unwrap_or_default()
        });
    }
}
