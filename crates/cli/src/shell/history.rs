//! Where typed commands are kept.

use std::env;
use std::path::PathBuf;

use crate::{atomic, places};

/// Names another file; empty, nothing is kept.
const HISTORY: &str = "HERMES_HISTORY";

/// The file of the history, whose folder is there for the user alone; `None` when nothing is kept.
pub(crate) fn file() -> Option<PathBuf> {
    if let Some(named) = env::var_os(HISTORY) {
        return Some(PathBuf::from(named)).filter(|path| !path.as_os_str().is_empty());
    }
    let folder = places::state()?;
    atomic::folder(&folder).ok()?;
    Some(folder.join("history"))
}
