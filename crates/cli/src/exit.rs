//! How the program ends: the exit codes, and the failures behind them.

use std::fmt;
use std::process::ExitCode;

use hermes::types::json_words;

/// The documented exit codes. Scripts are written against the numbers, so they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well.
    Ok = 0,
    /// The command line is wrong; nothing was asked of the server.
    Usage = 1,
    /// The server answered with an error, or with something that is not the protocol.
    Protocol = 2,
    /// The server wants other credentials.
    Unauthorized = 3,
    /// The server cannot be started or reached, or went away.
    Unreachable = 4,
    /// The tool ran and failed.
    Tool = 5,
    /// What came of it could not be written to standard output.
    Output = 74,
    /// Time ran out.
    Timeout = 124,
    /// The terminal went away.
    HungUp = 129,
    /// The user interrupted.
    Interrupted = 130,
    /// Somebody asked the program to end.
    Terminated = 143,
}

/// The table of exit codes as the help texts show it.
pub(crate) const TABLE: &str = "\
Exit codes:
  0    ok; also a server at an address or a socket that a signal has ended in good order
  1    usage: the command line is wrong, nothing was asked of the server
  2    protocol: the server answered with an error, or not as the protocol says
  3    authorisation: the server at an address wants other credentials
  4    unreachable: the server cannot be started or reached, or went away
  5    tool error: the tool ran and reported a failure
  74   output: standard output, or a file, could not be written to, for example because the disk is full
  124  timeout
  129, 130, 143
       ended by SIGHUP, SIGINT, SIGTERM; a request in flight was taken back first";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why the program ends with something else than success: the code, what happened, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
}

/// What most functions here return.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None }
    }

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// An end about which there is nothing to say.
    pub(crate) const fn quiet(exit: Exit) -> Self {
        Self { exit, message: String::new(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<Option<String>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Adds what to do about it where nothing better is said yet.
    #[must_use]
    pub(crate) fn or_hint(mut self, hint: &str) -> Self {
        self.hint.get_or_insert_with(|| hint.to_owned());
        self
    }

    /// Names the server at this address, unless the message does so already.
    #[must_use]
    pub(crate) fn at(mut self, address: Option<&str>) -> Self {
        let is_about_a_server =
            matches!(self.exit, Exit::Protocol | Exit::Unauthorized | Exit::Unreachable | Exit::Timeout);
        // What was sent is written in small letters where it does not matter.
        let is_named = |address: &str| self.message.to_lowercase().contains(&address.to_lowercase());
        if let Some(address) = address.filter(|address| is_about_a_server && !is_named(address)) {
            self.message.push_str(&format!(" (at {address})"));
        }
        self
    }

    pub(crate) const fn exit(&self) -> Exit {
        self.exit
    }

    pub(crate) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error and its sources, each said once.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = match cause.downcast_ref::<serde_json::Error>() {
            Some(json) => json_words(json),
            None => cause.to_string(),
        };
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
