//! Servers that have a name: those of the files around the working folder and of the user's own, or of the one that is
//! named.
//!
//! A file of servers says which commands to run, so it matters whose it is:
//!
//! * Nothing is started because a file is there. A server is started when somebody writes its name.
//! * Files are looked for in the working folder and, inside a repository, in the folders around it up to the root of
//!   the repository. What lies in `/tmp` or beside one's home is never used from below it.
//! * A file that belongs to another user is refused, as anybody may put one where several people work. `--config` names
//!   it all the same: then it is a choice.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hermes::servers::{Entry, Flaw, ServerFile, Surroundings};

use crate::args::Flags;
use crate::config;
use crate::exit::{Failure, Result, chain};
use crate::hint;
use crate::target::{DEMO, OTHERWISE};

/// The files that are looked for in each folder; the first one counts before the second one.
const FILES: [&str; 2] = [".mcp.json", ".vscode/mcp.json"];

/// Names a file of servers, in place of those that are looked for.
const CONFIG: &str = "HERMES_CONFIG";

/// What marks the root of a repository.
const REPOSITORY: &str = ".git";

/// All servers that have a name here.
#[derive(Debug)]
pub(crate) struct Configured {
    /// Where files were looked for.
    looked: Vec<PathBuf>,
    /// What was found there, the nearest first.
    found: Vec<Result<ServerFile>>,
}

impl Configured {
    /// Looks for files of servers and reads them.
    ///
    /// # Errors
    /// The file that was named is not there.
    pub(crate) fn look(flags: &Flags) -> Result<Self> {
        let surroundings = Self::surroundings(flags);
        if let Some(config) = flags.config.clone().or_else(from_environment) {
            let file = read(&config, &surroundings)?;
            return Ok(Self { looked: vec![config], found: vec![Ok(file)] });
        }
        let looked = Self::candidates(flags)?;
        let found =
            looked.iter().filter_map(|path| trusted(path, &Self::around(path, &surroundings)).transpose());
        let found = found.collect();
        Ok(Self { looked, found })
    }

    /// What variables in such files stand for.
    pub(crate) fn surroundings(flags: &Flags) -> Surroundings {
        flags.inputs.iter().fold(Surroundings::process(), |around, (id, value)| around.input(id, value))
    }

    /// The same for this file: the user's own servers are for whatever folder is worked in.
    pub(crate) fn around(path: &Path, surroundings: &Surroundings) -> Surroundings {
        let here = env::current_dir().ok().filter(|_| config::own().as_deref() == Some(path));
        here.map_or_else(|| surroundings.clone(), |here| surroundings.clone().workspace(here))
    }

    /// The files that are looked for, the nearest first, the user's own last; or the one that is named.
    ///
    /// # Errors
    /// There is no working folder.
    pub(crate) fn candidates(flags: &Flags) -> Result<Vec<PathBuf>> {
        if let Some(config) = flags.config.clone().or_else(from_environment) {
            return Ok(vec![config]);
        }
        let folder = env::current_dir()
            .map_err(|error| Failure::usage(format!("there is no working folder: {error}")))?;
        Ok(candidates(&folder).into_iter().chain(config::own()).collect())
    }

    /// The server with this name: the one of the nearest file that has it.
    ///
    /// # Errors
    /// There is none, or a file that may have it cannot be read.
    pub(crate) fn find(self, name: &str) -> Result<Entry> {
        let mut names = vec![DEMO.to_owned()];
        for file in self.found {
            let file = file?;
            if let Some(entry) = file.entry(name) {
                return usable(entry.clone());
            }
            names.extend(file.entries().iter().map(|entry| entry.name().to_owned()));
        }
        let near = hint::nearest(name, names.iter().map(String::as_str));
        let near = near.map(|near| format!("did you mean \"{near}\"? ")).unwrap_or_default();
        let hint = format!("{near}no server with that name in {}; {OTHERWISE}", places(&self.looked));
        Err(Failure::usage(format!("\"{name}\" is not a target")).with_hint(hint))
    }

    /// The servers that names stand for, the nearest first, and what cannot be read.
    pub(crate) fn all(self) -> (Vec<Entry>, Vec<Failure>) {
        let (mut entries, mut failures) = (Vec::<Entry>::new(), Vec::new());
        for file in self.found {
            match file {
                Ok(file) => {
                    for entry in file.entries() {
                        if entries.iter().all(|nearer| nearer.name() != entry.name()) {
                            entries.push(entry.clone());
                        }
                    }
                }
                Err(failure) => failures.push(failure),
            }
        }
        (entries, failures)
    }

    /// Whether there is no file at all.
    pub(crate) const fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Where files were looked for, for a hint.
    pub(crate) fn places(&self) -> String {
        places(&self.looked)
    }
}

fn places(looked: &[PathBuf]) -> String {
    looked.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// The file that [`CONFIG`] names.
pub(crate) fn from_environment() -> Option<PathBuf> {
    env::var_os(CONFIG).filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn usable(entry: Entry) -> Result<Entry> {
    if let Some(error) = entry.error() {
        let hint = match &error.flaw {
            Flaw::NoInput { id } => Some(format!("--input {id}=VALUE gives it one")),
            _ => None,
        };
        return Err(Failure::usage(error.to_string()).with_hint(hint));
    }
    if entry.is_disabled() {
        let (file, line) = (entry.file().display(), entry.line());
        let message = format!("{file}:{line}: server {:?} is disabled", entry.name());
        return Err(Failure::usage(message).with_hint("set `disabled` to false there".to_owned()));
    }
    Ok(entry)
}

/// Where files are looked for: in a folder and, inside a repository, up to its root.
fn candidates(folder: &Path) -> Vec<PathBuf> {
    let inside = folder.ancestors().position(|folder| folder.join(REPOSITORY).exists());
    let folders = folder.ancestors().take(inside.map_or(1, |root| root + 1));
    folders.flat_map(|folder| FILES.iter().map(|file| folder.join(file))).collect()
}

/// Reads a file that nobody has named, if it is there and ours.
fn trusted(path: &Path, surroundings: &Surroundings) -> Result<Option<ServerFile>> {
    let unreadable = |error| Failure::usage(format!("cannot read {}: {error}", path.display()));
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    }
    // Of the file that is read, not of another one that took its place meanwhile.
    let file = File::open(path).map_err(unreadable)?;
    let owner = file.metadata().map_err(unreadable)?.uid();
    if !may_decide(owner, rustix::process::geteuid().as_raw()) {
        let message = format!("{} belongs to another user and may start anything", path.display());
        let hint = format!("--config {} takes it all the same", path.display());
        return Err(Failure::usage(message).with_hint(hint));
    }
    let read = ServerFile::read_from(file, path, surroundings);
    read.map(Some).map_err(|error| Failure::usage(chain(&error)))
}

/// Whether a file of this user may say what we start. What the system's own user could put there, it could do without
/// us.
const fn may_decide(owner: u32, us: u32) -> bool {
    owner == us || owner == 0
}

fn read(path: &Path, surroundings: &Surroundings) -> Result<ServerFile> {
    ServerFile::read(path, surroundings).map_err(|error| Failure::usage(chain(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_decides_only_if_it_is_ours_or_the_systems() {
        assert!(may_decide(1000, 1000) && may_decide(0, 1000) && may_decide(0, 0));
        assert!(!may_decide(1001, 1000) && !may_decide(1000, 0));
    }
}
