//! What a tool's handler may return.

use hermes_types::{CallToolResult, ContentBlock, RawJson};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::ToolError;
use crate::schema;

/// What becomes the result of a tool.
///
/// Text and numbers become one text block; content blocks stay what they are; [`Json`] becomes structured
/// content. A [`ToolError`] becomes a result with `isError: true`.
///
/// A type of your own is wrapped in [`Json`], for which it derives `serde::Serialize` and `schemars::JsonSchema`.
///
/// ```
/// use hermes_server::{IntoToolResult, ToolError};
///
/// let result = 21.5.into_tool_result()?;
/// assert_eq!(result.content[0].as_text(), Some("21.5"));
/// # Ok::<(), ToolError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not text, a number, content or JSON",
    note = "return a text, a number, `ContentBlock`s or `CallToolResult`, or wrap a value that is `serde::Serialize` and `schemars::JsonSchema` in `Json(…)`",
    note = "a handler that may fail returns a `Result` of one of them with `ToolError`, into which `?` converts every error"
)]
pub trait IntoToolResult {
    /// Makes the result.
    ///
    /// # Errors
    /// The tool failed, or the value cannot be written as JSON.
    fn into_tool_result(self) -> Result<CallToolResult, ToolError>;

    /// The JSON Schema of the structured content, if there is any.
    #[must_use]
    fn output_schema() -> Option<RawJson> {
        None
    }
}

/// A structured result: any value with a JSON form and a schema.
///
/// It is sent as `structuredContent`, with its text as a copy for clients that read none, and the tool's
/// output schema is made from the type.
///
/// Source: `server/tools#structured-content`, 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(self)
    }
}

impl IntoToolResult for Vec<ContentBlock> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(self))
    }
}

impl IntoToolResult for ContentBlock {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(vec![self]))
    }
}

/// Done, and nothing to say about it.
impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(Vec::new()))
    }
}

/// Nothing is no content.
impl<R: IntoToolResult> IntoToolResult for Option<R> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        self.map_or_else(|| ().into_tool_result(), R::into_tool_result)
    }
}

impl<R: IntoToolResult> IntoToolResult for Result<R, ToolError> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        self.and_then(R::into_tool_result)
    }

    fn output_schema() -> Option<RawJson> {
        R::output_schema()
    }
}

// R280, R281: whatever is structured is repeated as text.
impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::structured(RawJson::encode(&self.0)?))
    }

    fn output_schema() -> Option<RawJson> {
        Some(schema::output_schema::<T>())
    }
}

/// Values that become one text.
macro_rules! texts {
    ($($ty:ty),*) => {$(
        impl IntoToolResult for $ty {
            fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
                Ok(CallToolResult::text(self.to_string()))
            }
        }
    )*};
}

texts!(&str, bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}
