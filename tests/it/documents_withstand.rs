//! What a folder of documents withstands while an engine follows it: many, huge, half-written, hostile, all at once.

use std::fs;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

use pointsman::diagnostics::Severity;
use pointsman::runtime::ReloadEvent;
use pointsman::runtime::UpdateState;
use pointsman::source::folder::Events;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::WatchOptions;
use pointsman::source::folder::load;

use crate::support::folder::TestFolder;
use crate::support::watched::PROVIDERS;
use crate::support::watched::Watched;

/// The file that the tests change.
const FILE: &str = "rules/a.yaml";

/// A document that keeps one region.
fn document(region: &str) -> String {
    keyed("S", region)
}

fn keyed(key: &str, region: &str) -> String {
    format!("scope: service\nkey: {key}\nforce: true\nconditions:\n  - \"=> region={region}\"\n")
}

/// A folder of [`PROVIDERS`] and a document for region `a`.
fn shop() -> TestFolder {
    TestFolder::empty().with("providers.txt", PROVIDERS).with(FILE, document("a"))
}

/// Runs a test with events, and where the system gives none.
fn both(test: impl Fn(Events)) {
    test(Events::On);
    test(Events::Off);
}

/// Follows `folder` with time enough for a writer of several files.
fn patient(folder: TestFolder, events: Events) -> Watched {
    let (debounce, poll) = (Duration::from_millis(150), Duration::from_millis(150));
    Watched::follow(
        folder,
        WatchOptions { events, debounce, poll, ..WatchOptions::default() },
        FolderOptions::default(),
    )
}

/// A pause of the writer, not of the test.
fn pause(duration: Duration) {
    thread::park_timeout(duration);
}

fn slugs(event: &ReloadEvent) -> Vec<&'static str> {
    event.findings.iter().map(|finding| finding.slug()).collect()
}

/// No event is left; what is told later belongs to a later change.
fn is_quiet(watched: &Watched) -> bool {
    watched.events.try_recv().is_err()
}

#[test]
fn ten_thousand_documents_are_followed_one_by_one() {
    let mut folder = shop();
    for number in 0..9_999 {
        let name = format!("rules/{:02}/{number}.yaml", number % 64);
        folder = folder.with(&name, keyed(&format!("com.shop.S{number}"), "a"));
    }
    let watched = Watched::start(folder, Events::On);
    assert_eq!((watched.engine.status().rules.len(), watched.hosts()), (10_000, vec!["1".to_owned()]));
    watched.write(FILE, document("b"));
    let event = watched.changed(FILE);
    assert_eq!((event.changed.len(), event.services.len(), watched.hosts()), (1, 1, vec!["2".to_owned()]));
    watched.write("rules/07/7.yaml", "conditions: [");
    assert_eq!(watched.rejected("rules/07/7.yaml").rejected.len(), 1);
    assert_eq!(watched.engine.status().rules.len(), 10_000);
}

#[test]
fn documents_of_one_key_are_told_of_in_bounded_space() {
    let documents: Vec<String> = (0..5_000).map(|_| document("a")).collect();
    let folder = TestFolder::empty().with("providers.txt", PROVIDERS).with(FILE, documents.join("---\n"));
    let contents = load(folder.path(), &FolderOptions::default());
    assert!(contents.findings().iter().any(|finding| finding.slug() == "rule::duplicate_document"));
    let longest = contents.findings().iter().map(|finding| finding.message().len()).max();
    assert!(longest < Some(500), "{longest:?}");
}

#[test]
fn a_document_of_64_mebibytes_is_a_finding_and_the_last_good_one_stays() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        File::create(watched.path("rules/a.tmp")).unwrap().set_len(64 << 20).unwrap();
        fs::rename(watched.path("rules/a.tmp"), watched.path(FILE)).unwrap();
        assert!(slugs(&watched.rejected(FILE)).contains(&"folder::too_large"));
        assert_eq!((watched.hosts(), watched.source(FILE).state), (vec!["1".to_owned()], UpdateState::Stale));
        watched.replace(FILE, document("b"));
        watched.becomes(&["2"]);
    });
}

