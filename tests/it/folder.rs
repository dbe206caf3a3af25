//! Bad input in a rules folder: a clear finding each, and nothing half-applied.

use std::fs;
use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use pointsman::diagnostics::Severity;
use pointsman::source::folder::FolderContents;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::MAX_DEPTH;
use pointsman::source::folder::load;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

/// Slug, file and severity of every finding.
fn found(contents: &FolderContents) -> Vec<(&str, &str, Severity)> {
    let findings = contents.findings().iter();
    findings.map(|finding| (finding.slug(), finding.file().unwrap_or_default(), finding.severity())).collect()
}

fn read(folder: &TestFolder) -> FolderContents {
    load(folder.path(), &FolderOptions::default())
}

#[test]
fn an_empty_folder_lacks_providers_and_rules() {
    let contents = read(&TestFolder::empty());
    assert_eq!(
        found(&contents),
        [("providers::missing", "providers.txt", Severity::Error), ("folder::no_rules", "rules", Severity::Info),]
    );
}

#[test]
fn a_file_that_is_not_utf8_is_a_finding_at_its_byte() {
    let contents = read(&TestFolder::new().with("rules/a.rules", b"# fine\nhost=\xff => a=b\n"));
    assert_eq!(found(&contents), [("folder::not_utf8", "rules/a.rules", Severity::Error)]);
    let finding = &contents.findings()[0];
    assert_eq!(finding.message(), "expected UTF-8, found byte 0xff at offset 12");
    assert_eq!(finding.line_and_column(), Some((2, 6)));
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let contents = read(&TestFolder::new().with("rules/a.rules", "\u{feff}host=a => b=c\n"));
    assert_eq!(contents.entries().map(|entry| entry.text()).collect::<Vec<_>>(), ["host=a => b=c"]);
}

#[test]
fn a_file_of_100_mb_is_a_finding_and_is_not_read() {
    let folder = TestFolder::empty().with("rules/a.rules", "");
    for name in ["rules/a.rules", "providers.txt"] {
        File::create(folder.path().join(name)).unwrap().set_len(100 << 20).unwrap();
    }
    assert_eq!(
        found(&read(&folder)),
        [
            ("folder::too_large", "providers.txt", Severity::Error),
            ("folder::too_large", "rules/a.rules", Severity::Error),
        ]
    );
}

#[test]
fn a_fifo_is_a_finding_and_nothing_waits() {
    let folder = TestFolder::new().with("rules/a.rules", "a=b => c=d\n");
    let fifo = folder.path().join("rules/b.rules");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let contents = read(&folder);
    assert_eq!(found(&contents), [("folder::not_a_regular_file", "rules/b.rules", Severity::Error)]);
    assert_eq!(contents.entries().count(), 1);
}

#[test]
fn links_are_followed_inside_the_folder_only() {
    // As Kubernetes mounts a configuration: `..data` leads to the version in force.
    let folder = TestFolder::new().with("rules/..2026/a.rules", "a=b => c=d\n");
    let rules = folder.path().join("rules");
    symlink("..2026", rules.join("..data")).unwrap();
    symlink("..data/a.rules", rules.join("a.rules")).unwrap();
    symlink("/etc/hostname", rules.join("outside.rules")).unwrap();
    symlink("self.rules", rules.join("self.rules")).unwrap();
    symlink(".", rules.join("loop")).unwrap();
    symlink("nowhere", rules.join("dangling.rules")).unwrap();
    let contents = read(&folder);
    assert_eq!(
        found(&contents),
        [
            ("folder::unreadable", "rules/dangling.rules", Severity::Error),
            ("folder::link_loop", "rules/loop", Severity::Error),
            ("folder::link_outside", "rules/outside.rules", Severity::Error),
            ("folder::link_loop", "rules/self.rules", Severity::Error),
        ]
    );
    assert_eq!(contents.entries().map(|entry| entry.file()).collect::<Vec<_>>(), ["rules/a.rules"]);
}

#[test]
fn files_deeper_than_the_limit_are_not_read() {
    let deepest = format!("rules/{}a.rules", "d/".repeat(MAX_DEPTH - 1));
    let too_deep = format!("rules/{}a.rules", "d/".repeat(MAX_DEPTH));
    let contents = read(&TestFolder::new().with(&deepest, "a=b => c=d\n").with(&too_deep, "a=b => c=d\n"));
    assert_eq!(contents.entries().map(|entry| entry.file()).collect::<Vec<_>>(), [deepest]);
    assert_eq!(contents.findings()[0].slug(), "folder::too_deep");
}

#[test]
fn scratch_files_are_ignored() {
    let mut folder = TestFolder::new().with("rules/a.rules", "a=b => c=d\n");
    for name in [".hidden.rules", "a.rules~", "a.rules.tmp", ".a.rules.swp", "b.swp"] {
        folder = folder.with(&format!("rules/{name}"), "= broken");
    }
    let contents = read(&folder);
    assert_eq!((found(&contents).len(), contents.files().len()), (0, 2));
}

