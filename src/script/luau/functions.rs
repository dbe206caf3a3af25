//! The functions of the host that `library.lua` and `host.lua` stand on.

use std::rc::Rc;

use mlua::FromLuaMulti;
use mlua::IntoLuaMulti;
use mlua::Lua;
use mlua::LuaString;
use mlua::Result;
use mlua::Table;
use mlua::Value;

use crate::router::ClockGranularity;
use crate::script::Run;
use crate::script::luau::host::Host;
use crate::script::luau::urls;
use crate::script::luau::urls::Part;
use crate::script::luau::values;

/// A table of functions under construction.
struct Functions<'a> {
    lua: &'a Lua,
    host: &'a Rc<Host>,
    table: Table,
}

/// The table of all functions.
pub(super) fn table(lua: &Lua, host: &Rc<Host>) -> Result<Table> {
    let functions = Functions { lua, host, table: lua.create_table()? };
    functions.add_effects()?;
    functions.add_providers()?;
    functions.add_call()?;
    Ok(functions.table)
}

// === impl Functions ===

impl Functions<'_> {
    fn add<A, R>(&self, name: &str, function: impl Fn(&Lua, &Host, A) -> Result<R> + 'static) -> Result<()>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
    {
        let host = Rc::clone(self.host);
        self.table.raw_set(name, self.lua.create_function(move |lua, arguments| function(lua, &host, arguments))?)
    }

    fn add_effects(&self) -> Result<()> {
        self.add("log", |_, host, text: LuaString| {
            host.run()?.log(&text.to_string_lossy());
            Ok(())
        })?;
        self.add("order", |_, host, ()| {
            host.run()?.mark_impure("it visits a table in an order that may change");
            Ok(())
        })?;
        self.add("caught", |lua, host, problem: Value| {
            let error = match problem {
                Value::Error(error) => *error,
                _ => mlua::Error::MemoryError(String::new()),
            };
            host.caught(lua, &error)?;
            Ok(error.to_string())
        })?;
        self.add("random", |_, host, ()| Ok(host.run()?.random()))?;
        self.add("now", |_, host, part: LuaString| Ok(now(&*host.run()?, &part.as_bytes()) as f64))?;
        self.add("settled", |lua, host, ()| host.settle(lua))?;
        self.add("find", |_, _, (subject, pattern, first): (LuaString, LuaString, f64)| {
            let (subject, pattern) = (subject.as_bytes(), pattern.as_bytes());
            let length = subject.len() as f64;
            let first = if first < 0.0 { (length + first).max(0.0) } else { (first - 1.0).max(0.0) };
            let Some(rest) = subject.get(first as usize..) else { return Ok((None, None)) };
            let at = memchr::memmem::find(rest, &pattern).map(|at| at as f64 + first.trunc());
            Ok((at.map(|at| at + 1.0), at.map(|at| at + pattern.len() as f64)))
        })
    }

    fn add_providers(&self) -> Result<()> {
        self.add("note", |_, host, key: LuaString| {
            host.run()?.note_column(&key.to_string_lossy());
            Ok(())
        })?;
        self.add("column", |lua, host, key: LuaString| {
            let (run, key) = (host.run()?, key.to_string_lossy());
            run.note_column(&key);
            let urls = run.table().urls();
            let Some(first) = urls.iter().position(|url| url.parameter(&key).is_some()) else { return Ok(None) };
            host.lift(lua)?;
            let column = lua.create_table_with_capacity(urls.len(), 0)?;
            for (index, url) in urls.iter().enumerate() {
                let value = (index >= first).then(|| urls::parameter(url, &key)).flatten();
                push(lua, &column, index, value.map(|text| Part::Text(text.into())))?;
            }
            Ok(Some(column))
        })?;
        self.add("part", |lua, host, name: LuaString| {
            let (table, name) = (host.table()?, name.to_string_lossy());
            let urls = table.urls();
            host.lift(lua)?;
            let column = lua.create_table_with_capacity(urls.len(), 0)?;
            for (index, url) in urls.iter().enumerate() {
                push(lua, &column, index, urls::part(url, &name))?;
            }
            Ok(column)
        })?;
        self.add("params", |lua, host, position: usize| {
            let run = host.run()?;
            let params = lua.create_table()?;
            for (key, value) in run.table().url(position.saturating_sub(1)).into_iter().flat_map(|url| url.parameters())
            {
                params.raw_set(key, urls::masked(key, value))?;
            }
            Ok(params)
        })?;
        self.add("method_param", |lua, host, (position, method, key): (usize, LuaString, LuaString)| {
            let (run, method, key) = (host.run()?, method.to_string_lossy(), key.to_string_lossy());
            run.note_column(&key);
            let url = run.table().url(position.saturating_sub(1));
            let value = url.and_then(|url| url.method_parameter(&method, &key)).map(|value| urls::masked(&key, value));
            value.map(|value| lua.create_string(value)).transpose()
        })
    }

    fn add_call(&self) -> Result<()> {
        self.add("method", |lua, host, ()| lua.create_string(host.run()?.method()))?;
        self.add("target_method", |lua, host, ()| lua.create_string(host.run()?.target_method()))?;
        self.add("service", |lua, host, ()| lua.create_string(host.run()?.service()))?;
        self.add("parameter_types", |lua, host, ()| {
            lua.create_sequence_from(host.run()?.parameter_types().iter().map(String::as_str))
        })?;
        self.add("arguments", |lua, host, ()| {
            let (run, list) = (host.run()?, lua.create_table()?);
            for (index, value) in run.arguments().iter().enumerate() {
                list.raw_set(index + 1, values::to_lua(lua, value)?)?;
            }
            Ok(list)
        })?;
        self.add("available", |_, host, position: usize| Ok(host.run()?.is_available(position.wrapping_sub(1))))?;
        self.add("argument_count", |_, host, ()| Ok(host.run()?.argument_count() as f64))?;
        self.add("argument", |lua, host, index: f64| {
            // An index that is no whole number from 1 names no argument, and reads nothing.
            if index < 1.0 || index.fract() != 0.0 || index > f64::from(u32::MAX) {
                return Ok(Value::Nil);
            }
            host.run()?.argument(index as usize - 1).map_or(Ok(Value::Nil), |value| values::to_lua(lua, value))
        })?;
        self.add("attachment", |lua, host, key: LuaString| {
            let run = host.run()?;
            run.attachment(&key.to_string_lossy()).map(|value| lua.create_string(value)).transpose()
        })?;
        self.add("attachments", |lua, host, ()| {
            let (run, map) = (host.run()?, lua.create_table()?);
            for (key, value) in run.attachments() {
                map.raw_set(key.as_str(), value.as_str())?;
            }
            Ok(map)
        })
    }
}

/// Puts a value of a column at `index`, counted from 0; an absent one is `false`, so that the table stays a list.
fn push(lua: &Lua, column: &Table, index: usize, value: Option<Part<'_>>) -> Result<()> {
    match value {
        None => column.raw_set(index + 1, false),
        Some(Part::Number(number)) => column.raw_set(index + 1, f64::from(number)),
        Some(Part::Text(text)) => column.raw_set(index + 1, lua.create_string(text.as_ref())?),
    }
}

fn now(run: &Run, part: &[u8]) -> i64 {
    match part {
        b"weekday" => run.now(ClockGranularity::Weekday),
        b"hour" => run.now(ClockGranularity::Hour),
        b"minute" => run.now(ClockGranularity::Minute),
        b"offset" => run.zone_offset_minutes(),
        _ => run.now(ClockGranularity::Instant),
    }
}
