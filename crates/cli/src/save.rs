//! `--output FILE`: results that are no text go to files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes::types::{ContentBlock, ResourceContents};

use crate::args::Output;
use crate::console::Console;
use crate::exit::{Exit, Failure, Result};
use crate::output::lost;
use crate::render::{size, style};

/// How standard output is named in place of a file.
const STDOUT: &str = "-";

/// Where what came is written to.
#[derive(Debug)]
pub(crate) struct Save {
    path: PathBuf,
    force: bool,
}

/// Something that fills a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Its media type, if it is known.
    mime_type: Option<String>,
    bytes: Vec<u8>,
}

impl Piece {
    /// A text without a type.
    pub(crate) fn text(text: String) -> Self {
        Self { mime_type: None, bytes: text.into_bytes() }
    }

    fn decoded(mime_type: Option<&str>, base64: &str) -> Result<Self> {
        let bytes = STANDARD.decode(base64).map_err(|error| {
            Failure::new(Exit::Protocol, format!("the server sent bytes that are no base64: {error}"))
        })?;
        Ok(Self { mime_type: mime_type.map(str::to_owned), bytes })
    }

    /// The bytes of a block, if it has any: an image, audio, or a blob that is embedded.
    ///
    /// # Errors
    /// They are no base64.
    pub(crate) fn of_block(block: &ContentBlock) -> Result<Option<Self>> {
        match block {
            ContentBlock::Image(image) => Self::decoded(Some(&image.mime_type), &image.data).map(Some),
            ContentBlock::Audio(audio) => Self::decoded(Some(&audio.mime_type), &audio.data).map(Some),
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::Blob(blob) => {
                    Self::decoded(blob.mime_type.as_deref(), &blob.blob).map(Some)
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The contents of a resource: text or bytes.
    ///
    /// # Errors
    /// They are of an unknown kind, or no base64.
    pub(crate) fn of_contents(contents: &ResourceContents) -> Result<Self> {
        match contents {
            ResourceContents::Text(text) => {
                Ok(Self { mime_type: text.mime_type.clone(), bytes: text.text.clone().into_bytes() })
            }
            ResourceContents::Blob(blob) => Self::decoded(blob.mime_type.as_deref(), &blob.blob),
            _ => Err(Failure::new(Exit::Protocol, "the server sent contents of an unknown kind")),
        }
    }
}

impl Save {
    /// What the command line asks for. That it cannot be done is said before anything is asked of a server.
    ///
    /// # Errors
    /// The file is there already, or cannot be.
    pub(crate) fn parse(output: &Output, json: bool) -> Result<Option<Self>> {
        let Some(path) = output.output.clone() else { return Ok(None) };
        let save = Self { path, force: output.force };
        if save.is_stdout() {
            if json {
                return Err(Failure::usage("--json and --output - both want standard output"));
            }
            return Ok(Some(save));
        }
        if save.path.is_dir() {
            return Err(Failure::usage(format!("{} is a folder; name a file in it", save.path.display())));
        }
        let folder = save.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(Failure::usage(format!("there is no folder {}", folder.display())));
        }
        save.may_write(&save.path)?;
        Ok(Some(save))
    }

    /// Whether it all goes to standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path.as_os_str() == STDOUT
    }

    /// Refuses a file that is there, unless it may be overwritten. A device is none.
    fn may_write(&self, path: &Path) -> Result<()> {
        match fs::metadata(path) {
            Ok(there) if there.is_file() && !self.force => Err(is_there(path)),
            _ => Ok(()),
        }
    }

    /// Writes the pieces: one to the file itself, several to numbered ones. Says on standard error what went where.
    ///
    /// # Errors
    /// A file is there already, or cannot be written. Nothing is written if one of them is there.
    pub(crate) fn write(&self, pieces: &[Piece], console: &Console) -> Result<()> {
        if self.is_stdout() {
            let [piece] = pieces else {
                let message = format!("{} things came, and standard output takes one", pieces.len());
                return Err(Failure::usage(message).with_hint("--output FILE numbers them".to_owned()));
            };
            let mut stdout = io::stdout().lock();
            return stdout
                .write_all(&piece.bytes)
                .and_then(|()| stdout.flush())
                .map_err(|error| lost(&error));
        }
        let named: Vec<(PathBuf, &Piece)> = match pieces {
            [piece] => vec![(self.path.clone(), piece)],
            pieces => (1..).zip(pieces).map(|(at, piece)| (numbered(&self.path, at, piece), piece)).collect(),
        };
        named.iter().try_for_each(|(path, _)| self.may_write(path))?;
        for (path, piece) in named {
            self.create(&path).and_then(|mut file| file.write_all(&piece.bytes)).map_err(|error| {
                if error.kind() == io::ErrorKind::AlreadyExists {
                    return is_there(&path);
                }
                Failure::new(Exit::Output, format!("cannot write to {}: {error}", path.display()))
            })?;
            let kind = piece.mime_type.as_deref().map(|kind| format!("{kind}, ")).unwrap_or_default();
            let written = format!("{} ({kind}{})", path.display(), size(piece.bytes.len()));
            console.note("written", style::GOOD, &written);
        }
        Ok(())
    }

    /// Opens a file for writing. One that came to be there meanwhile is not overwritten either.
    fn create(&self, path: &Path) -> io::Result<File> {
        let is_device = fs::metadata(path).is_ok_and(|there| !there.is_file());
        if self.force || is_device {
            return File::create(path);
        }
        OpenOptions::new().write(true).create_new(true).open(path)
    }
}

fn is_there(path: &Path) -> Failure {
    Failure::usage(format!("{} is there already", path.display()))
        .with_hint("--force overwrites it".to_owned())
}

/// `picture-2.png` for `picture.png`; without an extension, the type of the piece gives one.
fn numbered(path: &Path, at: usize, piece: &Piece) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let given = path.extension().map(|extension| extension.to_string_lossy().into_owned());
    let extension = given.or_else(|| piece.mime_type.as_deref().and_then(extension).map(str::to_owned));
    let extension = extension.map(|extension| format!(".{extension}")).unwrap_or_default();
    path.with_file_name(format!("{stem}-{at}{extension}"))
}

/// The usual extension of a media type.
pub(crate) fn extension(mime_type: &str) -> Option<&'static str> {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    Some(match essence {
        "application/json" => "json",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "audio/wav" | "audio/x-wav" => "wav",
        "image/gif" => "gif",
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/svg+xml" => "svg",
        "image/webp" => "webp",
        "text/csv" => "csv",
        "text/html" => "html",
        "text/markdown" => "md",
        "text/plain" => "txt",
        "video/mp4" => "mp4",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_pieces_have_numbers_before_the_extension() {
        let piece = |kind: &str| Piece { mime_type: Some(kind.to_owned()), bytes: Vec::new() };
        for (path, kind, name) in [
            ("a/picture.png", "image/png", "a/picture-2.png"),
            ("picture.bin", "image/png", "picture-2.bin"),
            ("picture", "image/jpeg; q=1", "picture-2.jpg"),
            ("picture", "application/x-unheard-of", "picture-2"),
        ] {
            assert_eq!(numbered(Path::new(path), 2, &piece(kind)), Path::new(name), "{path}");
        }
    }

    #[test]
    fn bytes_that_are_no_base64_are_the_servers_fault() {
        let block: ContentBlock =
            serde_json::from_str(r#"{"type":"image","data":"%","mimeType":"image/png"}"#).expect("a block");
        let failure = Piece::of_block(&block).expect_err("no base64");
        assert_eq!(failure.exit(), Exit::Protocol);
    }
}
