//! The dynamic section of a library as the loader reads it: by segments, not by sections, which may tell another story.

use object::LittleEndian;
use object::elf;
use object::read::elf::ElfFile64;
use object::read::elf::ProgramHeader as _;

use crate::diagnostics::Finding;
use crate::plugin::elf::broken;

/// More than any library has, and little enough to look at all of it.
const MAX_DYNAMIC_BYTES: usize = 64 << 10;
const MAX_VERSIONS: u32 = 4_096;
/// The longest name that is looked at.
const MAX_NAME_BYTES: usize = 255;

/// A library's own list of what it is and needs.
#[derive(Debug)]
pub(crate) struct Dynamic<'a> {
    bytes: &'a [u8],
    /// Where each part of memory stands in the file: address, offset, length.
    loads: Vec<(u64, u64, u64)>,
    entries: Vec<(i64, u64)>,
    strings: &'a [u8],
}

// === impl Dynamic ===

impl<'a> Dynamic<'a> {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// There is none, or more than one; parts of it lie outside of the file or in two places at once.
    pub(crate) fn read(elf: &ElfFile64<'a, LittleEndian>) -> Result<Self, Finding> {
        let (endian, bytes) = (LittleEndian, elf.data());
        let segments = || elf.elf_program_headers().iter();
        let loads = segments().filter(|it| it.p_type(endian) == elf::PT_LOAD);
        let loads: Vec<_> = loads.map(|it| (it.p_vaddr(endian), it.p_offset(endian), it.p_filesz(endian))).collect();
        let mut end = 0;
        for (address, _, length) in &loads {
            if *address < end {
                return Err(broken("two segments lie over one another"));
            }
            end = address.checked_add(*length).ok_or_else(|| broken("a segment has no end"))?;
        }
        let mut found = segments().filter(|it| it.p_type(endian) == elf::PT_DYNAMIC);
        let (Some(segment), None) = (found.next(), found.next()) else {
            return Err(broken("expected one dynamic section"));
        };
        let mut dynamic = Self { bytes, loads, entries: Vec::new(), strings: &[] };
        let table = dynamic.memory(segment.p_vaddr(endian), segment.p_filesz(endian));
        let table = table.filter(|table| table.len() <= MAX_DYNAMIC_BYTES);
        let table = table.ok_or_else(|| broken("the dynamic section lies outside of the file, or is too large"))?;
        let (entries, _) = table.as_chunks::<16>();
        for [a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7] in entries {
            let tag = i64::from_le_bytes([*a0, *a1, *a2, *a3, *a4, *a5, *a6, *a7]);
            if tag == elf::DT_NULL.0 {
                break;
            }
            dynamic.entries.push((tag, u64::from_le_bytes([*b0, *b1, *b2, *b3, *b4, *b5, *b6, *b7])));
        }
        let strings = (dynamic.only(elf::DT_STRTAB)?, dynamic.only(elf::DT_STRSZ)?);
        if let (Some(address), Some(length)) = strings {
            let strings = dynamic.memory(address, length);
            dynamic.strings = strings.ok_or_else(|| broken("the names lie outside of the file"))?;
        }
        Ok(dynamic)
    }

    /// Its entries in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (elf::DynamicTag, u64)> + '_ {
        self.entries.iter().map(|(tag, value)| (elf::DynamicTag(*tag), *value))
    }

    /// The name at an offset; what is too long for one is cut.
    pub(crate) fn name(&self, offset: u64) -> String {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.strings.get(offset..)).unwrap_or_default();
        let name = rest.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name.get(..MAX_NAME_BYTES).unwrap_or(name)).into_owned()
    }

    /// Whether the name at an offset begins with this.
    pub(crate) fn name_starts_with(&self, offset: u32, start: &str) -> bool {
        self.strings.get(offset as usize..).is_some_and(|rest| rest.starts_with(start.as_bytes()))
    }

    /// The versions of symbols that it needs, such as `GLIBC_2.34`.
    ///
    /// # Errors
    ///
    /// They cannot be read, or are too many.
    pub(crate) fn needed_versions(&self) -> Result<Vec<String>, Finding> {
        let (Some(mut at), Some(count)) = (self.only(elf::DT_VERNEED)?, self.only(elf::DT_VERNEEDNUM)?) else {
            return Ok(Vec::new());
        };
        let unreadable = || broken("its symbol versions cannot be read, or are too many");
        let word = |address: u64| {
            let bytes = self.memory(address, 4)?;
            Some(u32::from_le_bytes(*bytes.first_chunk()?))
        };
        let mut names = Vec::new();
        let mut left = MAX_VERSIONS;
        for _ in 0..count.min(u64::from(MAX_VERSIONS)) {
            let aux_count = word(at).ok_or_else(unreadable)? >> 16;
            let mut aux = at + u64::from(word(at + 8).ok_or_else(unreadable)?);
            for _ in 0..aux_count {
                left = left.checked_sub(1).ok_or_else(unreadable)?;
                names.push(self.name(word(aux + 8).ok_or_else(unreadable)?.into()));
                match word(aux + 12).ok_or_else(unreadable)? {
                    0 => break,
                    next => aux += u64::from(next),
                }
            }
            match word(at + 12).ok_or_else(unreadable)? {
                0 => break,
                next => at += u64::from(next),
            }
        }
        Ok(names)
    }

    /// The value of an entry that may stand once.
    fn only(&self, tag: elf::DynamicTag) -> Result<Option<u64>, Finding> {
        let mut values = self.entries().filter(|(found, _)| *found == tag).map(|(_, value)| value);
        let value = values.next();
        if values.next().is_some() { Err(broken("an entry of the dynamic section stands twice")) } else { Ok(value) }
    }

    /// What stands at an address, as far as the file says.
    fn memory(&self, address: u64, length: u64) -> Option<&'a [u8]> {
        let end = address.checked_add(length)?;
        let (start, offset, _) = self
            .loads
            .iter()
            .find(|(start, _, size)| *start <= address && start.checked_add(*size).is_some_and(|last| end <= last))?;
        let from = usize::try_from(address - start + offset).ok()?;
        self.bytes.get(from..from.checked_add(usize::try_from(length).ok()?)?)
    }
}
