//! Folders as roots.

use std::path::{Path, absolute};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::exit::{Failure, Result};

/// What stands in a path as it is: letters, digits, and the marks that RFC 3986 reserves for nothing else here.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'+')
    .remove(b'@');

/// A folder as the server hears of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// An absolute `file://` URI.
    pub(crate) uri: String,
    /// The last part of the path, if it has one.
    pub(crate) name: Option<String>,
}

impl Folder {
    /// Names an existing folder.
    ///
    /// # Errors
    /// It does not exist.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let refuse = |why: String| Failure::usage(format!("--root {}: {why}", path.display()));
        let whole = absolute(path).map_err(|error| refuse(error.to_string()))?;
        match whole.metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(refuse("it is not a folder".to_owned())),
            Err(error) => return Err(refuse(error.to_string())),
        }
        // `absolute` keeps a slash at the end, and `.` names the folder it is in.
        let whole: std::path::PathBuf = whole.components().collect();
        let name = whole.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Self { uri: uri(&whole), name })
    }
}

fn uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let slash = if bytes.starts_with(b"/") { "" } else { "/" };
    format!("file://{slash}{}", percent_encode(bytes, ENCODED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_an_absolute_uri_without_a_slash_at_the_end() -> Result<()> {
        let here = env!("CARGO_MANIFEST_DIR");
        let folder = Folder { uri: format!("file://{here}/src"), name: Some("src".into()) };
        assert_eq!(Folder::new(Path::new("src"))?, folder);
        assert_eq!(Folder::new(Path::new("./src/"))?, folder);
        assert_eq!(Folder::new(Path::new(here).join("src").as_path())?, folder);
        Ok(())
    }

    #[test]
    fn characters_with_a_meaning_are_encoded() {
        assert_eq!(
            uri(Path::new("/a b/ä#?%[x]/c-d_e.f~g")),
            "file:///a%20b/%C3%A4%23%3F%25%5Bx%5D/c-d_e.f~g"
        );
    }

    #[test]
    fn a_root_that_is_no_folder_is_refused() {
        let refused = |path: &str| Folder::new(Path::new(path)).expect_err(path).to_string();
        assert!(refused("no/such").starts_with("--root no/such: No such file"), "{}", refused("no/such"));
        assert_eq!(refused("Cargo.toml"), "--root Cargo.toml: it is not a folder");
    }
}
