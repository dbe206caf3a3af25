//! Texts as large as a rule may be: one construct again and again, and mixtures that a seed chooses.

use pointsman::router::Language;

/// The most bytes of a rule's text.
const LIMIT: usize = 64 << 10;

/// How many mixtures of each kind.
const SEEDS: u64 = 4;

/// What stands before, again and again, in the middle, as often again, and after.
type Shape = (&'static str, [&'static str; 5]);

const JAVASCRIPT: &[Shape] = &[
    ("parentheses", ["", "(", "1", ")", ""]),
    ("open_parentheses", ["", "(", "", "", ""]),
    ("arrays", ["", "[", "", "]", ""]),
    ("objects", ["x=", "{a:", "1", "}", ""]),
    ("blocks", ["", "{", "", "}", ""]),
    ("functions", ["", "function f(){", "", "}", ""]),
    ("function_values", ["x=", "function(){return ", "1", "}", ""]),
    ("called_functions", ["", "(function(){return ", "invokers", "})()", ""]),
    ("arrows", ["x=", "a=>", "1", "", ""]),
    ("arrow_blocks", ["x=", "a=>{", "", "}", ""]),
    ("async_arrows", ["x=", "async a=>", "1", "", ""]),
    ("else_if", ["if(1){}", "else if(1){}", "", "", ""]),
    ("ifs", ["", "if(1)", ";", "", ""]),
    ("ternaries", ["", "1?1:", "1", "", ""]),
    ("inner_ternaries", ["", "1?", "1", ":1", ""]),
    ("not", ["", "!", "1", "", ""]),
    ("minus", ["", "- ", "1", "", ""]),
    ("typeof", ["", "typeof ", "1", "", ""]),
    ("plus", ["1", "+1", "", "", ""]),
    ("powers", ["1", "**1", "", "", ""]),
    ("and", ["1", "&&1", "", "", ""]),
    ("coalesce", ["1", "??1", "", "", ""]),
    ("commas", ["1", ",1", "", "", ""]),
    ("compares", ["1", "<1", "", "", ""]),
    ("templates", ["", "`${", "1", "}`", ""]),
    ("template_parts", ["`", "${1}", "", "", "`"]),
    ("labels", ["", "a:", ";", "", ""]),
    ("members", ["invokers", ".a", "", "", ""]),
    ("optional_members", ["invokers", "?.a", "", "", ""]),
    ("calls", ["f", "()", "", "", ""]),
    ("indexes", ["a", "[0]", "", "", ""]),
    ("inner_indexes", ["", "a[", "0", "]", ""]),
    ("array_patterns", ["var ", "[", "a", "]", "=1"]),
    ("object_patterns", ["var ", "{a:", "b", "}", "=1"]),
    ("default_patterns", ["var [", "a=[", "", "]", "]=1"]),
    ("new", ["", "new ", "x", "", ""]),
    ("new_calls", ["", "new (", "x", ")", ""]),
    ("classes", ["", "class A{m(){", "", "}}", ""]),
    ("extends", ["x=", "class extends ", "A", "{}", ""]),
    ("spreads", ["f(", "...", "a", "", ")"]),
    ("whiles", ["", "while(1)", ";", "", ""]),
    ("fors", ["", "for(;;)", ";", "", ""]),
    ("tries", ["", "try{", "", "}catch(e){}", ""]),
    ("switches", ["", "switch(1){case 1:", "", "}", ""]),
    ("dos", ["", "do ", ";", " while(0)", ""]),
    ("withs", ["", "with(a)", ";", "", ""]),
    ("assignments", ["", "a=", "1", "", ""]),
    ("variables", ["var a", ",a", "", "", ""]),
    ("cases", ["switch(1){", "case 1:", "", "", "}"]),
    ("parameters", ["function f(a", ",a", "", "", "){}"]),
    ("getters", ["({", "get a(){},", "", "", "})"]),
    ("string", ["'", "x", "", "", "'"]),
    ("open_string", ["'", "x", "", "", ""]),
    ("comment", ["/*", "x", "", "", "*/invokers"]),
    ("open_comment", ["/*", "x", "", "", ""]),
    ("line_comments", ["", "//\n", "", "", "invokers"]),
    ("regex_groups", ["/", "(", "", ")", "/"]),
    ("regex_choices", ["/", "a|", "", "", "/"]),
    ("regex_repeats", ["/", "(a{1,9}){1,9}", "", "", "/"]),
    ("regex_lookahead", ["/", "(?=", "", ")", "/"]),
    ("escapes", ["'", "\\u{10FFFF}", "", "", "'"]),
    ("number", ["", "9", "", "", ""]),
    ("bigint", ["", "9", "", "", "n"]),
    ("name", ["", "a", "", "", "=1"]),
    ("escaped_name", ["", "\\u0061", "", "", "=1"]),
    ("semicolons", ["", ";", "", "", "invokers"]),
    ("blanks", ["", " ", "", "", "invokers"]),
    ("byte_order_marks", ["", "\u{feff}", "", "", "invokers"]),
    ("nul", ["", "\0", "", "", ""]),
    ("awaits", ["async function f(){", "await ", "1", "", "}"]),
    ("yields", ["function* f(){", "yield ", "1", "", "}"]),
    ("imports", ["", "import(", "1", ")", ""]),
];