#[test]
fn kinds_that_are_not_for_this_system_are_never_skipped_silently() {
    let names = ["plugins/a.dll", "plugins/a.dylib"];
    let folder = names.iter().fold(TestFolder::new(), |folder, name| folder.with(name, "x"));
    assert_eq!(found(&read(&folder)), names.map(|name| ("folder::unsupported_kind", name, Severity::Error)));
    let (code, _, _) = told(pointsman(&["check"]).arg(folder.path()).output().unwrap());
    assert_eq!(code, Some(4));
}

#[test]
fn providers_stand_in_one_file() {
    let folder =
        TestFolder::new().with("providers.yaml", "- dubbo://10.0.0.2:1/S\n").with("rules/a.rules", "a=b => c=d\n");
    let two = ["providers.txt", "providers.yaml"].map(|name| ("providers::two_files", name, Severity::Error));
    assert_eq!(found(&read(&folder)), two);
}

#[test]
fn a_file_of_no_known_kind_is_a_warning() {
    let contents = read(&TestFolder::new().with("rules/notes.txt", "x").with("README.md", "x"));
    assert_eq!(found(&contents)[0], ("folder::unknown_file", "rules/notes.txt", Severity::Warning));
}

#[test]
fn a_file_with_an_error_gives_no_rule_at_all() {
    let folder =
        TestFolder::new().with("rules/a.rules", "a=b => c=d\n@force maybe\n").with("rules/b.rules", "x=y => z=w\n");
    let contents = read(&folder);
    assert_eq!(contents.entries().map(|entry| entry.file()).collect::<Vec<_>>(), ["rules/b.rules"]);
    assert!(contents.files().iter().any(|file| file.name() == "rules/a.rules" && file.is_broken()));
}

#[test]
fn a_provider_line_with_an_error_takes_the_whole_list() {
    let contents = read(&TestFolder::empty().with("providers.txt", "dubbo://h:1/S\ndubbo://h:x/S\n"));
    assert_eq!((contents.providers().count(), contents.has_errors()), (0, true));
}

#[test]
fn a_name_belongs_to_the_first_rule_that_has_it() {
    let folder =
        TestFolder::new().with("rules/a.rules", "@name x\na=b => c=d\n").with("rules/b.rules", "@name x\na=b => c=d\n");
    let contents = read(&folder);
    assert_eq!(found(&contents), [("rules::duplicate_name", "rules/b.rules", Severity::Warning)]);
    assert_eq!(contents.findings()[0].message(), "the name `x` belongs to the rule at rules/a.rules:2");
    assert_eq!(contents.entries().map(|entry| entry.name()).collect::<Vec<_>>(), [Some("x"), None]);
}

#[test]
fn a_rule_of_1_mb_is_a_finding() {
    let contents = read(&TestFolder::new().with("rules/a.rules", format!("a={} => c=d\n", "x".repeat(1 << 20))));
    assert_eq!(found(&contents), [("rules::rule_too_long", "rules/a.rules", Severity::Error)]);
}

#[test]
fn ten_thousand_rules_and_a_hundred_thousand_providers_are_read() {
    let rules: String =
        (0..10_000).map(|at| format!("host = 10.0.{}.{} => region = r{at}\n", at / 250, at % 250)).collect();
    let providers: String =
        (0..100_000).map(|at| format!("dubbo://10.{}.{}.1:{}/S?region=r\n", at % 200, at / 200 % 200, at)).collect();
    let contents = read(&TestFolder::empty().with("rules/a.rules", rules).with("providers.txt", providers));
    assert!(contents.findings().is_empty());
    assert_eq!((contents.entries().count(), contents.providers().count()), (10_000, 100_000));
}

#[test]
fn what_may_not_be_read_is_a_finding() {
    let folder = TestFolder::new().with("rules/a.rules", "a=b => c=d\n").with("rules/locked/b.rules", "a=b => c=d\n");
    let mode = |name: &str, mode: u32| {
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for (name, bits) in [("rules/a.rules", 0o000), ("rules/locked", 0o000), ("rules", 0o755), ("", 0o755)] {
        mode(name, bits);
    }
    // Root reads everything; another user must be able to run the binary, so it is copied next to the folder.
    let binary = tempfile::tempdir().unwrap();
    fs::set_permissions(binary.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = binary.path().join("pointsman");
    fs::copy(env!("CARGO_BIN_EXE_pointsman"), &copy).unwrap();
    let mut command = Command::new(&copy);
    command.args(["check", "--format", "plain"]).arg(folder.path()).env_remove("HOME").current_dir("/");
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if is_root {
        command.uid(65_534).gid(65_534);
    }
    let (code, out, _) = told(command.output().unwrap());
    mode("rules/locked", 0o755);
    assert_eq!(code, Some(4));
    for name in ["rules/a.rules", "rules/locked"] {
        assert!(
            out.contains(&format!("{name}: error PM0301 folder::unreadable: cannot read it: permission denied")),
            "{out}"
        );
    }
}
