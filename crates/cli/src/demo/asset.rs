//! The demo's picture and sound.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// A small PNG.
pub(crate) const LOGO: &[u8] = include_bytes!("logo.png");
/// A tenth of a second of sound, as WAV.
pub(crate) const CHIME: &[u8] = include_bytes!("chime.wav");

/// Bytes as messages carry them.
pub(crate) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assets_are_what_they_say() {
        assert!(LOGO.starts_with(b"\x89PNG\r\n\x1a\n"));
        assert!(LOGO.ends_with(b"IEND\xaeB`\x82"));
        assert!(CHIME.starts_with(b"RIFF") && CHIME.get(8..12) == Some(b"WAVE".as_slice()));
        assert!(base64(LOGO).starts_with("iVBORw0KGgo"));
    }
}
