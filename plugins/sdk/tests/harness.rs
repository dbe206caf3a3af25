//! The harness hands a plugin what its manifest declares, and reports all that it does.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test reports by panicking; so does the plugin in it"
)]

use std::time::Duration;

use pointsman_plugin::*;

/// Writes down all it sees.
struct Witness {
    does: String,
}

impl Router for Witness {
    type Snapshot = Vec<String>;

    fn new(config: &Config) -> Result<Self, String> {
        let does = config.get("do").unwrap_or_default().to_owned();
        if does == "refuse" { Err(format!("`do` is `{does}`")) } else { Ok(Self { does }) }
    }

    fn snapshot(&self, providers: &Blob) -> Result<Vec<String>, String> {
        log::info(format_args!("{} providers, list {}", providers.len(), providers.generation()));
        if self.does == "no list" {
            return Err("not this list".into());
        }
        let parts = |it: Provider<'_>| {
            format!("{:?} {:?} {:?} {:?} {}", it.protocol(), it.host(), it.port(), it.path(), it.weight())
        };
        Ok(providers.providers().map(parts).collect())
    }

    fn route(&self, snapshot: &Vec<String>, call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
        match &*self.does {
            "fail" => return Err("not this call".into()),
            "panic" => panic!("three {}", "rings"),
            _ => {}
        }
        count("calls", 2);
        call.explain(|| &snapshot[0]);
        call.explain(|| format!("{:?} {:?} {:?}", call.method(), call.group(), call.version()));
        call.explain(|| format!("{:?}", call.attachments().collect::<Vec<_>>()));
        call.explain(|| format!("{:?} {:?} {:?}", call.argument(0), call.argument(10), call.consumer("application")));
        call.explain(|| format!("{:?} {:?}", call.hour(), (call.minute(), call.weekday(), call.now_ms())));
        call.explain(|| format!("{:?} {:?}", call.seed(), call.deadline()));
        keep.keep_only(|position| position != 0);
        Ok(Verdict::Use)
    }
}

/// The same, and it may see less.
struct Blind(Witness);

impl Router for Blind {
    type Snapshot = Vec<String>;
    fn new(config: &Config) -> Result<Self, String> {
        Witness::new(config).map(Self)
    }
    fn snapshot(&self, providers: &Blob) -> Result<Vec<String>, String> {
        self.0.snapshot(providers)
    }
    fn route(&self, snapshot: &Vec<String>, call: &Call, keep: &mut Selection) -> Result<Verdict, String> {
        self.0.route(snapshot, call, keep)
    }
    fn self_test() -> Result<(), String> {
        Err("no moon tonight".into())
    }
}

pointsman_plugin!(
    Witness,
    name = "witness",
    inputs = {
        method: true, consumer: ["application"], attachments: ["*"], arguments: [10, 0], random: true,
        clock: ["hour", "minute", "weekday", "now"],
    }
);

const _: () = {
    __pointsman_plugin_manifest!(Blind, name = "blind", inputs = { attachments: ["{zone-key}", "b"] });
    static SECTION: [u8; MANIFEST.section_len()] = MANIFEST.section();
};

/// 2026-11-30, a Monday, 16:12:40.123 UTC.
const NOW: i64 = 1_796_055_160_123;

fn given<P: Plugin>() -> testing::Harness<P> {
    let call = testing::call("create")
        .attachment("b", "old")
        .attachment("b", "2")
        .attachment("a", "1")
        .arguments((0..12).map(|it| it.to_string()))
        .group("g")
        .version("1.0")
        .seed(7)
        .now_ms(NOW)
        .deadline(Duration::from_millis(3));
    testing::plugin::<P>()
        .providers(["dubbo://h:1/S?weight=5", "tri://h:2"])
        .consumer("consumer://c/S?application=shop&zone=x")
        .call(call)
}

