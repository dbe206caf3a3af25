//! What can be told from a shared library without loading it. Nothing of it is trusted: a file that lies about itself is
//! refused like one that is broken.

use object::LittleEndian;
use object::Object as _;
use object::ObjectSection as _;
use object::elf;
use object::read::elf::ElfFile64;
use object::read::elf::FileHeader as _;
use object::read::elf::ProgramHeader as _;
use object::read::elf::SectionHeader as _;
use object::read::elf::Sym as _;
use pointsman_plugin_api::abi::ENTRY_SYMBOL;
use pointsman_plugin_api::manifest::SECTION;

use crate::diagnostics::Finding;
use crate::plugin::dynamic::Dynamic;

type Elf<'a> = ElfFile64<'a, LittleEndian>;

/// The loader itself.
#[cfg(target_arch = "x86_64")]
const LOADER: &str = "ld-linux-x86-64.so.2";
#[cfg(target_arch = "aarch64")]
const LOADER: &str = "ld-linux-aarch64.so.1";

/// More than any library has: what is longer is not looked at.
const MAX_SECTIONS: usize = 1_024;
const MAX_SECTION_NAMES_BYTES: u64 = 1 << 20;
const MAX_SYMBOLS: usize = 65_536;
const MAX_ENTRIES: usize = 16;
const MAX_MANIFEST_BYTES: u64 = 64 << 10;

/// Libraries that every plugin may need: those of C and of the compiler's runtime.
const LIBRARIES: &[&str] =
    &["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", LOADER];

/// What the entry symbols of all major versions begin with.
const ENTRY_PREFIX: &str = "pointsman_plugin_entry_v";

#[cfg(target_arch = "x86_64")]
const MACHINE: (u16, &str) = (elf::EM_X86_64.0, "x86-64");
#[cfg(target_arch = "aarch64")]
const MACHINE: (u16, &str) = (elf::EM_AARCH64.0, "aarch64");

/// What the host says about libraries.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings<'a> {
    /// Further libraries that plugins may need.
    pub(crate) libraries: &'a [String],
    /// The version of the C library that the host runs on.
    pub(crate) glibc: (u32, u32),
}

/// The contents of the manifest's section of a library that may be loaded.
///
/// # Errors
///
/// The first reason why it may not.
pub(crate) fn manifest_section<'a>(bytes: &'a [u8], surroundings: &Surroundings<'_>) -> Result<&'a [u8], Finding> {
    check_kind(bytes)?;
    let elf = Elf::parse(bytes).map_err(|error| broken(&format!("the file is no whole library: {error}")))?;
    check_whole(&elf, bytes)?;
    check_segments(&elf)?;
    let dynamic = Dynamic::read(&elf)?;
    check_dynamic(&dynamic, surroundings)?;
    check_libc(&dynamic, surroundings.glibc)?;
    check_entry(&elf, &dynamic)?;
    let mut sections = elf.sections().filter(|section| section.name_bytes() == Ok(SECTION.as_bytes()));
    let section = sections.next().ok_or_else(|| {
        let message = format!("the library has no section `{SECTION}`: it is no plugin, or its manifest was left out");
        Finding::error("plugin::wrong_manifest", message)
            .with_help("build it with the SDK's `pointsman_plugin!`, or with `PM_MANIFEST` of the header")
    })?;
    if sections.next().is_some() {
        let finding = Finding::error("plugin::wrong_manifest", "the file has two manifests");
        return Err(finding.with_help("put one plugin into one library"));
    }
    if section.size() > MAX_MANIFEST_BYTES {
        let message = format!("expected at most {MAX_MANIFEST_BYTES} bytes of manifest, found {}", section.size());
        return Err(Finding::error("plugin::wrong_manifest", message).with_help("a manifest is a few lines of JSON"));
    }
    section.data().map_err(|error| broken(&format!("the manifest cannot be read: {error}")))
}

