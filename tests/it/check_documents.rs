//! What is wrong with rule documents is told whole, each slip at its place.

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const PROVIDERS: &str =
    "dubbo://10.0.0.1:20880/com.shop.OrderService?application=shop-order&region=hangzhou&env=gray\n";

#[test]
fn broken_documents_match_their_snapshots() {
    insta::glob!("../golden/broken_documents", "*.yaml", |path| {
        let text = std::fs::read(path).unwrap();
        let folder = TestFolder::empty().with("providers.txt", PROVIDERS).with("rules/case.yaml", text);
        let (code, out, log) = told(pointsman(&["check", "--format", "plain"]).arg(folder.path()).output().unwrap());
        let is_broken = out.contains(": error ");
        assert_eq!((code, log.as_str()), (Some(if is_broken { 4 } else { 0 }), ""), "{out}");
        insta::assert_snapshot!(out);
    });
}
