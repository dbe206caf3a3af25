//! JavaScript rules: what they can do, what they cannot keep, and what is recorded of a run.

use pointsman::router::Input;
use pointsman::router::Limit;
use pointsman::rpc::RpcInvocation;
use pointsman::rpc::Value;
use pointsman::script::EngineKind;
use pointsman::script::Executor;
use pointsman::script::Limits;
use pointsman::script::ProgramId;
use pointsman::script::Run;
use pointsman::script::RunError;

use crate::support::script::Outcome;
use crate::support::script::Scene;
use crate::support::script::compile;
use crate::support::script::javascript_engines;
use crate::support::script::outcome;

fn scene() -> Scene {
    let argument = Value::List(vec![Value::from("a"), Value::Map(vec![("k".into(), Value::Int(1))])]);
    let call = RpcInvocation::new("com.foo.BarService", "order")
        .with_argument("int", 7)
        .with_argument("java.util.List", argument);
    let call = call
        .with_argument("java.lang.Object", Value::Null)
        .with_attachment("region", "A")
        .with_attachment("user", "ann");
    Scene::new(
        &[
            "dubbo://10.20.3.3:20880/com.foo.BarService?region=A&weight=100&group=g1&version=1.0.0&methods=find,save&find.timeout=5&timeout=9&password=s3cret",
            "tri://root:hunter2@[2001:db8::1]:50051/com.foo.BarService?region=B&ready=true",
            "dubbo://node-1.local/com.foo.BarService?region=",
        ],
        &call,
    )
}

/// Each expression is true on each engine; `i`, `u` are the first provider and its URL.
fn hold(expressions: &[&str]) {
    for engine in javascript_engines() {
        let mut executor = Executor::default();
        for expression in expressions {
            let text = format!("var i = invokers.get(0), u = i.getUrl(); ({expression}) === true ? invokers : 'no'");
            let outcome = scene().run_on(&mut executor, engine, &text);
            assert_eq!(outcome, Outcome::Kept(vec![0, 1, 2]), "{engine}: {expression}");
        }
    }
}

#[test]
fn providers_are_read_in_the_words_of_java() {
    hold(&[
        "invokers.size() == 3 && invokers.length == 3 && !invokers.isEmpty() && invokers.get(1) === invokers[1]",
        "i.getUrl() === i.getUrl() && i.isAvailable() && i.getInterface() != null && i.getInterface() == 'com.foo.BarService'",
        "u.getHost() == '10.20.3.3' && u.getIp() == '10.20.3.3' && u.getPort() === 20880 && u.getAddress() == '10.20.3.3:20880'",
        "u.getPath() == 'com.foo.BarService' && u.getProtocol() == 'dubbo' && u.getServiceInterface() == 'com.foo.BarService'",
        "u.getServiceKey() == 'g1/com.foo.BarService:1.0.0' && u.getGroup() == 'g1' && u.getVersion() == '1.0.0'",
        "u.getParameter('region') == 'A' && u.getParameter('nope') === null && u.getParameter('nope', 'x') == 'x'",
        "u.getParameter('weight', 0) === 100 && u.getParameter('nope', 7) === 7 && u.getParameter('nope', true) === true",
        "invokers[1].getUrl().getParameter('ready', false) === true && invokers[2].getUrl().getParameter('region', 'z') == 'z'",
        "u.hasParameter('region') && !u.hasParameter('nope') && !invokers[2].getUrl().hasParameter('region')",
        "u.getParameters().get('region') == 'A' && u.getParameters().containsKey('weight')",
        "u.getMethodParameter('find', 'timeout') == '5' && u.getMethodParameter('save', 'timeout', 1) === 9",
        "String(u).startsWith('dubbo://10.20.3.3:20880/') && ('' + u) == u.toString() && String(i) == String(u)",
        "invokers[1].getUrl().getHost() == '[2001:db8::1]' && invokers[2].getUrl().getPort() === 0",
        "invokers.subList(0, 2).size() == 2 && invokers.contains(i) && invokers.indexOf(i) === 0",
        "(function () { var n = 0; for (var it = invokers.iterator(); it.hasNext();) { it.next(); n++; } return n == 3; })()",
        "invokers.stream().filter(function (x) { return x === i; }).count() === 1 && invokers.toArray().length == 3",
    ]);
}

