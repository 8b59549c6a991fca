//! What a server sent: as a type, and as it came.

use std::ops::Deref;

use hermes_types::{CallToolResult, ContentBlock, Method, RawJson};
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};

use crate::ClientError;

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
    /// Reads what the tool returned as a type: its structured content, or else its one text. The text is read as
    /// JSON where it fits the type as such, and as the string that it is otherwise.
    ///
    /// ```
    /// use hermes_client::Received;
    /// use hermes_types::{CallToolResult, RawJson};
    ///
    /// let said = |text: &str| -> Result<Received<CallToolResult>, serde_json::Error> {
    ///     let raw = RawJson::parse(format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#))?;
    ///     Ok(Received { value: raw.decode()?, raw })
    /// };
    /// assert_eq!(said("[1,2]")?.read::<Vec<u8>>()?, [1, 2]);
    /// assert_eq!(said("Hello, Ada")?.read::<String>()?, "Hello, Ada");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ClientError::Tool`] when the tool reports that it failed. [`ClientError::Decode`] when what it returned does
    /// not fit the type, or is neither structured nor one text.
    pub fn read<R: DeserializeOwned>(&self) -> Result<R, ClientError> {
        if self.is_error == Some(true) {
            let texts: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
            return Err(ClientError::Tool { message: texts.join("\n") });
        }
        let misfit = |path: &str, source| ClientError::Decode {
            method: Method::ToolsCall.as_str().to_owned(),
            path: path.to_owned(),
            source,
        };
        match (&self.structured_content, self.content.as_slice()) {
            (Some(content), _) => content.decode().or_else(|_| {
                let mut json = serde_json::Deserializer::from_str(content.get());
                serde_path_to_error::deserialize(&mut json).map_err(|error| {
                    let path = format!("structuredContent.{}", error.path());
                    misfit(&path, error.into_inner())
                })
            }),
            (None, [block]) if block.as_text().is_some() => {
                let text = block.as_text().unwrap_or_default();
                serde_json::from_str(text).or_else(|error| {
                    let plain: StrDeserializer<'_, serde_json::Error> = text.into_deserializer();
                    // What the text is not as JSON says more than that it is a string.
                    R::deserialize(plain).map_err(|_| misfit("content[0].text", error))
                })
            }
            (None, _) => {
                let error = serde::de::Error::custom("the result is neither structured nor one text");
                Err(misfit("content", error))
            }
        }
    }
}
