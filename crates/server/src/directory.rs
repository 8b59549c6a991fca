//! The files of a directory as resources.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Component as Step, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_types::{
    Annotations, BlobResourceContents, Fault, Resource, ResourceContents, ResourceTemplate,
    TextResourceContents,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::completion::Completing;
use crate::component::{Component, Part};
use crate::content::media_type;
use crate::context::Context;
use crate::error::ToolError;
use crate::hub::{Hub, Source};
use crate::server::Server;

/// How many files are listed.
const LISTED: usize = 1000;
/// How deep directories are walked into.
const DEPTH: usize = 16;
/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;
/// How much of a file is looked at to tell whether it is text, in bytes.
const BEGINNING: usize = 8 * 1024;

/// What stands in a URI as it is; everything else of a name is written in percents.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[derive(Deserialize)]
struct Below {
    path: String,
}

impl Server {
    /// Offers the files of a directory, and of those in it, as resources below a URI: `docs://` and the file
    /// `notes/today.md` make `docs://notes/today.md`. Text is served as text, everything else as bytes.
    ///
    /// Every `resources/list` looks into the directory first, and lists up to 1,000 files with their size, their media type
    /// and when they last changed. When files have come or gone since somebody looked last, those who asked for it hear
    /// that the list has changed; when one has changed, those who subscribed to it. All files are read through the
    /// template `docs://{+path}` too, whose path clients can have completed. Files of more than 16 MiB are refused.
    ///
    /// Nothing outside of the directory can be reached, nor what begins with a dot, nor what lies behind a symbolic link.
    /// Whoever may write into the directory while it is served is trusted.
    ///
    /// ```
    /// use hermes_server::Server;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// let server = Server::new("library", "0.1.0").directory("src://", "src")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn directory(self, uri: impl Into<String>, path: impl AsRef<Path>) -> io::Result<Self> {
        let root = path.as_ref().canonicalize()?;
        if !root.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is none", root.display())));
        }
        let (mut directory, mut seen) = (Directory::new(uri.into(), root), Seen::default());
        directory.look(&self.hub, &mut seen)?;
        directory.seen = Arc::new(Mutex::new(seen));
        let (reading, completing) = (Arc::clone(&directory.root), Arc::clone(&directory.root));
        let uri = directory.uri.clone();
        let (pattern, name) = (format!("{uri}{{+path}}"), format!("files of {uri}"));
        let directory = Arc::new(directory);
        let look: Source = Arc::new(move |hub| Box::pin(Arc::clone(&directory).refresh(hub)));
        self.hub.sources.write().unwrap_or_else(PoisonError::into_inner).push(look);
        let template = Component::template(
            ResourceTemplate::new(pattern, name).with_description("A file, by its path"),
            move |Below { path }: Below, _| {
                let at = format!("{uri}{}", encoded(&path));
                contents(Arc::clone(&reading), PathBuf::from(path), at)
            },
        );
        Ok(self.with(template.complete("path", move |typed: Completing, _: Context| {
            let root = Arc::clone(&completing);
            async move { paths(root, typed).await }
        })))
    }
}

/// A directory that is offered, and what was in it when somebody looked last.
pub(crate) struct Directory {
    uri: String,
    root: Arc<PathBuf>,
    seen: Arc<Mutex<Seen>>,
    /// How often somebody has begun to look.
    looks: AtomicU64,
}

/// What was in a directory.
#[derive(Default)]
struct Seen {
    /// The number of the look.
    look: u64,
    /// The files that are listed for it.
    files: BTreeMap<PathBuf, Listed>,
}

/// A file that is listed.
struct Listed {
    uri: String,
    /// What tells that it has changed.
    stamp: (u64, Option<SystemTime>),
}

impl Directory {
    fn new(uri: String, root: PathBuf) -> Self {
        Self { uri, root: Arc::new(root), seen: Arc::default(), looks: AtomicU64::new(0) }
    }

    /// Makes the hub's list what is in the directory now. Whoever waits while another looks is content with a look
    /// that began after their own question.
    ///
    /// # Cancel safety
    /// A look that has begun is brought to its end.
    pub(crate) async fn refresh(self: Arc<Self>, hub: Arc<Hub>) {
        let wanted = self.looks.load(Ordering::Acquire) + 1;
        let mut seen = Arc::clone(&self.seen).lock_owned().await;
        if seen.look >= wanted {
            return;
        }
        let uri = self.uri.clone();
        if let Err(error) = blocking(move || self.look(&hub, &mut seen)).await {
            tracing::warn!(uri, %error, "the directory cannot be read: what was in it before is listed");
        }
    }

