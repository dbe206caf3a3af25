//! What the documents tell a plugin's developer and an operator to type, typed in a folder outside of the repository.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::process::Output;

use crate::libraries::c;
use crate::stage::FILE;
use crate::stage::Stage;

/// What stands behind a line that is expected to fail.
const REFUSED: &str = "# refused, exit code ";

/// A folder with the command, and a shop.
struct Scratch(tempfile::TempDir);

// === impl Scratch ===

impl Scratch {
    fn new() -> Self {
        let scratch = Self(tempfile::tempdir().unwrap());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::create_dir(scratch.path().join("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_pointsman"), scratch.path().join("bin/pointsman")).unwrap();
        copy(&root.join("examples/shop"), &scratch.path().join("shop"));
        scratch
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn shell(&self, script: &str) -> Output {
        let path = std::env::var("PATH").unwrap();
        Command::new("bash")
            .args(["-e", "-u", "-o", "pipefail", "-c", script])
            .current_dir(self.path())
            .env("PATH", format!("{}:{path}", self.path().join("bin").display()))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("CARGO_NET_OFFLINE", "true")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("RUSTFLAGS")
            .output()
            .unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            fs::copy(entry.path(), target).map(drop).unwrap()
        }
    }
}

/// The first block of commands below a heading of `docs/plugins.md`, as a script.
fn commands(heading: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plugins.md")).unwrap();
    let (_, below) = text.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let (_, block) = below.split_once("```sh\n").expect("a block of commands");
    let (block, _) = block.split_once("```").expect("its end");
    let line = |line: &str| match line.split_once(REFUSED) {
        Some((command, code)) => format!("if {}; then exit 99; else test $? = {}; fi\n", command.trim(), code.trim()),
        None => format!("{line}\n"),
    };
    block.lines().map(line).collect()
}

fn run(heading: &str) -> (String, String) {
    let scratch = Scratch::new();
    let script = commands(heading);
    let output = scratch.shell(&script);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?} of\n{script}\n{out}\n{err}", output.status);
    (out.into_owned(), err.into_owned())
}

#[test]
fn a_plugin_in_rust_goes_from_nothing_to_a_call() {
    let (out, err) = run("From nothing to a call");
    assert!(err.contains("PM1101 plugin::not_allowed") && err.contains("pointsman plugin allow "), "{err}");
    for part in ["areacode 0.1.0 (sha256 ", ", process", "says: 3 providers in area `hangzhou`"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn a_plugin_in_c_does_the_same() {
    let (out, _) = run("The same in C");
    for part in ["areacode-c 0.1.0 (sha256 ", ", process", "says: kept the providers of the call's area"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn a_new_project_is_clean_and_never_overwrites() {
    let scratch = Scratch::new();
    let made = scratch.shell("pointsman plugin new area-code --registry && cat area-code/Cargo.toml && ls area-code");
    let text = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(text.contains(&format!("pointsman-plugin = \"{}\"", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(!text.contains("vendor"), "{text}");
    let again = scratch.shell("pointsman plugin new area-code");
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("PM1141 plugin::exists"));
    for name in ["Area", "a b", "-a", "..", "1a", "mock", "pointsman-plugin", &"a".repeat(41)] {
        let wrong = scratch.shell(&format!("pointsman plugin new -- '{name}'"));
        assert_eq!(wrong.status.code(), Some(1), "{name}");
        assert!(String::from_utf8_lossy(&wrong.stderr).contains("PM1118 plugin::wrong_name"), "{name}");
    }
}

#[test]
fn a_plugin_is_told_verified_and_listed_without_being_allowed() {
    let stage = Stage::new();
    stage.put(&c("variants.c", &[]));
    let scratch = Scratch::new();
    let folder = stage.path().display();
    let told = scratch.shell(&format!(
        "pointsman plugin inspect {folder}/{FILE} && pointsman plugin verify {folder}/{FILE} && \
         pointsman plugin inspect --format json {folder}/{FILE}"
    ));
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains("variants 0.1.0") && text.contains("verified") && text.contains("\"level\": null"), "{text}");
    let listed = scratch.shell(&format!("pointsman plugin list {folder}"));
    assert_eq!(listed.status.code(), Some(4));
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(text.starts_with("variants 0.1.0  not allowed  plugins/p.so  sha256 "), "{text}");
    let allowed =
        scratch.shell(&format!("pointsman plugin allow {folder}/{FILE} --native && pointsman plugin list {folder}"));
    let text = String::from_utf8_lossy(&allowed.stdout).into_owned();
    assert!(allowed.status.success() && text.contains("variants 0.1.0  native  plugins/p.so"), "{text}");
    // The list and the configuration are the host's; a folder of rules may hold neither.
    let inside = format!(
        "cp $XDG_CONFIG_HOME/pointsman/plugins.list {folder}/plugins.list && echo '[plugins]' > c.toml && \
         echo 'allow-list = \"{folder}/plugins.list\"' >> c.toml && pointsman check --config c.toml {folder}"
    );
    let refused = scratch.shell(&inside);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("PM0604 config::inside_folder"));
}

#[test]
fn commands_that_allow_at_once_lose_nothing() {
    let stage = Stage::new();
    let scratch = Scratch::new();
    for number in 0..12 {
        stage.write(&format!("plugins/{number}.so"), &crate::libraries::copy_of(&c("variants.c", &[]), number));
    }
    let folder = stage.path().display();
    let done = scratch.shell(&format!(
        "for n in $(seq 0 11); do pointsman plugin allow {folder}/plugins/$n.so & done; wait; \
         grep -c '^allow ' $XDG_CONFIG_HOME/pointsman/plugins.list"
    ));
    assert!(String::from_utf8_lossy(&done.stdout).ends_with("12\n"), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_consumers_url_names_a_plugin_on_the_command_line() {
    let stage = Stage::new();
    stage.put(&c("variants.c", &["-DZONE=\"c\""]));
    stage.rule("# none");
    let scratch = Scratch::new();
    let folder = stage.path().display();
    let routed = scratch.shell(&format!(
        "pointsman plugin allow {folder}/{FILE} && pointsman route {folder} -m create \
         --consumer 'consumer://10.0.0.9?router=variants,-tag'"
    ));
    let text = String::from_utf8_lossy(&routed.stdout).into_owned();
    assert!(text.contains("1 of 3 providers") && text.contains("10.0.0.2"), "{text}");
}

#[test]
fn check_tells_of_a_list_that_a_plugin_refuses_with_the_rule() {
    let stage = Stage::new();
    stage.put(&c("misbehave.c", &[]));
    stage.rule("misbehave://0.0.0.0/com.shop.OrderService?in=snapshot_new&do=fail");
    let scratch = Scratch::new();
    let folder = stage.path().display();
    let checked =
        scratch.shell(&format!("pointsman plugin allow {folder}/{FILE} && pointsman check --format plain {folder}"));
    assert_eq!(checked.status.code(), Some(4));
    let text = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(text.contains("PM1132 plugin::refused_list") && text.contains("rules/a.rules:1"), "{text}");
}

#[test]
fn a_path_that_is_printed_can_be_pasted() {
    let scratch = Scratch::new();
    let odd = scratch.path().join("a;touch pasted.so");
    fs::copy(c("variants.c", &[]), &odd).unwrap();
    let told = scratch.shell("pointsman plugin inspect 'a;touch pasted.so' | tr '\\n' ' '");
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(text.contains("`pointsman plugin allow 'a;touch pasted.so'`"), "{text}");
}
