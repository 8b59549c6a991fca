//! Content whose media type is told from its first bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_types::{BlobResourceContents, ContentBlock};

use super::{audio_as, image_as};
use crate::reply::Reply;

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

/// Sound, with the media type that its first bytes tell.
///
/// # Errors
/// [`UnknownKind`]: they tell none.
pub fn audio(bytes: impl AsRef<[u8]>) -> Result<ContentBlock, UnknownKind> {
    let mime_type = detected(bytes.as_ref(), "audio")?;
    Ok(audio_as(bytes, mime_type))
}

/// The bytes of a resource, inside the message, with the media type that they tell, if they tell one.
#[must_use]
pub fn bytes_of(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> ContentBlock {
    let mut contents = BlobResourceContents::new(uri, STANDARD.encode(&bytes));
    contents.mime_type = media_type(bytes.as_ref()).map(str::to_owned);
    ContentBlock::resource(contents)
}

impl<T> Reply<T> {
    /// A picture, with the media type that its first bytes tell; see [`content::image`](image).
    pub fn image(self, bytes: impl AsRef<[u8]>) -> Self {
        match image(bytes) {
            Ok(block) => self.block(block),
            Err(error) => self.flawed(error),
        }
    }

    /// Sound, with the media type that its first bytes tell; see [`content::audio`](audio).
    pub fn audio(self, bytes: impl AsRef<[u8]>) -> Self {
        match audio(bytes) {
            Ok(block) => self.block(block),
            Err(error) => self.flawed(error),
        }
    }
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
    use crate::output::IntoToolResult as _;

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
    fn what_went_wrong_first_fails_the_call() {
        let reply = Reply::new().text("look").image(b"<svg/>").audio(b"").structured(1);
        let error = reply.into_tool_result().expect_err("no picture").to_string();
        assert!(error.starts_with("these bytes are no image of a known kind"), "{error}");
    }
}