/// Class, byte order, machine and type, from the first bytes.
fn check_kind(bytes: &[u8]) -> Result<(), Finding> {
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(broken("the file is no ELF library"));
    }
    let Some(ident) = bytes.first_chunk::<20>() else {
        return Err(broken("the file is too short for a library"));
    };
    let &[_, _, _, _, class, order, ..] = ident;
    if class != elf::ELFCLASS64.0 {
        return Err(other_machine("expected a library of 64 bits, found one of another class".to_owned()));
    }
    if order != elf::ELFDATA2LSB.0 {
        return Err(other_machine("expected a little-endian library, found a big-endian one".to_owned()));
    }
    let at = |at: usize| u16::from_le_bytes([byte(ident, at), byte(ident, at + 1)]);
    if at(18) != MACHINE.0 {
        return Err(other_machine(format!("expected a library for {}, found one for machine {}", MACHINE.1, at(18))));
    }
    if at(16) != elf::ET_DYN.0 {
        return Err(broken("expected a shared library, found another kind of object"));
    }
    Ok(())
}

/// Everything that the headers speak of lies in the file: half a copy is refused before a loader sees it.
fn check_whole(elf: &Elf<'_>, bytes: &[u8]) -> Result<(), Finding> {
    let endian = LittleEndian;
    let length = bytes.len() as u64;
    let fits = |offset: u64, size: u64| offset.checked_add(size).is_some_and(|end| end <= length);
    let header = elf.elf_header();
    let table = u64::from(header.e_shentsize(endian)) * u64::from(header.e_shnum(endian));
    let has_all_headers = header.e_shoff(endian) != 0 && fits(header.e_shoff(endian), table);
    let segments = || elf.elf_program_headers().iter();
    let has_all_segments = segments().all(|segment| fits(segment.p_offset(endian), segment.p_filesz(endian)));
    let mut sections = elf.elf_section_table().iter();
    let has_all_sections = sections.all(|section| {
        section.sh_type(endian) == elf::SHT_NOBITS || fits(section.sh_offset(endian), section.sh_size(endian))
    });
    if !(has_all_headers && has_all_segments && has_all_sections) {
        return Err(broken("the file ends before the library does: it was copied half, or cut"));
    }
    if !segments().any(|segment| segment.p_type(endian) == elf::PT_LOAD) {
        return Err(broken("the library has nothing to load"));
    }
    // Of a section whose name is none, the whole table of names is looked at.
    let table = elf.elf_section_table();
    let names = table.section(object::SectionIndex(usize::from(header.e_shstrndx(endian).0)));
    let names_bytes = names.map_or(0, |names| names.sh_size(endian));
    if table.len() > MAX_SECTIONS || names_bytes > MAX_SECTION_NAMES_BYTES {
        return Err(broken("the library has more sections, or longer names of them, than is looked at"));
    }
    Ok(())
}

fn check_segments(elf: &Elf<'_>) -> Result<(), Finding> {
    let endian = LittleEndian;
    let mut stacks = 0;
    for segment in elf.elf_program_headers() {
        let is_executable = segment.p_flags(endian).contains(elf::PF_X);
        match segment.p_type(endian) {
            elf::PT_GNU_STACK => {
                stacks += 1;
                if is_executable {
                    return Err(unsafe_library(
                        "the library asks for an executable stack",
                        "link it with `-z noexecstack`; assembler files need a `.note.GNU-stack` section",
                    ));
                }
            }
            elf::PT_LOAD if is_executable && segment.p_flags(endian).contains(elf::PF_W) => {
                return Err(unsafe_library(
                    "the library has memory that is writable and executable at once",
                    "link it without `-N` and without a script that joins text and data",
                ));
            }
            elf::PT_INTERP => {
                return Err(unsafe_library(
                    "the library asks for an interpreter, as programs do",
                    "link it with `-shared`",
                ));
            }
            _ => {}
        }
    }
    // Without the header the kernel's default counts, and that is an executable stack on some machines; of two the
    // loader takes one.
    if stacks != 1 {
        return Err(unsafe_library(
            "the library does not say that its stack is not executable",
            "link it with `-z noexecstack`",
        ));
    }
    Ok(())
}

