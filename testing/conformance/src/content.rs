//! What the tools and prompts send that is not text.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hermes::types::{ContentBlock, TextResourceContents};

/// A picture of one pixel, as PNG.
pub(crate) const PIXEL: &[u8] = include_bytes!("pixel.png");
/// Two milliseconds of sound, as WAV.
const TONE: &[u8] = include_bytes!("tone.wav");

pub(crate) fn image() -> ContentBlock {
    ContentBlock::image(BASE64_STANDARD.encode(PIXEL), "image/png")
}

pub(crate) fn audio() -> ContentBlock {
    ContentBlock::audio(BASE64_STANDARD.encode(TONE), "audio/wav")
}

pub(crate) fn embedded(uri: impl Into<String>, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(TextResourceContents::new(uri, text).with_mime_type(mime_type))
}
