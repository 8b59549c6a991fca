//! Content made of bytes, files and resources: for tools' results and prompts' messages.
//!
//! The media type of pictures and sound is read from their first bytes, with the feature `files`; `…_as` says it instead. What
//! is made here is a [`ContentBlock`], the same in a tool's result and in a prompt's message. For results of several parts there is
//! [`Reply`](crate::Reply).
//!
//! ```
//! use hermes_server::{Context, Server, ToolError, content};
//!
//! const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
//!
//! let server = Server::new("demo", "0.1.0")
//!     .tool("pixel", |(): (), _: Context| async { Ok::<_, ToolError>(content::image(PIXEL)?) });
//! ```

#[cfg(feature = "files")]
mod told;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_types::{Annotations, ContentBlock, Resource, ResourceContents, TextResourceContents};

#[cfg(feature = "files")]
pub(crate) use told::media_type;
#[cfg(feature = "files")]
pub use told::{UnknownKind, audio, bytes_of, image};

/// A picture of this media type.
#[must_use]
pub fn image_as(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> ContentBlock {
    ContentBlock::image(STANDARD.encode(bytes), mime_type)
}

/// Sound of this media type.
#[must_use]
pub fn audio_as(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> ContentBlock {
    ContentBlock::audio(STANDARD.encode(bytes), mime_type)
}

/// A link to a resource, with whatever is said about it.
///
/// ```
/// use hermes_server::content;
/// use hermes_types::Resource;
///
/// let link = content::link(Resource::new("file:///report.pdf", "report").with_size(12_345_u64));
/// ```
#[must_use]
pub fn link(resource: Resource) -> ContentBlock {
    ContentBlock::ResourceLink(resource.into())
}

/// The text of a resource, inside the message.
#[must_use]
pub fn text_of(uri: impl Into<String>, text: impl Into<String>) -> ContentBlock {
    ContentBlock::resource(TextResourceContents::new(uri, text).with_mime_type("text/plain"))
}

/// What is embedded, of any kind of contents.
#[must_use]
pub fn embedded(contents: impl Into<ResourceContents>) -> ContentBlock {
    ContentBlock::resource(contents)
}

/// The same content with hints about it: whom it is for, how much it matters, when it last changed.
///
/// ```
/// use hermes_server::content;
/// use hermes_types::{Annotations, Role};
///
/// let hints = Annotations::default().with_audience(vec![Role::User]).with_priority(0.9);
/// let block = content::annotated("for your eyes only", hints);
/// ```
///
/// Source: `server/resources#annotations`, 2026-07-28.
#[must_use]
pub fn annotated(block: impl Into<ContentBlock>, hints: Annotations) -> ContentBlock {
    let mut block = block.into();
    let place = match &mut block {
        ContentBlock::Text(content) => Some(&mut content.annotations),
        ContentBlock::Image(content) => Some(&mut content.annotations),
        ContentBlock::Audio(content) => Some(&mut content.annotations),
        ContentBlock::ResourceLink(content) => Some(&mut content.annotations),
        ContentBlock::Resource(content) => Some(&mut content.annotations),
        // What nobody here knows stays as it is.
        _ => None,
    };
    if let Some(place) = place {
        *place = Some(hints);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_stand_on_every_kind_of_content() {
        let hints = Annotations::default().with_priority(1.0);
        for block in [
            ContentBlock::text("a"),
            image_as(b"a", "image/svg+xml"),
            audio_as(b"a", "audio/basic"),
            link(Resource::new("a:b", "b")),
            text_of("a:b", "c"),
        ] {
            let text = hermes_types::RawJson::encode(&hermes_types::Wire(
                &annotated(block, hints.clone()),
                hermes_types::Revision::V2026_07_28,
            ));
            let text = text.expect("JSON");
            assert!(text.get().contains(r#""annotations":{"priority":1"#), "{text:?}");
        }
    }
}
