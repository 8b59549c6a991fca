//! The server that the suite is run against.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::judged::Judged;
use super::leg::Answers;
use crate::error::{Error, Result};
use crate::stage::say;

/// A server that listens, until it is dropped.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    answers: Answers,
    url: String,
}

impl Running {
    /// Starts the program on a port that is free, answering in this way, and waits until it says where it listens.
    /// What it says is held against the official schemas, and the outcome written to `judged`, if there is one.
    ///
    /// # Errors
    ///
    /// When it does not start, or ends before it listens.
    pub(super) fn start(program: &Path, answers: Answers, judged: Option<&Judged<'_>>) -> Result<Self> {
        let name = || "conformance-server".to_owned();
        let form = match answers {
            Answers::Events => None,
            Answers::Json => Some("--json"),
        };
        let mut child = Command::new(program)
            .args(form)
            .env("PORT", "0")
            .envs(judged.into_iter().flat_map(Judged::variables))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| Error::Spawn { command: name(), source })?;
        let mut first = String::new();
        if let Some(stdout) = child.stdout.take() {
            // Not listening is told below: then there is no line.
            let _ = BufReader::new(stdout).read_line(&mut first);
        }
        let mut running = Self { child, answers, url: first.trim().to_owned() };
        if running.url.is_empty() {
            let status = running.child.wait().map_err(|source| Error::Spawn { command: name(), source })?;
            return Err(Error::Command { command: name(), status });
        }
        say(&format!("the server listens at {}", running.url));
        Ok(running)
    }

    /// Whether it answers in this way.
    pub(super) fn gives(&self, answers: Answers) -> bool {
        self.answers == answers
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
