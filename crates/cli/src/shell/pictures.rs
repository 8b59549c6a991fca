//! Pictures: shown where the terminal can, or else saved.
//!
//! Terminals that show pictures do so in one of three ways. Which one is told by the environment, because asking a terminal
//! that does not answer costs time and may eat what is typed.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes::types::{ContentBlock, ResourceContents};

use super::sixel;
use super::start::Shell;
use crate::exit::Result;
use crate::output::print;
use crate::render::{size, style};
use crate::save::extension;

/// Says how pictures are shown, when the terminal does not.
const CHOICE: &str = "HERMES_IMAGES";

/// How much of a picture one sequence of kitty's carries, in base64.
const CHUNK: usize = 4096;

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Kitty,
    Iterm,
    Sixel,
}

/// A picture, or anything else that is bytes.
struct Blob<'a> {
    mime_type: &'a str,
    base64: &'a str,
}

impl Shell {
    /// Shows or saves what is no text in these blocks.
    pub(super) fn pictures<'a>(&self, blocks: impl Iterator<Item = &'a ContentBlock>) -> Result<()> {
        let blob = |block: &'a ContentBlock| match block {
            ContentBlock::Image(image) => Some(Blob { mime_type: &image.mime_type, base64: &image.data }),
            ContentBlock::Audio(audio) => Some(Blob { mime_type: &audio.mime_type, base64: &audio.data }),
            ContentBlock::Resource(embedded) => of_contents(&embedded.resource),
            _ => None,
        };
        self.blobs(blocks.filter_map(blob))
    }

    /// The same for the contents of a resource.
    pub(super) fn pictures_of<'a>(&self, contents: impl Iterator<Item = &'a ResourceContents>) -> Result<()> {
        self.blobs(contents.filter_map(of_contents))
    }

    fn blobs<'a>(&self, blobs: impl Iterator<Item = Blob<'a>>) -> Result<()> {
        // A script has files of its own.
        if self.keyboard.is_none() {
            return Ok(());
        }
        let way = Way::of(|name| std::env::var(name).ok());
        for blob in blobs {
            let Ok(bytes) = STANDARD.decode(blob.base64) else {
                self.console.warn(&"the server sent bytes that are no base64");
                continue;
            };
            match way.and_then(|way| way.sequence(blob.mime_type, &bytes)) {
                Some(sequence) => print(&format!("{sequence}\n"))?,
                None => self.save(blob.mime_type, &bytes),
            }
        }
        Ok(())
    }

    fn save(&self, mime_type: &str, bytes: &[u8]) {
        match saved(mime_type, bytes) {
            Ok(path) => {
                let text = format!("{} ({mime_type}, {})", path.display(), size(bytes.len()));
                self.console.note("saved", style::GOOD, &text);
            }
            Err(error) => self.console.warn(&format!("it cannot be saved: {error}")),
        }
    }
}

fn of_contents(contents: &ResourceContents) -> Option<Blob<'_>> {
    match contents {
        ResourceContents::Blob(blob) => {
            Some(Blob { mime_type: blob.mime_type.as_deref().unwrap_or_default(), base64: &blob.blob })
        }
        _ => None,
    }
}

