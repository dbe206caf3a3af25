//! What went wrong with condition rules in the field. A, V and R are the case's number in `field-cases.md`.

use pointsman::rpc::Value;

use crate::support::routing::C1;
use crate::support::routing::C2;
use crate::support::routing::P1;
use crate::support::routing::P2;
use crate::support::routing::P3;
use crate::support::routing::call;
use crate::support::routing::rule;

const NONE: [usize; 0] = [];

// A2, V30: apache/dubbo#433, #561
#[test]
fn mismatch_wins_over_match_in_any_order() {
    for text in [
        "host = 10.0.0.1,10.0.0.2 & host != 10.0.0.1 => host = 10.0.1.1",
        "host != 10.0.0.1 & host = 10.0.0.1,10.0.0.2 => host = 10.0.1.1",
        "host = 10.0.0.* & host != 10.0.0.1 => host = 10.0.1.1",
    ] {
        for case in [rule(text), rule(text).v2()] {
            assert_eq!(case.clone().from(C1).kept(), [1, 2, 3], "`{text}`");
            assert_eq!(case.from(C2).kept(), [1], "`{text}`");
        }
    }
}

// V30: apache/dubbo-go
#[test]
fn a_list_of_exclusions_excludes_each_of_them() {
    assert_eq!(rule("=> host != 10.0.1.1,10.0.1.2").kept(), [3]);
}

// A3: apache/dubbo#433
#[test]
fn method_and_methods_are_the_invoked_method_and_not_the_parameter() {
    let consumer = format!("{C1}?methods=setFoo,getFoo,findFoo");
    for text in ["methods = getFoo => host = 10.0.1.1", "method = getFoo => host = 10.0.1.1"] {
        for case in [rule(text).from(&consumer), rule(text).from(&consumer).v2()] {
            assert_eq!(case.clone().calling(call("getFoo")).kept(), [1], "`{text}`");
            assert_eq!(case.calling(call("setFoo")).kept(), [1, 2, 3], "`{text}`");
        }
    }
}

// A4: apache/dubbo#1201
#[test]
fn a_parameter_of_the_provider_default_stands_for_the_plain_one() {
    let providers = [format!("{P1}?default.serialization=fastjson"), P2.to_owned()];
    assert_eq!(rule("=> serialization = fastjson").to(providers).kept(), [1]);
}

// A5: apache/dubbo#6955
#[test]
fn host_is_the_consumers_and_register_ip_a_plain_parameter() {
    let (near, far) = (format!("{C1}?register.ip=10.0.0.1"), "consumer://10.9.9.9/S?register.ip=10.0.0.1");
    assert_eq!(rule("host = 10.0.0.1 => host = 10.0.1.1").from(&near).kept(), [1]);
    assert_eq!(rule("host = 10.0.0.1 => host = 10.0.1.1").from(far).kept(), [1, 2, 3]);
    assert_eq!(rule("register.ip = 10.0.0.1 => host = 10.0.1.1").from(far).kept(), [1]);
}

// A12: apache/dubbo#7378
#[test]
fn an_argument_is_compared_as_a_whole_and_as_text() {
    let text = "arguments[0] = a => host = 10.0.1.1";
    let with = |value: Value<'static>| call("m").with_argument("java.lang.Object", value);
    for case in [rule(text), rule(text).v2()] {
        assert_eq!(case.clone().calling(with("a".into())).kept(), [1]);
        assert_eq!(case.clone().calling(with("b".into())).kept(), [1, 2, 3]);
        assert_eq!(case.calling(call("m")).kept(), [1, 2, 3]);
    }
    assert_eq!(rule("arguments[0] = 1 => host = 10.0.1.1").calling(with(1_i64.into())).kept(), [1]);
    assert_eq!(rule("arguments[0] = null => host = 10.0.1.1").calling(with(Value::Null)).kept(), [1]);
    for text in ["arguments = b => host = 10.0.1.1", "arguments[10].inner = a => host = 10.0.1.1"] {
        assert_eq!(rule(text).calling(with("a".into())).kept(), [1, 2, 3], "`{text}`");
    }
}

// A15: apache/dubbo-admin#755; R3, R4
#[test]
fn an_empty_then_side_blocks_those_that_match_whatever_force_says() {
    for case in [rule("host != 10.0.0.1 =>"), rule("host != 10.0.0.1 =>").forced()] {
        assert_eq!(case.clone().from(C1).kept(), [1, 2, 3]);
        assert_eq!(case.from(C2).kept(), NONE);
    }
    assert_eq!(rule("host = 10.0.0.1,10.0.0.2 =>").from(C2).kept(), NONE);
}

