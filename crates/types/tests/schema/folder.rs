//! The official schemas and examples, read from the folder that `MCP_SCHEMA_DIR` names.
//!
//! The folder holds `schema/<revision>.json` and `examples/<revision>/<Definition>/*.json`. It is not part
//! of the project; without it nothing here can be shown, which is an error in CI and said aloud elsewhere.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hermes_types::Revision;
use serde_json::{Map, Value, json};

/// The folder, if there is one.
///
/// # Panics
/// `CI` is `true` and there is none.
pub(crate) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(look).as_deref()
}

fn look() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the tests are told by the environment, the crate is not")]
    let (named, ci) = (std::env::var_os("MCP_SCHEMA_DIR"), std::env::var_os("CI"));
    if named.is_none() {
        assert_ne!(ci, Some("true".into()), "MCP_SCHEMA_DIR has to name the official schemas in CI");
        // Not by a macro: the harness would swallow it.
        let _ = writeln!(
            std::io::stderr(),
            "\n*** NOT RUN: set MCP_SCHEMA_DIR to compare the model with the official schemas ***\n"
        );
    }
    named.map(PathBuf::from)
}

/// The official schema of one revision.
pub(crate) struct Schema {
    pub(crate) revision: Revision,
    document: Value,
    /// `definitions` or `$defs`.
    container: &'static str,
}

/// The official schemas of all revisions, or none where the folder is not there.
pub(crate) fn schemas() -> Vec<Schema> {
    let Some(folder) = folder() else { return Vec::new() };
    Revision::ALL.map(|revision| Schema::read(folder, revision)).into()
}

impl Schema {
    fn read(folder: &Path, revision: Revision) -> Self {
        let path = folder.join("schema").join(format!("{revision}.json"));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let document: Value = serde_json::from_str(&text).expect("the schema is JSON");
        let container = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
        Self { revision, document, container }
    }

    /// All definitions.
    pub(crate) fn definitions(&self) -> &Map<String, Value> {
        self.document[self.container].as_object().expect("definitions")
    }

    /// The part of the schema at a place such as `Tool` or `CallToolRequest/properties/params`.
    pub(crate) fn find(&self, place: &str) -> Option<&Value> {
        self.document.pointer(&format!("/{}/{place}", self.container))
    }

    /// The names of the members that a part of the schema knows, through references and combinations.
    pub(crate) fn properties(&self, part: &Value) -> Vec<String> {
        let mut names: Vec<String> =
            part["properties"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
        if let Some(reference) = part["$ref"].as_str() {
            let target =
                self.document.pointer(reference.trim_start_matches('#')).expect("a reference inside");
            names.extend(self.properties(target));
        }
        for combined in ["allOf", "anyOf"] {
            for part in part[combined].as_array().into_iter().flatten() {
                names.extend(self.properties(part));
            }
        }
        names
    }

    /// What is wrong with a value at a place of the schema.
    pub(crate) fn errors(&self, place: &str, value: &Value) -> Vec<String> {
        // 2020-12 and draft-07 both resolve a reference into the same document.
        let schema = json!({
            "$schema": self.document["$schema"],
            "$ref": format!("#/{}/{place}", self.container),
            self.container: self.document[self.container],
        });
        let validator =
            jsonschema::options().should_validate_formats(true).build(&schema).expect("a valid schema");
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }
}

/// The official examples of a definition's folder: name of the file and content.
pub(crate) fn examples(revision: Revision) -> Vec<(String, String, Value)> {
    let Some(folder) = folder() else { return Vec::new() };
    let mut found = Vec::new();
    for kind in list(&folder.join("examples").join(revision.as_str())) {
        for file in list(&kind) {
            let text = std::fs::read_to_string(&file).expect("an example");
            let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
            found.push((name(&kind), name(&file), serde_json::from_str(&text).expect("an example is JSON")));
        }
    }
    found
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}
