//! Folders that belong to the user.

use std::env;
use std::path::PathBuf;

/// Where the user's own settings are: `$XDG_CONFIG_HOME/hermes`, usually `~/.config/hermes`.
pub(crate) fn settings() -> Option<PathBuf> {
    settings_folder().map(|folder| folder.join("hermes"))
}

/// Where the settings of all programs are that keep to the XDG base directories, usually `~/.config`.
pub(crate) fn settings_folder() -> Option<PathBuf> {
    base("XDG_CONFIG_HOME", ".config")
}

/// Where programs with windows keep their settings.
pub(crate) fn of_programs() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return home().map(|home| home.join("Library/Application Support"));
    }
    settings_folder()
}

/// Where what can be had again is kept: `$XDG_CACHE_HOME/hermes`, usually `~/.cache/hermes`.
pub(crate) fn cache() -> Option<PathBuf> {
    base("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("hermes"))
}

/// Where what was done is kept: `$XDG_STATE_HOME/hermes`, usually `~/.local/state/hermes`.
pub(crate) fn state() -> Option<PathBuf> {
    base("XDG_STATE_HOME", ".local/state").map(|folder| folder.join("hermes"))
}

/// A path that somebody types where no other shell has expanded it: `~` is the home folder.
pub(crate) fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix('~'), home()) {
        (Some(""), Some(home)) => home,
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    }
}

/// What the variable names, or else a folder at home. A path that is not absolute does not count, as the XDG base
/// directory specification says.
fn base(variable: &str, at_home: &str) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| home().map(|home| home.join(at_home)))
}

/// The user's home.
pub(crate) fn home() -> Option<PathBuf> {
    env::home_dir().filter(|home| home.is_absolute())
}
