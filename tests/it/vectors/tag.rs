//! `tag`: a tag document or none, one call, the positions kept.

use pointsman::rpc::Url;

use super::document_differences;
use super::documents::Case;
use super::documents::covering;
use super::engine::Placed;
use super::engine::Role;
use super::reader::Vectors;
use super::report::Report;
use super::tag_differences::DIFFERENCES;
use crate::support::naive::Reading;

#[test]
fn tags_keep_whom_dubbo_keeps() {
    let Some(vectors) = Vectors::load("tag") else { return };
    let mut report = Report::new("tag");
    for row in &vectors.rows {
        let world = vectors.world(row);
        let application = world.invokers.first().and_then(application).unwrap_or_default();
        let (before, text) = (vectors.document(row.get("before")), vectors.document(row.get("doc")));
        let placed = Placed { role: Role::Tag, scope: "application", key: application, before, text };
        let case = Case { world, call: vectors.call(row), documents: vec![placed], reading: Reading::AsDubbo };
        let names = [covering(&case, document_differences::DIFFERENCES), covering(&case, DIFFERENCES)].concat();
        report.add([case.judge(row.get("java33"), names, row.id())]);
    }
    report.finish(8);
}

fn application(provider: &Url) -> Option<&str> {
    provider.parameter("remote.application").or_else(|| provider.parameter("application"))
}