    /// Looks into the directory, and tells the hub what is different.
    fn look(&self, hub: &Arc<Hub>, seen: &mut Seen) -> io::Result<()> {
        seen.look = self.looks.fetch_add(1, Ordering::AcqRel) + 1;
        let mut files = Vec::new();
        match walk(&self.root, &mut PathBuf::new(), &mut files) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            walked => walked?,
        }
        if files.len() == LISTED && seen.files.len() < LISTED {
            tracing::warn!(uri = self.uri, "not all files are listed: there may be more than {LISTED}");
        }
        let files: BTreeMap<PathBuf, Metadata> = files.into_iter().collect();
        seen.files.retain(|below, listed| {
            let is_there = files.contains_key(below);
            if !is_there {
                hub.remove(Part::Resource(&listed.uri));
            }
            is_there
        });
        for (below, metadata) in files {
            let stamp = (metadata.len(), metadata.modified().ok());
            let before = seen.files.get(&below);
            if before.is_some_and(|before| before.stamp == stamp) {
                continue;
            }
            let Some(resource) = described(&self.uri, &self.root, &below, &metadata) else { continue };
            let uri = resource.uri.clone();
            let (root, path, at) = (Arc::clone(&self.root), below.clone(), uri.clone());
            let file =
                Component::resource(resource, move |_| contents(Arc::clone(&root), path.clone(), at.clone()));
            if before.is_some() {
                hub.renew(file);
                hub.tell_updated(uri.clone());
            } else if !hub.add(file) {
                // Somebody had this URI first, and keeps it.
                continue;
            }
            seen.files.insert(below, Listed { uri, stamp });
        }
        Ok(())
    }
}

impl Hub {
    /// Puts a component in the place of the one with the same name, which clients know already: for them the list
    /// is the same, and nobody is told.
    fn renew(&self, component: Component) {
        self.catalog.change(|registry| {
            registry.remove(component.part());
            registry.insert(component);
        });
    }
}

/// The paths that begin with what was typed.
async fn paths(root: Arc<PathBuf>, typed: Completing) -> Result<Vec<String>, ToolError> {
    let files = blocking(move || {
        let mut files = Vec::new();
        walk(&root, &mut PathBuf::new(), &mut files)?;
        Ok(files)
    });
    let files = files.await?;
    let paths = files.iter().filter_map(|(below, _)| slashed(below));
    Ok(typed.among(paths))
}

/// Reads a file.
async fn contents(root: Arc<PathBuf>, below: PathBuf, uri: String) -> Result<ResourceContents, ToolError> {
    let name = below.clone();
    let read = blocking(move || {
        let (path, metadata) = find(&root, &below)?;
        if metadata.len() > LARGEST {
            let message = format!("the file has {} bytes; at most {LARGEST} are read", metadata.len());
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        let mut bytes = Vec::new();
        // It may have grown meanwhile.
        File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    let bytes = match read.await {
        Ok(bytes) => bytes,
        // What may not be seen is told apart from what is not there by nobody.
        Err(error) if is_absent(error.kind()) => {
            return Err(ToolError::refuse(Fault::resource_not_found(&uri)));
        }
        Err(error) => return Err(error.into()),
    };
    let kind = kind_of(&name, &bytes, std::str::from_utf8(&bytes).is_ok()).to_owned();
    Ok(match String::from_utf8(bytes) {
        Ok(text) => {
            let mut contents = TextResourceContents::new(uri, text);
            contents.mime_type = Some(kind);
            contents.into()
        }
        Err(error) => {
            let mut contents = BlobResourceContents::new(uri, STANDARD.encode(error.as_bytes()));
            contents.mime_type = Some(kind);
            contents.into()
        }
    })
}

/// Whether there is nothing to be read under a name, as far as whoever asks is to know.
const fn is_absent(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound, PermissionDenied};
    matches!(kind, InvalidFilename | InvalidInput | NotADirectory | NotFound | PermissionDenied)
}

/// Works with files where that keeps nobody else waiting.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// A file below the directory that may be seen.
fn find(root: &Path, below: &Path) -> io::Result<(PathBuf, Metadata)> {
    let hidden = || io::Error::from(io::ErrorKind::NotFound);
    let mut path = root.to_owned();
    let mut metadata = None;
    for step in below.components() {
        let Step::Normal(name) = step else { return Err(hidden()) };
        if is_hidden(name) {
            return Err(hidden());
        }
        path.push(name);
        let found = fs::symlink_metadata(&path)?;
        if found.is_symlink() {
            return Err(hidden());
        }
        metadata = Some(found);
    }
    // On some systems names have a meaning of their own there; whatever it is, it does not lead out.
    if !path.canonicalize()?.starts_with(root) {
        return Err(hidden());
    }
    metadata.filter(Metadata::is_file).map(|metadata| (path, metadata)).ok_or_else(hidden)
}

/// Collects the files that may be seen, sorted by name. What goes away meanwhile, or cannot be looked into, is passed over
/// below the root.
fn walk(root: &Path, below: &mut PathBuf, files: &mut Vec<(PathBuf, Metadata)>) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(root.join(&*below))?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if files.len() == LISTED {
            return Ok(());
        }
        let name = entry.file_name();
        if is_hidden(&name) {
            continue;
        }
        let Ok(metadata) = entry.metadata() else { continue };
        below.push(name);
        if metadata.is_file() {
            files.push((below.clone(), metadata));
        } else if metadata.is_dir() && below.components().count() < DEPTH {
            // Its error is its own: what is beside it can be read all the same.
            if let Err(error) = walk(root, below, files) {
                tracing::debug!(%error, "a directory is passed over");
            }
        }
        below.pop();
    }
    Ok(())
}

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}

