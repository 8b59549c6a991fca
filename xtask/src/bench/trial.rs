//! Servers and the generator, each on a core of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde::de::DeserializeOwned;

use super::programs::{Program, Programs};
use crate::error::{Error, Result};
use crate::process::output;

/// The cores of a server and of the generator, as `taskset` names them.
const SERVER: &str = "0";
const GENERATOR: &str = "1";

/// What a server has of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cores {
    /// A core of its own.
    Own,
    /// All of them, with so many threads.
    All {
        /// How many.
        threads: &'static str,
    },
}

/// Says how many threads tokio starts for a runtime.
const THREADS: &str = "TOKIO_WORKER_THREADS";

/// A server that listens, until it is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    url: String,
}

impl Running {
    /// Starts a server and waits until it says where it listens.
    ///
    /// # Errors
    ///
    /// When it does not start, or ends before it listens.
    pub(crate) fn start(program: &Path, options: &[&str]) -> Result<Self> {
        Self::start_on(Cores::Own, program, options)
    }

    /// The same with more or less of the machine.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub(super) fn start_on(cores: Cores, program: &Path, options: &[&str]) -> Result<Self> {
        let mut command = match cores {
            Cores::Own => pinned(program),
            Cores::All { threads } => {
                let mut command = Command::new(program);
                command.env(THREADS, threads);
                command
            }
        };
        Self::listening(command.args(options))
    }

    /// The same for a server that something else looks at: the words before its own on the command line.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub(super) fn start_under(words: &[&str], program: &Path, options: &[&str]) -> Result<Self> {
        let mut command = Command::new("taskset");
        Self::listening(command.args(["-c", SERVER]).args(words).arg(program).args(options))
    }

    fn listening(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let failed = |source| Error::Spawn { command: name.clone(), source };
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut running = Self { child, url: String::new() };
        if let Some(stdout) = running.child.stdout.take() {
            let lines = BufReader::new(stdout).lines().map_while(std::io::Result::ok);
            // Not listening is told below: then there is no such line.
            running.url = lines.filter_map(|line| address(&line)).next().unwrap_or_default();
        }
        if running.url.is_empty() {
            let status = running.child.wait().map_err(failed)?;
            return Err(Error::Command { command: name, status });
        }
        Ok(running)
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Runs the generator against it and reads the figures.
    ///
    /// # Errors
    ///
    /// When an answer was not the one wanted.
    pub(crate) fn load<F: DeserializeOwned>(
        &self,
        programs: &Programs,
        task: &str,
        options: &[&str],
    ) -> Result<F> {
        // `taskset` becomes the program that it starts, and the process stays the same.
        let pid = self.child.id().to_string();
        let figures = output(
            Command::new("taskset")
                .args(["-c", GENERATOR])
                .arg(programs.find(Program::Load))
                .args([task, &self.url, "--pid", &pid])
                .args(options),
        )?;
        serde_json::from_str(&figures).map_err(Error::Figures)
    }
}

impl Running {
    /// Asks the server to end, and waits for it: who looks at it writes down what was seen.
    ///
    /// # Errors
    ///
    /// When it cannot be asked.
    pub(super) fn end(mut self) -> Result<()> {
        output(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))?;
        self.child.wait().map_err(|source| Error::Spawn { command: "kill".to_owned(), source })?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program on the core of servers.
fn pinned(program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", SERVER]).arg(program);
    command
}

/// The address of an endpoint in what a server says.
fn address(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("http://")?;
    let address = rest.split_whitespace().next()?;
    Some(format!("http://{address}"))
}

/// Runs the generator with a server that it starts itself and speaks to by lines, each on its core.
///
/// # Errors
///
/// When an answer was not the one wanted.
pub(super) fn piped<F: DeserializeOwned>(
    programs: &Programs,
    program: &Path,
    options: &[&str],
    load: &[&str],
) -> Result<F> {
    let figures = output(
        Command::new("taskset")
            .args(["-c", GENERATOR])
            .arg(programs.find(Program::Load))
            .arg("lines")
            .args(load)
            .args(["--", "taskset", "-c", SERVER])
            .arg(program)
            .args(options),
    )?;
    serde_json::from_str(&figures).map_err(Error::Figures)
}

/// Runs the generator by itself.
///
/// # Errors
///
/// When an answer was not the one wanted.
pub(super) fn alone<F: DeserializeOwned>(programs: &Programs, words: &[&str]) -> Result<F> {
    let mut command = pinned(&programs.find(Program::Load));
    serde_json::from_str(&output(command.args(words))?).map_err(Error::Figures)
}

/// What else the machine does, as Linux tells it: the mean number of programs that wanted to run, in the last minute.
pub(super) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_a_sentence() {
        assert_eq!(
            address("listens on http://127.0.0.1:7/mcp now").as_deref(),
            Some("http://127.0.0.1:7/mcp")
        );
        assert_eq!(address("nothing here"), None);
    }
}
