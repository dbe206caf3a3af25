//! `pointsman completions` and `pointsman man`.

use std::fs;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, log) = told(pointsman(&["completions", shell]).output().unwrap());
        assert_eq!((code, log.as_str()), (Some(0), ""), "{shell}");
        for command in ["route", "call", "check", "test", "init", "fmt", "schema", "convert", "completions", "man"] {
            assert!(out.contains(command), "{shell} lacks `{command}`");
        }
    }
    assert_eq!(told(pointsman(&["completions", "cmd"]).output().unwrap()).0, Some(2));
}

#[test]
fn each_command_has_a_page() {
    let folder = TestFolder::empty();
    let pages = folder.path().join("man1");
    let (code, out, log) = told(pointsman(&["man", pages.to_str().unwrap()]).output().unwrap());
    assert_eq!((code, log.as_str()), (Some(0), ""));
    let names = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = names.collect();
    assert!(out.starts_with(&format!("wrote {} pages into ", names.len())), "{out}");
    for page in ["pointsman", "pointsman-route", "pointsman-call", "pointsman-fmt", "pointsman-man"] {
        let text = fs::read_to_string(pages.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".SH NAME") && text.contains("Exit codes"), "{page}");
    }
    let (code, out, _) = told(pointsman(&["man"]).output().unwrap());
    assert_eq!((code, out), (Some(0), fs::read_to_string(pages.join("pointsman.1")).unwrap()));
}

#[test]
fn pages_that_cannot_be_written_are_told_of() {
    let folder = TestFolder::empty().with("file", "");
    let (code, _, log) = told(pointsman(&["man", "file/below"]).current_dir(folder.path()).output().unwrap());
    assert!(code == Some(1) && log.starts_with("error: cannot write the pages"), "{code:?} {log}");
}
