//! The end of a connection.

use std::fmt;
use std::process::ExitStatus;

/// The end of a connection.
#[derive(Debug)]
pub struct Closed {
    /// Why.
    pub reason: CloseReason,
    /// How the server's process ended, if it is a child of ours and has ended.
    pub exit: Option<ExitStatus>,
    /// The last of what it wrote to stderr, at most 8 KiB; empty when it is no child.
    pub stderr: String,
}

/// Why a connection ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum CloseReason {
    /// We closed it.
    Local,
    /// The server ended its output.
    Remote,
    /// The stream broke.
    Broken(std::io::Error),
    /// The one stream of events that carries what a server of HTTP+SSE says has ended or broken.
    Stream {
        /// The address, without credentials.
        url: String,
        /// What broke; `None` when the server ended it.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl Closed {
    /// Its class, for traces.
    pub(crate) const fn word(&self) -> &'static str {
        match self.reason {
            CloseReason::Local => "closed",
            CloseReason::Remote => "server_ended",
            CloseReason::Broken(_) => "broken",
            CloseReason::Stream { .. } => "stream_ended",
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.exit) {
            (CloseReason::Local, _) => f.write_str("the client was closed")?,
            (CloseReason::Remote | CloseReason::Broken(_), Some(exit)) => {
                write!(f, "the server ended ({exit})")?;
            }
            (CloseReason::Remote, None) => f.write_str("the server closed the connection")?,
            (CloseReason::Broken(error), None) => write!(f, "the connection to the server broke: {error}")?,
            (CloseReason::Stream { url, source: None }, _) => write!(f, "{url} ended its stream of events")?,
            (CloseReason::Stream { url, source: Some(source) }, _) => {
                write!(f, "the stream of events of {url} broke: {source}")?;
            }
        }
        if self.stderr.is_empty() { Ok(()) } else { write!(f, "; its stderr ends with:\n{}", self.stderr) }
    }
}

impl std::error::Error for Closed {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_with_the_last_words_of_the_server() {
        let closed = Closed { reason: CloseReason::Remote, exit: None, stderr: "boom".to_owned() };
        assert_eq!(closed.to_string(), "the server closed the connection; its stderr ends with:\nboom");
    }
}
