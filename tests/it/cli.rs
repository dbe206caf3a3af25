//! The command as users and scripts see it, through the real binary.

use std::process::Stdio;

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::folder::pointsman;
use crate::support::folder::told;

const SHOP: &str = "examples/shop";
const ORDERS: &str = "com.shop.OrderService";

fn route(args: &[&str]) -> (Option<i32>, String, String) {
    told(pointsman(&["route", SHOP]).args(args).output().unwrap())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn five_calls_through_the_shop_are_explained() {
    for (name, args) in [
        ("create_from_anywhere", vec!["--service", ORDERS, "-m", "create"]),
        (
            "create_large_order_from_shanghai",
            vec![
                "--service",
                ORDERS,
                "-m",
                "create",
                "--consumer",
                "consumer://10.2.0.9?application=shop-web&region=shanghai",
                "-A",
                "order.amount=20000",
            ],
        ),
        ("refund_is_forced_empty", vec!["--service", "com.shop.PaymentService:2.0.0", "-m", "refund"]),
        ("item_for_a_vip", vec!["--service", "com.shop.CatalogService", "-m", "item", "-a", "vip-7"]),
        (
            "tester_without_gray_users",
            vec![
                "--service",
                "com.shop.UserService",
                "-m",
                "login",
                "--consumer",
                "consumer://10.3.0.4?application=shop-gray",
            ],
        ),
    ] {
        let (code, out, log) = route(&[args.as_slice(), &["--explain"]].concat());
        assert!(matches!(code, Some(0 | 3)) && log.is_empty(), "{name}: {code:?} {log}");
        insta::assert_snapshot!(name, out);
    }
}

#[test]
fn the_exit_code_tells_what_happened() {
    let broken = TestFolder::new().with("rules/a.rules", "=x => a=b\n");
    let broken = broken.path().to_str().unwrap();
    for (args, code) in [
        (vec!["route", SHOP, "--service", ORDERS, "-m", "create"], 0),
        (vec!["check", SHOP], 0),
        (vec!["--version"], 0),
        (vec!["route", SHOP, "-m", "create"], 2),
        (vec!["route", SHOP], 2),
        (vec!["route", "no/such/folder", "-m", "create"], 2),
        (vec!["check", "no/such/folder"], 2),
        (vec!["route", SHOP, "--service", "com.shop.PaymentService:2.0.0", "-m", "refund"], 3),
        (vec!["check", broken], 4),
        (vec!["route", broken, "-m", "create"], 4),
        (vec!["route", broken, "-m", "create", "--keep-going"], 0),
    ] {
        assert_eq!(told(pointsman(&args).output().unwrap()).0, Some(code), "{args:?}");
    }
}

#[test]
fn a_service_that_is_needed_is_asked_for_with_the_list() {
    let (_, out, log) = route(&["-m", "create"]);
    assert!(out.is_empty());
    assert!(log.contains("PM0701 call::service_needed") && log.contains("com.shop.CartService"), "{log}");
}

#[test]
fn findings_are_drawn_with_number_place_and_advice() {
    let folder = TestFolder::new().with("rules/a.rules", "# ours\n@forec\nhost=a => b=c\n");
    let (_, out, _) = told(pointsman(&["check"]).arg(folder.path()).output().unwrap());
    let expected = "PM0400 rules::unknown_tag\n\n  × unknown tag `@forec`\n   ╭─[rules/a.rules:2:1]\n 2 │ @forec\n   · ───┬──\n   ·    ╰── not a tag\n   ╰────\n  help: did you mean `@force`?\n\n2 files, 0 rules, 1 provider, 1 error, 0 warnings\n";
    assert_eq!(out, expected);
}

#[test]
fn output_that_is_no_terminal_has_no_colour() {
    let folder = TestFolder::new().with("rules/a.rules", "= => b\n");
    let (_, out, _) = told(pointsman(&["check"]).arg(folder.path()).output().unwrap());
    assert!(!out.contains('\u{1b}'), "{out}");
}

#[test]
fn an_error_in_an_encoded_rule_points_into_the_file() {
    let folder = TestFolder::new().with("rules/a.rules", "condition://0.0.0.0/S?rule=%3Dx%3D%3Ea%3Db&force=true\n");
    let (_, out, _) = told(pointsman(&["check", "--format", "json"]).arg(folder.path()).output().unwrap());
    let finding = &json(&out)["findings"][0];
    assert_eq!(
        (&finding["file"], &finding["line"], &finding["column"]),
        (&"rules/a.rules".into(), &1.into(), &28.into())
    );
}

#[test]
fn check_tells_everything_at_once_as_json() {
    let folder = TestFolder::empty().with("rules/a.rules", "@force maybe\n@prority 1\n=x => a=b\n");
    let (code, out, _) = told(pointsman(&["check", "--format", "json"]).arg(folder.path()).output().unwrap());
    let report = json(&out);
    assert_eq!((code, &report["schema"], &report["errors"]), (Some(4), &1.into(), &4.into()), "{out}");
    let slugs: Vec<_> =
        report["findings"].as_array().unwrap().iter().map(|finding| finding["slug"].as_str().unwrap()).collect();
    assert_eq!(slugs[..3], ["providers::missing", "rules::wrong_value", "rules::unknown_tag"], "{out}");
}

#[test]
fn route_as_json_has_answer_steps_and_counts() {
    let (_, out, _) = route(&["--service", ORDERS, "-m", "create", "--explain", "--repeat", "5", "--format", "json"]);
    let report = json(&out);
    assert_eq!((&report["schema"], &report["total"]), (&1.into(), &10.into()));
    assert_eq!(report["kept"].as_array().unwrap().len(), 7);
    assert_eq!(report["steps"].as_array().unwrap().len(), 7);
    assert_eq!(report["answers"][0]["count"], 5);
    assert_eq!(report["answers"][0]["kept"], report["kept"]);
    assert_eq!(report["decided_by"][1]["name"], "stable-for-all");
}

#[test]
fn the_configuration_may_turn_the_order_and_never_lies_in_the_folder() {
    let rules = "@priority 1\n@name one\na=b => c=d\n@priority 2\n@name two\na=b => c=d\n";
    let folder = TestFolder::new().with("rules/a.rules", rules).with("config.toml", "priority-order = \"ascending\"\n");
    let elsewhere = TestFolder::empty().with("config.toml", "priority-order = \"ascending\"\n");
    let run = |config: &std::path::Path| {
        let mut command = pointsman(&["route", "-m", "x", "--explain", "--config"]);
        told(command.arg(config).arg(folder.path()).output().unwrap())
    };
    let (code, out, _) = run(&elsewhere.path().join("config.toml"));
    assert!(code == Some(0) && out.find("one (") < out.find("two ("), "{out}");
    let (code, _, log) = run(&folder.path().join("config.toml"));
    assert!(code == Some(2) && log.contains("config::inside_folder"), "{log}");
    let (code, _, _) = run("no/such.toml".as_ref());
    assert_eq!(code, Some(2));
}

#[test]
fn secrets_are_never_printed() {
    let folder = TestFolder::empty()
        .with("providers.txt", "dubbo://u:hunter2@10.0.0.1:1/S?password=hunter2&pin=hunter2\n")
        .with("rules/a.rules", "attachments[token]=hunter3 => pin=hunter2 & password = hunter2\n");
    let config = TestFolder::empty().with("config.toml", "mask = [\"pin\"]\n");
    for format in ["human", "plain", "json"] {
        let mut command =
            pointsman(&["route", "-m", "x", "-A", "token=hunter2", "--explain", "--format", format, "--config"]);
        let (_, out, log) = told(command.arg(config.path().join("config.toml")).arg(folder.path()).output().unwrap());
        assert!(!out.contains("hunter") && !log.contains("hunter"), "{format}: {out}{log}");
    }
}

/// Every way in which `SECRET…` could get out of a folder's files.
#[test]
fn secrets_in_faulty_lines_are_never_printed() {
    for (file, line) in [
        ("providers.txt", "u:SECRET@h2:1/S"),
        ("providers.txt", "u:SECRET b@h2:1/S"),
        ("providers.txt", "dubbo://h2:1/S?password=a SECRET b"),
        ("providers.txt", "dubbo://u:SECRET/x@h:1/S"),
        ("providers.txt", "dubbo://u:SECRET?x@h:1/S"),
        ("providers.txt", "dubbo://u:x:SECRET/S"),
        ("providers.txt", "dubbo%3A%2F%2Fu%3ASECRET%40h%3A1%2FS"),
        ("providers.txt", "dubbo://u:SECRET@h:1"),
        ("rules/a.rules", "password = abc SECRET =>"),
        ("rules/a.rules", "password = SECRET abc => a = b"),
        ("rules/a.rules", "password = ab;SECRET => a = b c"),
        ("rules/a.rules", "token = 12*SECRET*56 => a = b"),
        ("rules/a.rules", "@dialect v3 token = SECRET~9 => a = b"),
        ("rules/a.rules", "@dialect v3 token = ab`SECRET => a = x~y"),
        ("rules/a.rules", "token = 1，SECRET => a = b"),
        ("rules/a.rules", "token = x SECRET"),
        ("rules/a.rules", "@token SECRET"),
        ("rules/a.rules", "a = b => token = x => SECRET"),
        ("rules/a.rules", "route://0.0.0.0/S?rule=token%20%3D%20abc%20SECRET%20%3D%3E%20a%3Db"),
        ("rules/a.rules", "condition://0.0.0.0/S?rule=token%20%3D%20abc%20SECRET%20%3D%3E%20a%3Db"),
    ] {
        let folder = TestFolder::new().with(file, format!("{line}\n"));
        for (command, format) in [("check", "human"), ("check", "plain"), ("check", "json"), ("route", "human")] {
            let mut command = pointsman(&[command, "--format", format]);
            let command = command.arg(folder.path());
            let rest: &[&str] = if format == "human" { &["-m", "x", "--explain", "--keep-going"] } else { &[] };
            let is_route = command.get_args().next().is_some_and(|name| name == "route");
            let (code, out, log) = told(command.args(if is_route { rest } else { &[] }).output().unwrap());
            assert!(code.is_some() && !out.contains("SECRET") && !log.contains("SECRET"), "{line}: {out}{log}");
        }
    }
}

#[test]
fn a_secret_far_behind_its_key_is_not_shown_by_the_window() {
    let rule = format!("token = {} SECRET => a = b\n", "x".repeat(100));
    let folder = TestFolder::new().with("rules/a.rules", rule);
    let (_, out, _) = told(pointsman(&["check"]).arg(folder.path()).output().unwrap());
    assert!(out.contains("***") && !out.contains("SECRET") && !out.contains("xx"), "{out}");
}

#[test]
fn secrets_in_arguments_are_never_printed() {
    for args in [
        vec!["--consumer", "dubbo://u:x:SECRET/S"],
        vec!["--consumer", "dubbo://u:SECRET/x@h:1/S"],
        vec!["--consumer", "u:a SECRET@h/S?password=a SECRET"],
        vec!["-A", "SECRET"],
        vec!["token=SECRET"],
        vec!["--token=SECRET"],
        vec!["--repeat", "token=SECRET"],
    ] {
        for format in ["human", "plain", "json"] {
            let (code, out, log) =
                route(&[&["-m", "create", "--explain", "--format", format], args.as_slice()].concat());
            assert!(code.is_some() && !out.contains("SECRET") && !log.contains("SECRET"), "{args:?}: {out}{log}");
        }
    }
}

#[test]
fn wide_characters_stay_within_80_columns() {
    use unicode_width::UnicodeWidthStr as _;
    let words = "杭州".repeat(60);
    let folder = TestFolder::empty()
        .with("providers.txt", format!("dubbo://10.0.0.1:1/S?region={words}\ndubbo://10.0.0.2:1/S?region=b\n"))
        .with("rules/a.rules", format!("region = {words} => region = {words} & a = b\n"));
    let broken = TestFolder::new().with("rules/a.rules", format!("region = {words} {words} => = {words}\n"));
    let route = pointsman(&["route", "-m", "x", "--explain"]).arg(folder.path()).output().unwrap();
    let check = pointsman(&["check"]).arg(broken.path()).output().unwrap();
    for (_, out, _) in [told(route), told(check)] {
        let cut = out.lines().filter(|line| !line.contains(&words));
        assert!(cut.clone().count() > 3 && cut.clone().all(|line| line.width() <= 80), "{out}");
    }
}

#[test]
fn a_lone_carriage_return_is_an_error_and_crlf_is_none() {
    for (text, expected) in [("# x\ra = b => c = d\r", 4), ("# x\r\na = b => c = d\r\n", 0)] {
        let folder = TestFolder::new().with("providers.txt", "dubbo://h:1/S\n").with("rules/a.rules", text);
        let (code, out, _) = told(pointsman(&["check", "--format", "plain"]).arg(folder.path()).output().unwrap());
        assert_eq!((code, out.contains("a.rules:1:4: error PM0312")), (Some(expected), expected == 4), "{out}");
    }
}

#[test]
fn a_configuration_inside_the_folder_of_a_single_file_is_refused() {
    let folder = TestFolder::new().with("rules/a/b.rules", "a = b => c = d\n").with("config.toml", "");
    for (file, config, expected) in [
        ("rules/a/b.rules", "config.toml", 2),
        ("providers.txt", "config.toml", 2),
        ("rules/a/b.rules", "rules/a/b.rules", 2),
    ] {
        let mut command = pointsman(&["check"]);
        let command = command.arg(folder.path().join(file)).arg("--config").arg(folder.path().join(config));
        let (code, _, log) = told(command.output().unwrap());
        assert!(code == Some(expected) && log.contains("config::inside_folder"), "{file}: {code:?} {log}");
    }
}

#[test]
fn a_file_named_twice_counts_once() {
    let folder = TestFolder::new()
        .with("providers.txt", "dubbo://h:1/S\n")
        .with("rules/a.rules", "a = b => c = d\n")
        .with("rules/b.rules", "a = b c => c = d\n");
    let paths =
        ["", "rules/a.rules", "rules/b.rules", "rules/../rules/a.rules", "."].map(|path| folder.path().join(path));
    let (code, out, _) = told(pointsman(&["check"]).args(paths).output().unwrap());
    assert!(code == Some(4) && out.ends_with("3 files, 1 rule, 1 provider, 1 error, 0 warnings\n"), "{out}");
}

#[test]
fn arguments_that_begin_with_a_dash_are_taken_and_an_empty_method_is_not() {
    let (code, _, log) = route(&["--service", ORDERS, "-m", "create", "-A", "-x=1", "-a", "-5"]);
    assert_eq!((code, log.as_str()), (Some(0), ""));
    assert_eq!(route(&["--service", ORDERS, "-m", ""]).0, Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = pointsman(&["check", SHOP]);
    let (code, _, log) = told(command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap());
    assert!(code == Some(1) && log.contains("cannot write the answer"), "{code:?} {log}");
}

#[test]
fn a_thousand_providers_are_readable() {
    let providers: String =
        (0..1_000).map(|at| format!("dubbo://10.0.{}.{}:20880/S?region=r{}\n", at / 250, at % 250, at % 3)).collect();
    let folder = TestFolder::empty().with("providers.txt", providers).with("rules/a.rules", "=> region = r1\n");
    let (_, out, _) = told(pointsman(&["route", "-m", "x", "--explain"]).arg(folder.path()).output().unwrap());
    assert!(out.lines().count() < 40 && out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(out.contains("1000 -> 333") && out.contains("and 664 more") && out.contains("and 313 more"), "{out}");
}

#[test]
fn init_writes_a_folder_that_works_and_overwrites_nothing() {
    let home = TestFolder::empty();
    let folder = home.path().join("shop");
    let init = || told(pointsman(&["init"]).arg(&folder).output().unwrap());
    assert_eq!(init().0, Some(0));
    let (code, out, _) = told(pointsman(&["route", "-m", "sayHello"]).arg(&folder).output().unwrap());
    assert!(code == Some(0) && out.contains("Result: 1 of 3 providers"), "{out}");
    let (code, _, log) = init();
    assert!(code == Some(1) && log.contains("not empty"), "{log}");
}

#[test]
fn help_shows_examples() {
    for args in [vec!["--help"], vec!["route", "--help"], vec!["check", "--help"], vec!["init", "--help"]] {
        let (code, out, _) = told(pointsman(&args).output().unwrap());
        assert!(code == Some(0) && out.contains("Examples:\n  pointsman "), "{out}");
    }
}