#[test]
fn providers_are_read_in_the_words_of_go() {
    hold(&[
        "i.GetURL().Ip == '10.20.3.3' && i.GetURL().Port === '20880' && i.GetURL().Location == '10.20.3.3:20880' && i.IsAvailable()",
        "u.Protocol == 'dubbo' && u.Path == '/com.foo.BarService' && u.Username === '' && u.Password === '' && u.SubURL === null",
        "u.Methods.length == 2 && u.PrimitiveURL.length > 10 && u.Address() == '10.20.3.3:20880' && u.Service() == 'com.foo.BarService'",
        "u.GetParam('region', 'x') == 'A' && u.GetParam('nope', 'x') == 'x' && u.GetParam('nope', '') === ''",
        "invokers[2].GetURL().GetParam('region', 'x') == 'x' && u.GetNonDefaultParam('nope') === undefined",
        "u.GetParamInt('weight', 1) === 100 && u.GetParamInt('region', 1) === 1 && u.GetParamBool('nope', true) === true",
        "invokers[1].GetURL().GetParamBool('ready', false) === true && u.GetParamDuration('nope', '1m30s') === 90000000000",
        "u.ServiceKey() == 'g1/com.foo.BarService:1.0.0' && u.ColonSeparatedKey() == 'com.foo.BarService:1.0.0:g1'",
        "u.EncodedServiceKey() == 'g1*com.foo.BarService:1.0.0' && u.Group() == 'g1' && u.Version() == '1.0.0' && u.Interface() === ''",
        "u.Key().startsWith('dubbo://') && u.GetCacheInvokerMapKey().length > 0 && u.JavaClassName().length > 0 && u.String() == String(u)",
        "u.GetRawParam('host') == '10.20.3.3' && u.GetRawParam('region') == 'A' && u.GetParamAndDecoded('region') == 'A'",
        "u.GetMethodParam('find', 'x', 'd') == 'd' && u.GetMethodParamInt('find', 'x', 3) === 3 && u.GetMethodParamBool('a', 'b', true) === true",
        "u.ToMap().get('region') == 'A' && u.CloneWithParams() != null && u.GetParamInt32('weight', 1) === 100",
        "(u.SetParam('a', 'b'), u.AddParam('c', 1), u.DelParam('region'), u.GetParam('a', '') + u.GetParam('c', '') + u.GetParam('region', '')) == 'b1'",
        "(u.SetAttribute('k', 5), u.GetAttribute('k')) === 5 && u.GetMethodParamInt64('a', 'b', 2) === 2",
        "invocation.MethodName() == 'order' && invocation.ActualMethodName() == 'order' && invocation.IsGenericInvocation() === false",
        "invocation.Arguments()[0] === 7 && invocation.ParameterTypes().length == 3 && invocation.ParameterTypeNames()[0] == 'int'",
        "invocation.ParameterValues().length == 3 && invocation.ParameterRawValues().length == 3 && invocation.Attachments().region == 'A'",
        "invocation.GetAttachment('region') == 'A' && invocation.GetAttachment('nope') === undefined",
        "invocation.GetAttachmentWithDefaultValue('nope', 'd') == 'd' && invocation.GetAttachmentInterface('user') == 'ann'",
        "(invocation.SetAttachment('x', 'y'), invocation.GetAttachment('x')) == 'y' && invocation.ServiceKey() == 'com.foo.BarService'",
        "(invocation.SetAttribute('x', 1), invocation.GetAttribute('x')) === 1 && invocation.GetAttributeWithDefaultValue('n', 2) === 2",
        "invocation.Reply() === null && invocation.Invoker() === null && invocation.GetAttachmentAsContext() != null && invocation.Attributes() != null",
    ]);
}

