//! `pointsman watch`: what a person sees while somebody edits the folder, as a transcript that stands in
//! `tests/golden/watch.txt`. `POINTSMAN_UPDATE=1` writes it anew.

use std::fs;
use std::io::BufRead as _;
use std::io::BufReader;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Child;
use std::process::ChildStdout;
use std::process::Stdio;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const TRANSCRIPT: &str = "tests/golden/watch.txt";

/// The command while it runs; it is stopped by its process id.
struct Watching {
    child: Child,
    out: BufReader<ChildStdout>,
    transcript: String,
}

impl Watching {
    fn start(folder: &Path, state: &Path, further: &[&str]) -> Self {
        let folder = folder.to_string_lossy();
        let args: Vec<&str> = ["watch", &*folder].into_iter().chain(further.iter().copied()).collect();
        let mut command = pointsman(&args);
        command.env("XDG_STATE_HOME", state).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out, transcript: String::new() }
    }

    /// Does something to the folder and waits until it was told; the reader ends with the process, so that this ends too.
    fn after(&mut self, what: &str, change: impl FnOnce()) {
        self.transcript.push_str(&format!("== {what}\n"));
        change();
        let mut has_begun = false;
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "{what}: the command ended\n{}", self.transcript);
            let is_head = line.contains(" generation ");
            has_begun |= is_head;
            self.transcript.push_str(&if is_head { format!("HH:MM:SSZ {}", &line[10..]) } else { line.clone() });
            // A reload ends in an empty line, one with a drawn finding in two.
            if line == "\n" && has_begun && !self.transcript.ends_with("\n  × \n\n") && self.is_complete() {
                return;
            }
        }
    }

    /// Whether what was read last is a whole reload: a finding that was begun has its help, or its frame.
    fn is_complete(&self) -> bool {
        let last = self.transcript.rsplit(" generation ").next().unwrap();
        let begun = last.lines().filter(|line| line.starts_with("PM")).count();
        let ended = last.lines().filter(|line| line.trim_start().starts_with("help:")).count();
        begun == ended && (begun == 0 || last.ends_with("\n\n\n"))
    }

    fn stop(mut self) -> (Option<i32>, String) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        (self.child.wait().unwrap().code(), std::mem::take(&mut self.transcript))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Replaces a file as editors do.
fn replace(path: &Path, text: &str) {
    let draft = path.with_extension("tmp");
    fs::write(&draft, text).unwrap();
    fs::rename(&draft, path).unwrap();
}

fn document(key: &str, rule: &str) -> String {
    format!("configVersion: v3.0\nscope: service\nkey: {key}\nconditions:\n  - \"{rule}\"\n")
}

#[test]
fn a_good_change_a_bad_one_and_a_swap_are_told_as_they_happen() {
    let (folder, state) = (TestFolder::empty(), tempfile::tempdir().unwrap());
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shop"), folder.path());
    let rules = folder.path().join("rules");
    // A volume as Kubernetes mounts a ConfigMap: files lead through `..data` to a folder that is swapped as a whole.
    let volume = rules.join("volume");
    fs::create_dir_all(volume.join("..first")).unwrap();
    fs::write(volume.join("..first/cart.yaml"), document("com.shop.CartService", "=> legacy!=true")).unwrap();
    fs::write(volume.join("..first/user.yaml"), document("com.shop.UserService", "=> region=hangzhou")).unwrap();
    symlink("..first", volume.join("..data")).unwrap();
    for name in ["cart.yaml", "user.yaml"] {
        symlink(format!("..data/{name}"), volume.join(name)).unwrap();
    }
    let mut watching = Watching::start(folder.path(), state.path(), &["--format", "human"]);
    watching.after("$ pointsman watch examples/shop", || {});
    let gray = rules.join("large.yaml");
    let good = document("com.shop.OrderService", "method=create => tier=large");
    watching.after("a document is dropped", || replace(&gray, &good));
    watching.after("it is changed for the worse", || replace(&gray, &good.replace("tier=", "tier==")));
    watching.after("it is taken away", || fs::remove_file(&gray).unwrap());
    watching.after("the volume is swapped", || {
        fs::create_dir(volume.join("..second")).unwrap();
        fs::write(volume.join("..second/cart.yaml"), document("com.shop.CartService", "=> legacy=true")).unwrap();
        fs::write(volume.join("..second/user.yaml"), document("com.shop.UserService", "=> region=beijing")).unwrap();
        symlink("..second", volume.join("..draft")).unwrap();
        fs::rename(volume.join("..draft"), volume.join("..data")).unwrap();
    });
    let (code, transcript) = watching.stop();
    assert_eq!(code, Some(0));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TRANSCRIPT);
    if std::env::var_os("POINTSMAN_UPDATE").is_some() {
        fs::write(&path, &transcript).unwrap();
    }
    assert_eq!(transcript, fs::read_to_string(path).unwrap());
}

#[test]
fn scripts_get_a_line_for_each_reload_and_an_exit_code() {
    let folder = TestFolder::new().with("rules/a.rules", "= broken\n");
    let state = tempfile::tempdir().unwrap();
    let path = folder.path().to_string_lossy().into_owned();
    let mut command = pointsman(&["watch", &path, "--count", "1", "--format", "json"]);
    let (code, out, _) = told(command.env("XDG_STATE_HOME", state.path()).output().unwrap());
    let line: serde_json::Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!(code, Some(4));
    assert_eq!((&line["accepted"], &line["rejected"][0]), (&false.into(), &"rules/a.rules".into()));
    assert_eq!(line["findings"][0]["number"], "PM0101");
}
