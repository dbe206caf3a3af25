//! `pointsman plugin new`: a project of a plugin that builds and tests at once, without a network.

use std::fs;
use std::fs::OpenOptions;
use std::io;
use std::io::Write as _;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::PluginLanguage;
use crate::cli::args::PluginNewArguments;
use crate::cli::check::refuse;
use crate::cli::output::Printer;
use crate::cli::plugin::sdk;
use crate::diagnostics::Finding;
use crate::diagnostics::Mask;
use crate::diagnostics::escape;
use crate::plugin::check_name;
use crate::plugin::shell;

/// What is left of a library's longest name.
const MAX_NAME_BYTES: usize = 40;

/// Files of a new project; `@NAME@`, `@TYPE@`, `@SDK@` and `@VERSION@` are filled in.
const RUST: [(&str, &str); 4] = [
    ("Cargo.toml", include_str!("new/rust/Cargo.toml.in")),
    ("src/lib.rs", include_str!("new/rust/lib.rs.in")),
    ("README.md", include_str!("new/rust/README.md.in")),
    (".gitignore", "/target\n"),
];
const C: [(&str, &str); 4] = [
    ("Makefile", include_str!("new/c/Makefile.in")),
    ("plugin.c", sdk::EXAMPLE_IN_C),
    ("README.md", include_str!("new/c/README.md.in")),
    (".gitignore", "/*.so\n"),
];

pub(crate) fn run(arguments: &PluginNewArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = arguments.folder.as_path();
    let shown = folder.to_string_lossy();
    let refusal = match name_of(arguments) {
        Ok(name) => match write(arguments, name) {
            Ok(()) => return next(arguments, name, console),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let finding = Finding::error("plugin::exists", "the folder is there, and is not empty");
                finding.with_help("name a folder that is not there yet").in_file(&*shown)
            }
            Err(error) => Finding::error("plugin::unwritable", format!("cannot make the project: {}", error.kind()))
                .with_help("let the user who runs this write there")
                .in_file(&*shown),
        },
        Err(finding) => finding,
    };
    let format = crate::cli::args::Format::Human;
    let printer = Printer { format, mask: Mask::default(), is_coloured: console.is_coloured };
    refuse(&[refusal], &printer, console)?;
    Ok(Exit::Failed)
}

/// The plugin's name: the folder's.
fn name_of(arguments: &PluginNewArguments) -> Result<&str, Finding> {
    let name = arguments.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    // A package cannot need one of its own name.
    if is_name && name.len() <= MAX_NAME_BYTES && !name.starts_with("pointsman-plugin") {
        return check_name(name).map(|()| name);
    }
    let message =
        format!("expected a name of at most 40 small letters, digits and `-` that is not the SDK's, found `{name}`");
    let finding = Finding::error("plugin::wrong_name", message);
    Err(finding.with_help("`pointsman plugin new areacode`; the name becomes the package's and the plugin's"))
}

fn write(arguments: &PluginNewArguments, name: &str) -> io::Result<()> {
    let folder = arguments.folder.as_path();
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let sdk = if arguments.registry {
        format!("\"{}\"", env!("CARGO_PKG_VERSION"))
    } else {
        "{ path = \"vendor/pointsman-plugin\" }".to_owned()
    };
    let fill = |text: &str| {
        text.replace("@NAME@", name)
            .replace("@TYPE@", &type_of(name))
            .replace("@LIBRARY@", &name.replace('-', "_"))
            .replace("@SDK@", &sdk)
    };
    let put = |path: &str, text: &str| {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
    };
    match arguments.lang {
        PluginLanguage::Rust => {
            RUST.iter().try_for_each(|(path, text)| put(path, &fill(text)))?;
            if arguments.registry {
                return Ok(());
            }
            sdk::FILES.iter().try_for_each(|(path, text)| put(&format!("vendor/{path}"), text))?;
            sdk::manifests().iter().try_for_each(|(path, text)| put(&format!("vendor/{path}"), text))
        }
        PluginLanguage::C => {
            // The example is a plugin of a name of its own.
            let fill = |text: &str| {
                fill(text).replace("\\\"name\\\":\\\"areaCode\\\"", &format!("\\\"name\\\":\\\"{name}\\\""))
            };
            C.iter().try_for_each(|(path, text)| put(path, &fill(text)))?;
            put("include/pointsman_plugin.h", sdk::HEADER)
        }
    }
}

fn next(arguments: &PluginNewArguments, name: &str, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = arguments.folder.to_string_lossy();
    let library = name.replace('-', "_");
    let build = match arguments.lang {
        PluginLanguage::Rust => format!("cargo test && cargo build --release   # target/release/lib{library}.so"),
        PluginLanguage::C => format!("make   # lib{library}.so"),
    };
    writeln!(console.stdout, "wrote the plugin `{name}` into {}", escape(&folder))?;
    writeln!(console.stdout, "\nNext: cd {} && {build}", escape(&shell(&arguments.folder)))?;
    Ok(Exit::Ok)
}

/// `area-code` as `AreaCodeRouter`, which is no name of the SDK's.
fn type_of(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    name.split('-').map(word).collect::<String>() + "Router"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_type() {
        assert_eq!(
            (type_of("area-code"), type_of("areacode")),
            ("AreaCodeRouter".to_owned(), "AreacodeRouter".to_owned())
        );
    }
}