#[test]
fn half_a_document_is_no_rule_while_its_writer_pauses() {
    let watched = Watched::start(shop(), Events::On);
    let whole =
        "scope: service\nkey: S\nforce: true\nconditions:\n  - \"method=find => region=c\"\n  - \"=> region=b\"\n";
    let at = |part: &str| whole.find(part).unwrap() + part.len();
    // Broken YAML, a valid document with no condition, a valid one with half of them.
    for half in [at("\"method"), at("conditions:"), at("region=c\"\n")] {
        let mut writer = File::create(watched.path(FILE)).unwrap();
        writer.write_all(&whole.as_bytes()[..half]).unwrap();
        for round in 0..2 {
            // Whoever looks at the folder again and again sees the half.
            watched.write("rules/other.yaml", keyed("T", &format!("{half}-{round}")));
            assert!(watched.changed("rules/other.yaml").rejected.is_empty());
            assert_eq!(watched.hosts(), ["1"], "after {half} bytes");
        }
        writer.write_all(&whole.as_bytes()[half..]).unwrap();
        drop(writer);
        assert_eq!(watched.changed(FILE).rejected.len(), 0);
        assert_eq!(watched.engine.status().rules.len(), 3);
        watched.write(FILE, document("a"));
        watched.becomes(&["1"]);
    }
}

#[test]
fn a_document_that_still_grows_is_left_as_it_was() {
    let watched = Watched::start(shop(), Events::Off);
    let mut writer = File::create(watched.path(FILE)).unwrap();
    writer.write_all(document("c").as_bytes()).unwrap();
    for _ in 0..40 {
        // Longer than the time between two looks; each half is a valid document.
        writer.write_all(b"  # more to come\n").unwrap();
        pause(Duration::from_millis(5));
        assert_ne!(watched.hosts(), ["2"]);
    }
    drop(writer);
    watched.write(FILE, document("b"));
    watched.becomes(&["2"]);
}

#[test]
fn of_500_documents_in_a_row_the_last_one_is_in_force() {
    for (events, between) in [(Events::On, 5), (Events::Off, 1)] {
        let watched = Watched::start(shop(), events);
        for round in 0..500 {
            let region = ["a", "b", "c"][round % 3];
            match round % 5 {
                0 => watched.write(FILE, document(region)),
                1 => watched.replace(FILE, document(region)),
                2 => fs::remove_file(watched.path(FILE)).unwrap(),
                3 => watched.write(FILE, "conditions: [\n"),
                _ => watched.write(FILE, ""),
            }
            pause(Duration::from_millis(between));
        }
        watched.write(FILE, document("c"));
        watched.becomes(&["3"]);
        assert_eq!(watched.source(FILE).state, UpdateState::Applied);
    }
}

#[test]
fn a_document_comes_back_by_whatever_way() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        for (region, host) in [("b", "2"), ("c", "3"), ("a", "1")] {
            fs::remove_file(watched.path(FILE)).unwrap();
            watched.write(FILE, document(region));
            watched.becomes(&[host]);
        }
        watched.replace(FILE, document("b"));
        watched.becomes(&["2"]);
        fs::remove_file(watched.path(FILE)).unwrap();
        watched.becomes(&["1", "2", "3"]);
    });
}

#[test]
fn a_document_that_may_not_be_read_any_more_stays_in_force() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        let path = watched.path(FILE);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if File::open(&path).is_ok() {
            return; // Nothing is closed to this user.
        }
        assert!(slugs(&watched.rejected(FILE)).contains(&"folder::unreadable"));
        assert_eq!((watched.hosts(), watched.source(FILE).state), (vec!["1".to_owned()], UpdateState::Stale));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        watched.event("back", |event| event.findings.is_empty());
        assert_eq!(watched.source(FILE).state, UpdateState::Applied);
    });
}

#[test]
fn a_document_from_the_past_counts() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        for (days, region, host) in [(1, "b", "2"), (10_000, "c", "3"), (10, "a", "1")] {
            watched.write("rules/new.tmp", document(region));
            let draft = File::options().write(true).open(watched.path("rules/new.tmp")).unwrap();
            let past = draft.metadata().unwrap().modified().unwrap() - Duration::from_secs(86_400 * days);
            draft.set_modified(past).unwrap();
            fs::rename(watched.path("rules/new.tmp"), watched.path(FILE)).unwrap();
            watched.becomes(&[host]);
        }
    });
}

#[test]
fn a_good_document_may_leave_nobody_and_an_empty_one_clears() {
    both(|events| {
        let watched = Watched::start(shop(), events);
        watched.write(FILE, document("nowhere"));
        watched.becomes(&[]);
        assert_eq!(watched.source(FILE).state, UpdateState::Applied);
        watched.write(FILE, document("nowhere").replace("force: true", "force: false"));
        watched.becomes(&["1", "2", "3"]);
        watched.write(FILE, document("b"));
        watched.becomes(&["2"]);
        watched.write(FILE, "scope: service\nkey: S\nforce: true\nconditions: []\n");
        watched.becomes(&["1", "2", "3"]);
    });
}

