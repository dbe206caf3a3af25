//! What a script can reach, and that tables are kept and let go.

use std::rc::Rc;
use std::sync::Arc;

use crate::router::InvokerList;
use crate::rpc::Provider;
use crate::rpc::ServiceKey;
use crate::rpc::Url;
use crate::script::ProviderTable;
use crate::script::rhai::call::BINDINGS;
use crate::script::rhai::host::Host;
use crate::script::rhai::library;
use crate::script::rhai::register::REGISTERED;
use crate::script::rhai::tables::Tables;

/// The host's functions by name and number of parameters, the types, the bindings, and how many functions there are with
/// those of Rhai's own packages, so that a new version of the library cannot bring one unseen. Modules and `eval` are
/// gone, so there is no other way to anything.
#[test]
fn what_a_script_can_reach_is_listed() {
    let module = library::module(&Rc::new(Host::new()));
    let text = format!("{module:?}");
    assert!(text.contains("modules: []") && text.contains("vars: {}"), "{text}");
    let types = text.split("custom_types: [").nth(1).and_then(|rest| rest.split("], ").next()).unwrap_or_default();
    let types = types.split('"').skip(1).step_by(2).map(|name| format!("type {}", name.rsplit("::").next().unwrap()));
    let functions = ["NativePureFunction", "NativeMethod", "PluginFunction"].map(|kind| text.matches(kind).count());
    let mut reached: Vec<String> = REGISTERED.with_borrow(|registered| registered.iter().cloned().collect());
    reached.extend(types);
    reached.extend(BINDINGS.iter().map(|name| format!("binding {name}")));
    reached.push("binding invokers".to_owned());
    reached.push(format!("functions {}", functions.iter().sum::<usize>()));
    reached.sort();
    let reached = reached.join("\n") + "\n";
    if let Ok(path) = std::env::var("POINTSMAN_REACHABLE") {
        std::fs::write(path, &reached).unwrap();
    }
    assert_eq!(reached, include_str!("../../../tests/reachable/rhai.txt"));
}

#[test]
fn eight_tables_are_kept_and_a_forgotten_one_is_made_anew() {
    let table = |number| {
        let provider = Provider::from(Url::parse("dubbo://h:1/S?a=b").unwrap());
        Arc::new(ProviderTable::of(&InvokerList::of(ServiceKey::parse("S"), vec![provider]), number))
    };
    let mut tables = Tables::default();
    let first = tables.columns(&table(1));
    assert!(Rc::ptr_eq(&first, &tables.columns(&table(1))));
    (2..=8).for_each(|number| drop(tables.columns(&table(number))));
    assert!(Rc::ptr_eq(&first, &tables.columns(&table(1))));
    drop(tables.columns(&table(9)));
    assert!(!Rc::ptr_eq(&first, &tables.columns(&table(1))));
    let ninth = tables.columns(&table(9));
    tables.forget(9);
    assert!(!Rc::ptr_eq(&ninth, &tables.columns(&table(9))));
}
