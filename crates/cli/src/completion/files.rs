//! Files and folders, completed.

use std::env;
use std::fs;
use std::path::PathBuf;

use super::candidates::Candidate;

/// The files that begin with what is typed; folders end with a slash. What is hidden is offered when a dot is typed.
pub(super) fn files(before: &str, typed: &str, only_folders: bool) -> Vec<Candidate> {
    let (folder, start) = typed.rsplit_once('/').map_or(("", typed), |(folder, start)| (folder, start));
    let shown = if typed.contains('/') { format!("{folder}/") } else { String::new() };
    let Ok(listed) = fs::read_dir(place(&shown)) else { return Vec::new() };
    let named = listed.filter_map(Result::ok).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_meant = name.starts_with(start) && (start.starts_with('.') || !name.starts_with('.'));
        // A link to a folder is one.
        let is_folder = entry.path().is_dir();
        let end = if is_folder { "/" } else { "" };
        (is_meant && (is_folder || !only_folders))
            .then(|| Candidate::new(format!("{before}{shown}{name}{end}")))
    });
    let mut named: Vec<Candidate> = named.collect();
    named.sort_by(|one, other| one.value.cmp(&other.value));
    named
}

/// A folder as it is typed: no folder is the working folder, and `~` is at home.
fn place(typed: &str) -> PathBuf {
    match (typed, typed.strip_prefix("~/"), env::home_dir()) {
        ("", ..) => PathBuf::from("."),
        (_, Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    }
}