#[test]
fn what_is_declared_is_handed_over() {
    let kept = given::<Witness>().route().unwrap();
    let expected = [
        r#"Some("dubbo") Some("h") Some(1) Some("S") 5"#,
        r#"Some("create") Some("g") Some("1.0")"#,
        r#"[("a", "1"), ("b", "2")]"#,
        r#"Some("0") Some("10") Some("shop")"#,
        "Some(16) (Some(12), Some(1), Some(1796055160123))",
        "Some(7) Some(3ms)",
    ];
    assert_eq!(kept.explanations(), expected);
    assert_eq!((kept.positions(), kept.urls()), (&[1][..], &["tri://h:2".to_owned()][..]));
    assert_eq!(kept.logs(), ["info: 2 providers, list 1"]);
    assert_eq!(kept.counts(), [("calls".to_owned(), 2)]);
}

#[test]
fn what_is_not_declared_is_absent() {
    let kept = given::<Blind>().config("zone-key", "a").route().unwrap();
    let expected = [
        r#"None Some("g") Some("1.0")"#,
        r#"[("a", "1"), ("b", "2")]"#,
        "None None None",
        "None (None, None, None)",
        "None Some(3ms)",
    ];
    assert_eq!(kept.explanations()[1..], expected);
    let failure = given::<Blind>().route().unwrap_err();
    let text = "an input is `{zone-key}`, and the configuration has no `zone-key`";
    assert_eq!((failure.step, &*failure.text), ("harness", text));
}

#[test]
fn an_explanation_is_made_for_who_asks() {
    let kept = given::<Witness>().call(testing::call("create").unexplained()).route().unwrap();
    assert!(kept.explanations().is_empty());
}

#[test]
fn an_error_comes_with_its_step_its_code_and_its_text() {
    for (does, step, code, text) in [
        ("refuse", "router_new", -1, "`do` is `refuse`"),
        ("no list", "snapshot_new", -4, "not this list"),
        ("fail", "route", -4, "not this call"),
    ] {
        let failure = given::<Witness>().config("do", does).route().unwrap_err();
        assert_eq!((failure.step, failure.code, &*failure.text), (step, code, text));
    }
}

#[test]
fn a_plugin_may_look_at_itself_first() {
    given::<Witness>().self_test().unwrap();
    let failure = given::<Blind>().self_test().unwrap_err();
    assert_eq!(failure.to_string(), "self_test answered -4: no moon tonight");
}

#[test]
fn a_panic_comes_with_its_place_and_is_logged() {
    let failure = given::<Witness>().config("do", "panic").route().unwrap_err();
    assert_eq!(failure.code, -2);
    assert!(failure.text.starts_with("three rings (at plugins/sdk/tests/harness.rs:"), "{}", failure.text);
    assert_eq!(failure.logs[1..], [format!("error: panicked: {}", failure.text)]);
}

#[test]
#[should_panic(expected = "the plugin panicked: index out of bounds")]
fn fuzzing_finds_a_plugin_that_trusts_its_list() {
    struct Trusts;
    impl Router for Trusts {
        type Snapshot = usize;
        fn new(_: &Config) -> Result<Self, String> {
            Ok(Self)
        }
        fn snapshot(&self, providers: &Blob) -> Result<usize, String> {
            Ok(providers.len())
        }
        fn route(&self, len: &usize, call: &Call, _: &mut Selection) -> Result<Verdict, String> {
            let places: Vec<usize> = (0..*len).collect();
            let first = call.argument(0).and_then(|it| it.parse().ok()).unwrap_or(0);
            Ok(if places[first] == 0 { Verdict::Use } else { Verdict::Pass })
        }
    }
    const _: () = {
        __pointsman_plugin_manifest!(Trusts, name = "trusts", inputs = { arguments: [0] });
        static SECTION: [u8; MANIFEST.section_len()] = MANIFEST.section();
    };
    testing::samples(5_000).for_each(|data| testing::fuzz::<Trusts>(&data));
}
