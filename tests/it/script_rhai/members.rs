//! Every member of the host API, and what reading it records.

use pointsman::router::Input;

use super::stage::Stage;

#[test]
fn every_member_reads_as_documented() {
    for (text, expected) in [
        ("print(invokers.len()); print(invokers.len); print(invokers.is_empty())", "3;3;false"),
        ("print(invokers[1].url.host + '|' + invokers[-1].url.host)", "10.0.0.2|10.0.0.3"),
        ("print(invokers[0].url.port); print(type_of(invokers[0].url.port))", "20880;i64"),
        ("print(invokers[2].url.port == ())", "true"),
        (
            "let i = invokers[0]; print(i.address); print(i.url.address); print(i.available)",
            "10.0.0.1:20880;10.0.0.1:20880;true",
        ),
        (
            "let u = invokers[0].url; print(u.protocol); print(u.path); print(u.service)",
            "dubbo;com.shop.OrderService;com.shop.OrderService",
        ),
        ("let u = invokers[0].url; print(u.group); print(u.version); print(invokers[1].url.group == ())", "g;1.2;true"),
        ("let i = invokers[0]; print(i.param(\"region\")); print(i.url.param(\"region\"))", "hangzhou;hangzhou"),
        ("let i = invokers[1]; print(i.param(\"gray\") == ()); print(i.param(\"gray\", \"false\"))", "true;false"),
        ("let i = invokers[0]; print(i.param(\"empty\") == \"\"); print(i.param(\"empty\", \"d\"))", "true;d"),
        ("print(invokers[1].url.params)", "#{\"region\": \"beijing\", \"weight\": \"200\"}"),
        ("print(invokers[0].param(\"password\")); print(invokers[0].url.params.password)", "******;******"),
        (
            "print(invokers[0])",
            "dubbo://10.0.0.1:20880/com.shop.OrderService?region=hangzhou&version=1.2&group=g&password=******&empty=",
        ),
        ("print(`${invokers[2].url}`)", "tri://10.0.0.3/com.shop.OrderService?region=hangzhou&gray=true"),
        ("print(type_of(invokers[0])); print(type_of(invokers[0].url))", "Invoker;Url"),
        (
            "print(invokers[0] == invokers[0]); print(invokers[0] != invokers[1]); print(invokers[1] in invokers)",
            "true;true;true",
        ),
        (
            "print(invocation.method); print(invocation.target_method); print(invocation.service)",
            "create;create;com.shop.OrderService",
        ),
        ("print(invocation.parameter_types)", "[\"int\", \"java.util.Map\"]"),
        ("print(invocation.arguments[0] + 1); print(invocation.arguments.len())", "8;4"),
        ("print(invocation.arguments[1].vip); print(invocation.arguments[1].tags[0])", "true;a"),
        (
            "print(invocation.arguments[2] == ()); print(invocation.arguments[3]); print(invocation.arguments[9] == ())",
            "true;1.5;true",
        ),
        (
            "print(invocation.arguments[-1]); print(invocation.argument(0)); print(invocation.arguments.is_empty())",
            "1.5;7;false",
        ),
        ("for a in invocation.arguments { print(type_of(a)) }", "i64;map;();f64"),
        ("print(invocation.arguments.to_array().len())", "4"),
        ("print(invocation.attachment(\"region\")); print(invocation.attachment(\"x\") == ())", "hangzhou;true"),
        ("print(invocation.attachment(\"x\", \"d\")); print(invocation.attachment(\"empty\", \"d\"))", "d;d"),
        ("print(invocation.attachments.region); print(invocation.attachments[\"user-id\"])", "hangzhou;1042"),
        ("print(\"region\" in invocation.attachments); print(invocation.attachments.len())", "true;3"),
        ("print(invocation.attachments.keys())", "[\"region\", \"user-id\", \"empty\"]"),
        (
            "print(context.attachment(\"region\")); print(context.get(\"region\")); print(context.get(\"x\", \"d\"))",
            "hangzhou;hangzhou;d",
        ),
        ("print(now.weekday); print(now.hour); print(now.minute); print(now.ms)", "1;6;30;1764541800000"),
        ("print(timestamp().elapsed)", "0.0"),
        ("log(\"a\"); log(1); log([1, \"b\"]); debug(\"c\")", "a;1;[1, \"b\"];\"c\""),
        ("let r = rand(); print(r >= 0.0 && r < 1.0); print(random() != r)", "true;true"),
    ] {
        assert_eq!(Stage::new().prints(text), expected, "`{text}`");
    }
}

