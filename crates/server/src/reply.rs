//! A tool's result of several parts, put together one after the other.

use std::fmt;
use std::marker::PhantomData;

use hermes_types::{Annotations, CallToolResult, ContentBlock, Meta, RawJson, Resource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::content;
use crate::error::ToolError;
use crate::output::IntoToolResult;
use crate::schema;

/// A tool's result of several parts: text, pictures, sound, resources, structured content, a word about itself.
///
/// Nothing on the way can fail, so that one part follows the other; what went wrong fails the call in the end, and says
/// what it was. For a single part a text or a block of [`content`] is enough.
///
/// ```
/// use hermes_server::{Context, Reply, Server};
/// use hermes_types::Resource;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Weather { degrees: f64 }
///
/// const SKY: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
///
/// let server = Server::new("demo", "0.1.0").tool("weather", |(): (), _: Context| async {
///     Reply::new()
///         .text("Clear, 21 °C")
///         .image(SKY)
///         .for_user()
///         .link(Resource::new("weather://oslo/week", "the week"))
///         .structured(Weather { degrees: 21.0 })
///         .meta("example.com/station", &7)
/// });
/// ```
///
/// Source: `server/tools#tool-result`, 2026-07-28.
#[must_use = "it is the result of a tool: return it"]
pub struct Reply<T = Unstructured> {
    blocks: Vec<ContentBlock>,
    structured: Option<RawJson>,
    is_error: bool,
    meta: Meta,
    /// The first thing that went wrong.
    flaw: Option<ToolError>,
    /// The type of the structured content, from which the tool's output schema is made.
    of: PhantomData<fn() -> T>,
}

/// A [`Reply`] without structured content.
#[derive(Clone, Copy, Debug)]
pub enum Unstructured {}

impl Reply {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            blocks: Vec::new(),
            structured: None,
            is_error: false,
            meta: Meta::default(),
            flaw: None,
            of: PhantomData,
        }
    }
}

impl Default for Reply {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Reply<T> {
    /// A text.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.block(ContentBlock::text(text))
    }

    /// A link to a resource.
    pub fn link(self, resource: Resource) -> Self {
        self.block(content::link(resource))
    }

    /// The contents of a resource, or anything else of [`content`].
    pub fn block(mut self, block: impl Into<ContentBlock>) -> Self {
        self.blocks.push(block.into());
        self
    }

    /// Hints about the part that was added last. Before the first part there is nothing to say.
    pub fn annotated(mut self, hints: Annotations) -> Self {
        if let Some(last) = self.blocks.pop() {
            self.blocks.push(content::annotated(last, hints));
        }
        self
    }

    /// The part that was added last is for the person, and the model need not see it.
    pub fn for_user(self) -> Self {
        self.annotated(Annotations::default().with_audience(vec![hermes_types::Role::User]))
    }

    /// The part that was added last is for the model, and the person need not see it.
    pub fn for_model(self) -> Self {
        self.annotated(Annotations::default().with_audience(vec![hermes_types::Role::Assistant]))
    }

    /// What a program reads. The tool's output schema is made from its type, and its text is added as a copy if there is
    /// no text yet when the result is made.
    pub fn structured<U: Serialize + JsonSchema>(self, value: U) -> Reply<U> {
        let Self { blocks, is_error, meta, flaw, .. } = self;
        let (structured, flaw) = match RawJson::encode(&value) {
            Ok(value) => (Some(value), flaw),
            Err(error) => (None, Some(flaw.unwrap_or_else(|| error.into()))),
        };
        Reply { blocks, structured, is_error, meta, flaw, of: PhantomData }
    }

    /// The tool has failed, and what is said says why.
    pub const fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// A word of the result about itself, for programs. The key has a prefix of the author's own, as in
    /// `example.com/station`.
    ///
    /// Source: `basic/index#_meta`, 2026-07-28.
    pub fn meta<V: Serialize + ?Sized>(mut self, key: impl Into<String>, value: &V) -> Self {
        match RawJson::encode(value) {
            Ok(value) => {
                self.meta.extra.insert(key.into(), value);
                self
            }
            Err(error) => self.flawed(error),
        }
    }

    /// Something went wrong; only the first time counts.
    pub(crate) fn flawed(mut self, flaw: impl Into<ToolError>) -> Self {
        self.flaw = Some(self.flaw.unwrap_or_else(|| flaw.into()));
        self
    }

    fn finish(self) -> Result<CallToolResult, ToolError> {
        let Self { mut blocks, structured, is_error, meta, flaw, .. } = self;
        if let Some(flaw) = flaw {
            return Err(flaw);
        }
        // R280, R281: whatever is structured is repeated as text, for those who read nothing else.
        if let Some(value) = &structured
            && !blocks.iter().any(|block| block.as_text().is_some())
        {
            blocks.push(ContentBlock::text(value.get()));
        }
        let mut result = CallToolResult::new(blocks);
        result.structured_content = structured;
        result.is_error = is_error.then_some(true);
        result.meta = (meta != Meta::default()).then_some(meta);
        Ok(result)
    }
}

impl IntoToolResult for Reply {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        self.finish()
    }
}

impl<T: Serialize + JsonSchema> IntoToolResult for Reply<T> {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        self.finish()
    }

    fn output_schema() -> Option<RawJson> {
        Some(schema::output_schema::<T>())
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("blocks", &self.blocks.len())
            .field("is_error", &self.is_error)
            .field("flaw", &self.flaw)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_order_and_hints_belong_to_the_last() {
        let image = content::image_as(b"GIF89a", "image/gif");
        let reply = Reply::new().text("a").block(image).for_user().text("b").failed().meta("x.y/z", &1);
        let result = reply.into_tool_result().expect("parts");
        let [ContentBlock::Text(first), ContentBlock::Image(image), ContentBlock::Text(last)] =
            result.content.as_slice()
        else {
            panic!("{result:?}")
        };
        assert_eq!((first.text.as_str(), last.text.as_str()), ("a", "b"));
        assert_eq!((&first.annotations, &last.annotations), (&None, &None));
        assert!(image.annotations.is_some() && result.is_error());
        let meta = result.meta.expect("a word");
        assert_eq!(meta.extra.get("x.y/z").map(RawJson::get), Some("1"));
    }

    // spec: R280, R281
    #[test]
    fn structured_content_is_repeated_as_text_unless_there_is_text() {
        let alone = Reply::new().structured([1, 2]).into_tool_result().expect("a list");
        assert_eq!(alone.content, [ContentBlock::text("[1,2]")]);
        let told = Reply::new().text("two").structured([1, 2]).into_tool_result().expect("a list");
        assert_eq!(told.content, [ContentBlock::text("two")]);
        assert_eq!(told.structured_content.as_ref().map(RawJson::get), Some("[1,2]"));
        assert_eq!((told.is_error, told.meta), (None, None));
        let schema = |schema: Option<RawJson>| schema.map(|schema| schema.get().to_owned());
        assert_eq!(schema(Reply::<bool>::output_schema()).as_deref(), Some(r#"{"type":"boolean"}"#));
        assert_eq!(schema(<Reply as IntoToolResult>::output_schema()), None);
    }
}
