//! Finding a command and starting it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::Pid;
use tokio::process::{ChildStdin, ChildStdout};

use super::close::{Child, Group};
use super::command::{Command, Environment};
use super::stderr::Stderr;

/// A child that has just been started.
pub(crate) struct Spawned {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) child: Child,
    /// Why nobody will end the child should our own process be killed.
    pub(crate) unguarded: Option<io::Error>,
}

/// Why a command could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// There is no such command.
    #[error("the command `{command}` was not found; PATH is {path}")]
    NotFound {
        /// The command as it was given.
        command: String,
        /// Where it was looked for.
        path: String,
    },
    /// It names a file that is there and is no program.
    #[error("the command `{command}` {}", flaw.words())]
    NoProgram {
        /// The command as it was given.
        command: String,
        /// What it is instead.
        flaw: ProgramFlaw,
    },
    /// The working directory is none.
    #[error("the working directory {} cannot be used", cwd.display())]
    WorkingDirectory {
        /// The directory as it was given.
        cwd: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The command is there, and the system refused to start it.
    #[error("the command `{command}` ({}) could not be started", file.display())]
    Refused {
        /// The command as it was given.
        command: String,
        /// The file that it stands for.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Why a file that is there is no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgramFlaw {
    /// It is a directory.
    Directory,
    /// Nobody may execute it.
    NotExecutable,
}

impl ProgramFlaw {
    const fn words(self) -> &'static str {
        match self {
            Self::Directory => "is a directory",
            Self::NotExecutable => "is a file that may not be executed; `chmod +x` makes it a program",
        }
    }
}

/// Starts a command in a process group of its own, with all three streams piped.
pub(crate) fn spawn(command: &Command) -> Result<Spawned, SpawnError> {
    let file = find(command)?;
    let refused = |source| SpawnError::Refused {
        command: command.program.to_string_lossy().into_owned(),
        file: file.clone(),
        source,
    };
    let mut process = tokio::process::Command::new(&file);
    process
        .args(&command.args)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    surround(&mut process, command)?;
    let mut process = process.spawn().map_err(refused)?;

    let missing = || refused(io::Error::other("a stream of the child is missing"));
    let leader = process.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let (group, unguarded) = Group::guarded(leader.ok_or_else(missing)?);
    let stdin = process.stdin.take().ok_or_else(missing)?;
    let stdout = process.stdout.take().ok_or_else(missing)?;
    let stderr = Stderr::drain(process.stderr.take().ok_or_else(missing)?, command.on_stderr.clone());
    let child = Child::watch(process, group, stderr, command.grace);
    Ok(Spawned { stdin, stdout, child, unguarded })
}

fn find(command: &Command) -> Result<PathBuf, SpawnError> {
    let path = search_path(command);
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    which::which_in(&command.program, path.as_ref(), &cwd).map_err(|_| {
        let name = command.program.to_string_lossy().into_owned();
        match flaw(&cwd.join(&command.program)) {
            // A bare name is looked for in PATH only, whatever lies in the current directory.
            Some(flaw) if Path::new(&command.program).components().count() > 1 => {
                SpawnError::NoProgram { command: name, flaw }
            }
            _ => SpawnError::NotFound {
                command: name,
                path: path.map_or_else(|| "not set".to_owned(), |path| path.to_string_lossy().into_owned()),
            },
        }
    })
}

/// What is wrong with a file as a program; `None` when there is no file.
fn flaw(file: &Path) -> Option<ProgramFlaw> {
    let is_directory = std::fs::metadata(file).ok()?.is_dir();
    Some(if is_directory { ProgramFlaw::Directory } else { ProgramFlaw::NotExecutable })
}

/// The PATH that the child will see, as that is the one the user thinks of.
fn search_path(command: &Command) -> Option<OsString> {
    let given = command.variables.iter().rev().find(|(name, _)| name == "PATH");
    match given {
        Some((_, value)) => value.clone(),
        None => std::env::var_os("PATH"),
    }
}

fn surround(process: &mut tokio::process::Command, command: &Command) -> Result<(), SpawnError> {
    if command.environment == Environment::Clean {
        process.env_clear();
        process.envs(Environment::CLEAN.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    }
    for (name, value) in &command.variables {
        match value {
            Some(value) => process.env(name, value),
            None => process.env_remove(name),
        };
    }
    if let Some(cwd) = &command.cwd {
        // The system's own message would not say whether the command or the directory is missing.
        let unusable = |source| SpawnError::WorkingDirectory { cwd: cwd.clone(), source };
        if !std::fs::metadata(cwd).map_err(unusable)?.is_dir() {
            return Err(unusable(io::ErrorKind::NotADirectory.into()));
        }
        process.current_dir(cwd);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_command_is_named_with_the_path_it_was_looked_for_in() {
        let command = Command::new("no-such-server").env("PATH", "/nowhere:/elsewhere");
        let error = find(&command).expect_err("no such command");
        assert_eq!(
            error.to_string(),
            "the command `no-such-server` was not found; PATH is /nowhere:/elsewhere"
        );
        let error = find(&command.env_remove("PATH")).expect_err("no such command");
        assert_eq!(error.to_string(), "the command `no-such-server` was not found; PATH is not set");
    }

    #[test]
    fn a_file_that_is_no_program_is_not_called_missing() {
        for (file, end) in [("/etc", "is a directory"), ("/etc/passwd", "`chmod +x` makes it a program")] {
            let error = find(&Command::new(file)).expect_err(file).to_string();
            assert!(
                error.starts_with(&format!("the command `{file}` is ")) && error.ends_with(end),
                "{error}"
            );
        }
        assert!(matches!(find(&Command::new("/no/such")), Err(SpawnError::NotFound { .. })));
        // What lies in the current directory under that name is not meant.
        assert!(matches!(find(&Command::new("src")), Err(SpawnError::NotFound { .. })));
    }

    #[test]
    fn a_command_is_found_by_name_and_by_path() {
        assert!(find(&Command::new("sh")).expect("found").is_absolute());
        assert_eq!(find(&Command::new("/bin/sh")).expect("found"), PathBuf::from("/bin/sh"));
        assert!(find(&Command::new("./no/such/file")).is_err());
    }

    #[tokio::test]
    async fn a_working_directory_that_is_none_is_named() {
        for cwd in ["/no/such/directory", "/dev/null"] {
            let Err(error) = spawn(&Command::new("true").cwd(cwd)) else { panic!("{cwd} is no directory") };
            assert_eq!(error.to_string(), format!("the working directory {cwd} cannot be used"));
        }
    }
}