/// Writes a new file, for the user alone, among those that the system removes some day.
fn saved(mime_type: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
    let ending = extension(mime_type).unwrap_or("bin");
    let mut number = 1_u32;
    loop {
        let path = std::env::temp_dir().join(format!("hermes-{}-{number}.{ending}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => return file.write_all(bytes).map(|()| path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && number < u32::MAX => {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

impl Way {
    /// What the environment says of the terminal. Inside of a multiplexer nothing is shown: it knows nothing of pictures.
    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let value = |name: &str| variable(name).unwrap_or_default();
        match value(CHOICE).as_str() {
            "kitty" => return Some(Self::Kitty),
            "iterm" => return Some(Self::Iterm),
            "sixel" => return Some(Self::Sixel),
            "" => {}
            _ => return None,
        }
        let term = value("TERM");
        if variable("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux") {
            return None;
        }
        let program = value("TERM_PROGRAM");
        if ["xterm-kitty", "xterm-ghostty"].contains(&term.as_str())
            || variable("KITTY_WINDOW_ID").is_some()
            || variable("KONSOLE_VERSION").is_some()
        {
            return Some(Self::Kitty);
        }
        if ["iTerm.app", "WezTerm", "mintty"].contains(&program.as_str()) || value("LC_TERMINAL") == "iTerm2"
        {
            return Some(Self::Iterm);
        }
        let has_sixel =
            term.contains("sixel") || ["foot", "foot-extra", "mlterm", "contour"].contains(&term.as_str());
        has_sixel.then_some(Self::Sixel)
    }

    /// What is written to show a picture; `None` if it cannot be shown this way.
    fn sequence(self, mime_type: &str, bytes: &[u8]) -> Option<String> {
        let is_png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
        match self {
            // What a peer sends is written as base64 of our own, so that it cannot say anything to the terminal.
            Self::Kitty if is_png => Some(kitty(&STANDARD.encode(bytes))),
            Self::Iterm if mime_type.starts_with("image/") => {
                let (size, data) = (bytes.len(), STANDARD.encode(bytes));
                Some(format!("\u{1b}]1337;File=inline=1;size={size}:{data}\u{7}"))
            }
            Self::Sixel if is_png => sixel::of_png(bytes),
            _ => None,
        }
    }
}

/// A PNG in the words of kitty's protocol: in parts, of which all but the last say that there are more.
fn kitty(base64: &str) -> String {
    let mut out = String::with_capacity(base64.len() + base64.len() / 100);
    let mut rest = base64;
    let mut keys = "f=100,a=T,q=2,";
    while !rest.is_empty() {
        // Base64 is ASCII: it can be cut anywhere.
        let (part, behind) = rest.split_at(rest.len().min(CHUNK));
        let more = u8::from(!behind.is_empty());
        // Writing to a string does not fail.
        let _ = write!(out, "\u{1b}_G{keys}m={more};{part}\u{1b}\\");
        (rest, keys) = (behind, "");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(pairs: &[(&str, &str)]) -> Option<Way> {
        Way::of(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_tells_how_a_terminal_shows_pictures() {
        for (pairs, expected) in [
            (&[("TERM", "xterm-256color")][..], None),
            (&[("TERM", "xterm-kitty")], Some(Way::Kitty)),
            (&[("TERM", "xterm-256color"), ("KONSOLE_VERSION", "230800")], Some(Way::Kitty)),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], Some(Way::Iterm)),
            (&[("TERM", "foot")], Some(Way::Sixel)),
            (&[("TERM", "tmux-256color"), ("TERM_PROGRAM", "iTerm.app")], None),
            (&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")], None),
            (&[("TERM", "xterm"), ("HERMES_IMAGES", "sixel")], Some(Way::Sixel)),
            (&[("TERM", "xterm-kitty"), ("HERMES_IMAGES", "off")], None),
        ] {
            assert_eq!(way(pairs), expected, "{pairs:?}");
        }
    }

    #[test]
    fn a_long_picture_comes_in_parts_that_kitty_puts_together() {
        let text = kitty(&"A".repeat(CHUNK + 1));
        assert_eq!(
            text,
            format!("\u{1b}_Gf=100,a=T,q=2,m=1;{}\u{1b}\\\u{1b}_Gm=0;A\u{1b}\\", "A".repeat(CHUNK))
        );
    }

    #[test]
    fn what_is_no_picture_is_not_shown() {
        for way in [Way::Kitty, Way::Iterm, Way::Sixel] {
            assert_eq!(way.sequence("audio/wav", b"RIFF"), None, "{way:?}");
        }
        assert_eq!(
            Way::Iterm.sequence("image/gif", b"GIF").as_deref(),
            Some("\u{1b}]1337;File=inline=1;size=3:R0lG\u{7}")
        );
    }
}