#[test]
fn providers_and_calls_are_read_in_plain_words() {
    hold(&[
        "i.url.host == '10.20.3.3' && i.url.port === 20880 && i.address == '10.20.3.3:20880' && i.url.address == i.address && i.available",
        "i.param('region') == 'A' && i.param('nope') === null && i.param('nope', 'x') == 'x' && i.url.param('region') == 'A'",
        "i.url.path == 'com.foo.BarService' && i.url.protocol == 'dubbo' && i.url.params.region == 'A' && i.url.version == '1.0.0'",
        "invocation.method == 'order' && invocation.service == 'com.foo.BarService' && invocation.target_method == 'order'",
        "invocation.arguments.length == 3 && invocation.arguments[0] === 7 && invocation.arguments[1][1].k === 1 && invocation.arguments[2] === null",
        "invocation.attachment('region') == 'A' && invocation.attachment('nope') === null && invocation.attachment('nope', 'x') == 'x'",
        "invocation.attachments.region == 'A' && context.attachment('user') == 'ann' && context.get('user') == 'ann'",
        "now.weekday === 1 && now.hour === 6 && now.minute === 30 && now.ms === 1764541800000",
        "invokers.filter(x => x.param('region') === 'B').length === 1 && invokers.map(x => x.url.port).join() == '20880,50051,0'",
        "[...invokers].length === 3 && invokers.some(x => x === i) && Array.isArray(invokers)",
    ]);
}

#[test]
fn calls_are_read_in_the_words_of_java() {
    hold(&[
        "invocation.getMethodName() == 'order' && invocation.getServiceName() == 'com.foo.BarService'",
        "invocation.getArguments().length == 3 && invocation.getArguments()[0] % 2 == 1 && invocation.getArguments()[1].length == 2",
        "invocation.getParameterTypes()[0] == 'int' && invocation.getParameterTypes()[0].getName() == 'int'",
        "invocation.getAttachment('region') == 'A' && invocation.getAttachment('nope') === null && invocation.getAttachment('nope', 'd') == 'd'",
        "invocation.getAttachments().get('user') == 'ann' && invocation.getAttachments().size() == 2 && invocation.getInvoker() === null",
        "invocation.getTargetServiceUniqueName() == 'com.foo.BarService' && context.getAttachment('user') == 'ann'",
        "context.getAttachments().containsKey('region') && (invocation.setAttachment('a', 'b'), invocation.getAttachment('a')) == 'b'",
    ]);
}

