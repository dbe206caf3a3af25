//! Providers as natives know them: what rules ask most is answered without a frame of the language.

use std::collections::VecDeque;
use std::rc::Rc;

use boa_engine::Context;
use boa_engine::JsArgs;
use boa_engine::JsNativeError;
use boa_engine::JsObject;
use boa_engine::JsResult;
use boa_engine::JsString;
use boa_engine::JsValue;
use boa_engine::NativeFunction;
use boa_engine::object::builtins::JsArray;
use boa_engine::object::builtins::JsFunction;
use boa_engine::property::PropertyKey;
use hashbrown::HashMap;

use crate::script::ProviderTable;
use crate::script::Run;
use crate::script::boa::context::Current;
use crate::script::boa::host;
use crate::script::boa::values;

/// What marks an object as a provider, or its URL: the number of its table, its place there, and a provider's URL. No
/// rule can make one.
type Known = (u64, u32, Option<JsObject>);

/// The parameters of tables, by column, as far as rules looked at them.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// The oldest first.
    tables: VecDeque<TableColumns>,
    /// The column that was read last in this run.
    last: Option<Column>,
    /// Set when a rule wrote to a URL: what it wrote is known in the language only.
    is_off: bool,
}

#[derive(Debug)]
struct TableColumns {
    table: u64,
    columns: HashMap<JsString, Rc<[JsValue]>>,
}

#[derive(Debug, Clone)]
struct Column {
    table: u64,
    key: JsString,
    values: Rc<[JsValue]>,
}

/// As many as the prelude keeps.
const MOST_TABLES: usize = 8;
const MOST_COLUMNS: usize = 64;

// === impl Columns ===

impl Columns {
    /// Begins a run.
    pub(super) fn begin(&mut self) {
        self.last = None;
        self.is_off = false;
    }

    /// Forgets a table.
    pub(super) fn forget(&mut self, table: u64) {
        self.last = None;
        self.tables.retain(|known| known.table != table);
    }

    /// The parameter `key` of a provider; none where the language has to answer.
    fn value(
        &mut self,
        (table, place): (u64, u32),
        key: &JsString,
        run: impl FnOnce() -> Option<Rc<Run>>,
    ) -> Option<JsValue> {
        if self.is_off {
            return None;
        }
        let is_last = |last: &&Column| last.table == table && last.key == *key;
        if let Some(last) = self.last.as_ref().filter(is_last) {
            return last.values.get(place as usize).cloned();
        }
        let run = run().filter(|run| run.table().number() == table)?;
        let text = key.to_std_string_lossy();
        let column = self.column(run.table(), key, &text)?;
        run.note_column(&text);
        let value = column.values.get(place as usize).cloned();
        self.last = Some(column);
        value
    }

    fn column(&mut self, table: &ProviderTable, key: &JsString, text: &str) -> Option<Column> {
        let number = table.number();
        if !self.tables.iter().any(|known| known.table == number) {
            if self.tables.len() >= MOST_TABLES {
                self.tables.pop_front();
            }
            self.tables.push_back(TableColumns { table: number, columns: HashMap::new() });
        }
        let own = &mut self.tables.iter_mut().find(|known| known.table == number)?.columns;
        if own.len() >= MOST_COLUMNS && !own.contains_key(key) {
            return None;
        }
        let values = own.entry(key.clone()).or_insert_with(|| host::column_of(table, text).into());
        Some(Column { table: number, key: key.clone(), values: Rc::clone(values) })
    }
}

/// An object for the provider of a table, by number and place, below the prototype that is the third argument; the fourth
/// is its URL.
pub(super) fn known(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let table = args.get_or_undefined(0).as_number().unwrap_or_default() as u64;
    let place = args.get_or_undefined(1).to_u32(context)?;
    // PERF: only objects of one shape are found in the engine's caches (`script/inline`).
    let known: Known = (table, place, args.get_or_undefined(3).as_object());
    let object = JsObject::new(context.root_shape(), args.get_or_undefined(2).as_object(), known);
    Ok(object.upcast().into())
}

/// A native that answers what the method that is the argument would; that one is called for what natives do not know.
/// The second argument tells whether an absent value, or an empty one, is answered as it is where there is no default.
pub(super) fn quick(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let answers_null = args.get_or_undefined(1).to_boolean();
    in_front_of(args, context, move |this, args, context| {
        let default = args.get_or_undefined(1);
        let is_known = default.is_undefined() || default.is_string();
        match value(this, args, context).filter(|_| is_known) {
            Some(value) if value.as_string().is_some_and(|text| !text.is_empty()) => Some(value),
            Some(_) if default.is_string() => Some(default.clone()),
            value => value.filter(|_| answers_null),
        }
    })
}

