//! What can go wrong between a raw client and a server.

use std::fmt;
use std::io;

/// The conversation took a course that HTTP, the protocol or the clock does not allow.
#[derive(Debug)]
#[non_exhaustive]
pub enum RawError {
    /// The server sent what is no HTTP/1.1, or no event stream, or no JSON.
    Broken {
        /// What was expected.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// The connection ended, or was reset, in the middle of something.
    Cut(io::Error),
    /// A message is not what the schema of its revision allows, or answers nothing that was asked.
    Misjudged(String),
    /// Nothing came for [`PATIENCE`](crate::raw::PATIENCE).
    Silent,
}

impl RawError {
    /// Whether the connection was cut, which a test may have done itself.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        matches!(self, Self::Cut(_))
    }

    pub(crate) fn broken(expected: &'static str, got: &[u8]) -> Self {
        let shown = got.get(..400).unwrap_or(got);
        Self::Broken { expected, got: String::from_utf8_lossy(shown).into_owned() }
    }

    pub(crate) fn ended() -> Self {
        Self::Cut(io::ErrorKind::UnexpectedEof.into())
    }
}

impl fmt::Display for RawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken { expected, got } => write!(f, "expected {expected}, got {got:?}"),
            Self::Cut(error) => write!(f, "the connection was cut: {error}"),
            Self::Misjudged(problem) => f.write_str(problem),
            Self::Silent => f.write_str("the server said nothing and did not close the connection"),
        }
    }
}

impl std::error::Error for RawError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cut(error) => Some(error),
            Self::Broken { .. } | Self::Misjudged(_) | Self::Silent => None,
        }
    }
}

impl From<io::Error> for RawError {
    fn from(error: io::Error) -> Self {
        Self::Cut(error)
    }
}
