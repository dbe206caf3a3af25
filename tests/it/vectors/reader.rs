//! Reads the files: definitions of worlds, calls and documents, and rows that name them.

use std::collections::HashMap;
use std::path::PathBuf;

use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Url;
use pointsman::rpc::Value;
use serde_json::Map;
use serde_json::Value as Json;

/// A consumer and the providers it sees.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) consumer: Url,
    pub(crate) invokers: Vec<Url>,
    /// `interface:version:group` of the service that the consumer asks for.
    pub(crate) service: String,
}

/// One question with its answers.
#[derive(Debug)]
pub(crate) struct Row {
    fields: Map<String, Json>,
}

/// One file.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    pub(crate) rows: Vec<Row>,
    worlds: HashMap<String, World>,
    calls: HashMap<String, RpcInvocation<'static>>,
    documents: HashMap<String, String>,
}

impl Row {
    /// The field `name`; JSON's null where it is missing.
    pub(crate) fn get(&self, name: &str) -> &Json {
        self.fields.get(name).unwrap_or(&Json::Null)
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).as_str().unwrap_or_else(|| panic!("row {} has no text `{name}`", self.id()))
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).as_bool().unwrap_or_else(|| panic!("row {} has no flag `{name}`", self.id()))
    }

    pub(crate) fn id(&self) -> &str {
        self.get("id").as_str().unwrap_or("without id")
    }
}

impl Vectors {
    /// Reads `kind`.jsonl of the folder in `POINTSMAN_VECTORS`, else of `tests/vectors`; `None` if that folder lacks it.
    pub(crate) fn load(kind: &str) -> Option<Self> {
        let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
        let folder = std::env::var_os("POINTSMAN_VECTORS").map_or(own.clone(), PathBuf::from);
        let path = folder.join(format!("{kind}.jsonl"));
        if folder != own && !path.exists() {
            println!("{kind}: {} has no such file", folder.display());
            return None;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut vectors = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let Json::Object(fields) = serde_json::from_str(line).unwrap() else { panic!("no object: {line}") };
            vectors.add(fields);
        }
        Some(vectors)
    }

    pub(crate) fn world(&self, row: &Row) -> &World {
        self.worlds.get(row.text("world")).unwrap_or_else(|| panic!("row {} has no world", row.id()))
    }

    pub(crate) fn call(&self, row: &Row) -> &RpcInvocation<'static> {
        self.calls.get(row.text("call")).unwrap_or_else(|| panic!("row {} has no call", row.id()))
    }

    /// The call that `name` names.
    pub(crate) fn call_named(&self, name: &Json) -> &RpcInvocation<'static> {
        name.as_str().and_then(|name| self.calls.get(name)).unwrap_or_else(|| panic!("no call `{name}`"))
    }

    /// The text of the document that `name` names; `None` for null.
    pub(crate) fn document(&self, name: &Json) -> Option<&str> {
        let text = |name| self.documents.get(name).unwrap_or_else(|| panic!("no document `{name}`"));
        name.as_str().map(|name| text(name).as_str())
    }

    fn add(&mut self, fields: Map<String, Json>) {
        let row = Row { fields };
        if row.fields.contains_key("id") {
            self.rows.push(row);
        } else if let Some(name) = row.get("world").as_str() {
            self.worlds.insert(name.to_owned(), world(&row));
        } else if let Some(name) = row.get("call").as_str() {
            self.calls.insert(name.to_owned(), call(&row));
        } else if let Some(name) = row.get("doc").as_str() {
            self.documents.insert(name.to_owned(), row.text("text").to_owned());
        } else {
            panic!("neither a row nor a definition: {row:?}");
        }
    }
}

fn world(row: &Row) -> World {
    let url = |text: &str| Url::parse(text).unwrap_or_else(|error| panic!("`{text}`: {error}"));
    let invokers = row.get("invokers").as_array().unwrap().iter().map(|text| url(text.as_str().unwrap())).collect();
    let consumer = url(row.text("consumer"));
    let part = |key| consumer.parameter(key).unwrap_or_default();
    let interface = consumer.service_interface().unwrap_or_default();
    let service = format!("{interface}:{}:{}", part("version"), part("group"));
    World { consumer, invokers, service }
}

fn call(row: &Row) -> RpcInvocation<'static> {
    let mut call = RpcInvocation::new("", row.text("method").to_owned());
    let types = row.get("types").as_array().unwrap();
    for (parameter_type, value) in types.iter().zip(row.get("args").as_array().unwrap()) {
        let parameter_type = parameter_type.as_str().unwrap().to_owned();
        call = call.with_argument(parameter_type, Value::from_json(value.clone()));
    }
    for (key, value) in row.get("attachments").as_object().unwrap() {
        call = call.with_attachment(key.clone(), value.as_str().unwrap().to_owned());
    }
    call
}
