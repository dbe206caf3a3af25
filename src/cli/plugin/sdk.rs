//! The SDK as it is written into a new project: the sources that this program was built beside.

/// The header for C.
pub(crate) const HEADER: &str = include_str!("../../../plugins/api/include/pointsman_plugin.h");

/// The router of the SDK's first example, in C.
pub(crate) const EXAMPLE_IN_C: &str = include_str!("../../../examples/plugin-c/area_code.c");

macro_rules! sources {
    ($($path:literal)*) => {
        [$(($path, include_str!(concat!("../../../plugins/", $path)))),*]
    };
}

/// Sources by their path in the SDK: `api/…` and `sdk/…`, which are packages of other names.
const SOURCES: &[(&str, &str)] = &sources! {
    "api/src/abi.rs"
    "api/src/blob.rs"
    "api/src/lib.rs"
    "api/src/manifest.rs"
    "api/src/write.rs"
    "sdk/src/bitmap.rs"
    "sdk/src/blob.rs"
    "sdk/src/call.rs"
    "sdk/src/config.rs"
    "sdk/src/export.rs"
    "sdk/src/host.rs"
    "sdk/src/index.rs"
    "sdk/src/lib.rs"
    "sdk/src/log.rs"
    "sdk/src/macros.rs"
    "sdk/src/manifest.rs"
    "sdk/src/panic.rs"
    "sdk/src/router.rs"
    "sdk/src/selection.rs"
    "sdk/src/testing/answer.rs"
    "sdk/src/testing/call.rs"
    "sdk/src/testing/declared.rs"
    "sdk/src/testing/fuzz.rs"
    "sdk/src/testing/harness.rs"
    "sdk/src/testing/host.rs"
    "sdk/src/testing/mod.rs"
    "sdk/src/testing/session.rs"
    "sdk/src/testing/url.rs"
};

/// Files below `vendor/`.
pub(crate) static FILES: std::sync::LazyLock<Vec<(String, &'static str)>> = std::sync::LazyLock::new(|| {
    let place = |path: &str| path.replacen("api/", "pointsman-plugin-api/", 1).replacen("sdk/", "pointsman-plugin/", 1);
    SOURCES.iter().map(|(path, text)| (place(path), *text)).collect()
});

/// Manifests without what belongs to this workspace.
pub(crate) fn manifests() -> [(&'static str, String); 2] {
    let package = |name: &str| {
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\nrust-version = \"{}\"\n\
             license = \"MIT OR Apache-2.0\"\n",
            env!("CARGO_PKG_RUST_VERSION")
        )
    };
    let api = "\n[dependencies]\npointsman-plugin-api = { path = \"../pointsman-plugin-api\" }\n";
    [
        ("pointsman-plugin-api/Cargo.toml", package("pointsman-plugin-api")),
        ("pointsman-plugin/Cargo.toml", package("pointsman-plugin") + api),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_source_of_the_sdk_is_written() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins");
        let mut found = BTreeSet::new();
        let mut folders = vec!["api/src".to_owned(), "sdk/src".to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(root.join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    folders.push(path)
                } else {
                    found.extend(Some(path))
                };
            }
        }
        let written: BTreeSet<String> = SOURCES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(written, found);
    }
}