/// What a list says of a file; `None` for a name that cannot be written in a URI.
fn described(uri: &str, root: &Path, below: &Path, metadata: &Metadata) -> Option<Resource> {
    let path = slashed(below)?;
    let mut resource = Resource::new(format!("{uri}{}", encoded(&path)), path).with_size(metadata.len());
    resource.mime_type = Some(beginning(&root.join(below)).to_owned());
    if let Ok(modified) = metadata.modified() {
        resource.annotations = Some(Annotations::default().with_last_modified(instant(modified)));
    }
    Some(resource)
}

/// The media type that the beginning of a file tells.
fn beginning(path: &Path) -> &'static str {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING as u64).read_to_end(&mut bytes));
    let is_text = || match std::str::from_utf8(&bytes) {
        Ok(_) => true,
        // A letter may be cut in two.
        Err(error) => error.error_len().is_none() && bytes.len() == BEGINNING,
    };
    // What cannot be read now is told by its name alone.
    let is_text = if read.is_ok() { is_text() } else { true };
    kind_of(path, &bytes, is_text)
}

/// The media type of a file: what its name says, unless it is text where that is none, or none where that is; then what its
/// first bytes say.
fn kind_of(name: &Path, bytes: &[u8], is_text: bool) -> &'static str {
    let named = mime_guess::from_path(name).first_raw();
    let fits = |kind: &&str| is_textual(kind) == is_text;
    let plain = if is_text { "text/plain" } else { "application/octet-stream" };
    named.filter(fits).or_else(|| media_type(bytes)).unwrap_or(plain)
}

/// Whether what is of this media type is text.
fn is_textual(kind: &str) -> bool {
    let (family, name) = kind.split_once('/').unwrap_or_default();
    let is_written =
        ["json", "xml", "javascript", "toml", "yaml", "sql", "x-sh", "x-httpd-php", "x-tex", "x-subrip"];
    family == "text"
        || name.ends_with("+xml")
        || name.ends_with("+json")
        || is_written.iter().any(|written| name == *written || name.strip_prefix("x-") == Some(written))
}

fn slashed(below: &Path) -> Option<String> {
    let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
    names.map(|names| names.join("/"))
}

fn encoded(path: &str) -> String {
    let names: Vec<String> =
        path.split('/').map(|name| utf8_percent_encode(name, NAME).to_string()).collect();
    names.join("/")
}

/// A moment as ISO 8601 has it, in UTC, to the second.
fn instant(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years are counted from March, so that a leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_are_written_as_iso_8601() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_785_283_199, "2026-07-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(instant(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn the_name_tells_the_media_type_unless_the_bytes_deny_it() {
        let text = b"a,b\n1,2\n";
        for (name, kind) in [
            ("notes.md", "text/markdown"),
            ("table.csv", "text/csv"),
            ("page.HTML", "text/html"),
            ("data.json", "application/json"),
            ("drawing.svg", "image/svg+xml"),
            ("main.rs", "text/x-rust"),
            ("Cargo.toml", "text/x-toml"),
            ("Makefile", "text/plain"),
            ("unknown.zzz", "text/plain"),
            // By its name it would be a film.
            ("index.ts", "text/plain"),
            ("picture.png", "text/plain"),
        ] {
            assert_eq!(kind_of(Path::new(name), text, true), kind, "{name}");
        }
        let picture = b"\x89PNG\r\n\x1a\n\xff";
        for (name, kind) in [
            ("picture.png", "image/png"),
            ("notes.md", "image/png"),
            ("film.mp4", "video/mp4"),
            ("archive.zip", "application/zip"),
        ] {
            assert_eq!(kind_of(Path::new(name), picture, false), kind, "{name}");
        }
        assert_eq!(kind_of(Path::new("nothing"), b"\xff\xfe\x00\x01", false), "application/octet-stream");
    }

    #[test]
    fn names_are_written_so_that_the_template_reads_them_back() {
        assert_eq!(encoded("a b/ü?#%.md"), "a%20b/%C3%BC%3F%23%25.md");
    }
}
