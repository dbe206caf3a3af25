//! The committed header is the one that this crate makes.

use std::fs;
use std::path::Path;

#[test]
fn the_committed_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/api");
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let sources = ["src/abi.rs", "src/blob.rs"];
    let builder =
        sources.iter().fold(cbindgen::Builder::new().with_config(config), |it, path| it.with_src(root.join(path)));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let path = root.join("include/pointsman_plugin.h");
    if std::env::var_os("POINTSMAN_UPDATE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let committed = fs::read(&path).unwrap_or_default();
    assert!(committed == made, "`POINTSMAN_UPDATE=1 cargo test --test plugins -- header` writes it anew");
}