// A18: apache/dubbo-admin#793
#[test]
fn a_generic_call_is_routed_by_the_method_that_it_means() {
    let generic = || call("$invoke").with_argument("java.lang.String", "listUser");
    let text = "method = listUser => address = *:20880";
    assert_eq!(rule(text).calling(generic()).kept(), [1, 2]);
    assert_eq!(rule(text).v2().calling(generic()).kept(), [1, 2, 3]);
}

// A19: apache/dubbo#5475
#[test]
fn a_generic_provider_is_filtered_like_any_other() {
    assert_eq!(rule("=> host != 10.0.1.1").to([format!("{P1}?generic=true"), P2.to_owned()]).kept(), [2]);
}

// A20: apache/dubbo-docs#47
#[test]
fn consumer_and_provider_in_front_of_keys_are_dropped() {
    assert_eq!(rule("consumer.host = 10.0.0.1 => provider.host = 10.0.1.2").v2().kept(), [2]);
}

// V1
#[test]
fn an_open_upper_range_is_at_least_its_bound() {
    let providers = ["5", "100", "500", "abc", ""].map(|level| format!("{P1}?level={level}"));
    assert_eq!(rule("=> level=100~").to(providers.clone()).kept(), [2, 3]);
    assert_eq!(rule("=> level!=100~").to(providers).kept(), [1, 4, 5]);
}

// V2
#[test]
fn a_value_that_is_no_integer_is_in_no_range() {
    for (text, user) in
        [("attachments[user] = ~100 => port=20881", "abc"), ("attachments[user] = 0~9 => port=20881", "1.5")]
    {
        assert_eq!(rule(text).calling(call("m").with_attachment("user", user)).kept(), [1, 2, 3], "`{text}`");
    }
}

// V3
#[test]
fn a_range_that_is_none_does_not_load() {
    for text in ["=> level=~", "=> level=a~b", "=> level=1~2~3", "level=~~ =>"] {
        assert!(!rule(text).loads(), "`{text}`");
        assert!(rule(text).v2().loads(), "`{text}`");
    }
}

// V4, V5
#[test]
fn an_argument_beyond_the_last_never_matches() {
    let one = || call("m").with_argument("java.lang.String", "a");
    for text in ["arguments[1] != x => port=20881", "arguments[9] = * => port=20881", "arguments[9] != x =>"] {
        assert_eq!(rule(text).calling(one()).kept(), [1, 2, 3], "`{text}`");
        assert_eq!(rule(text).v2().calling(one()).kept(), [1, 2, 3], "`{text}` v2");
    }
}

// V6
#[test]
fn what_is_absent_passes_an_exclusion_under_v2_only() {
    for text in ["tag != gray => port=20881", "=> tag != gray & port=20881"] {
        assert_eq!(rule(text).v2().kept(), [3], "`{text}`");
        assert_eq!(rule(text).kept(), [1, 2, 3], "`{text}`");
    }
    assert_eq!(rule("attachments[tag] != gray =>").kept(), [1, 2, 3]);
}

// V7, V8
#[test]
fn attachment_names_may_hold_dots_and_hyphens() {
    for name in ["user.id", "user-id", "a.b.c"] {
        let text = format!("attachments[{name}] = 7 => host = 10.0.1.3");
        assert_eq!(rule(&text).calling(call("m").with_attachment(name, "7")).kept(), [3], "`{text}`");
        assert_eq!(rule(&text).calling(call("m").with_attachment(name, "8")).kept(), [1, 2, 3], "`{text}`");
    }
}

// V9
#[test]
fn a_value_may_begin_with_consumer() {
    let text = "host = consumer.example.test => port = 20881";
    assert_eq!(rule(text).from("consumer://consumer.example.test/S").kept(), [3]);
    assert_eq!(rule(text).from("consumer://example.test/S").kept(), [1, 2, 3]);
}

// V10
#[test]
fn only_the_last_star_is_a_wildcard() {
    assert_eq!(rule("=> host = 10.*.1.*").forced().kept(), NONE);
    assert_eq!(rule("=> tag = ab*ba").to([format!("{P1}?tag=aba"), format!("{P2}?tag=abXba")]).kept(), [1, 2]);
}

// V11, V12
#[test]
fn words_that_nothing_joins_do_not_load() {
    for text in ["=> host = a b", "host=a host=b => port=20880"] {
        assert!(!rule(text).loads() && !rule(text).v2().loads(), "`{text}`");
    }
}