/// The same for the URL of a provider.
pub(super) fn quick_url(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    in_front_of(args, context, |this, _, _| Some(this.as_object()?.downcast_ref::<Known>()?.2.clone()?.into()))
}

/// The same for the element of a list at a place.
pub(super) fn quick_get(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    in_front_of(args, context, |this, args, _| {
        let place = u32::try_from(args.first()?.as_i32()?).ok()?;
        let list = this.as_object().filter(JsObject::is_array)?;
        let element = list.borrow().properties().get(&PropertyKey::from(place))?;
        element.value().filter(|value| !value.is_undefined()).cloned()
    })
}

/// The same for the length of a list.
pub(super) fn quick_size(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    in_front_of(args, context, |this, _, _| {
        let list = this.as_object().filter(JsObject::is_array)?;
        list.borrow().properties().get(&PropertyKey::from(JsString::from("length")))?.value().cloned()
    })
}

/// A native that answers by itself where it can, and else calls the method that is the first argument.
fn in_front_of(
    args: &[JsValue],
    context: &mut Context,
    answer: impl Fn(&JsValue, &[JsValue], &Context) -> Option<JsValue> + Copy + 'static,
) -> JsResult<JsValue> {
    let method = args.get_or_undefined(0).as_object().and_then(JsFunction::from_object);
    let method = method.ok_or_else(|| JsNativeError::typ().with_message("a function was expected"))?;
    let both = move |this: &JsValue, args: &[JsValue], method: &JsFunction, context: &mut Context| {
        answer(this, args, context).map_or_else(|| method.call(this, args, context), Ok)
    };
    Ok(NativeFunction::from_copy_closure_with_captures(both, method).to_js_function(context.realm()).into())
}

fn value(this: &JsValue, args: &[JsValue], context: &Context) -> Option<JsValue> {
    let this = this.as_object()?;
    let known = this.downcast_ref::<Known>()?;
    let key = args.first()?.as_string()?;
    let current = context.get_data::<Current>()?;
    current.columns.borrow_mut().value((known.0, known.1), &key, || current.run())
}

/// A rule wrote to a URL.
pub(super) fn touched(_: &JsValue, _: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    if let Some(current) = context.get_data::<Current>() {
        current.columns.borrow_mut().is_off = true;
    }
    Ok(JsValue::undefined())
}

/// An array of the run's candidates among the invokers of the table, which are the argument.
pub(super) fn candidates(_: &JsValue, args: &[JsValue], context: &mut Context) -> JsResult<JsValue> {
    let run = host::run(context)?;
    let all = elements(args.get_or_undefined(0));
    if run.candidates().count() == all.len() {
        return Ok(values::array(all, context));
    }
    let picked: Vec<_> = run.candidates().positions().filter_map(|place| all.get(place).cloned()).collect();
    Ok(values::array(picked, context))
}

/// Whether all elements of an array are there without calling a function.
pub(super) fn is_plain(_: &JsValue, args: &[JsValue], _: &mut Context) -> JsResult<JsValue> {
    let array = args.get_or_undefined(0).as_object();
    let is_plain = array.is_none_or(|array| {
        array.borrow().properties().index_property_values().all(|element| element.value().is_some())
    });
    Ok(is_plain.into())
}

/// The places of the good ones among the first elements of a plain array.
pub(super) fn places(list: &JsArray, length: u64, table: u64) -> Vec<u32> {
    let place = |element: &JsValue| {
        let element = element.as_object()?;
        let known = element.downcast_ref::<Known>()?;
        (known.0 == table).then_some(known.1)
    };
    let list = list.borrow();
    let (keys, values) = (list.properties().index_property_keys(), list.properties().index_property_values());
    // The engine keeps what stood behind the end of an array that was cut.
    let good = keys.zip(values).filter(|(at, _)| u64::from(*at) < length);
    good.filter_map(|(_, element)| place(element.value()?)).collect()
}

/// The elements of an array, in order where it has no holes.
pub(super) fn elements(array: &JsValue) -> Vec<JsValue> {
    let Some(array) = array.as_object() else { return Vec::new() };
    let array = array.borrow();
    array.properties().index_property_values().filter_map(|element| element.value().cloned()).collect()
}