#[test]
fn java_s_classes_and_texts_are_there() {
    hold(&[
        "(function () { var l = new java.util.ArrayList(8); l.add('a'); l.add('b'); l.add(0, 'c'); return l.size() == 3 && l.get(0) == 'c'; })()",
        "(function () { var l = new java.util.ArrayList(invokers); return l.remove(i) && l.size() == 2 && l.remove(0) !== i && l.size() == 1; })()",
        "(function () { var l = new java.util.LinkedList(); l.addAll(['x', 'y']); l.set(0, 'z'); return l.getFirst() == 'z' && String(l) == '[z, y]'; })()",
        "(function () { var l = java.util.Arrays.asList('b', 'a'); java.util.Collections.sort(l); return l.get(0) == 'a' && l.contains('b'); })()",
        "(function () { var l = java.util.Arrays.asList(1, 2, 3); java.util.Collections.reverse(l); l.removeIf(function (x) { return x == 2; }); return String(l) == '[3, 1]'; })()",
        "(function () { var s = new java.util.HashSet(); return s.add('a') && !s.add('a') && s.size() == 1 && s.contains('a') && !s.isEmpty(); })()",
        "(function () { var m = new java.util.HashMap(); m.put('k', 1); return m.get('k') === 1 && m.k === 1 && m.get('n') === null && m.getOrDefault('n', 2) === 2; })()",
        "(function () { var l = new java.util.ArrayList(); l.addAll(invokers); l.retainAll(invokers.subList(1, 3)); return l.size() == 2 && l.containsAll(invokers.subList(1, 3)); })()",
        "(function () { var L = Java.type('java.util.ArrayList'); return new L().isEmpty() && Java.from(invokers).length == 3 && Java.to([1], 'int[]').length == 1; })()",
        "'a'.equals('a') && !'20880'.equals(20880) && 'A'.equalsIgnoreCase('a') && 'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')",
        "''.isEmpty() && 'abc'.hashCode() === 96354 && 'a'.compareTo('c') === -2 && (5).equals(5) && 'abc'.length === 3",
        "java.lang.Integer.parseInt('12') === 12 && java.lang.Math.abs(-1) === 1 && java.lang.String.valueOf(5) == '5' && java.util.Objects.equals('a', 'a')",
        "java.lang.System.currentTimeMillis() === now.ms && new java.util.Date().getTime() === now.ms",
        "(function () { try { java.lang.Integer.parseInt('x'); return false; } catch (e) { return true; } })()",
    ]);
}

#[test]
fn the_language_itself_works_as_usual() {
    hold(&[
        "(function () { var o = {}; o.toString = function () { return 'own'; }; return '' + o == 'own'; })()",
        "(function () { 'use strict'; var e = new Error('a'); e.message = 'b'; e.name = 'C'; return String(e) == 'C: b'; })()",
        "(function () { function P() {} P.prototype.toString = function () { return 'p'; }; return String(new P()) == 'p'; })()",
        "(function () { class A { constructor() { this.valueOf = () => 4; } } return new A() * 2 === 8; })()",
        "[3, 1, 2].sort().join() == '1,2,3' && [1, [2, [3]]].flat().length === 3 && [1, 2].includes(2) && [1, 2, 3].lastIndexOf(3) === 2",
        "[1, 2, 3].reduce((a, b) => a + b) === 6 && [1, 2, 3].splice(1).length === 2 && Array.from({ length: 2 }, (x, at) => at)[1] === 1",
        "[].concat([1], 2, [3]).length === 3 && [1, 2].fill(0)[1] === 0 && [1, 2, 3].slice(-1)[0] === 3 && [1, 2].indexOf(2) === 1",
        "'a-b-c'.split('-').length === 3 && 'a-b'.replace('-', '+') == 'a+b' && 'aXbX'.replaceAll('X', '') == 'ab' && 'x'.padStart(3, '0') == '00x'",
        "' a '.trim() == 'a' && 'ab'.repeat(2) == 'abab' && 'abcb'.lastIndexOf('b') === 3 && 'abcb'.lastIndexOf('b', 2) === 1 && 'a'.localeCompare('b') < 0",
        "JSON.stringify({ a: [1, null, { b: 'x' }], c: undefined }) == '{\"a\":[1,null,{\"b\":\"x\"}]}' && JSON.parse('{\"a\":1}').a === 1",
        "JSON.stringify([1, { a: 2 }], null, 2) == '[\\n  1,\\n  {\\n    \"a\": 2\\n  }\\n]' && JSON.stringify({ a: 1, b: 2 }, ['b']) == '{\"b\":2}'",
        "new Map([['a', 1]]).get('a') === 1 && new Set([1, 1, 2]).size === 2 && [...new Set([1])].length === 1 && new Set() instanceof Set",
        "Object.keys({ a: 1, b: 2 }).length === 2 && Object.entries({ a: 1 })[0][1] === 1 && Object.assign({}, { a: 1 }).a === 1 && Object.fromEntries([['a', 1]]).a === 1",
        "(() => { let { a, ...rest } = { a: 1, b: 2 }; const [x, y = 3] = [1]; return a + rest.b + x + y === 7; })()",
        "(() => { function* g() { yield 1; yield 2; } return [...g()].length === 2; })() && `a${1 + 1}` == 'a2' && (null ?? 1) === 1 && ({})?.a?.b === undefined",
        "Math.max(1, 2) === 2 && parseInt('12px') === 12 && isNaN(NaN) && encodeURIComponent('a b') == 'a%20b' && (1.005).toFixed(1) == '1.0'",
        "new Date(2024, 0, 31, 12).getDate() === 31 && new Date('2024-01-31T12:00:00Z').getHours() === 20 && new Date(0).toISOString() == '1970-01-01T00:00:00.000Z'",
        "new Date().getHours() === 6 && new Date().getDay() === 1 && Date.now() === now.ms && new Date().getTimezoneOffset() === -480",
    ]);
}

