//! Values of a call as values of Lua.

use mlua::Lua;
use mlua::Result;
use mlua::Value as LuaValue;

use crate::rpc::Value;

/// Deeper lists and maps are cut off.
const MAX_DEPTH: u32 = 64;

/// The value in Lua: numbers are doubles, an absent value is nil, a list counts from 1.
pub(super) fn to_lua(lua: &Lua, value: &Value<'_>) -> Result<LuaValue> {
    at_depth(lua, value, 0)
}

fn at_depth(lua: &Lua, value: &Value<'_>, depth: u32) -> Result<LuaValue> {
    match value {
        Value::Bool(value) => Ok(LuaValue::Boolean(*value)),
        Value::Int(value) => Ok(LuaValue::Number(*value as f64)),
        Value::Double(value) => Ok(LuaValue::Number(*value)),
        Value::Text(text) => lua.create_string(text.as_ref()).map(LuaValue::String),
        Value::List(values) if depth < MAX_DEPTH => {
            let list = lua.create_table_with_capacity(values.len(), 0)?;
            for (index, value) in values.iter().enumerate() {
                list.raw_set(index + 1, at_depth(lua, value, depth + 1)?)?;
            }
            Ok(LuaValue::Table(list))
        }
        Value::Map(entries) if depth < MAX_DEPTH => {
            let map = lua.create_table_with_capacity(0, entries.len())?;
            for (key, value) in entries {
                map.raw_set(key.as_ref(), at_depth(lua, value, depth + 1)?)?;
            }
            Ok(LuaValue::Table(map))
        }
        _ => Ok(LuaValue::Nil),
    }
}
