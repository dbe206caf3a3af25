//! `file:` rules: what they may read, what they become, and what a change of the file they read does.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pointsman::diagnostics::Finding;
use pointsman::diagnostics::Severity;
use pointsman::router::BuildError;
use pointsman::router::FactoryContext;
use pointsman::router::Router;
use pointsman::router::RouterFactory;
use pointsman::router::RuleDefinition;
use pointsman::rpc::Url;
use pointsman::runtime::RuleSet;
use pointsman::runtime::UpdateState;
use pointsman::source::folder::Events;
use pointsman::source::folder::FolderOptions;
use pointsman::source::folder::load;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;
use crate::support::scripts::registry;
use crate::support::watched::Watched;
use crate::support::watched::shop;

/// The rules of a folder, and the errors.
fn compile(folder: &Path, options: &FolderOptions) -> (RuleSet, Vec<Finding>) {
    let mut contents = load(folder, options);
    let rules = RuleSet::from_folder(&mut contents, &registry(&Arc::default()), None);
    let errors = contents.findings().iter().filter(|finding| finding.severity() == Severity::Error).cloned().collect();
    (rules, errors)
}

/// What compiling the rule `line` says, in a folder with some files.
fn errors_of(line: &str) -> Vec<Finding> {
    let folder = TestFolder::new().with("lib/route.js", "keep a\n").with("lib/route.groovy", "keep a\n");
    let line = line.replace("DIR", &folder.path().to_string_lossy());
    compile(folder.with("rules/a.rules", line).path(), &FolderOptions::default()).1
}

#[test]
fn a_file_becomes_the_rule_that_stands_in_it() {
    let folder = TestFolder::new().with("lib/my route.js", "\u{feff}// 杭州\nkeep a\n");
    let kept = "priority=3&runtime=true&force=true&enabled=true&name=n&on-error=fail&engine=quickjs&deadline=5ms\
                &timezone=UTC&group=g&version=1&application=web";
    let dir = folder.path().to_string_lossy().into_owned();
    let lines = [
        format!("file://{dir}/lib/my%20route.js?router=script&interface=S&{kept}"),
        "file://lib/my route.js".to_owned(),
        "file:lib/my%20route.js?type=js".to_owned(),
        format!("file://10.20.3.3{dir}/lib/my route.js?enabled=false"),
    ];
    let (rules, errors) = compile(folder.with("rules/a.rules", lines.join("\n")).path(), &FolderOptions::default());
    assert!(errors.is_empty(), "{errors:?}");
    let headers: Vec<_> = rules.routers().iter().map(|router| router.header()).collect();
    let places: Vec<_> = headers.iter().map(|header| header.id.to_string()).collect();
    assert_eq!(places, ["n (rules/a.rules:1)", "rules/a.rules:2", "rules/a.rules:3", "rules/a.rules:4"]);
    // The stand-in turns the script into a condition with the parameters it was given.
    let head = |at: usize| headers[at].url.as_str().split("&force=true&rule=").next().unwrap().to_owned();
    assert_eq!(head(0), format!("condition://0.0.0.0/S?type=javascript&{kept}"));
    assert_eq!(head(1), "condition://0.0.0.0/*?type=javascript");
    assert_eq!((headers[3].scope.host.as_deref(), headers[3].is_enabled), (Some("10.20.3.3"), false));
}

#[test]
fn what_may_not_be_read_is_an_error_at_the_rule() {
    for (line, slug) in [
        ("file://lib/nowhere.js", "folder::unreadable"),
        ("file://lib/route.groovy", "file::unknown_suffix"),
        ("file://lib/route", "file::unknown_suffix"),
        ("file://lib/route.js?type=lua", "file::wrong_type"),
        ("file://lib/route.js?router=file", "file::wrong_router"),
        ("file://lib/route.js?router=route", "file::wrong_router"),
        ("file://lib/route.js?router=scirpt", "router::unknown_protocol"),
        ("file:///?router=script", "file::missing_path"),
        ("file:///etc/hostname.js", "file::outside_roots"),
        ("file://DIR/../etc/hostname.js", "file::outside_roots"),
        ("file://lib/../../hostname.js", "file::outside_roots"),
    ] {
        let errors = errors_of(line);
        let [error] = errors.as_slice() else { panic!("{line}: {errors:?}") };
        assert_eq!((error.slug(), error.file(), error.line_and_column()), (slug, Some("rules/a.rules"), Some((1, 1))));
        assert!(error.help_text().is_some(), "{line}");
    }
    assert!(errors_of("file://lib/route.groovy")[0].help_text().unwrap().contains("`.rhai`"));
}