// V13
#[test]
fn a_text_without_an_arrow_is_the_then_side() {
    assert_eq!(rule("host = 10.0.1.2").kept(), [2]);
}

// V14
#[test]
fn quotes_are_ordinary_characters() {
    let providers = [format!("{P1}?tag=\"a\""), format!("{P2}?tag=a")];
    assert_eq!(rule("=> tag=\"a\"").to(providers).kept(), [1]);
    assert!(!rule("=> tag=\"a b\"").loads());
}

// R1 to R22
#[test]
fn the_shapes_that_people_write_do_what_they_say() {
    let app = format!("{C1}?application=A&region=hangzhou");
    let regions = [
        format!("{P1}?region=beijing"),
        format!("{P2}?region=hangzhou"),
        format!("{P3}?region=hangzhou&orderVersion=v2"),
    ];
    let near = "dubbo://10.0.0.1:20880/com.ex.BarService".to_owned();
    let all = [1, 2, 3].as_slice();
    for (name, text, wanted) in [
        ("R1", "host = 10.0.0.1 => host = 10.0.1.1", [1].as_slice()),
        ("R2", "=> host != 10.0.1.1", &[2, 3]),
        ("R5", "=> host = 10.0.1.1*,10.0.1.2*", &[1, 2]),
        ("R6", "application != A => host != 10.0.1.1,10.0.1.2", all),
        ("R7", "method = find*,list*,get*,is* => host = 10.0.1.1,10.0.1.2", &[1, 2]),
        ("R8", "method != find*,list*,get*,is* => host = 10.0.1.3", all),
        ("R9", "application = A => host = 10.0.1.1,10.0.1.2", &[1, 2]),
        ("R10", "host != 10.1.* => host != 10.0.1.1*", &[2, 3]),
        ("R12", "application=A => address=*:20880", &[1, 2]),
        ("R13", "interface=com.ex.BarService&method=find=>address=*:20880", all),
        ("R14", "=> region=$region", &[2, 3]),
        ("R17", "host = 10.0.0.1 => port != 20880", &[3]),
        ("R18", "true => host = 10.0.1.1", &[1]),
        ("R18", "host = 10.0.0.1 => false", &[]),
        ("R20", "user.vip = true => host = 10.0.1.1", all),
        ("R21", "application = product =>", all),
        ("R22", "method = find => port = 20881", &[3]),
    ] {
        assert_eq!(rule(text).from(&app).to(regions.clone()).kept(), wanted, "{name} `{text}`");
    }
    assert_eq!(rule("=> host = $host").to([P1.to_owned(), near]).kept(), [2], "R11");
    let argument = call("m").with_argument("int", 0_i64).with_argument("java.lang.String", "dubbo");
    assert_eq!(rule("arguments[1]=dubbo => orderVersion=v2").to(regions.clone()).calling(argument).kept(), [3], "R15");
    for (user, wanted) in [("50", [2, 3].as_slice()), ("101", all), ("x", all)] {
        let case = rule("attachments[user_id] = 1~100 => region=hangzhou").to(regions.clone());
        assert_eq!(case.calling(call("m").with_attachment("user_id", user)).kept(), wanted, "R16 {user}");
    }
    let mixed = rule("application=A&arguments[0]=a => host = 10.0.1.1").from(&app);
    assert_eq!(mixed.clone().calling(call("m").with_argument("java.lang.String", "a")).kept(), [1], "R19");
    assert_eq!(mixed.calling(call("m").with_argument("java.lang.String", "b")).kept(), all, "R19");
    let staging = [format!("{P1}?status=staging"), format!("{P2}?status=live")];
    assert_eq!(rule("=> status != staging").to(staging).kept(), [2], "R21");
}

#[test]
fn an_empty_result_stands_under_force_only() {
    assert_eq!(rule("=> host = 10.9.9.9").kept(), [1, 2, 3]);
    assert_eq!(rule("=> host = 10.9.9.9").forced().kept(), NONE);
}

#[test]
fn a_consumer_without_a_port_has_port_0_in_a_placeholder_and_none_as_a_key() {
    assert_eq!(rule("port = * => host = 10.0.1.1").kept(), [1, 2, 3]);
    assert_eq!(rule("=> timeout = $port").to([format!("{P1}?timeout=0"), P2.to_owned()]).kept(), [1]);
}

#[test]
fn an_absent_placeholder_matches_the_empty_value_only() {
    let providers = [format!("{P1}?tag="), format!("{P2}?tag=x"), P3.to_owned()];
    assert_eq!(rule("=> tag = $tag").to(providers).kept(), [1]);
}
