//! The checks that the suite writes down: one file for each scenario.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result, at};

/// What came of a check.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Status {
    Success,
    Failure,
    Warning,
    Skipped,
    /// Something that was seen; it is no check.
    Info,
}

/// One check, as the suite writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Check {
    pub(super) id: String,
    pub(super) status: Status,
    #[serde(default)]
    description: String,
    error_message: Option<String>,
}

impl Check {
    /// What went wrong, or what was checked.
    pub(super) fn message(&self) -> &str {
        self.error_message.as_deref().unwrap_or(&self.description)
    }
}

/// The checks of one scenario.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) checks: Vec<Check>,
    /// What a client said on its standard error; empty for a server.
    pub(super) said: String,
}

impl Scenario {
    /// Whether it belongs to an extension that there is none of: those come later.
    pub(super) fn is_extension(&self) -> bool {
        self.name.starts_with("tasks-") || self.name.starts_with("sep-2640-")
    }
}

/// Reads what a run of the suite has left in a folder: the scenarios, in the order of their names.
///
/// # Errors
///
/// When a file cannot be read, or is not what the suite writes.
pub(super) fn read(folder: &Path) -> Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let entry = entry.map_err(at(folder))?;
        let file_name = entry.file_name();
        let Some(name) = file_name.to_str().and_then(scenario) else { continue };
        let path = entry.path().join("checks.json");
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        let checks = serde_json::from_str(&text).map_err(|source| Error::Checks { path, source })?;
        // There is none of a server, which is not started by the suite.
        let said = fs::read_to_string(entry.path().join("stderr.txt")).unwrap_or_default();
        scenarios.push(Scenario { name: name.to_owned(), checks, said });
    }
    scenarios.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(scenarios)
}

/// The scenario that a folder is named after: `server-ping-2026-11-30T08-05-43-663Z` is that of `ping` for a server, and
/// without `server-` it would be for a client.
fn scenario(folder: &str) -> Option<&str> {
    let (name, _clock) = folder.strip_prefix("server-").unwrap_or(folder).rsplit_once('T')?;
    let date = "-2026-11-30".len();
    name.get(..name.len().checked_sub(date)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_its_scenario() {
        assert_eq!(scenario("server-ping-2026-11-30T08-05-43-663Z"), Some("ping"));
        assert_eq!(
            scenario("server-json-schema-2020-12-2026-11-30T08-05-44-433Z"),
            Some("json-schema-2020-12")
        );
        assert_eq!(scenario("sse-retry-2026-11-30T08-05-44-433Z"), Some("sse-retry"));
        assert_eq!(scenario("suite.log"), None);
    }

    #[test]
    fn a_check_tells_what_went_wrong() {
        let text = r#"[
            {"id": "a", "name": "A", "status": "WARNING", "description": "should", "errorMessage": "did not"},
            {"id": "b", "name": "B", "status": "SUCCESS", "description": "must", "details": {}}
        ]"#;
        let checks: Vec<Check> = serde_json::from_str(text).unwrap();
        assert_eq!((checks[0].status, checks[0].message()), (Status::Warning, "did not"));
        assert_eq!((checks[1].status, checks[1].message()), (Status::Success, "must"));
    }

    #[test]
    fn extensions_are_told_by_their_names() {
        let is_extension = |name: &str| {
            Scenario { name: name.to_owned(), checks: vec![], said: String::new() }.is_extension()
        };
        assert!(is_extension("tasks-lifecycle") && is_extension("sep-2640-skills-manifest"));
        assert!(!is_extension("tools-list") && !is_extension("sep-2164-resource-not-found"));
    }
}