const RHAI: &[Shape] = &[
    ("parentheses", ["", "(", "1", ")", ""]),
    ("open_parentheses", ["", "(", "", "", ""]),
    ("arrays", ["", "[", "", "]", ""]),
    ("maps", ["", "#{a:", "1", "}", ""]),
    ("blocks", ["", "{", "1", "}", ""]),
    ("functions", ["", "fn f(){", "1", "}", ""]),
    ("closures", ["let f=", "|x|", "1", "", ";f"]),
    ("closure_blocks", ["let f=", "||{", "1", "}", ";f"]),
    ("else_if", ["if true {1}", "else if true {1}", "", "", ""]),
    ("ifs", ["", "if true {", "1", "}", ""]),
    ("switches", ["", "switch 1 {1=>", "1", "}", ""]),
    ("cases", ["switch 1 {", "1=>1,", "", "", "_=>1}"]),
    ("interpolation", ["", "`${", "1", "}`", ""]),
    ("interpolated_parts", ["`", "${1}", "", "", "`"]),
    ("not", ["", "!", "true", "", ""]),
    ("minus", ["", "- ", "1", "", ""]),
    ("plus", ["1", "+1", "", "", ""]),
    ("powers", ["1", "**1", "", "", ""]),
    ("and", ["true", "&&true", "", "", ""]),
    ("coalesce", ["1", "??1", "", "", ""]),
    ("in", ["1", " in [1]", "", "", ""]),
    ("ranges", ["1", "..1", "", "", ""]),
    ("members", ["invokers", ".a", "", "", ""]),
    ("optional_members", ["invokers", "?.a", "", "", ""]),
    ("calls", ["f", ".f()", "", "", ""]),
    ("inner_calls", ["", "f(", "1", ")", ""]),
    ("indexes", ["a", "[0]", "", "", ""]),
    ("inner_indexes", ["", "a[", "0", "]", ""]),
    ("loops", ["", "loop {", "", "}", ""]),
    ("fors", ["", "for i in 0..1 {", "", "}", ""]),
    ("tries", ["", "try {", "", "} catch {}", ""]),
    ("dos", ["", "do {", "", "} while false;", ""]),
    ("variables", ["", "let a=1;", "", "", ""]),
    ("constants", ["", "const A=1;", "", "", ""]),
    ("parameters", ["fn f(a", ",a", "", "", "){}"]),
    ("string", ["\"", "x", "", "", "\""]),
    ("open_string", ["\"", "x", "", "", ""]),
    ("comments", ["", "/*", "", "*/", "invokers"]),
    ("open_comment", ["/*", "x", "", "", ""]),
    ("escapes", ["\"", "\\U0010FFFF", "", "", "\""]),
    ("number", ["", "9", "", "", ""]),
    ("name", ["let ", "a", "", "", "=1"]),
    ("semicolons", ["", ";", "", "", "invokers"]),
    ("nul", ["", "\0", "", "", ""]),
];

const LUA: &[Shape] = &[
    ("parentheses", ["return ", "(", "1", ")", ""]),
    ("open_parentheses", ["return ", "(", "", "", ""]),
    ("tables", ["return ", "{", "", "}", ""]),
    ("blocks", ["", "do ", "", "end ", ""]),
    ("functions", ["return ", "function() return ", "1", " end", ""]),
    ("elseif", ["if a then ", "elseif a then ", "", "", "end"]),
    ("else_if", ["", "if a then else ", "", "end ", ""]),
    ("if_values", ["return ", "if a then a else ", "a", "", ""]),
    ("not", ["return ", "not ", "a", "", ""]),
    ("minus", ["return ", "- ", "1", "", ""]),
    ("length", ["return ", "#", "a", "", ""]),
    ("plus", ["return 1", "+1", "", "", ""]),
    ("powers", ["return 1", "^1", "", "", ""]),
    ("concat", ["return 'a'", "..'a'", "", "", ""]),
    ("and", ["return a", " and a", "", "", ""]),
    ("compares", ["return a", "==a", "", "", ""]),
    ("templates", ["return ", "`{", "a", "}`", ""]),
    ("template_parts", ["return `", "{a}", "", "", "`"]),
    ("members", ["return invokers", ".a", "", "", ""]),
    ("calls", ["return f", "()", "", "", ""]),
    ("methods", ["return f", ":a()", "", "", ""]),
    ("inner_indexes", ["return ", "a[", "1", "]", ""]),
    ("whiles", ["", "while a do ", "", "end ", ""]),
    ("repeats", ["", "repeat ", "", "until a ", ""]),
    ("fors", ["", "for i=1,1 do ", "", "end ", ""]),
    ("for_ins", ["", "for i in a do ", "", "end ", ""]),
    ("locals", ["", "local a=1 ", "", "", ""]),
    ("local_list", ["local a", ",a", "", "", ""]),
    ("targets", ["a", ",a", "", "", "=1"]),
    ("parameters", ["return function(a", ",a", "", "", ") end"]),
    ("arguments", ["return f(a", ",a", "", "", ")"]),
    ("types", ["local a: ", "{", "", "}", "=1"]),
    ("type_functions", ["local a: ", "()->", "()", "", "=1"]),
    ("type_unions", ["local a: A", "|A", "", "", "=1"]),
    ("type_generics", ["type A = ", "B<", "C", ">", ""]),
    ("casts", ["return a", "::any", "", "", ""]),
    ("attributes", ["", "@native ", "", "", "function f() end"]),
    ("comment", ["--[[", "x", "", "", "]] return invokers"]),
    ("open_comment", ["--[[", "x", "", "", ""]),
    ("string", ["return '", "x", "", "", "'"]),
    ("open_string", ["return '", "x", "", "", ""]),
    ("long_brackets", ["return [", "=", "", "", ""]),
    ("escapes", ["return '", "\\u{10FFFF}", "", "", "'"]),
    ("number", ["return ", "9", "", "", ""]),
    ("name", ["", "a", "", "", "=1"]),
    ("semicolons", ["", ";", "", "", "return invokers"]),
    ("nul", ["return '", "\0", "", "", "'"]),
];

