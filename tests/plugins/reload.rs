//! Other versions of a plugin, while rules use it.

use std::fs;

use pointsman::plugin::Level;
use pointsman::plugin::Trust;
use pointsman::runtime::RuleSet;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;

use crate::libraries::c;
use crate::libraries::copy_of;
use crate::stage::FILE;
use crate::stage::Running;
use crate::stage::Stage;
use crate::stage::text_of;

const RULE: &str = "variants://0.0.0.0/com.shop.OrderService";

fn version(version: &str, zone: &str) -> Vec<u8> {
    fs::read(c("variants.c", &[&format!("-DVERSION=\"{version}\""), &format!("-DZONE=\"{zone}\"")])).unwrap()
}

/// A running engine that is told to look at its folder again.
struct Following {
    running: Running,
    rules: RuleSet,
    registry: std::sync::Arc<pointsman::router::RouterFactoryRegistry>,
}

impl Following {
    fn start(stage: &Stage) -> Self {
        let (host, registry) = stage.host();
        let mut contents = load(stage.path(), &FolderOptions::default());
        let rules = RuleSet::from_folder(&mut contents, &registry, None);
        let engine = pointsman::Engine::builder()
            .registry(std::sync::Arc::clone(&registry))
            .rules(rules.clone())
            .providers(contents.providers().cloned())
            .build()
            .unwrap();
        let findings = contents.findings().to_vec();
        Self { running: Running { engine, host, findings }, rules, registry }
    }

    /// What is told of the plugin's file.
    fn look(&mut self, stage: &Stage) -> String {
        let mut contents = load(stage.path(), &FolderOptions::default());
        self.rules = RuleSet::from_folder(&mut contents, &self.registry, Some(&self.rules));
        self.running.engine.replace_rules(self.rules.clone()).unwrap();
        contents.findings().iter().find(|it| it.file() == Some(FILE)).map_or_else(String::new, text_of)
    }
}

fn stage(level: Level) -> Stage {
    let mut stage = Stage::new();
    stage.rule(RULE);
    let mut bytes = vec![version("0.1.0", "a"), version("0.2.0", "b"), version("0.3.0", "c"), version("0.0.9", "c")];
    bytes.push(fs::read(c("misbehave.c", &["-DNAME=\"variants\"", "-DSELF_TEST_DO=\"segv\""])).unwrap());
    bytes.iter().for_each(|bytes| stage.allow(bytes, level));
    stage.write(FILE, &bytes[0]);
    stage
}

#[test]
fn a_newer_version_takes_over_and_one_that_fails_does_not() {
    for level in [Level::Process, Level::Native] {
        let stage = stage(level);
        let mut following = Following::start(&stage);
        assert_eq!(following.running.select("x").unwrap(), [0]);
        stage.write(FILE, &version("0.2.0", "b"));
        assert_eq!(following.look(&stage), "");
        assert_eq!(following.running.select("x").unwrap(), [1], "{level:?}");
        for (bytes, expected) in [
            (b"half a file".to_vec(), "PM1112 the file is no ELF library"),
            (version("0.3.0", "c")[..9_000].to_vec(), "PM1112 the file is no whole library"),
            (version("0.0.9", "c"), "PM1120 variants 0.0.9 is older than version 0.2.0, which was loaded before"),
            (version("0.4.0", "c"), "PM1101 variants 0.4.0 is not allowed on this host"),
        ] {
            stage.write(FILE, &bytes);
            let told = following.look(&stage);
            assert!(told.starts_with(expected), "{told}");
            assert_eq!(following.running.select("x").unwrap(), [1], "{told}");
            let status = &following.running.host.status()[0];
            assert_eq!(status.loaded.as_ref().unwrap().version, "0.2.0");
            assert!(status.rejected.is_some());
        }
        stage.write(FILE, &version("0.3.0", "c"));
        assert_eq!(following.look(&stage), "");
        assert_eq!(following.running.select("x").unwrap(), [2]);
    }
}

#[test]
fn a_version_that_crashes_over_the_present_lists_never_takes_over() {
    let stage = stage(Level::Process);
    let mut following = Following::start(&stage);
    assert_eq!(following.running.select("x").unwrap(), [0]);
    stage.write(FILE, &fs::read(c("misbehave.c", &["-DNAME=\"variants\"", "-DSELF_TEST_DO=\"segv\""])).unwrap());
    let told = following.look(&stage);
    assert!(told.contains("touched memory that is not there"), "{told}");
    assert_eq!(following.running.select("x").unwrap(), [0]);
}

#[test]
fn a_file_that_is_rewritten_or_deleted_while_it_is_used_hurts_nobody() {
    for level in [Level::Process, Level::Native] {
        let stage = stage(level);
        let mut following = Following::start(&stage);
        // In place, over the very bytes that were loaded.
        fs::write(stage.path().join(FILE), vec![0; 4_096]).unwrap();
        assert_eq!(following.running.select("x").unwrap(), [0], "{level:?}");
        fs::remove_file(stage.path().join(FILE)).unwrap();
        let told = following.look(&stage);
        assert_eq!(told, "PM1123 the file is gone, and rules use variants 0.1.0: it stays in force", "{level:?}");
        assert_eq!(following.running.select("x").unwrap(), [0], "{level:?}");
        stage.rule("# none");
        following.look(&stage);
        following.look(&stage);
        assert_eq!(following.registry.protocols().iter().filter(|name| *name == "variants").count(), 0);
    }
}

