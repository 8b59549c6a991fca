//! Files that are there as a whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Who may read what we write for the user alone.
const PRIVATE: u32 = 0o600;

/// Puts a text in the place of a file, or makes one. Whoever reads it sees the old text or the new one, also after a
/// crash. Its mode stays as it was; a new one is for its owner alone. A link stays one.
///
/// # Errors
/// It cannot be written; then the old one is still there.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = match fs::canonicalize(path) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let mode = fs::metadata(&path).map_or(PRIVATE, |there| there.permissions().mode() & 0o7777);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let new = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(PRIVATE)
        .open(&new)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.set_permissions(fs::Permissions::from_mode(mode))?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        // What is half there helps nobody; that it cannot be removed changes nothing about the error.
        let _ = fs::remove_file(&new);
    }
    written
}

/// What stands where a folder has to be: the path itself or one around it, if it is there and is none.
pub(crate) fn obstacle(path: &Path) -> Option<&Path> {
    path.ancestors().find(|around| around.exists() && !around.is_dir())
}

/// Makes a folder, and those around it, for the user alone. One that is there stays as it is.
///
/// # Errors
/// It cannot be made.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_text_takes_the_place_of_the_old_one_and_the_mode_stays() -> io::Result<()> {
        let folder = std::env::temp_dir().join(format!("hermes-atomic-{}", std::process::id()));
        super::folder(&folder)?;
        let file = folder.join("f");
        replace(&file, "old")?;
        assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
        let link = folder.join("link");
        std::os::unix::fs::symlink(&file, &link)?;
        replace(&link, "new")?;
        assert_eq!(fs::read_to_string(&file)?, "new");
        assert!(fs::symlink_metadata(&link)?.is_symlink());
        assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o644);
        assert!(replace(&folder.join("no/such"), "x").is_err());
        assert_eq!(fs::read_dir(&folder)?.count(), 2, "nothing half is left");
        fs::remove_dir_all(&folder)
    }
}
