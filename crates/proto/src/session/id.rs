//! The name of a session on the wire.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The id of a legacy session, in `Mcp-Session-Id`: 128 random bits, as 32 lower-case hexadecimal digits.
///
/// Who holds it can speak in the session: treat it as a secret. `Debug` shows the first digits only.
///
/// Source: `basic/transports#session-management`, 2025-03-26 to 2025-11-25.
///
/// ```
/// use hermes_proto::session::SessionId;
///
/// let id = SessionId::from_bytes([0xa7; 16]);
/// assert_eq!(id.to_string().parse(), Ok(id));
/// assert!("A7".parse::<SessionId>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId([u8; 16]);

impl SessionId {
    /// Makes an id of random bytes. They have to come from a cryptographic source.
    #[must_use]
    pub const fn from_bytes(random: [u8; 16]) -> Self {
        Self(random)
    }

    /// The bytes that it was made of: its key in a store.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, ..] = self.0;
        write!(f, "SessionId({first:02x}{second:02x}…)")
    }
}

impl FromStr for SessionId {
    type Err = ParseSessionIdError;

    /// Reads exactly what [`fmt::Display`] writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(ParseSessionIdError),
        };
        let mut bytes = [0; 16];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(ParseSessionIdError);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

/// The client named a session with a text that is no session id of this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseSessionIdError;

impl fmt::Display for ParseSessionIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client sent a session id that this server never issues")
    }
}

impl Error for ParseSessionIdError {}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: R130
    #[test]
    fn a_session_id_is_visible_ascii_and_reads_back_as_itself() {
        for bytes in [[0; 16], [255; 16], *b"0123456789abcdef"] {
            let text = SessionId::from_bytes(bytes).to_string();
            assert!(text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_graphic()), "{text}");
            assert_eq!(text.parse(), Ok(SessionId::from_bytes(bytes)));
        }
    }

    #[test]
    fn a_text_that_is_no_session_id_is_refused() {
        let long = "a".repeat(5000);
        for text in ["", "0", &"0".repeat(31), &"0".repeat(33), &"A".repeat(32), &"é".repeat(16), &long] {
            assert_eq!(text.parse::<SessionId>(), Err(ParseSessionIdError), "{text:?}");
        }
    }

    #[test]
    fn a_log_does_not_show_the_whole_id() {
        assert_eq!(format!("{:?}", SessionId::from_bytes([0xab; 16])), "SessionId(abab…)");
    }
}