#[test]
fn links_lead_nowhere_but_into_a_root() {
    let outside = TestFolder::empty().with("secret.js", "keep a\n");
    let folder = TestFolder::new().with("lib/real.js", "keep a\n");
    let lib = folder.path().join("lib");
    symlink("real.js", lib.join("inside.js")).unwrap();
    symlink(outside.path().join("secret.js"), lib.join("outside.js")).unwrap();
    symlink(outside.path(), lib.join("dir")).unwrap();
    assert!(Command::new("mkfifo").arg(lib.join("fifo.js")).status().unwrap().success());
    fs::create_dir(lib.join("folder.js")).unwrap();
    fs::write(lib.join("large.js"), "x".repeat((1 << 20) + 1)).unwrap();
    fs::write(lib.join("latin.js"), b"keep \xff\n").unwrap();
    let lines = ["inside", "outside", "dir/secret", "fifo", "folder", "large", "latin"];
    let lines: Vec<_> = lines.iter().map(|name| format!("file://lib/{name}.js\n")).collect();
    let folder = folder.with("rules/a.rules", lines.concat());
    let errors = compile(folder.path(), &FolderOptions::default()).1;
    let found: Vec<_> =
        errors.iter().map(|error| (error.slug(), error.file().unwrap(), error.line_and_column())).collect();
    assert_eq!(
        found,
        [
            // A text inside a root is shown where it is wrong.
            ("folder::not_utf8", "lib/latin.js", Some((1, 6))),
            ("file::outside_roots", "rules/a.rules", Some((2, 1))),
            ("file::outside_roots", "rules/a.rules", Some((3, 1))),
            ("folder::not_a_regular_file", "rules/a.rules", Some((4, 1))),
            ("folder::not_a_regular_file", "rules/a.rules", Some((5, 1))),
            ("folder::too_large", "rules/a.rules", Some((6, 1))),
        ]
    );
    let allowed = FolderOptions::default().with_roots([outside.path().to_owned()]);
    let errors = compile(folder.path(), &allowed).1;
    let lines: Vec<_> = errors.iter().map(|error| error.line_and_column().unwrap().0).collect();
    assert_eq!(lines, [1, 4, 5, 6, 7], "{errors:?}");
}

#[test]
fn an_error_in_the_text_points_into_the_file_that_was_read() {
    let folder =
        TestFolder::new().with("lib/route.js", "// 杭州\n  broken\n").with("rules/a.rules", "file://lib/route.js\n");
    let errors = compile(folder.path(), &FolderOptions::default()).1;
    assert_eq!((errors[0].file(), errors[0].line_and_column()), (Some("lib/route.js"), Some((2, 3))));
}

/// Reads the file that the text of the rule names: one text inside another.
#[derive(Debug)]
struct Nesting;

impl RouterFactory for Nesting {
    fn protocol(&self) -> &str {
        "nesting"
    }

    fn create_router(
        &self,
        definition: &RuleDefinition,
        context: &mut FactoryContext<'_>,
    ) -> Result<Arc<dyn Router>, BuildError> {
        let text = definition.url.parameter_decoded("rule").unwrap().unwrap();
        let inner = RuleDefinition { url: Url::parse(text.trim()).unwrap(), ..definition.clone() };
        context.registry.create_router(&inner, context)
    }
}

