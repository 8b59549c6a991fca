//! What to start, and in which surroundings.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A server to start as a child process.
///
/// ```
/// use hermes_client::child::{Command, Environment};
///
/// let command = Command::new("npx")
///     .args(["-y", "@modelcontextprotocol/server-everything"])
///     .environment(Environment::Clean)
///     .env("DEBUG", "1");
/// assert_eq!(command.to_string(), "npx -y @modelcontextprotocol/server-everything");
/// ```
#[derive(Clone)]
#[must_use]
pub struct Command {
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) environment: Environment,
    pub(super) variables: Vec<(OsString, Option<OsString>)>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) grace: Grace,
    pub(super) on_stderr: Option<OnStderr>,
}

pub(crate) type OnStderr = Arc<dyn Fn(&str) + Send + Sync>;

/// Which variables of our own environment a child gets to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Environment {
    /// All of them, as from a shell.
    #[default]
    Inherit,
    /// Only those that programs need to work at all ([`Environment::CLEAN`]), so that no secret gets to a server
    /// that has no business with it.
    Clean,
}

impl Environment {
    /// The variables that [`Environment::Clean`] lets through.
    pub const CLEAN: [&'static str; 14] = [
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TEMP",
        "TERM",
        "TMP",
        "TMPDIR",
        "TZ",
        "USER",
        "XDG_RUNTIME_DIR",
    ];
}

/// How long a child is given at each step of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// To exit by itself after its stdin was closed; 2 s by default.
    pub eof: Duration,
    /// To exit after SIGTERM; 2 s by default.
    pub term: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self { eof: Duration::from_secs(2), term: Duration::from_secs(2) }
    }
}

impl Command {
    /// A program: a path if there is a `/` in it, otherwise a name that is looked up in PATH.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            environment: Environment::default(),
            variables: Vec::new(),
            cwd: None,
            grace: Grace::default(),
            on_stderr: None,
        }
    }

    /// Adds an argument. No shell looks at it.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Chooses which variables of our own environment the child sees.
    pub const fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Sets a variable, whatever [`environment`](Self::environment) lets through.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Keeps a variable from the child.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), None));
        self
    }

    /// Sets the working directory; our own by default.
    pub fn cwd(mut self, cwd: impl AsRef<Path>) -> Self {
        self.cwd = Some(cwd.as_ref().to_owned());
        self
    }

    /// Sets how long the child is given at each step of its end.
    pub const fn grace(mut self, grace: Grace) -> Self {
        self.grace = grace;
        self
    }

    /// Shows every line the child writes to stderr, which is no sign of failure. Bytes that are not UTF-8 come as
    /// `U+FFFD`, and lines of more than 8 KiB come in pieces. Without this only the last 8 KiB are kept, for
    /// errors.
    ///
    /// The function is called between reads: it must not block.
    pub fn on_stderr(mut self, line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(line));
        self
    }

    /// The same, for a command that does not say so itself.
    pub(crate) fn or_on_stderr(mut self, line: Option<&OnStderr>) -> Self {
        self.on_stderr = self.on_stderr.or_else(|| line.cloned());
        self
    }
}

impl Command {
    /// What tells it from other commands: the program, its arguments and where it runs.
    pub(crate) fn identity(&self) -> String {
        format!("{:?} {:?} {:?}", self.program, self.args, self.cwd)
    }
}

/// The command line, for messages; nothing is quoted.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program.to_string_lossy())?;
        self.args.iter().try_for_each(|arg| write!(f, " {}", arg.to_string_lossy()))
    }
}

/// Without the values of variables, which may be secrets.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.variables.iter().map(|(name, _)| name).collect();
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("environment", &self.environment)
            .field("variables", &names)
            .field("cwd", &self.cwd)
            .field("grace", &self.grace)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_variables_are_not_shown() {
        let command = Command::new("server").arg("--quiet").env("TOKEN", "s3cret").env_remove("HOME");
        let shown = format!("{command:?} {command}");
        assert!(shown.contains("TOKEN") && shown.contains("--quiet"), "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