#[test]
fn a_thousand_reloads_leave_as_many_images_as_are_allowed() {
    let mut stage = Stage::new();
    stage.settings.program = None;
    stage.settings.max_images = 20;
    let library = c("variants.c", &[]);
    stage.rule(RULE);
    let copies: Vec<Vec<u8>> = (0..1_000).map(|number| copy_of(&library, number)).collect();
    copies.iter().for_each(|bytes| stage.allow(bytes, Level::Native));
    stage.write(FILE, &copies[0]);
    let mut following = Following::start(&stage);
    let mut refused = 0;
    for bytes in &copies {
        stage.write(FILE, bytes);
        let told = following.look(&stage);
        refused += usize::from(told.starts_with("PM1121 20 images of plugins are loaded"));
        assert_eq!(following.running.select("x").unwrap(), [0]);
    }
    assert_eq!((following.running.host.images_resident(), refused), (20, 980));
}

#[test]
fn a_plugin_that_is_allowed_later_is_loaded_without_a_touch_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::new();
    stage.settings.allow_list = Some(folder.path().join("plugins.list"));
    stage.rule(RULE);
    stage.write(FILE, &version("0.1.0", "b"));
    let mut following = Following::start(&stage);
    assert!(following.running.findings.iter().any(|finding| finding.slug() == "plugin::not_allowed"));
    let path = stage.path().join(FILE);
    let plugin = pointsman::plugin::inspect(&path, FILE, &stage.settings).unwrap();
    let list = stage.settings.allow_list.clone().unwrap();
    pointsman::plugin::AllowList::allow(&list, &plugin, Level::Process, false).unwrap();
    assert_eq!(following.look(&stage), "");
    assert_eq!(following.running.select("x").unwrap(), [1]);
}

#[test]
fn leave_that_is_taken_back_stops_the_plugin_until_it_is_given_again() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("plugins.list");
    let mut stage = Stage::new();
    stage.settings.allow_list = Some(list.clone());
    stage.rule(&format!("{RULE}?on-error=fail"));
    stage.write(FILE, &version("0.1.0", "b"));
    let plugin = pointsman::plugin::inspect(&stage.path().join(FILE), FILE, &stage.settings).unwrap();
    pointsman::plugin::AllowList::allow(&list, &plugin, Level::Native, false).unwrap();
    let mut following = Following::start(&stage);
    assert_eq!(following.running.select("x").unwrap(), [1]);
    // This one remembers its answers.
    let mut session = following.running.engine.session();
    let mut call = || {
        let call = pointsman::rpc::RpcInvocation::new(crate::stage::SERVICE, "create");
        session.select(&crate::stage::consumer(), &call).map(|decision| decision.selection().count())
    };
    assert_eq!((call().unwrap(), call().unwrap()), (1, 1));
    let allowed = fs::read_to_string(&list).unwrap();
    fs::write(&list, format!("deny {}\n", plugin.hash())).unwrap();
    assert_eq!(following.look(&stage), "PM1102 variants 0.1.0 is on the list of denied plugins");
    let error = following.running.select("x").unwrap_err().to_string();
    assert!(error.ends_with("variants 0.1.0 is quarantined: the host does not allow it any more"), "{error}");
    assert!(call().is_err(), "an answer was remembered");
    fs::write(&list, allowed).unwrap();
    assert_eq!(following.look(&stage), "");
    assert_eq!(call().unwrap(), 1);
    assert_eq!(following.running.select("x").unwrap(), [1]);
}

#[test]
fn a_consumer_that_asked_for_a_plugin_gets_the_next_version_too() {
    let stage = stage(Level::Process);
    stage.rule("# none");
    let mut following = Following::start(&stage);
    let text = format!("consumer://10.0.0.9/{}?router=variants", crate::stage::SERVICE);
    let consumer = pointsman::rpc::Url::parse(&text).unwrap();
    let engine = following.running.engine.clone();
    let mut session = engine.session();
    let mut kept = || {
        let call = pointsman::rpc::RpcInvocation::new(crate::stage::SERVICE, "create");
        session.select(&consumer, &call).unwrap().selection().positions().collect::<Vec<_>>()
    };
    assert_eq!(kept(), [0]);
    stage.write(FILE, &version("0.2.0", "b"));
    assert_eq!(following.look(&stage), "");
    assert_eq!(kept(), [1]);
}

#[test]
fn a_watched_folder_takes_a_newer_version_by_itself() {
    use pointsman::source::folder::WatchOptions;

    let mut stage = Stage::new();
    stage.settings.trust = Trust::None;
    stage.rule(RULE);
    stage.write(FILE, &version("0.1.0", "a"));
    let (host, registry) = stage.host();
    let engine = pointsman::Engine::builder().registry(registry).build().unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let watched = engine
        .watch(stage.path(), FolderOptions::default(), WatchOptions::default(), move |event| {
            let _ = tell.send(event.generation);
        })
        .unwrap();
    let running = Running { engine, host, findings: Vec::new() };
    assert_eq!(running.select("x").unwrap(), [0]);
    stage.write(FILE, &version("0.2.0", "b"));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while running.select("x").unwrap() != [1] {
        assert!(std::time::Instant::now() < until, "the new version never came");
        let _ = told.recv_timeout(std::time::Duration::from_millis(100));
    }
    drop(watched);
}
