//! How an exchange can end without an answer.

use std::error::Error;
use std::time::Duration;

use crate::error::{ClientError, HttpAnswer, HttpProblem};

/// The end of an exchange that brought no answer. Becomes a [`ClientError`] once the method is known.
#[derive(Debug)]
pub(crate) enum Mishap {
    /// The answer is none of the protocol's. Its method is not filled in yet.
    Answer(Box<HttpAnswer>),
    /// 401 or 403.
    Unauthorized { url: String, status: u16, challenge: Option<String>, excerpt: String },
    /// The answer leads elsewhere, where it is not followed.
    Redirect { url: String, status: u16, location: Option<String> },
    /// The session is no more.
    SessionExpired { url: String, reason: Option<String>, is_refused: bool },
    /// The answer ended, or broke, before the response came.
    StreamEnded { url: String, source: Option<Box<dyn Error + Send + Sync>> },
    /// It has not begun in time.
    Silent { after: Duration },
    /// There is no connection.
    Unreachable { url: String, source: Box<dyn Error + Send + Sync> },
}

impl Mishap {
    /// What the caller is told.
    pub(crate) fn into_error(self, method: String) -> ClientError {
        match self {
            Self::Answer(mut answer) => {
                answer.method = method;
                ClientError::Http(answer)
            }
            Self::Unauthorized { url, status, challenge, excerpt } => {
                ClientError::Unauthorized { method, url, status, challenge, excerpt }
            }
            Self::Redirect { url, status, location } => {
                ClientError::Redirect { method, url, status, location }
            }
            Self::SessionExpired { url, reason, is_refused } => {
                ClientError::SessionExpired { method, url, reason, is_refused }
            }
            Self::StreamEnded { url, source } => ClientError::StreamEnded { method, url, source },
            Self::Silent { after } => ClientError::Timeout { method, after },
            Self::Unreachable { url, source } => ClientError::Unreachable { url, source },
        }
    }

    /// Its class, for traces.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Answer(_) => "http",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Redirect { .. } => "redirect",
            Self::SessionExpired { .. } => "session_expired",
            Self::StreamEnded { .. } => "stream_ended",
            Self::Silent { .. } => "timeout",
            Self::Unreachable { .. } => "unreachable",
        }
    }

    /// The status by which the request was refused, if that is what it was.
    pub(crate) fn refusal(&self) -> Option<u16> {
        match self {
            Self::Answer(answer) if answer.problem == HttpProblem::Status => Some(answer.status),
            _ => None,
        }
    }

    /// Whether the answer is of the older transport.
    pub(crate) fn is_older(&self) -> bool {
        matches!(self, Self::Answer(answer) if answer.problem == HttpProblem::OlderTransport)
    }

    /// Whether there is nothing at the address any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.refusal(), Some(404 | 410))
    }

    /// Whether it may be the way in which a server of the other era answers a request that it does not know, if it
    /// is no [refusal](Self::refusal): of those, their status decides.
    pub(crate) const fn may_be_the_era(&self) -> bool {
        match self {
            Self::Answer(_) | Self::StreamEnded { source: None, .. } | Self::SessionExpired { .. } => true,
            Self::Unauthorized { .. }
            | Self::Redirect { .. }
            | Self::Silent { .. }
            | Self::StreamEnded { source: Some(_), .. }
            | Self::Unreachable { .. } => false,
        }
    }
}