#[test]
fn nothing_that_a_run_does_outlives_it() {
    let tampers = [
        "leak = 1",
        "var leak = 1; function leaked() {}",
        "let leak = 1; const leaked = 2; class Leak {}",
        "globalThis.leak = 1",
        "this.leak = 1",
        "(function () { this.leak = 1; })()",
        "Object.defineProperty(globalThis, 'leak', { value: 1 })",
        "Object.prototype.leak = 1",
        "Object.prototype.toString = function () { return 'x'; }",
        "Array.prototype.filter = function () { return []; }",
        "Array.prototype.leak = 1",
        "Object.defineProperty(Array.prototype, 0, { get: function () { return null; } })",
        "Array.prototype[Symbol.iterator] = null",
        "String.prototype.equals = function () { return true; }",
        "Function.prototype.call = null",
        "delete Array.prototype.map",
        "delete globalThis.Math",
        "Math.floor = null",
        "JSON.parse = null",
        "console.log = null",
        "now.hour = 99",
        "java.util.ArrayList = null",
        "java.util.leak = 1",
        "java.util.ArrayList.prototype.size = function () { return 0; }",
        "new java.util.ArrayList().__proto__.size = null",
        "Object.getPrototypeOf(invokers).get = null",
        "Object.getPrototypeOf(invokers.get(0)).getUrl = null",
        "Object.getPrototypeOf(invokers.get(0).getUrl()).getHost = null",
        "Object.setPrototypeOf(invokers.get(0), null)",
        "invokers.get(0).leak = 1",
        "invokers.get(0).getUrl().leak = 1",
        "invokers.get(0).getUrl().Ip = '6.6.6.6'",
        "invokers.get(0).url.host = '6.6.6.6'; invokers.get(0).url.port = 1",
        "invokers.get(0).getUrl().SetParam('region', 'Z')",
        "invokers.get(0).getUrl().SetAttribute('leak', 1)",
        "invokers.get(0).getUrl().getParameters().put('region', 'Z')",
        "invokers.clear()",
        "invokers.length = 0",
        "invokers[0] = null",
        "invocation.setAttachment('region', 'Z')",
        "invocation.getAttachments().put('region', 'Z')",
        "invocation.getArguments()[0] = 99",
        "invocation.leak = 1",
        "context.leak = 1",
        "RegExp.prototype.test = function () { return true; }",
        "RegExp.prototype.exec = function () { return null; }",
        "Error.prepareStackTrace = function () { return 'x'; }",
        "Error.stackTraceLimit = 0",
        "Symbol.prototype.leak = 1",
        "Map.prototype.get = null",
        "Object.getPrototypeOf(function* () {}).prototype.next = null",
        "Object.getPrototypeOf([][Symbol.iterator]()).next = null",
        "Date.now = null; Date.prototype.getHours = null",
        "Number.prototype.leak = 1",
        "/a/g.exec('aa'); RegExp.leak = 1",
        "print('x'); Reflect.ownKeys = null",
        "Object.freeze = null; Object.setPrototypeOf(Object, null)",
        "Object.setPrototypeOf(globalThis, { leak: 1 })",
        "Object.setPrototypeOf(Array.prototype, { leak: 1 })",
    ];
    let probe = "
        var i = invokers.get(0), u = i.getUrl();
        var sound = typeof leak === 'undefined' && typeof leaked === 'undefined' && typeof Leak === 'undefined'
            && ({}).leak === undefined && [].leak === undefined && (1).leak === undefined && java.util.leak === undefined
            && i.leak === undefined && u.leak === undefined && invocation.leak === undefined && context.leak === undefined
            && String({}) === '[object Object]' && [1, 2].filter(x => x > 1).length === 1 && [1].map(x => x + 1)[0] === 2 && [...[1]][0] === 1
            && !'a'.equals('b') && Math.floor(1.5) === 1 && JSON.parse('1') === 1 && typeof console.log === 'function' && now.hour === 6
            && new java.util.ArrayList(invokers).size() === 3 && invokers.size() === 3 && u.getHost() === '10.20.3.3' && u.getPort() === 20880
            && u.getParameter('region') === 'A' && u.GetAttribute('leak') === undefined && invocation.getAttachment('region') === 'A'
            && invocation.getAttachments().get('region') === 'A' && invocation.getArguments()[0] === 7 && !/b/.test('a') && /a/.exec('a')[0] === 'a'
            && RegExp.leak === undefined && new Map([[1, 2]]).get(1) === 2 && [...(function* () { yield 1; })()][0] === 1 && new Date().getHours() === 6
            && Symbol('x').leak === undefined && typeof Reflect.ownKeys === 'function' && typeof Object.freeze === 'function' && [1][0] === 1;
        sound ? invokers : 'tampered'";
    for engine in javascript_engines() {
        let mut executor = Executor::default();
        // boa has no regular expressions, and so none that could be changed.
        let has_expressions = engine != EngineKind::Boa;
        let without = probe.replace("!/b/.test('a') && /a/.exec('a')[0] === 'a'", "true");
        compile(&mut executor, 2, engine, if has_expressions { probe } else { &without }).unwrap();
        for tamper in tampers.iter().filter(|tamper| has_expressions || !tamper.starts_with('/')) {
            // A program of its own, so that its `let` and `class` are seen only by itself.
            compile(&mut executor, 1, engine, &format!("(function () {{ try {{ {tamper} }} catch (e) {{ }} }})(); []"))
                .unwrap();
            compile(&mut executor, 3, engine, &format!("{tamper}; []"))
                .unwrap_or_else(|error| panic!("{tamper}: {error:?}"));
            for id in [1, 3, 1, 3] {
                let _ = executor.run(ProgramId(id), scene().start());
                let probed = outcome(executor.run(ProgramId(2), scene().start()), 3);
                assert_eq!(probed, Outcome::Kept(vec![0, 1, 2]), "{engine}: after `{tamper}`");
            }
        }
    }
}

