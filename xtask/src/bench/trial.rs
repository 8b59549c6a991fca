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
        Self::start_under(&[], program, options)
    }

    /// The same for a server that something else looks at: the words before its own on the command line.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub(super) fn start_under(words: &[String], program: &Path, options: &[&str]) -> Result<Self> {
        let name = || program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let spawned = Command::new("taskset")
            .args(["-c", SERVER])
            .args(words)
            .arg(program)
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let child = spawned.map_err(|source| Error::Spawn { command: "taskset".to_owned(), source })?;
        let mut running = Self { child, url: String::new() };
        if let Some(stdout) = running.child.stdout.take() {
            // Not listening is told below: then there is no line.
            let _ = BufReader::new(stdout).read_line(&mut running.url);
        }
        running.url.truncate(running.url.trim_end().len());
        if running.url.is_empty() {
            let status = running.child.wait().map_err(|source| Error::Spawn { command: name(), source })?;
            return Err(Error::Command { command: name(), status });
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

/// Runs the generator with a server that it starts itself and speaks to by lines, each on its core.
///
/// # Errors
///
/// When an answer was not the one wanted.
pub(super) fn piped<F: DeserializeOwned>(
    programs: &Programs,
    program: Program,
    options: &[&str],
    (flight, seconds): (usize, f64),
) -> Result<F> {
    let figures = output(
        Command::new("taskset")
            .args(["-c", GENERATOR])
            .arg(programs.find(Program::Load))
            .args(["lines", "--flight", &flight.to_string(), "--seconds", &seconds.to_string(), "--"])
            .args(["taskset", "-c", SERVER])
            .arg(programs.find(program))
            .args(options),
    )?;
    serde_json::from_str(&figures).map_err(Error::Figures)
}

/// What else the machine does, as Linux tells it: the mean number of programs that wanted to run, in the last minute.
pub(super) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
