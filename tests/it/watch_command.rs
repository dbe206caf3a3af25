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

/// What each reload is told as, with `--format json`.
fn reload(watching: &mut Watching, what: &str, change: impl FnOnce()) -> serde_json::Value {
    change();
    let mut line = String::new();
    assert!(watching.out.read_line(&mut line).unwrap() > 0, "{what}: the command ended");
    serde_json::from_str(&line).unwrap()
}

#[test]
fn what_a_change_takes_away_refuses_and_mends_is_told() {
    let provider = "dubbo://10.0.0.1:1/S?region=a\n";
    let rules = "a=1 => region=a\na=2 => region=a\na=3 => region=a\na=4 => region=a\na=5 => region=a\n";
    let (folder, state) = (TestFolder::empty(), tempfile::tempdir().unwrap());
    let folder = folder
        .with("providers.txt", format!("{provider}dubbo://10.0.0.2:1/T?region=a\n"))
        .with("rules/a.rules", rules)
        .with("tests/a.yaml", "- note: n\n  service: S\n  call: {method: get}\n  want: {addresses: [10.0.0.1:1]}\n");
    let path = |name: &str| folder.path().join(name);
    let mut watching = Watching::start(folder.path(), state.path(), &["--format", "json"]);
    reload(&mut watching, "the start", || {});
    let line = reload(&mut watching, "the service goes", || {
        replace(&path("providers.txt"), "dubbo://10.0.0.2:1/T?region=a\n");
    });
    assert_eq!((&line["services_lost"][0], &line["calls"]), (&"S".into(), &1.into()), "{line}");
    let call = &line["changed_calls"][0];
    assert_eq!((&call["before"], &call["after"]), (&1.into(), &0.into()), "{line}");
    let line = reload(&mut watching, "it comes back", || replace(&path("providers.txt"), provider));
    assert_eq!((&line["services_found"][0], &line["services_lost"][0]), (&"S".into(), &"T".into()), "{line}");
    let call = &line["changed_calls"][0];
    assert_eq!((&call["before"], &call["after"]), (&0.into(), &1.into()), "{line}");

    let line = reload(&mut watching, "a rule breaks", || replace(&path("rules/a.rules"), "= broken\n"));
    assert_eq!((&line["accepted"], &line["rejected"][0]), (&false.into(), &"rules/a.rules".into()), "{line}");
    let line = reload(&mut watching, "it is mended", || replace(&path("rules/a.rules"), rules));
    assert_eq!((&line["accepted"], &line["mended"][0]), (&true.into(), &"rules/a.rules".into()), "{line}");

    let line = reload(&mut watching, "a link leads out", || {
        symlink("/etc/hostname", path("rules/out.rules")).unwrap();
    });
    assert_eq!((&line["accepted"], &line["rejected"][0]), (&false.into(), &"rules/out.rules".into()), "{line}");
    assert_eq!(line["findings"][0]["number"], "PM0305", "{line}");
    let line = reload(&mut watching, "the link goes", || fs::remove_file(path("rules/out.rules")).unwrap());
    assert_eq!((&line["accepted"], &line["removed"][0]), (&true.into(), &"rules/out.rules".into()), "{line}");

    let line = reload(&mut watching, "most rules go", || {
        replace(&path("rules/a.rules"), "a=1 => region=a\na=2 => region=a\n");
    });
    assert_eq!(line["findings"][0]["number"], "PM0316", "{line}");
    watching.stop();

    let shown = folder.path().to_string_lossy().into_owned();
    let (_, out, _) = told(pointsman(&["history", &shown]).env("XDG_STATE_HOME", state.path()).output().unwrap());
    let words: Vec<&str> =
        out.lines().filter(|line| line.starts_with('#')).filter_map(|line| line.split_whitespace().nth(3)).collect();
    let expected = ["added", "added", "changed", "changed", "rejected", "mended", "rejected", "removed", "changed"];
    assert_eq!(words, expected, "{out}");
}

#[test]
fn recorded_answers_are_kept_while_a_folder_is_refused() {
    let (folder, state) = (TestFolder::empty(), tempfile::tempdir().unwrap());
    let folder =
        folder.with("shop/providers.txt", "dubbo://10.0.0.1:1/S?region=a\ndubbo://10.0.0.2:1/S?region=b\n").with(
            "shop/tests/a.yaml",
            "- note: n\n  service: S\n  call: {method: get}\n  want: {addresses: [10.0.0.1:1, 10.0.0.2:1]}\n",
        );
    let shop = folder.path().join("shop");
    fs::create_dir(shop.join("rules")).unwrap();
    let mut watching = Watching::start(&shop, state.path(), &["--format", "json"]);
    reload(&mut watching, "the start", || {});
    let away = folder.path().join("away");
    let line = reload(&mut watching, "the folder goes", || fs::rename(&shop, &away).unwrap());
    assert_eq!((&line["accepted"], &line["calls"]), (&false.into(), &1.into()), "{line}");
    let line = reload(&mut watching, "it comes back, with a rule", || {
        fs::write(away.join("rules/a.rules"), "=> region=a\n").unwrap();
        fs::rename(&away, &shop).unwrap();
    });
    let call = &line["changed_calls"][0];
    assert_eq!((&call["before"], &call["after"]), (&2.into(), &1.into()), "{line}");
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
