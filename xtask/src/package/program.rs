//! The program as it is given away: released, and linked with a C library of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Packed;
use crate::error::{Error, Result, at};
use crate::process::{cargo, output, run};
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// The package of the program.
const PACKAGE: &str = "mcp-hermes-cli";

/// Shells that scripts are given for, each with the name of its file.
const SHELLS: [(&str, &str); 3] = [("bash", "hermes"), ("fish", "hermes.fish"), ("zsh", "_hermes")];

/// A program that is ready to be packed.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// What it says its version is.
    pub(super) version: String,
    /// What it runs on, as Rust names it.
    pub(super) target: String,
}

impl Program {
    /// Takes the program that is named, or builds it.
    ///
    /// # Errors
    ///
    /// It cannot be built or does not run.
    pub(super) fn ready(packed: &Packed) -> Result<Self> {
        let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        let path = match &packed.program {
            Some(path) => path.clone(),
            None => build(&target)?,
        };
        let says = output(Command::new(&path).arg("--version"))?;
        let version = says.split_whitespace().last().unwrap_or_default().to_owned();
        let bytes = fs::metadata(&path).map_err(at(&path))?.len();
        say(&format!("{}: {version}, {bytes} bytes", path.display()));
        Ok(Self { path, version, target })
    }

    /// Says whether the program needs nothing of the machine, not even its dynamic linker.
    ///
    /// # Errors
    ///
    /// It is linked dynamically, or cannot be read.
    pub(super) fn stands_alone(&self) -> Result<()> {
        let bytes = fs::read(&self.path).map_err(at(&self.path))?;
        match interpreter(&bytes) {
            Some(interpreter) => Err(Error::Dynamic { path: self.path.clone(), interpreter }),
            None => Ok(()),
        }
    }

    /// Writes manual pages and completion scripts to the folders `man` and `completions` of another one.
    ///
    /// # Errors
    ///
    /// The program does not print them, or they cannot be written.
    pub(super) fn pages(&self, folder: &Path) -> Result<()> {
        run(Command::new(&self.path).args(["man", "--folder"]).arg(folder.join("man")))?;
        let completions = folder.join("completions");
        fs::create_dir_all(&completions).map_err(at(&completions))?;
        for (shell, name) in SHELLS {
            let script = output(Command::new(&self.path).args(["completions", shell]))?;
            let file = completions.join(name);
            fs::write(&file, script).map_err(at(&file))?;
        }
        Ok(())
    }
}

/// Builds it with musl, so that it needs no C library of the machine. glibc would do for everything but names: those it
/// looks up by parts that cannot be linked in.
fn build(target: &str) -> Result<PathBuf> {
    let mut command = cargo();
    command.current_dir(root()).env("RUSTFLAGS", "-C target-feature=+crt-static");
    run(command.args(["build", "--release", "--locked", "--package", PACKAGE, "--target", target]))?;
    let program = Workspace::read()?.target().join(target).join("release/hermes");
    if program.is_file() { Ok(program) } else { Err(Error::NoProgram("hermes")) }
}

/// The dynamic linker that a program names: the segment `PT_INTERP` of a 64-bit little-endian ELF file, which are those that
/// there are musl builds of here. Static programs have none.
fn interpreter(elf: &[u8]) -> Option<String> {
    /// `PT_INTERP`.
    const INTERPRETER: usize = 3;
    let number = |at: usize, size: usize| -> Option<usize> {
        let bytes = elf.get(at..at.checked_add(size)?)?;
        usize::try_from(bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))).ok()
    };
    if !elf.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut segments = (0..count).filter_map(|index| table.checked_add(index.checked_mul(size)?));
    let segment = segments.find(|at| number(*at, 4) == Some(INTERPRETER))?;
    let (start, length) = (number(segment.checked_add(8)?, 8)?, number(segment.checked_add(32)?, 8)?);
    let name = elf.get(start..start.checked_add(length)?)?;
    Some(String::from_utf8_lossy(name).trim_end_matches('\0').to_owned())
}

/// An empty folder, in place of what was there.
///
/// # Errors
///
/// It cannot be made.
pub(super) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(at(folder))?;
    }
    fs::create_dir_all(folder).map_err(at(folder))
}

/// Copies a file, and the folders around it.
///
/// # Errors
///
/// It cannot be copied.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    fs::copy(from, to).map(drop).map_err(at(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of an ELF file with these segments, each a type with its bytes.
    fn elf(segments: &[(u32, &[u8])]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        let table = 64_u64.to_le_bytes();
        file.splice(32..40, table);
        file.splice(54..58, [56, 0, u8::try_from(segments.len()).expect("few"), 0]);
        let mut contents = Vec::new();
        for (kind, bytes) in segments {
            let start = 64 + 56 * segments.len() + contents.len();
            let mut header = vec![0; 56];
            header.splice(0..4, kind.to_le_bytes());
            header.splice(8..16, (start as u64).to_le_bytes());
            header.splice(32..40, (bytes.len() as u64).to_le_bytes());
            file.extend(header);
            contents.extend_from_slice(bytes);
        }
        file.extend(contents);
        file
    }

    #[test]
    fn a_dynamic_program_names_its_linker_and_a_static_one_does_not() {
        let dynamic = elf(&[(1, b"code"), (3, b"/lib64/ld.so\0")]);
        assert_eq!(interpreter(&dynamic).as_deref(), Some("/lib64/ld.so"));
        assert_eq!(interpreter(&elf(&[(1, b"code")])), None);
        assert_eq!(interpreter(b"#!/bin/sh\n"), None);
        assert_eq!(interpreter(&dynamic[..100]), None, "cut off");
    }
}
