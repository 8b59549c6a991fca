//! What was tried with which peer: noted for the grid that `cargo xtask interop` prints.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

/// What a peer is in a conversation.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    Client,
    Server,
}

/// One cell of the grid, noted when it is dropped: as failed, unless it was said to have passed.
pub(crate) struct Cell {
    role: Role,
    peer: &'static str,
    what: String,
    started: Instant,
    passed: bool,
}

impl Cell {
    /// Starts the clock.
    pub(crate) fn begin(role: Role, peer: &'static str, what: &str) -> Self {
        Self { role, peer, what: what.to_owned(), started: Instant::now(), passed: false }
    }

    pub(crate) fn pass(mut self) {
        self.passed = true;
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        note(self.role, self.peer, &self.what, self.passed, self.started.elapsed());
    }
}

/// Notes a cell that was timed elsewhere. Without `HERMES_PEERS_GRID` nobody wants to know.
pub(crate) fn note(role: Role, peer: &str, what: &str, passed: bool, took: Duration) {
    let Some(path) = env::var_os("HERMES_PEERS_GRID") else { return };
    let role = match role {
        Role::Client => "client",
        Role::Server => "server",
    };
    let cell = json!({ "role": role, "peer": peer, "what": what, "passed": passed, "ms": took.as_millis() });
    // One write a line: tests run side by side.
    let written = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|mut file| file.write_all(format!("{cell}\n").as_bytes()));
    assert!(written.is_ok(), "the grid cannot be written: {written:?}");
}
