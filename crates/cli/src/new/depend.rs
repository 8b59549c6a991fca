//! Where a new project has the library from.

use std::path::{Path, PathBuf};

use crate::bounded;
use crate::exit::{Failure, Result};

/// The folder that this program was built from, which may be gone.
const BUILT_FROM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../hermes");

/// What the project needs beside what everybody has.
const FEATURES: &str = "features = [\"settings\"]";

/// Where the library is in a copy of its repository.
const WITHIN: &str = "crates/hermes";

/// The longest `Cargo.toml` that is read, in bytes.
const LONGEST_MANIFEST: u64 = 1024 * 1024;

/// The dependency as a manifest has it. `said` is a copy of the repository, or an address for git; without one, it is what
/// this program was built from or, if that is gone, the version that this program is.
///
/// # Errors
/// There is no library in the folder.
pub(super) fn hermes(said: Option<&str>) -> Result<String> {
    let Some(said) = said else {
        let built_from = Path::new(BUILT_FROM);
        if is_library(built_from) {
            return path(built_from);
        }
        return Ok(format!("{{ version = \"{}\", {FEATURES} }}", env!("CARGO_PKG_VERSION")));
    };
    let is_git = said.contains("://") || said.starts_with("git@");
    if is_git {
        return Ok(format!("{{ git = {}, {FEATURES} }}", quoted(said)));
    }
    let places = [PathBuf::from(said), Path::new(said).join(WITHIN)];
    let found = places.iter().find(|place| is_library(place)).ok_or_else(|| {
        Failure::usage(format!("{said} is no copy of Hermes: there is no {WITHIN} in it")).with_hint(
            "--hermes takes a folder, or an address for git such as https://example.org/hermes".to_owned(),
        )
    })?;
    path(found)
}

fn is_library(folder: &Path) -> bool {
    let manifest = bounded::file(folder.join("Cargo.toml"), LONGEST_MANIFEST).unwrap_or_default();
    String::from_utf8_lossy(&manifest).lines().any(|line| line == "name = \"mcp-hermes\"")
}

fn path(folder: &Path) -> Result<String> {
    let unusable = |why: &dyn std::fmt::Display| Failure::usage(format!("{}: {why}", folder.display()));
    let folder = folder.canonicalize().map_err(|error| unusable(&error))?;
    let text = folder.to_str().ok_or_else(|| unusable(&"the path is no text (UTF-8)"))?;
    Ok(format!("{{ path = {}, {FEATURES} }}", quoted(text)))
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    // JSON's escapes are among those of TOML.
    serde_json::Value::from(text).to_string()
}
