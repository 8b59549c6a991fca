//! Every message of a conversation, as a text that can be kept.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hermes::{Direction, HttpHead};

use crate::exit::{Failure, Result};

/// Names the file to which the messages are added.
pub(crate) const FILE: &str = "HERMES_TRACE";

/// How a message is marked as sent or received.
pub(crate) const fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Sent => "-->",
        Direction::Received => "<--",
    }
}

/// The head of an HTTP message, each line marked as sent or received.
pub(crate) fn marked(direction: Direction, head: &HttpHead) -> String {
    let mark = match direction {
        Direction::Sent => "> ",
        Direction::Received => "< ",
    };
    let lines = head.to_string();
    lines.lines().map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n")
}

/// The file that [`FILE`] names. A line `=== TARGET` begins a conversation; each message follows as one line, with its
/// arrow, as it was on the wire.
#[derive(Debug)]
pub(crate) struct Trace {
    file: Mutex<File>,
}

impl Trace {
    /// Begins a conversation in the file, if one is named.
    ///
    /// # Errors
    /// It cannot be written to.
    pub(crate) fn begin(target: &str) -> Result<Option<Self>> {
        let Some(path) = std::env::var_os(FILE).filter(|path| !path.is_empty()).map(PathBuf::from) else {
            return Ok(None);
        };
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        opened
            .and_then(|mut file| writeln!(file, "=== {}", target.replace('\n', " ")).map(|()| file))
            .map(|file| Some(Self { file: Mutex::new(file) }))
            .map_err(|error| Failure::usage(format!("{FILE}: {}: {error}", path.display())))
    }

    /// Adds a message. It is the conversation that matters: a disk that is full by now does not end it.
    pub(crate) fn add(&self, direction: Direction, text: &str) {
        let line = format!("{} {text}\n", arrow(direction));
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
