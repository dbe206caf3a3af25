//! Files that are refused, each with the message that a user gets. The table stands in `docs/security.md`, written anew
//! by `POINTSMAN_UPDATE=1 cargo test --test plugins -- refused`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use pointsman::plugin::Level;
use pointsman::plugin::Trust;
use pointsman::plugin::inspect;

use crate::libraries::c;
use crate::libraries::rust;
use crate::libraries::stripped;
use crate::stage::FILE;
use crate::stage::Stage;
use crate::stage::text_of;

const BEGIN: &str = "<!-- refused plugins -->\n";
const END: &str = "<!-- end of refused plugins -->\n";

/// A stage with this library, whatever it is, and everybody's trust: what is refused is refused for itself.
fn trusting(library: &[u8]) -> Stage {
    let mut stage = Stage::new();
    stage.write(FILE, library);
    stage.settings.trust = Trust::None;
    stage
}

fn refusal_of(library: &Path) -> String {
    trusting(&fs::read(library).unwrap()).refusal()
}

/// A good library with some bytes changed.
fn changed(at: usize, byte: u8) -> String {
    let mut bytes = fs::read(c("variants.c", &[])).unwrap();
    bytes[at] = byte;
    trusting(&bytes).refusal()
}

fn newer_libc() -> String {
    let mut bytes = fs::read(c("variants.c", &[])).unwrap();
    let at = memchr::memmem::find(&bytes, b"GLIBC_2.").unwrap() + "GLIBC_".len();
    bytes[at] = b'9';
    let message = trusting(&bytes).refusal();
    assert!(message.contains(", the host runs on GLIBC_2."), "{message}");
    let (head, _) = message.split_once("GLIBC_9.").unwrap();
    format!("{head}GLIBC_9.…, the host runs on GLIBC_…")
}

fn unlisted() -> String {
    c("unlisted.c", &[]);
    refusal_of(&c("variants.c", &["-DUSES_UNLISTED", "-lunlisted"]))
}

fn downgrade() -> String {
    let state = tempfile::tempdir().unwrap();
    let start = |version: &str| {
        let library = c("variants.c", &[&format!("-DVERSION=\"{version}\"")]);
        let mut stage = trusting(&fs::read(library).unwrap());
        stage.settings.state = Some(state.path().to_owned());
        stage.refusal()
    };
    assert_eq!(start("1.2.0"), "");
    start("1.1.9")
}

fn taken() -> String {
    let stage = trusting(&fs::read(c("variants.c", &[])).unwrap());
    stage.write("plugins/q.so", &fs::read(c("variants.c", &["-DVERSION=\"0.2.0\""])).unwrap());
    stage.refusal()
}

fn writable() -> String {
    let stage = trusting(&fs::read(c("variants.c", &[])).unwrap());
    fs::set_permissions(stage.path().join(FILE), fs::Permissions::from_mode(0o666)).unwrap();
    stage.refusal()
}

fn linked() -> String {
    let stage = Stage::new();
    symlink(c("variants.c", &[]), stage.path().join(FILE)).unwrap();
    stage.refusal()
}

fn sparse() -> String {
    let stage = trusting(b"");
    fs::File::options().write(true).open(stage.path().join(FILE)).unwrap().set_len(1 << 30).unwrap();
    stage.refusal()
}

fn not_allowed() -> String {
    let stage = Stage::new();
    stage.put(&c("variants.c", &[]));
    let message = stage.refusal();
    let (head, _) = message.rsplit_once(' ').unwrap();
    format!("{head} …")
}

fn denied() -> String {
    let bytes = fs::read(c("variants.c", &[])).unwrap();
    let mut stage = trusting(&bytes);
    stage.allow(&bytes, Level::Native);
    stage.settings.denied.push(pointsman::disk::ContentHash::of(&bytes));
    stage.refusal()
}

fn unsigned() -> String {
    let mut stage = trusting(&fs::read(c("variants.c", &[])).unwrap());
    stage.settings.trust = Trust::Signature(vec![pointsman::plugin::PublicKey::parse(&"0a".repeat(32)).unwrap()]);
    stage.refusal()
}

fn variant(arguments: &[&str]) -> String {
    refusal_of(&c("variants.c", arguments))
}