#[test]
fn texts_can_do_what_rules_need() {
    for (text, expected) in [
        (
            "print(\"a,b,,c\".split(\",\")); print(\"a b\".split()); print(\"a=b=c\".split(\"=\", 2))",
            "[\"a\", \"b\", \"\", \"c\"];[\"a\", \"b\"];[\"a\", \"b=c\"]",
        ),
        (
            "print(\"42\".to_int() + 1); print(\"x\".to_int() == ()); print(parse_int(\"7\")); print(\" 1.5\".to_float())",
            "43;true;7;1.5",
        ),
        (
            "print(\"10.0.0.1\".starts_with(\"10.\")); print(\"abc\".ends_with(\"bc\")); print(\"abc\".contains(\"b\"))",
            "true;true;true",
        ),
        (
            "print(\"b\" in \"abc\"); print(\"AbC\".to_lower()); print(\"x\".to_upper()); print(\"abc\".len())",
            "true;abc;X;3",
        ),
        ("let s = \"a-b-c\"; s.replace(\"-\", \"+\"); print(s); s.replace('+', 'x'); print(s)", "a+b+c;axbxc"),
        (
            "let s = \" a \"; s.trim(); print(s); print(\"abcdef\".sub_string(1, 2)); print(\"abc\".index_of(\"c\"))",
            "a;bc;2",
        ),
        ("let h = 7; for c in \"user-1\".chars() { h = (h * 31 + c.to_int()) % 1000003; } print(h)", "432225"),
        (
            "print([3, 1, 2].order()); print([\"b\", \"a\"].order()); let a = [1, 2, 3]; a.sort(|x, y| y - x); print(a)",
            "[1, 2, 3];[\"a\", \"b\"];[3, 2, 1]",
        ),
        (
            "let a = [2, 1]; a.sort(); print(a); a.sort_desc(); print(a); print([1.5, 0.5].order_desc())",
            "[1, 2];[2, 1];[1.5, 0.5]",
        ),
        ("print([1, 2, 3, 4].filter(|x| x % 2 == 0).map(|x| x * 10).reduce(|a, x| a + x, 0))", "60"),
        ("print([1, 2].some(|x| x > 1)); print([1, 2].all(|x| x > 1)); print([5, 6].find(|x| x > 5))", "true;false;6"),
        (
            "print(max(1, 2)); print((7.0).floor()); print((-3).abs()); print(2 ** 10); print(7.9.to_int())",
            "2;7.0;3;1024;7",
        ),
        (
            "print([5, 6].filter(|x, i| i == 1)); print([5, 6].filter(|| this == 5)); print([5, 6].map(|x, i| x * i))",
            "[6];[5];[0, 6]",
        ),
        (
            "fn big(x) { x > 5 } print([5, 6].filter(big)); print([5, 6].filter(Fn(\"big\"))); print([].find(big) == ())",
            "[6];[6];true",
        ),
        ("print(`v${1 + 1}`); print(\"1.2.10\".split(\".\").map(|p| p.to_int()))", "v2;[1, 2, 10]"),
        ("let m = #{a: 1}; m.b = 2; print(m.keys()); print(\"a\" in m); print(m.len())", "[\"a\", \"b\"];true;2"),
        (
            "let t = 0; for i in 0..5 { t += i; } print(t); let x = if t > 5 { \"big\" } else { \"small\" }; print(x)",
            "10;big",
        ),
        ("print(switch \"b\" { \"a\" => 1, \"b\" => 2, _ => 3 })", "2"),
    ] {
        assert_eq!(Stage::new().prints(text), expected, "`{text}`");
    }
}

#[test]
fn a_write_to_a_url_is_seen_by_later_reads_of_the_run_and_by_no_other_run() {
    let mut stage = Stage::new();
    let text = "print(invokers[0].url.host); invokers[0].url.host = \"h\"; let u = invokers[0].url; u.path = \"p\"; \
                print(invokers[0].url.host + \" \" + invokers[0].url.path + \" \" + invokers[0].address); \
                for i in invokers { i.url.port += 1; break; } print(invokers[0].url.port); invokers";
    for _ in 0..2 {
        assert_eq!(stage.report(text).log, ["10.0.0.1", "h p h:20880", "20881"]);
    }
}

#[test]
fn a_run_records_what_it_read_and_no_more() {
    let mut stage = Stage::new();
    let attachment = |key: &str| Input::Attachment(key.into());
    for (text, expected) in [
        ("invokers", vec![]),
        ("invokers.filter(|i| i.param(\"region\") == invocation.attachment(\"region\"))", vec![attachment("region")]),
        ("if invocation.arguments[0] == 7 { invokers } else { [] }", vec![Input::TypedArgument(0)]),
        ("if invocation.arguments.len() == 4 { invokers } else { [] }", vec![Input::ArgumentCount]),
        (
            "let a = invocation.attachments.region; let m = invocation.method; invokers",
            vec![attachment("region"), Input::Method],
        ),
        ("let all = invocation.attachments.to_map(); invokers", vec![Input::Attachments]),
        ("let c = context; let i = invocation; let n = now; invokers", vec![]),
    ] {
        let report = stage.report(text);
        assert_eq!((report.inputs, report.impurity), (expected, None), "`{text}`");
    }
    assert_eq!(stage.report("let h = now.hour; invokers").inputs.len(), 1);
    let report = stage.report("invokers.filter(|i| i.param(\"region\", \"x\") != i.param(\"gray\"))");
    assert_eq!(report.columns, ["gray", "region"]);
}

#[test]
fn chance_fine_clocks_and_the_log_make_a_run_impure() {
    for text in ["rand()", "now.ms", "timestamp()", "print(1)", "log(1)", "debug(1)"] {
        assert!(Stage::new().report(&format!("{text}; invokers")).impurity.is_some(), "`{text}`");
    }
}
