//! Provider tables as arrays of the engine.

use std::collections::HashMap;

use rquickjs::Array;
use rquickjs::Ctx;
use rquickjs::IntoJs;
use rquickjs::Result;
use rquickjs::String as JsString;
use rquickjs::Value;

use crate::diagnostics::Mask;
use crate::rpc::Url;
use crate::rpc::keys;
use crate::script::ProviderTable;

/// What stands for a password.
const STARS: &str = "******";

/// The parameter `key` of `url` as a script may see it.
pub(super) fn parameter<'a>(url: &'a Url, key: &str) -> Option<&'a str> {
    let value = url.parameter(key);
    if key == keys::PASSWORD { value.map(|_| STARS) } else { value }
}

/// The parameter `key` of each provider.
pub(super) fn parameters<'js>(ctx: &Ctx<'js>, table: &ProviderTable, key: &str) -> Result<Array<'js>> {
    texts(ctx, table.urls().iter().map(|url| parameter(url, key)))
}

/// A part of each provider's URL.
pub(super) fn parts<'js>(ctx: &Ctx<'js>, table: &ProviderTable, name: &str) -> Result<Array<'js>> {
    let urls = table.urls().iter();
    match name {
        "port" => {
            let ports = Array::new(ctx.clone())?;
            for (at, url) in urls.enumerate() {
                ports.set(at, url.port().unwrap_or(0))?;
            }
            Ok(ports)
        }
        "protocol" => texts(ctx, urls.map(Url::protocol)),
        "host" => texts(ctx, urls.map(Url::host)),
        "address" => texts(ctx, urls.map(Url::address)),
        "path" => texts(ctx, urls.map(Url::path)),
        _ => {
            let mask = Mask::new([]);
            let shown = |url: &'_ Url| {
                if url.as_str().contains(keys::PASSWORD) {
                    mask.text(url.as_str()).into_owned()
                } else {
                    url.as_str().to_owned()
                }
            };
            let shown: Vec<String> = urls.map(shown).collect();
            texts(ctx, shown.iter().map(|text| Some(text.as_str())))
        }
    }
}

/// Many providers say the same; equal texts are one value of the engine.
fn texts<'a, 'js>(ctx: &Ctx<'js>, values: impl Iterator<Item = Option<&'a str>>) -> Result<Array<'js>> {
    let array = Array::new(ctx.clone())?;
    let mut known: HashMap<&str, JsString<'js>> = HashMap::new();
    for (at, value) in values.enumerate() {
        let Some(value) = value else {
            array.set(at, Value::new_null(ctx.clone()))?;
            continue;
        };
        let text = match known.get(value) {
            Some(text) => text.clone(),
            None => {
                let text = JsString::from_str(ctx.clone(), value)?;
                known.insert(value, text.clone());
                text
            }
        };
        array.set(at, text.into_js(ctx)?)?;
    }
    Ok(array)
}
