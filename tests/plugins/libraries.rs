//! The libraries that tests use: built once, from `plugins/` and `examples/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

type Built = Arc<Mutex<BTreeMap<Vec<String>, PathBuf>>>;

static BUILT: LazyLock<Built> = LazyLock::new(Built::default);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn place() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The library of a package of the workspace, with further flags for rustc.
pub(crate) fn rust(package: &str, flags: &str) -> PathBuf {
    let mut built = BUILT.lock();
    let key = vec![package.to_owned(), flags.to_owned()];
    if let Some(path) = built.get(&key) {
        return path.clone();
    }
    let target = place().join(format!("plugins{}", flags.replace([' ', '='], "-")));
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--package", package, "--target-dir"])
        .arg(&target)
        .current_dir(root())
        .env("RUSTFLAGS", flags)
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .unwrap();
    assert!(status.success(), "{package}");
    let path = target.join(format!("debug/lib{}.so", package.replace('-', "_")));
    built.insert(key, path.clone());
    path
}

/// A library in C: `source` below `plugins/fixture-c`, with further arguments for the compiler.
pub(crate) fn c(source: &str, arguments: &[&str]) -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let mut built = BUILT.lock();
    let key: Vec<String> = [source].iter().chain(arguments).map(|&word| word.to_owned()).collect();
    if let Some(path) = built.get(&key) {
        return path.clone();
    }
    let folder = place().join(format!("fixtures-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = match source {
        "unlisted.c" => folder.join("libunlisted.so"),
        _ => {
            let name = Path::new(source).file_stem().unwrap().to_string_lossy();
            folder.join(format!("{name}-{number}.so"))
        }
    };
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-pthread"])
        .arg("-I")
        .arg(root().join("plugins/api/include"))
        .arg("-o")
        .arg(&path)
        .arg(root().join("plugins/fixture-c").join(source))
        .args(arguments)
        .arg("-L")
        .arg(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{source} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    built.insert(key, path.clone());
    path
}

/// A library without what debuggers want.
pub(crate) fn stripped(library: &Path) -> PathBuf {
    let path = library.with_extension("stripped.so");
    let status = Command::new("strip").arg("-o").arg(&path).arg(library).status().unwrap();
    assert!(status.success());
    path
}

/// A copy of a library that is another one by its hash, and the same plugin.
pub(crate) fn copy_of(library: &Path, number: usize) -> Vec<u8> {
    let mut bytes = fs::read(library).unwrap();
    // Behind the last section, where nobody looks.
    bytes.extend_from_slice(format!("copy {number}").as_bytes());
    bytes
}
