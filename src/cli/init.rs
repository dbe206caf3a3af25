//! `pointsman init`: a small folder that works at once.

use std::borrow::Cow;
use std::fs;
use std::fs::OpenOptions;
use std::io;
use std::io::Write as _;
use std::path::Path;

use crate::cli::Console;
use crate::cli::Exit;
use crate::cli::args::InitArguments;
use crate::diagnostics::escape;

/// The files of a new folder.
const FILES: [(&str, &str); 2] =
    [("providers.txt", include_str!("init/providers.txt")), ("rules/first.rules", include_str!("init/first.rules"))];

pub(crate) fn run(arguments: &InitArguments, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = arguments.folder.as_path();
    let name = folder.to_string_lossy();
    let name = escape(&name);
    match write(folder) {
        Ok(()) => {
            for (file, _) in FILES {
                writeln!(console.stdout, "wrote {name}/{file}")?;
            }
            writeln!(console.stdout, "\nNext: pointsman route {} -m sayHello --explain", as_word(&name))?;
            Ok(Exit::Ok)
        }
        Err(error) => {
            writeln!(console.stderr, "error: cannot make the folder `{name}`: {error}")?;
            if error.kind() == io::ErrorKind::AlreadyExists {
                writeln!(console.stderr, "  help: name a folder that is not there yet, or is empty")?;
            }
            Ok(Exit::Failed)
        }
    }
}

/// A name as a shell takes it for one word.
fn as_word(name: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '@' | '~' | '%' | ',');
    if !name.is_empty() && name.chars().all(is_plain) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("'{}'", name.replace('\'', "'\\''")))
}

fn write(folder: &Path) -> io::Result<()> {
    let is_taken = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    if is_taken {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is not empty"));
    }
    for (file, text) in FILES {
        let path = folder.join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_to_a_shell() {
        for (name, word) in
            [("shop/gray-1", "shop/gray-1"), ("x y", "'x y'"), ("it's", "'it'\\''s'"), ("", "''"), ("$HOME", "'$HOME'")]
        {
            assert_eq!(as_word(name), word);
        }
    }
}