#[test]
fn what_is_written_to_a_url_is_read_again_in_the_same_run() {
    hold(&[
        "(u.Ip = '1.2.3.4', u.getHost() + u.Ip + u.host) === '1.2.3.41.2.3.41.2.3.4'",
        "(u.Port = '99', u.getPort() === 99 && u.Port === '99' && u.getAddress() == '10.20.3.3:99')",
        "(u.SetParam('region', 'Z'), u.getParameter('region') + i.param('region') + u.getParameters().get('region')) === 'ZZZ'",
        "(u.SetParam('region', 'Z'), invokers[1].param('region')) === 'B'",
        "(u.protocol = 'x', u.path = 'y', u.Protocol + u.Path) === 'x/y'",
    ]);
}

#[test]
fn credentials_are_never_shown() {
    hold(&[
        "u.getParameter('password') === '******' && u.getParameters().get('password') === '******' && u.GetParam('password', '') === '******'",
        "String(u).indexOf('s3cret') < 0 && String(invokers[1].getUrl()).indexOf('hunter2') < 0 && String(invokers[1].getUrl()).indexOf('root') < 0",
        "invokers[1].getUrl().getUsername() === null && invokers[1].getUrl().getPassword() === null && invokers[1].getUrl().Password === ''",
        "invokers[0].getUrl().getParameter('nope') === null && invokers[1].getUrl().getParameter('password') === null",
    ]);
}

