//! How a WebSocket ends.

use std::fmt;

use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::manners::Farewell;

/// Why a WebSocket has ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ended {
    /// In good order, by either side.
    Closed,
    /// The other side closed it with a code that is not the regular one.
    Refused {
        /// The code.
        code: u16,
        /// What it says.
        reason: String,
    },
    /// The other side sent what is not accepted, and was told so with this code.
    Unacceptable {
        /// The code.
        code: u16,
        /// What it was.
        what: &'static str,
    },
    /// No sign of life came in time.
    Silent,
    /// Nothing of what was sent was taken in time.
    Unread,
    /// The connection broke.
    Broken(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the WebSocket was closed"),
            Self::Refused { code, reason } if reason.is_empty() => {
                write!(f, "the other side closed the WebSocket with {code}")
            }
            Self::Refused { code, reason } => {
                write!(f, "the other side closed the WebSocket with {code}: {reason}")
            }
            Self::Unacceptable { code, what } => {
                write!(f, "the other side sent {what}; the WebSocket was closed with {code}")
            }
            Self::Silent => f.write_str("the other side of the WebSocket gave no sign of life"),
            Self::Unread => f.write_str("the other side of the WebSocket does not read"),
            Self::Broken(error) => write!(f, "the WebSocket broke: {error}"),
        }
    }
}

impl std::error::Error for Ended {}

impl Ended {
    pub(crate) const fn unacceptable(code: u16, what: &'static str) -> Self {
        Self::Unacceptable { code, what }
    }

    /// The other side says that it is over.
    pub(crate) fn told(frame: Option<CloseFrame>) -> Self {
        match frame {
            None => Self::Closed,
            Some(frame) if frame.code == CloseCode::Normal || frame.code == CloseCode::Away => Self::Closed,
            Some(frame) => {
                Self::Refused { code: frame.code.into(), reason: frame.reason.as_str().to_owned() }
            }
        }
    }

    /// Reading or writing has failed.
    pub(crate) fn failed(error: Error) -> Self {
        match error {
            Error::ConnectionClosed | Error::AlreadyClosed => Self::Closed,
            Error::Capacity(CapacityError::MessageTooLong { .. }) => {
                Self::unacceptable(1009, "a message that is too long")
            }
            Error::Utf8(_) => Self::unacceptable(1007, "text that is no UTF-8"),
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
                Self::Broken("it was cut off without a word".into())
            }
            Error::Protocol(_) => Self::unacceptable(1002, "something that breaks the WebSocket protocol"),
            error => Self::Broken(Box::new(error)),
        }
    }

    /// What the other side is told, if it still has to be and can be: one that does not read would not read this either.
    pub(crate) fn frame(&self, farewell: Farewell) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Unacceptable { code, what } => (CloseCode::from(*code), *what),
            Self::Silent => (CloseCode::Away, "no sign of life"),
            Self::Closed if farewell == Farewell::GoingAway => (CloseCode::Away, "the server goes away"),
            Self::Closed => (CloseCode::Normal, ""),
            Self::Refused { .. } | Self::Unread | Self::Broken(_) => return None,
        };
        Some(CloseFrame { code, reason: reason.into() })
    }
}
