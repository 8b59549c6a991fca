//! Content made of bytes, files and resources: for tools' results and prompts' messages.
//!
//! The media type of pictures and sound is read from their first bytes; `…_as` says it instead. What is made here is a
//! [`ContentBlock`], the same in a tool's result and in a prompt's message. For results of several parts there is
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

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_types::{
    Annotations, BlobResourceContents, ContentBlock, Resource, ResourceContents, TextResourceContents,
};

/// The bytes are of no kind that is known here; the media type has to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are no {wanted} of a known kind: say their media type, with `{wanted}_as`")]
pub struct UnknownKind {
    /// `image` or `audio`.
    wanted: &'static str,
}

/// A picture, with the media type that its first bytes tell.
///
/// # Errors
/// [`UnknownKind`]: they tell none. SVG, which is text, is said with [`image_as`].
///
/// ```
/// use hermes_server::content;
/// use hermes_types::ContentBlock;
///
/// let ContentBlock::Image(image) = content::image(b"GIF89a")? else { return Err("no picture".into()) };
/// assert_eq!(image.mime_type, "image/gif");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn image(bytes: impl AsRef<[u8]>) -> Result<ContentBlock, UnknownKind> {
    let mime_type = detected(bytes.as_ref(), "image")?;
    Ok(image_as(bytes, mime_type))
}

/// A picture of this media type.
#[must_use]
pub fn image_as(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> ContentBlock {
    ContentBlock::image(STANDARD.encode(bytes), mime_type)
}

/// Sound, with the media type that its first bytes tell.
///
/// # Errors
/// [`UnknownKind`]: they tell none.
pub fn audio(bytes: impl AsRef<[u8]>) -> Result<ContentBlock, UnknownKind> {
    let mime_type = detected(bytes.as_ref(), "audio")?;
    Ok(audio_as(bytes, mime_type))
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

/// The bytes of a resource, inside the message, with the media type that they tell, if they tell one.
#[must_use]
pub fn bytes_of(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> ContentBlock {
    let mut contents = BlobResourceContents::new(uri, STANDARD.encode(&bytes));
    contents.mime_type = media_type(bytes.as_ref()).map(str::to_owned);
    ContentBlock::resource(contents)
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

/// The media type that bytes tell; `None` for text, and for what is not known here.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    // The names without `x-` are the registered ones, or what every client writes.
    infer::get(bytes).map(|kind| match kind.mime_type() {
        "audio/x-wav" => "audio/wav",
        "audio/x-flac" => "audio/flac",
        "audio/x-aiff" => "audio/aiff",
        other => other,
    })
}

fn detected(bytes: &[u8], wanted: &'static str) -> Result<&'static str, UnknownKind> {
    let fits = |found: &&str| found.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('/'));
    media_type(bytes).filter(fits).ok_or(UnknownKind { wanted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_the_kind_of_pictures_and_sound() {
        let pictures: [(&[u8], &str); 4] = [
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF87a", "image/gif"),
            (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        ];
        for (bytes, expected) in pictures {
            let Ok(ContentBlock::Image(image)) = image(bytes) else { panic!("{expected}") };
            assert_eq!(image.mime_type, expected);
            assert_eq!(STANDARD.decode(image.data).expect("Base64"), bytes);
        }
        let sounds: [(&[u8], &str); 4] = [
            (b"RIFF\x24\0\0\0WAVEfmt ", "audio/wav"),
            (b"ID3\x04\0\0", "audio/mpeg"),
            (b"OggS\0\x02", "audio/ogg"),
            (b"fLaC\0\0\0\x22", "audio/flac"),
        ];
        for (bytes, expected) in sounds {
            let Ok(ContentBlock::Audio(audio)) = audio(bytes) else { panic!("{expected}") };
            assert_eq!(audio.mime_type, expected);
        }
    }

    #[test]
    fn what_is_of_another_kind_or_of_none_is_not_guessed() {
        for bytes in [&b""[..], b"<svg/>", b"OggS\0\x02", b"%PDF-1.7"] {
            assert_eq!(image(bytes), Err(UnknownKind { wanted: "image" }));
        }
        let said = audio(b"GIF89a").expect_err("a picture").to_string();
        assert_eq!(said, "these bytes are no audio of a known kind: say their media type, with `audio_as`");
    }

    #[test]
    fn hints_stand_on_every_kind_of_content() {
        let hints = Annotations::default().with_priority(1.0);
        for block in [
            ContentBlock::text("a"),
            image_as(b"a", "image/svg+xml"),
            audio_as(b"a", "audio/basic"),
            link(Resource::new("a:b", "b")),
            text_of("a:b", "c"),
            bytes_of("a:b", b"%PDF-1.7"),
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