fn check_dynamic(dynamic: &Dynamic<'_>, surroundings: &Surroundings<'_>) -> Result<(), Finding> {
    for (tag, value) in dynamic.entries() {
        match tag {
            elf::DT_RPATH | elf::DT_RUNPATH => {
                let name = if tag == elf::DT_RPATH { "RPATH" } else { "RUNPATH" };
                let message =
                    format!("the library has a {name}, `{}`: it would look for others there", dynamic.name(value));
                let help = "link it without `-rpath`, or remove it with `patchelf --remove-rpath`";
                return Err(unsafe_library(&message, help));
            }
            elf::DT_AUDIT | elf::DT_DEPAUDIT | elf::DT_FILTER | elf::DT_AUXILIARY => {
                let message = format!("the library has another one, `{}`, take part in loading", dynamic.name(value));
                let help = "link it without `--audit`, `--depaudit`, `--filter` and `--auxiliary`";
                return Err(unsafe_library(&message, help));
            }
            elf::DT_TEXTREL => return Err(text_relocations()),
            elf::DT_FLAGS if value & elf::DF_TEXTREL.0 != 0 => return Err(text_relocations()),
            elf::DT_NEEDED => {
                let name = dynamic.name(value);
                let is_listed = LIBRARIES.contains(&name.as_str()) || surroundings.libraries.contains(&name);
                if !is_listed {
                    let message = format!("the library needs `{name}`, which the host does not list");
                    let help = format!(
                        "link it statically, or have the host list it under `libraries`; allowed are {}",
                        LIBRARIES.join(", ")
                    );
                    return Err(unsafe_library(&message, &help));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A symbol version of the C library that the host's does not have would fail at load, with less of an explanation.
fn check_libc(dynamic: &Dynamic<'_>, (major, minor): (u32, u32)) -> Result<(), Finding> {
    for name in dynamic.needed_versions()? {
        let wanted = name.strip_prefix("GLIBC_").and_then(|version| {
            let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
            Some((parts.next()??, parts.next()??))
        });
        if wanted.is_some_and(|wanted| wanted > (major, minor)) {
            let message = format!("the library needs {name}, the host runs on GLIBC_{major}.{minor}");
            let help = "build it where the C library is as old as the host's, see the glibc floor in `docs/plugins.md`";
            return Err(Finding::error("plugin::newer_libc", message).with_help(help));
        }
    }
    Ok(())
}

fn check_entry(elf: &Elf<'_>, dynamic: &Dynamic<'_>) -> Result<(), Finding> {
    let endian = LittleEndian;
    let table = elf.elf_dynamic_symbol_table();
    if table.len() > MAX_SYMBOLS {
        return Err(broken(&format!("expected at most {MAX_SYMBOLS} symbols, found {}", table.len())));
    }
    let entries = table.iter().filter(|symbol| {
        symbol.st_shndx(endian) != elf::SHN_UNDEF && dynamic.name_starts_with(symbol.st_name(endian), ENTRY_PREFIX)
    });
    let found: Vec<String> = entries.take(MAX_ENTRIES).map(|it| dynamic.name(it.st_name(endian).into())).collect();
    if found.iter().any(|name| name == ENTRY_SYMBOL) {
        return Ok(());
    }
    if let Some(other) = found.first() {
        let message = format!("the library exports `{other}`, this host has `{ENTRY_SYMBOL}`");
        let help = "the plugin is for another major version: update the host or build with another SDK";
        return Err(Finding::error("plugin::other_abi", message).with_help(help));
    }
    let finding = Finding::error("plugin::missing_entry", format!("the library does not export `{ENTRY_SYMBOL}`"));
    Err(finding.with_help("`pointsman_plugin!` writes it in Rust; in C it needs default visibility (`PM_EXPORT`)"))
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or_default()
}

pub(crate) fn broken(message: &str) -> Finding {
    Finding::error("plugin::not_a_library", message)
        .with_help("copy the whole file again, under another name, and rename it")
}

fn other_machine(message: String) -> Finding {
    Finding::error("plugin::not_a_library", message).with_help(format!("build the plugin for {}", MACHINE.1))
}

fn unsafe_library(message: &str, help: &str) -> Finding {
    Finding::error("plugin::unsafe_library", message).with_help(help)
}

fn text_relocations() -> Finding {
    unsafe_library("the library changes its own code when it is loaded (text relocations)", "build it with `-fPIC`")
}
