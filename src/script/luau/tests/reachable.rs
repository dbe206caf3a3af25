//! All that a rule can reach.

use crate::script::luau::tests::support::Bench;

/// Walks tables, metatables and members from the globals on, and prints one name a line.
const WALK: &str = r#"
    local seen, names = {}, {}
    local function walk(name, value)
        local kind = type(value)
        table.insert(names, name .. " " .. kind)
        if kind ~= "table" or seen[value] then return end
        seen[value] = true
        for key, inner in next, value do
            walk(name .. "." .. tostring(key), inner)
        end
        local meta = getmetatable(value)
        if meta ~= nil then walk(name .. "<meta>", meta) end
    end
    for name in string.gmatch(NAMES, "%S+") do
        if GLOBALS[name] ~= nil then walk(name, GLOBALS[name]) end
    end
    walk("_G", GLOBALS)
    walk("text<meta>", getmetatable(""))
    for _, name in { "url", "available", "address", "param" } do walk("invoker." .. name, invokers[1][name]) end
    for _, name in { "host", "port", "address", "path", "protocol", "interface", "service", "service_key", "group", "version",
        "params", "param", "has_param", "method_param", "password", "username" } do
        walk("invoker.url." .. name, invokers[1].url[name])
    end
    for _, name in { "method", "target_method", "service", "arguments", "attachments", "attachment", "parameter_types" } do
        walk("invocation." .. name, invocation[name])
    end
    for _, name in { "attachments", "attachment", "get" } do walk("context." .. name, context[name]) end
    for _, name in { "weekday", "hour", "minute", "ms" } do walk("now." .. name, now[name]) end
    table.sort(names)
    for _, name in ipairs(names) do print(name) end
    return invokers
"#;

/// Names that some Lua or Luau has, or that the host could have left behind.
const NAMES: &str = "_G _VERSION assert bit32 buffer class collectgarbage coroutine debug dofile error gcinfo getfenv \
    getmetatable host globals integer io int64 ipairs jit load loadfile loadstring log math module newproxy next os package \
    pairs pcall print rawequal rawget rawlen rawset require select setfenv setmetatable string table tonumber tostring type \
    typeof unpack utf8 vector warn xpcall __iterate Vector ticket spawn task game script workspace shared ffi arg";

#[test]
fn what_is_reachable_is_what_the_committed_list_says() {
    let mut bench = Bench::new();
    bench.limits.log_lines = 10_000;
    bench.limits.log_bytes = 1 << 20;
    let text = WALK.replace("NAMES", &format!("{NAMES:?}")).replace("GLOBALS", "_G");
    let report = bench.report(&text);
    assert!(report.result.is_ok(), "{:?}", report.result);
    let found = report.log.join("\n") + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reachable/luau.txt");
    if std::env::var_os("POINTSMAN_WRITE_REACHABLE").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(path).unwrap());
}

#[test]
fn nothing_leads_out_of_the_sandbox() {
    let mut bench = Bench::new();
    for name in
        "io debug require loadstring load loadfile dofile getfenv setfenv collectgarbage gcinfo newproxy coroutine \
        package buffer vector host globals os.execute os.exit os.getenv os.remove os.rename os.tmpname string.dump \
        string.pack table.foreach"
            .split_whitespace()
    {
        assert_eq!(bench.value(name), "nil", "{name}");
    }
}