#[test]
fn only_what_was_looked_at_is_recorded() {
    let zone = || pointsman::router::Zone::find("Asia/Shanghai").unwrap();
    let hour = Input::Now(pointsman::router::ClockGranularity::Hour, zone());
    for engine in javascript_engines() {
        for (text, inputs, columns, is_pure) in [
            ("invokers", vec![], vec![], true),
            (
                "invokers.filter(i => i.param('region') === invocation.getAttachment('region'))",
                vec![Input::Attachment("region".into())],
                vec!["region"],
                true,
            ),
            (
                "invocation.getArguments()[1]; invokers",
                vec![Input::ArgumentCount, Input::TypedArgument(1)],
                vec![],
                true,
            ),
            ("invocation.getMethodName(); now.hour; invokers", vec![Input::Method, hour.clone()], vec![], true),
            ("invocation.getAttachments(); invokers", vec![Input::Attachments], vec![], true),
            ("Math.random(); invokers", vec![], vec![], false),
            ("Date.now(); invokers", vec![], vec![], false),
            ("new Date(0).getTime(); invokers", vec![], vec![], true),
            ("new Date(0).getHours(); invokers", vec![], vec![], false),
            ("print(1); invokers", vec![], vec![], false),
        ] {
            // The second run finds the columns ready, and looks at the same.
            let mut executor = Executor::default();
            compile(&mut executor, 1, engine, text).unwrap();
            let scene = scene();
            for round in 1..=2 {
                let report = executor.run(ProgramId(1), scene.start());
                assert!(report.result.is_ok(), "{engine}: {text}: {report:?}");
                assert_eq!(
                    (&report.inputs, report.impurity.is_none()),
                    (&inputs, is_pure),
                    "{engine}: {text}, run {round}"
                );
                assert_eq!(report.columns, columns, "{engine}: {text}, run {round}");
            }
        }
    }
}

#[test]
fn chance_comes_from_the_call_s_seed() {
    let text = "print(Math.random(), new java.util.Random().nextInt(1000)); invokers";
    for engine in javascript_engines() {
        let mut other = scene();
        other.call.seed += 1;
        let logs: Vec<_> = [scene(), scene(), other].iter().map(|scene| scene.report(engine, text).log).collect();
        assert_eq!(logs[0], logs[1], "{engine}");
        assert_ne!(logs[0], logs[2], "{engine}");
    }
}

#[test]
fn a_value_that_is_no_list_is_named() {
    for engine in javascript_engines() {
        for (text, found) in [
            ("null", "null"),
            ("undefined", "undefined"),
            ("1", "a number"),
            ("'abc'", "a text"),
            ("({})", "an object"),
            ("({ length: 1, 0: invokers[0] })", "an object"),
            ("invokers.get(0)", "a single invoker"),
            ("new java.util.HashSet(invokers)", "a set"),
            ("true", "a boolean"),
            ("(function () {})", "a function"),
            ("invokers.iterator()", "an object"),
        ] {
            let wanted = Outcome::Failed(RunError::WrongResult { found: found.to_owned() });
            assert_eq!(scene().run(engine, text), wanted, "{engine}: {text}");
        }
    }
}

