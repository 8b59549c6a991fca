//! What a server sent: as a type, and as it came.

use std::ops::Deref;

use hermes_types::{CallToolResult, RawJson};
use serde::de::DeserializeOwned;

/// A value of the server, decoded, together with its JSON text unchanged.
///
/// It can be used like the value. The text has every member and every digit that the server sent, known or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Received<T> {
    /// The value.
    pub value: T,
    /// The text it was read from.
    pub raw: RawJson,
}

impl<T> Received<T> {
    /// The value alone.
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T> Deref for Received<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl Received<CallToolResult> {
    /// Reads what the tool returned as a type: its structured content, or else its only text, which has to be JSON.
    ///
    /// ```
    /// use hermes_client::Received;
    /// use hermes_types::{CallToolResult, RawJson};
    ///
    /// let raw = RawJson::parse(r#"{"content":[{"type":"text","text":"[1,2]"}]}"#)?;
    /// let result: Received<CallToolResult> = Received { value: raw.decode()?, raw };
    /// assert_eq!(result.read::<Vec<u8>>()?, [1, 2]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the tool returned does not fit the type, or is neither structured nor one text.
    pub fn read<R: DeserializeOwned>(&self) -> Result<R, serde_json::Error> {
        match (&self.structured_content, self.content.as_slice()) {
            (Some(content), _) => content.decode(),
            (None, [block]) => match block.as_text() {
                Some(text) => serde_json::from_str(text),
                None => Err(serde::de::Error::custom("the result is neither structured nor a text")),
            },
            (None, _) => Err(serde::de::Error::custom("the result is neither structured nor one text")),
        }
    }
}