fn table() -> Vec<(&'static str, String)> {
    vec![
        ("nobody has allowed it", not_allowed()),
        ("its hash is denied", denied()),
        ("no signature, where signatures are asked for", unsigned()),
        ("writable by others", writable()),
        ("a link to elsewhere", linked()),
        ("1 GiB, sparse", sparse()),
        ("no ELF file", trusting(b"#!/bin/sh\necho no\n").refusal()),
        ("empty", trusting(b"").refusal()),
        ("cut after 8 KiB", trusting(&fs::read(c("variants.c", &[])).unwrap()[..8192]).refusal()),
        ("32 bits", changed(4, 1)),
        ("big-endian", changed(5, 2)),
        ("another machine", changed(18, 40)),
        ("a program", changed(16, 2)),
        ("`RUNPATH`", variant(&["-Wl,--enable-new-dtags,-rpath,/opt/lib"])),
        ("`RPATH`", variant(&["-Wl,--disable-new-dtags,-rpath,/opt/lib"])),
        ("`DT_AUDIT`", variant(&["-Wl,--audit,spy.so"])),
        ("needs a library that is not listed", unlisted()),
        ("an executable stack", variant(&["-Wl,-z,execstack"])),
        ("text relocations", text_relocations()),
        ("a newer C library", newer_libc()),
        ("no entry symbol", variant(&["-DNO_ENTRY"])),
        ("no manifest", variant(&["-DNO_MANIFEST"])),
        ("two manifests", variant(&["-DTWO_MANIFESTS"])),
        ("the manifest is no JSON", variant(&["-DMANIFEST_TEXT=\"{\""])),
        ("a manifest of 100 KB", variant(&[&format!("-DMANIFEST_TEXT=\"{}\"", " ".repeat(100_000))])),
        ("a newer major ABI", variant(&["-DNEWER_MAJOR"])),
        ("a newer minor ABI", variant(&["-DMIN_MINOR=9"])),
        ("a reserved name", variant(&["-DNAME=\"script\""])),
        ("a name that is taken", taken()),
        ("older than one that was loaded", downgrade()),
        ("built with `panic = abort`", refusal_of(&rust("pointsman-fixture-panic", "-C panic=abort"))),
        ("a constructor that aborts", refusal_of(&c("constructor.c", &["-DDO=\"abort\""]))),
        ("a constructor that never returns", cpu(&refusal_of(&c("constructor.c", &["-DDO=\"loop\""])))),
        ("the entry fails", variant(&["-DENTRY_FAILS"])),
        ("the entry exits", refusal_of(&c("misbehave.c", &["-DENTRY_DO=\"exit\""]))),
        ("`struct_size` is too small", variant(&["-DSTRUCT_SIZE=8"])),
        ("`abi_minor` is too new", variant(&["-DABI_MINOR_OUT=99"])),
        ("`route` is null", variant(&["-DNULL_ROUTE"])),
        ("`snapshot_free` is null", variant(&["-DNULL_SNAPSHOT_FREE"])),
        ("the self-test crashes", refusal_of(&c("misbehave.c", &["-DSELF_TEST_DO=\"segv\""]))),
        ("the self-test fails", refusal_of(&c("misbehave.c", &["-DSELF_TEST_DO=\"fail\""]))),
    ]
}

/// How much was used differs from run to run.
fn cpu(message: &str) -> String {
    message.split_once(" hit: ").map_or_else(|| message.to_owned(), |(head, _)| format!("{head} hit: …"))
}

fn text_relocations() -> String {
    if cfg!(target_arch = "x86_64") {
        return variant(&["-fno-pic", "-mcmodel=large", "-Wl,-z,notext"]);
    }
    "PM1113 the library changes its own code when it is loaded (text relocations)".to_owned()
}

#[test]
fn each_bad_file_is_refused_with_its_reason() {
    let rows = table();
    for (what, message) in &rows {
        assert!(message.starts_with("PM"), "{what}: {message:?}");
    }
    let cell = |text: &str| text.replace('|', "\\|");
    let lines = rows.iter().map(|(what, message)| format!("| {what} | {} |\n", cell(message)));
    let made = format!("| file | what a user is told |\n|---|---|\n{}", lines.collect::<String>());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/security.md");
    let text = fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once(BEGIN).expect("the marks of the table");
    let (present, tail) = rest.split_once(END).expect("the marks of the table");
    if std::env::var_os("POINTSMAN_UPDATE").is_some() {
        fs::write(&path, format!("{head}{BEGIN}{made}{END}{tail}")).unwrap();
    } else {
        assert_eq!(present, made, "`POINTSMAN_UPDATE=1 cargo test --test plugins -- refused` writes it anew");
    }
}

#[test]
fn half_a_copy_is_refused_wherever_it_ends() {
    let stage = Stage::new();
    for library in [c("variants.c", &[]), stripped(&rust("pointsman-area-code", ""))] {
        let bytes = fs::read(library).unwrap();
        for length in (0..bytes.len()).step_by(1024) {
            stage.write(FILE, &bytes[..length]);
            let refused = inspect(&stage.path().join(FILE), FILE, &stage.settings).unwrap_err();
            assert_eq!(refused.slug(), "plugin::not_a_library", "{length} bytes: {}", text_of(&refused));
        }
    }
}

