//! `pointsman diff`: what the rules of a second folder would change.

use std::process::Command;

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const PROVIDERS: &str = "dubbo://10.0.0.1:1/S?region=a\ndubbo://10.0.0.2:1/S?region=b\n";

fn folder(rules: &str) -> TestFolder {
    TestFolder::empty().with("providers.txt", PROVIDERS).with("rules/a.rules", rules)
}

fn diff(old: &TestFolder, new: &TestFolder) -> (Option<i32>, Value) {
    let [old, new] = [old, new].map(|folder| folder.path().to_string_lossy().into_owned());
    let (code, out, log) = told(pointsman(&["diff", &old, &new, "--format", "json"]).output().unwrap());
    (code, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{log}")))
}

#[test]
fn every_relation_is_told_by_its_name() {
    let old = folder("method = one => region=a\nmethod = two => region=a\nmethod = three => region=a\n");
    let new = folder("method = one => region=b\nmethod = three => false\nmethod = four => region=b\n");
    let (code, report) = diff(&old, &new);
    assert_eq!((code, &report["changed"]), (Some(1), &4.into()));
    let mut told: Vec<(String, String)> = report["services"][0]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["call"].as_str().unwrap().to_owned(), it["relation"].as_str().unwrap().to_owned()))
        .collect();
    told.sort();
    let expected = [("four()", "narrower"), ("one()", "disjoint"), ("three()", "empty"), ("two()", "wider")];
    assert_eq!(told, expected.map(|(call, relation)| (call.to_owned(), relation.to_owned())));
}

#[test]
fn equal_folders_change_nothing() {
    let old = folder("method = one => region=a\n");
    let (code, report) = diff(&old, &folder("# the same in other words\nmethod=one=>region=a\n"));
    assert_eq!((code, &report["changed"], &report["services"][0]["equal"]), (Some(0), &0.into(), &2.into()));
}

#[test]
fn shares_that_change_are_told_by_draws() {
    let document = |weight: u32| {
        format!(
            "configVersion: v3.1\nscope: service\nkey: S\nconditions:\n  - from: {{match: ''}}\n    to:\n      \
             - {{match: region=a, weight: {weight}}}\n      - {{match: region=b, weight: 100}}\n"
        )
    };
    let old = folder("").with("rules/b.yaml", document(100));
    let (code, report) = diff(&old, &folder("").with("rules/b.yaml", document(10)));
    let draws = &report["services"][0]["changes"][0]["draws"];
    assert_eq!((code, &draws[1]), (Some(1), &32.into()));
    assert!((1..32).contains(&draws[0].as_u64().unwrap()), "{draws}");
}

#[test]
fn a_git_revision_is_a_folder_too() {
    let repository = folder("method = one => region=a\n");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
        command.args(args).current_dir(repository.path()).env_remove("GIT_DIR").output()
    };
    // Without git there are no revisions.
    if git(&["init", "-q"]).is_err() {
        return;
    }
    let shop = repository.path().join("shop");
    std::fs::create_dir(&shop).unwrap();
    for name in ["providers.txt", "rules"] {
        std::fs::rename(repository.path().join(name), shop.join(name)).unwrap();
    }
    assert!(git(&["add", "."]).unwrap().status.success());
    assert!(git(&["commit", "-q", "-m", "one"]).unwrap().status.success());
    std::fs::write(shop.join("rules/a.rules"), "method = one => region=b\n").unwrap();
    let run = |old: &str| {
        let mut command = pointsman(&["diff", old, "shop", "--format", "plain"]);
        told(command.current_dir(repository.path()).output().unwrap())
    };
    let (code, out, log) = run("HEAD:shop");
    assert_eq!(code, Some(1), "{out}{log}");
    assert!(out.contains("disjoint    1 -> 1  one()"), "{out}");
    let (code, _, log) = run("nothing:shop");
    assert_eq!((code, log.contains("diff::no_revision")), (Some(2), true), "{log}");
    // Git would take it for an option, and write the file.
    let mut command = pointsman(&["diff", "shop", "--", "--output=written:shop"]);
    let (code, _, log) = told(command.current_dir(repository.path()).output().unwrap());
    assert_eq!((code, log.contains("PM1501")), (Some(2), true), "{log}");
    assert!(!repository.path().join("written").exists());
}

/// `narrower one() from host=10.0.0.9: a rule` of each change.
fn changes(old: &str, new: &str) -> Vec<String> {
    let (_, report) = diff(&folder(old), &folder(new));
    let changes = report["services"][0]["changes"].as_array().unwrap().clone();
    let line = |change: &Value| {
        let because: Vec<&str> = change["because"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        format!("{} {}: {}", change["relation"].as_str().unwrap(), change["call"].as_str().unwrap(), because.join(", "))
    };
    changes.iter().map(line).collect()
}

#[test]
fn values_of_lists_ends_of_ranges_and_hosts_of_route_urls_are_tried() {
    let one = "condition://10.0.0.9/S?rule=method%3Done+%3D%3E+region%3Da\n";
    let other = "condition://10.0.0.9/S?rule=method%3Done+%3D%3E+region%3Db\n";
    for (old, new, expected) in [
        ("method=a,b,c => region=a\n", "method=a,b => region=a\n", "wider c(): no longer rules/a.rules:1"),
        (
            "@dialect v3\nattachments[n]=1~100 => region=a\n",
            "@dialect v3\nattachments[n]=1~50 => region=a\n",
            "wider other() n=100: rules/a.rules:2",
        ),
        (
            "@dialect v3\nattachments[n]=1~100 => region=a\n",
            "@dialect v3\nattachments[n]=1~150 => region=a\n",
            "narrower other() n=101: rules/a.rules:2",
        ),
        (one, other, "disjoint one() from host=10.0.0.9: rules/a.rules:1"),
    ] {
        let found = changes(old, new);
        let expected = expected.replace("c(): no longer ", "c(): ");
        assert!(found.contains(&expected), "{old}{new}{expected}: {found:#?}");
    }
}

#[test]
fn a_change_is_put_down_to_the_rules_that_changed() {
    let rest = "method=x => region=a\n";
    for (old, new, expected) in [
        // The rule below moves up into the place of the one that is gone.
        (format!("method=y => region=b\n{rest}"), rest.to_owned(), "wider y(): no longer rules/a.rules:1"),
        (format!("{rest}method=y => region=b\n"), rest.to_owned(), "wider y(): no longer rules/a.rules:2"),
        (rest.to_owned(), "method=x => region=b\n".to_owned(), "disjoint x(): rules/a.rules:1"),
        (rest.to_owned(), format!("=> region=b\n{rest}"), "narrower other(): rules/a.rules:1"),
    ] {
        let found = changes(&old, &new);
        assert!(found.contains(&expected.to_owned()), "{old}{new}{expected}: {found:#?}");
    }
}

#[test]
fn the_gray_shop_reads_like_a_rollout() {
    let (code, out, _) = told(pointsman(&["diff", "examples/shop", "examples/shop-gray"]).output().unwrap());
    assert_eq!(code, Some(1));
    for line in ["com.shop.UserService: 10 calls: 10 equal", "by payment-canary (rules/rollout.yaml:23)"] {
        assert!(out.contains(line), "{out}");
    }
}