/// What mixtures are made of: what opens, what closes it; what needs no closing has nothing there.
const MIXED_JAVASCRIPT: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("({a:", "})"),
    ("function(){return ", "}"),
    ("a=>", ""),
    ("`${", "}`"),
    ("!", ""),
    ("1?1:", ""),
    ("new ", ""),
    ("f(", ")"),
    ("1+", ""),
    ("class extends ", "{}"),
    ("typeof ", ""),
    ("/(a|b)*/.test(", ")"),
];

const MIXED_RHAI: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("#{a:", "}"),
    ("|x| ", ""),
    ("`${", "}`"),
    ("!", ""),
    ("if true {", "} else {1}"),
    ("switch 1 {1=>", "}"),
    ("f(", ")"),
    ("1+", ""),
    ("{", "}"),
    ("- ", ""),
];

const MIXED_LUA: &[(&str, &str)] = &[
    ("(", ")"),
    ("{", "}"),
    ("function() return ", " end"),
    ("`{", "}`"),
    ("not ", ""),
    ("if a then a else ", ""),
    ("f(", ")"),
    ("1+", ""),
    ("'a'..", ""),
    ("a[", "]"),
    ("#", ""),
    ("- ", ""),
];

/// Words that are strewn without any order.
const WORDS: &[&str] = &[
    "(", ")", "[", "]", "{", "}", "if", "else", "for", "while", "function", "fn", "return", "local", "end", "then",
    "do", "in", "=", "==", "=>", "|", "||", "?", ":", ",", ";", "`", "${", "\"", "'", "/", "*", "--", "//", "..",
    "...", "1", "a", "invokers", "#", "#{", "@", "\\", "\n", " ", "let", "var", "switch", "case", "try", "catch",
    "new", "é",
];

/// The shapes of a language, each at the limit of a rule's text and made when it is asked for.
pub(crate) fn shapes(language: Language) -> impl Iterator<Item = (String, String)> {
    let (repeated, mixed, head) = match language {
        Language::JavaScript => (JAVASCRIPT, MIXED_JAVASCRIPT, "x="),
        Language::Rhai => (RHAI, MIXED_RHAI, "let x="),
        Language::Lua => (LUA, MIXED_LUA, "return "),
    };
    let repeated = repeated.iter().map(|(name, parts)| (format!("shape/{name}"), filled(*parts)));
    let mixtures = (1..=SEEDS).map(move |seed| (format!("shape/mixed_{seed}"), mixture(seed, head, mixed)));
    let strewn = (1..=SEEDS).map(|seed| (format!("shape/strewn_{seed}"), strewn(seed)));
    repeated.chain(mixtures).chain(strewn)
}

fn filled([before, open, middle, close, after]: [&str; 5]) -> String {
    let room = LIMIT - before.len() - middle.len() - after.len();
    let times = room / (open.len() + close.len());
    [before, &open.repeat(times), middle, &close.repeat(times), after].concat()
}

/// Constructs inside of constructs.
fn mixture(seed: u64, head: &str, parts: &[(&str, &str)]) -> String {
    let mut state = seed;
    let (mut text, mut closing, mut closing_bytes) = (head.to_owned(), Vec::new(), 0);
    loop {
        let (open, close) = parts[draw(&mut state, parts.len())];
        if text.len() + open.len() + closing_bytes + close.len() + 1 > LIMIT {
            break;
        }
        text.push_str(open);
        closing.push(close);
        closing_bytes += close.len();
    }
    text.push('1');
    closing.iter().rev().for_each(|close| text.push_str(close));
    text
}

fn strewn(seed: u64) -> String {
    let (mut state, mut text) = (seed, String::new());
    loop {
        let word = WORDS[draw(&mut state, WORDS.len())];
        if text.len() + word.len() > LIMIT {
            return text;
        }
        text.push_str(word);
    }
}

/// The next of a row of numbers below `bound` that the seed settles.
fn draw(state: &mut u64, bound: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap() % bound
}
