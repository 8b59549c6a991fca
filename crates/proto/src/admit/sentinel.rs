//! Values that no header can carry as they are: the Base64 form of `Mcp-Name` and `Mcp-Param-*`.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// Why a header's value stands for no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BadSentinel {
    /// It has characters that may not stand in a header.
    Characters,
    /// Between the markers stands no Base64, or Base64 of what is no UTF-8.
    Base64,
}

impl fmt::Display for BadSentinel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Characters => "it has characters that have to be sent as Base64",
            Self::Base64 => "its Base64 cannot be read",
        })
    }
}

impl std::error::Error for BadSentinel {}

/// The text that a header's value stands for, spaces around it removed.
///
/// Without both markers, exactly as they are, the value is literal.
///
/// ```
/// use hermes_proto::admit::{BadSentinel, decode_sentinel};
///
/// assert_eq!(decode_sentinel(b"=?base64?5pel5pys6Kqe?=").as_deref(), Ok("日本語"));
/// assert_eq!(decode_sentinel(b" us west 1 ").as_deref(), Ok("us west 1"));
/// assert_eq!(decode_sentinel(b"=?BASE64?aGk=?=").as_deref(), Ok("=?BASE64?aGk=?="));
/// assert_eq!(decode_sentinel(b"=?base64?SGVs!!!bG8=?="), Err(BadSentinel::Base64));
/// ```
///
/// # Errors
/// [`BadSentinel`]: the value stands for no text.
///
/// Source: `basic/transports/streamable-http#value-encoding`, 2026-07-28.
pub fn decode_sentinel(value: &[u8]) -> Result<Cow<'_, str>, BadSentinel> {
    let value = super::field::trim(value);
    let is_legal = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let text = match std::str::from_utf8(value) {
        Ok(text) if value.iter().all(is_legal) => text,
        Ok(_) | Err(_) => return Err(BadSentinel::Characters),
    };
    let Some(encoded) = text.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(CLOSING)) else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD.decode(encoded).map_err(|_| BadSentinel::Base64)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| BadSentinel::Base64)
}

/// The header's value that stands for a text: the text itself where that is safe.
///
/// ```
/// use hermes_proto::admit::encode_sentinel;
///
/// assert_eq!(encode_sentinel("us west 1"), "us west 1");
/// assert_eq!(encode_sentinel(" us-west1"), "=?base64?IHVzLXdlc3Qx?=");
/// assert_eq!(encode_sentinel("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
/// ```
///
/// Source: `basic/transports/streamable-http#value-encoding`, 2026-07-28.
#[must_use]
pub fn encode_sentinel(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let is_padded = text.starts_with(' ') || text.ends_with(' ');
    let looks_encoded = text.starts_with(OPENING) && text.ends_with(CLOSING);
    if is_plain && !is_padded && !looks_encoded {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{OPENING}{}{CLOSING}", STANDARD.encode(text)))
    }
}
