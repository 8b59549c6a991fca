//! Whether a command is there.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The command, if it is to be found along PATH and is not. A path, and one with a variable in it, is not looked for.
pub(crate) fn missing_program(command: &str) -> Option<&str> {
    if command.is_empty() || command.contains(['/', '$', '~']) {
        return None;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let is_there = env::split_paths(&path).any(|folder| can_run(&folder.join(command)));
    (!is_there).then_some(command)
}

fn can_run(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
