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