#[test]
fn texts_inside_texts_end_at_the_second() {
    let mut kinds = (*registry(&Arc::default())).clone();
    kinds.register(Arc::new(Nesting)).unwrap();
    let folder = TestFolder::new()
        .with("one", "file://two.js")
        .with("two.js", "keep a")
        .with("zero", "file://one?router=nesting")
        .with("rules/a.rules", "file://one?router=nesting\n")
        .with("rules/b.rules", "file://zero?router=nesting\n");
    let mut contents = load(folder.path(), &FolderOptions::default());
    let rules = RuleSet::from_folder(&mut contents, &kinds, None);
    assert_eq!(rules.routers().len(), 1);
    assert_eq!(contents.findings().iter().map(Finding::slug).collect::<Vec<_>>(), ["file::too_deep"]);
    // What the inner text is made of counts as well.
    let again = |previous: &RuleSet| {
        let mut contents = load(folder.path(), &FolderOptions::default());
        RuleSet::from_folder(&mut contents, &kinds, Some(previous))
    };
    assert!(Arc::ptr_eq(&again(&rules).routers()[0], &rules.routers()[0]));
    fs::write(folder.path().join("two.js"), "keep b").unwrap();
    let changed = again(&rules);
    assert!(!Arc::ptr_eq(&changed.routers()[0], &rules.routers()[0]));
    assert_ne!(changed.id(), rules.id());
}

#[test]
fn rules_that_come_from_elsewhere_may_not_read() {
    let definition = RuleDefinition::parse("registry", 1, None, "file:///etc/hostname.js").unwrap();
    let (_, findings) = RuleSet::compile(&[definition], &registry(&Arc::default()), None);
    assert_eq!(findings.iter().map(Finding::slug).collect::<Vec<_>>(), ["file::not_from_here"]);
}

#[test]
fn a_rule_follows_the_file_that_it_is_made_of() {
    for events in [Events::On, Events::Off] {
        let library = TestFolder::empty().with("route.js", "keep b\n");
        let line = format!("file://{}/route.js?router=script\n", library.path().display());
        let options = FolderOptions::default().with_roots([library.path().to_owned()]);
        let watched = Watched::with(shop().with("rules/a.rules", line), events, options);
        assert_eq!((watched.hosts(), watched.scripts.compiled.load(Ordering::Relaxed)), (vec!["2".to_owned()], 1));
        let path = library.path().join("route.js");
        fs::write(&path, "keep c\n").unwrap();
        watched.becomes(&["3"]);
        fs::write(&path, "broken\n").unwrap();
        let event = watched.rejected("rules/a.rules");
        assert_eq!(event.findings[0].file(), Some(&*path.to_string_lossy()));
        let status = watched.source("rules/a.rules");
        assert_eq!((status.state, watched.hosts()), (UpdateState::Rejected, vec!["3".to_owned()]));
        assert_ne!(status.desired_hash, status.applied_hash);
        fs::remove_file(&path).unwrap();
        let event = watched.rejected("rules/a.rules");
        assert_eq!((event.findings[0].slug(), watched.hosts()), ("folder::unreadable", vec!["3".to_owned()]));
        fs::write(library.path().join("new"), "keep a\n").unwrap();
        fs::rename(library.path().join("new"), &path).unwrap();
        watched.becomes(&["1"]);
        // Another change leaves the rule as it is: nothing is compiled again.
        let compiled = watched.scripts.compiled.load(Ordering::Relaxed);
        watched.write("rules/b.rules", "method = other => region=a\n");
        watched.changed("rules/b.rules");
        assert_eq!(watched.scripts.compiled.load(Ordering::Relaxed), compiled);
    }
}

#[test]
fn the_command_reads_them_below_its_roots() {
    let library = TestFolder::empty().with("blocked.txt", "=> false");
    let line = format!("file://{}/blocked.txt?router=condition&force=true\n", library.path().display());
    let folder = TestFolder::new().with("rules/a.rules", line);
    let host = TestFolder::empty().with("c.toml", format!("roots = ['{}']\n", library.path().display()));
    let run = |arguments: &[&str]| told(pointsman(arguments).arg(folder.path()).output().unwrap());
    let (code, out, _) = run(&["check", "--format", "plain"]);
    assert_eq!(code, Some(4));
    assert!(out.contains("rules/a.rules:1:1: error PM1007 file::outside_roots"), "{out}");
    let config = host.path().join("c.toml").to_string_lossy().into_owned();
    let (code, out, _) = run(&["check", "--config", &config]);
    assert_eq!(code, Some(0), "{out}");
    let (code, out, _) = run(&["route", "-m", "find", "--config", &config]);
    assert_eq!(code, Some(3), "{out}");
}