#[test]
fn bytes_that_are_bent_anywhere_never_take_the_host_down() {
    let bytes = fs::read(c("variants.c", &[])).unwrap();
    let stage = Stage::new();
    let mut state = 1_u64;
    for _ in 0..2_000 {
        let mut bent = bytes.clone();
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Headers and tables, at the beginning and at the end.
            let at = (state >> 33) as usize % 4_096;
            let at = if state & 1 == 0 { at.min(bent.len() - 1) } else { bent.len().saturating_sub(at + 1) };
            bent[at] = (state >> 24) as u8;
        }
        fs::write(stage.path().join("plugins/bent.so"), &bent).unwrap();
        let _ = inspect(&stage.path().join("plugins/bent.so"), "bent.so", &stage.settings);
    }
}

#[test]
fn to_inspect_runs_nothing_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("ran");
    let library = c("constructor.c", &[&format!("-DMARKER=\"{}\"", marker.display())]);
    let stage = Stage::new();
    let plugin = inspect(&library, "x.so", &stage.settings).unwrap();
    assert_eq!((plugin.manifest().to_string().as_str(), marker.exists()), ("constructor 0.1.0", false));
    // Where its code does run, it has no files.
    let refused = pointsman::plugin::verify(&library, "x.so", &stage.settings).unwrap_err();
    assert!(refused.message().ends_with("it tried a forbidden system call"), "{}", refused.message());
    assert!(!marker.exists());
}

#[test]
fn a_file_that_is_rewritten_while_it_is_read_is_whole_or_refused() {
    let stage = Stage::new();
    let one = fs::read(c("variants.c", &["-DZONE=\"a\""])).unwrap();
    let other = fs::read(c("variants.c", &["-DZONE=\"b\"", "-DVERSION=\"0.2.0\""])).unwrap();
    let path = stage.path().join(FILE);
    stage.write(FILE, &one);
    let hashes = [&one, &other].map(|bytes| pointsman::disk::ContentHash::of(bytes));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..400 {
                fs::write(&path, if round % 2 == 0 { &other } else { &one }).unwrap();
            }
        });
        while !writer.is_finished() {
            match inspect(&path, FILE, &stage.settings) {
                Ok(plugin) => assert!(hashes.contains(&plugin.hash())),
                Err(finding) => {
                    let slugs = ["folder::changing", "plugin::not_a_library"];
                    assert!(slugs.contains(&finding.slug()), "{}", text_of(&finding));
                }
            }
        }
    });
}

#[test]
fn a_signature_of_a_known_key_admits_a_file_and_no_other() {
    use ed25519_compact::KeyPair;
    use ed25519_compact::Seed;

    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let keys = KeyPair::from_seed(Seed::new([7; 32]));
    let library = fs::read(c("variants.c", &[])).unwrap();
    let mut stage = trusting(&library);
    stage.settings.trust = Trust::Signature(vec![pointsman::plugin::PublicKey::parse(&hex(keys.pk.as_ref())).unwrap()]);
    let signature = hex(keys.sk.sign(&library, None).as_ref());
    stage.write("plugins/p.so.sig", signature.as_bytes());
    assert_eq!(stage.refusal(), "");
    let other = hex(keys.sk.sign(b"another file", None).as_ref());
    stage.write("plugins/p.so.sig", other.as_bytes());
    assert_eq!(stage.refusal(), "PM1103 the signature is of none of the host's keys, or of another file");
}

#[test]
fn a_list_that_others_may_write_or_that_nobody_understands_allows_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("plugins.list");
    let mut stage = Stage::new();
    stage.put(&c("variants.c", &[]));
    stage.settings.allow_list = Some(list.clone());
    let plugin = inspect(&stage.path().join(FILE), FILE, &stage.settings).unwrap();
    pointsman::plugin::AllowList::allow(&list, &plugin, Level::Process, false).unwrap();
    assert_eq!(stage.refusal(), "");
    fs::set_permissions(&list, fs::Permissions::from_mode(0o666)).unwrap();
    let refusal = stage.refusal();
    assert!(refusal.starts_with("PM1104 the list ") && refusal.contains("others may write the file"), "{refusal}");
    fs::set_permissions(&list, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&list, "alow everything\n").unwrap();
    let refusal = stage.refusal();
    assert!(refusal.contains("plugins.list:1 cannot be used: expected `allow HASH LEVEL NAME VERSION`"), "{refusal}");
}

#[test]
fn what_is_remembered_of_versions_and_cannot_be_read_refuses_all() {
    let state = tempfile::tempdir().unwrap();
    let mut stage = trusting(&fs::read(c("variants.c", &[])).unwrap());
    stage.settings.state = Some(state.path().to_owned());
    assert_eq!(stage.refusal(), "");
    fs::write(state.path().join("plugins.seen"), "variants\n").unwrap();
    let refusal = stage.refusal();
    assert!(refusal.starts_with("PM1120 nobody knows which versions were loaded"), "{refusal}");
}