#[test]
fn a_limit_cannot_be_caught() {
    for engine in javascript_engines().filter(|kind| *kind == EngineKind::QuickJs) {
        for (text, which) in [
            ("for (;;) { try { for (;;); } catch (e) { } finally { continue; } }", Limit::Deadline),
            ("function f() { try { return f(); } catch (e) { return invokers; } } f()", Limit::CallDepth),
            ("function f() { try { return f(); } catch { return invokers; } } f()", Limit::CallDepth),
            ("function f() { try { return f(); } finally { return invokers; } } f()", Limit::CallDepth),
            (
                "function f() { try { return f(); } catch (e) { return 1; } finally { return invokers; } } f()",
                Limit::CallDepth,
            ),
            (
                "var a = ['x'.repeat(1000000)]; try { for (;;) a.push(a[0] + a.length + a.join('')); } catch (e) { } invokers",
                Limit::Memory,
            ),
            // The engine has no memory left even for an error, and throws null.
            (
                "var a = []; try { for (;;) a.push([1, 2, 3, 4, 5, 6, 7, 8, 9]); } catch (e) { a = null; } invokers",
                Limit::Memory,
            ),
            (
                "var m = new Map(); try { for (var i = 0;; i++) m.set(i, {}); } catch (e) { m = null; throw e; } invokers",
                Limit::Memory,
            ),
        ] {
            let scene = scene();
            let limits = Limits { deadline: std::time::Duration::from_secs(5), ..Limits::default() };
            let all = pointsman::router::Selection::all(3);
            let run = Run::start(scene.table.clone(), all, scene.call.clone(), limits.for_run(3, None));
            let mut executor = Executor::default();
            compile(&mut executor, 1, engine, text).unwrap();
            let result = executor.run(ProgramId(1), run).result;
            assert!(
                matches!(result, Err(RunError::Limit { which: hit, .. }) if hit == which),
                "{engine}: {text}: {result:?}"
            );
            // What was compiled before is still known, and runs on a fresh engine.
            compile(&mut executor, 2, engine, "invokers").unwrap();
            assert_eq!(outcome(executor.run(ProgramId(2), scene.start()), 3), Outcome::Kept(vec![0, 1, 2]), "{engine}");
        }
    }
}

#[test]
fn more_tables_than_are_kept_are_answered_alike() {
    for engine in javascript_engines() {
        let mut executor = Executor::default();
        compile(&mut executor, 1, engine, "invokers.filter(i => i.param('region') == 'B')").unwrap();
        let scenes: Vec<Scene> = (0..20).map(|_| scene()).collect();
        for scene in scenes.iter().chain(scenes.iter().rev()) {
            assert_eq!(outcome(executor.run(ProgramId(1), scene.start()), 3), Outcome::Kept(vec![1]), "{engine}");
            executor.forget_table(scene.table.number() - 1);
        }
    }
}

#[test]
fn only_the_candidates_are_shown() {
    for engine in javascript_engines() {
        let mut executor = Executor::default();
        compile(&mut executor, 1, engine, "print(invokers.size()); invokers").unwrap();
        let scene = scene();
        let some = pointsman::router::Selection::from_positions(3, [0, 2]);
        let run = Run::start(scene.table.clone(), some, scene.call.clone(), Limits::default().for_run(2, None));
        let report = executor.run(ProgramId(1), run);
        assert_eq!(
            (report.log.clone(), outcome(report, 3)),
            (vec!["2".to_owned()], Outcome::Kept(vec![0, 2])),
            "{engine}"
        );
    }
}

#[test]
fn a_run_is_shared_with_nobody_when_it_is_over() {
    // An engine that kept the run would keep its table alive.
    for engine in javascript_engines() {
        let scene = scene();
        let mut executor = Executor::default();
        compile(&mut executor, 1, engine, "invokers.get(0).getUrl().getHost(); invokers").unwrap();
        let table = scene.table.clone();
        let _ = executor.run(ProgramId(1), scene.start());
        drop(scene);
        assert_eq!(std::sync::Arc::strong_count(&table), 1, "{engine}");
        drop(executor);
    }
}