#[test]
fn a_billion_laughs_are_a_finding() {
    let ten = |number: usize| [format!("*a{}", number - 1).as_str(); 10].join(", ");
    let laughs: String = (1..10).map(|number| format!("l{number}: &a{number} [{}]\n", ten(number))).collect();
    let merges: String =
        (1..10).map(|number| format!("m{number}: &a{number} {{<<: [{}], k{number}: lol}}\n", ten(number))).collect();
    let hostile = [format!("l0: &a0 [lol, lol]\n{laughs}"), format!("m0: &a0 {{lol: lol}}\n{merges}")];
    both(|events| {
        let watched = Watched::start(shop(), events);
        for hostile in &hostile {
            watched.write(FILE, format!("{hostile}{}", document("b")));
            assert!(slugs(&watched.rejected(FILE)).contains(&"yaml::too_many_aliases"));
            assert_eq!(watched.hosts(), ["1"]);
            watched.write(FILE, document("a"));
            watched.event("good again", |event| event.findings.is_empty());
        }
    });
}

#[test]
fn large_maps_are_merged_and_refused_in_time() {
    let keys = |name: &str, count: usize| (0..count).map(|at| format!("{name}{at}: 1")).collect::<Vec<_>>();
    let merged = format!("a: &a {{{}}}\n<<: *a\n{}\n", keys("k", 10_000).join(", "), keys("m", 100_000).join("\n"));
    let conditions: String = (0..60_000).map(|at| format!("- to: [{{match: \"a={at}\"}}]\n")).collect();
    let destinations = format!("configVersion: v3.1\nscope: service\nkey: S\nconditions:\n{conditions}");
    for text in [merged, destinations] {
        let folder = shop().with(FILE, text);
        let contents = load(folder.path(), &FolderOptions::default());
        let is_wrong = contents.findings().iter().any(|finding| finding.severity() == Severity::Error);
        assert_eq!(contents.entries().count() == 60_000, !is_wrong);
    }
}

#[test]
fn providers_and_a_document_that_change_together_are_one_generation() {
    let lists = |name: &str, host: &str| match name {
        "providers.txt" => format!("dubbo://10.0.0.{host}:1/S?region=r{host}\n"),
        _ => format!("- dubbo://10.0.0.{host}:1/S?region=r{host}\n"),
    };
    for events in [Events::On, Events::Off] {
        for name in ["providers.txt", "providers.yaml"] {
            let folder = TestFolder::empty().with(name, lists(name, "1")).with(FILE, document("r1"));
            let watched = patient(folder, events);
            for host in ["2", "3"] {
                let generation = watched.engine.generation();
                watched.replace(name, lists(name, host));
                watched.replace(FILE, document(&format!("r{host}")));
                let event = watched.changed(FILE);
                assert_eq!((event.generation, event.changed.len()), (generation + 1, 2), "{name}");
                assert_eq!(watched.hosts(), [host]);
                assert!(is_quiet(&watched));
            }
        }
    }
}

#[test]
fn a_swap_of_several_documents_is_one_event() {
    const FILES: [(&str, &str); 3] = [("a.yaml", "S"), ("b.yaml", "T"), ("c.yaml", "U")];
    let version = |folder: &Path, name: &str, region: &str| {
        let data = folder.join("rules").join(name);
        fs::create_dir_all(&data).unwrap();
        for (file, key) in FILES {
            fs::write(data.join(file), keyed(key, region)).unwrap();
        }
    };
    both(|events| {
        let folder = TestFolder::empty().with("providers.txt", PROVIDERS);
        version(folder.path(), "..v0", "a");
        let rules = folder.path().join("rules");
        symlink("..v0", rules.join("..data")).unwrap();
        for (file, _) in FILES {
            symlink(format!("..data/{file}"), rules.join(file)).unwrap();
        }
        let watched = Watched::start(folder, events);
        for round in 1..=12 {
            let (name, old, region) = (format!("..v{round}"), format!("..v{}", round - 1), ["a", "b", "c"][round % 3]);
            let generation = watched.engine.generation();
            version(watched.folder.path(), &name, region);
            symlink(&name, rules.join("..data_tmp")).unwrap();
            fs::rename(rules.join("..data_tmp"), rules.join("..data")).unwrap();
            fs::remove_dir_all(rules.join(old)).unwrap();
            let event = watched.changed(FILE);
            assert_eq!((event.generation, event.changed.len(), event.rejected.len()), (generation + 1, 3, 0));
            assert_eq!((event.removed.len(), event.added.len(), watched.hosts().len()), (0, 0, 1));
            assert!(is_quiet(&watched) && watched.engine.generation() == generation + 1);
        }
    });
}
