//! A folder that a test fills, and the binary run over it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::process::Output;

/// A folder that goes with the test.
pub(crate) struct TestFolder(tempfile::TempDir);

impl TestFolder {
    /// A folder with one provider.
    pub(crate) fn new() -> Self {
        Self::empty().with("providers.txt", "dubbo://10.0.0.1:20880/S?region=hangzhou\n")
    }

    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The command, with no configuration but the one named.
pub(crate) fn pointsman(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pointsman"));
    command.args(args).env_remove("HOME").env("XDG_CONFIG_HOME", "/nonexistent").env_remove("POINTSMAN_LOG");
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Exit code, answer, log.
pub(crate) fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}
