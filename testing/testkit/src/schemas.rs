//! The official schemas, closed, each definition compiled once.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hermes_types::Revision;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::closed::close;

/// One definition of one revision.
type Name = (Revision, String);

/// The schemas of all revisions.
#[derive(Debug)]
pub(crate) struct Schemas {
    roots: BTreeMap<Revision, Value>,
    compiled: Mutex<BTreeMap<Name, Arc<Validator>>>,
}

/// Read once per process; `None` when no folder is named.
static OFFICIAL: OnceLock<Option<Arc<Schemas>>> = OnceLock::new();

impl Schemas {
    /// Those of the folder that `MCP_SCHEMA_DIR` names. Without one, that nothing is judged is said once per process.
    ///
    /// # Panics
    /// The folder has no such schemas, or `CI` is `true` and there is no folder.
    pub(crate) fn official() -> Option<Arc<Self>> {
        OFFICIAL
            .get_or_init(|| {
                if let Some(folder) = std::env::var_os("MCP_SCHEMA_DIR") {
                    return Some(Arc::new(Self::read(&PathBuf::from(folder))));
                }
                assert_ne!(std::env::var_os("CI"), Some("true".into()), "MCP_SCHEMA_DIR is not set");
                // Not by a macro: the harness would swallow it. A standard error that is gone hears nothing.
                let _ = writeln!(
                    std::io::stderr(),
                    "\n*** NOT JUDGED: set MCP_SCHEMA_DIR to hold messages against the official schemas ***\n"
                );
                None
            })
            .clone()
    }

    /// Those of a folder.
    ///
    /// # Panics
    /// The folder lacks the schema of a revision.
    pub(crate) fn read(folder: &Path) -> Self {
        let read = |revision: Revision| {
            let path = folder.join("schema").join(format!("{revision}.json"));
            let text = std::fs::read_to_string(&path);
            let schema = text
                .map_err(|error| error.to_string())
                .and_then(|text| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()));
            match schema {
                Ok(mut schema) => {
                    let container = container(&schema);
                    schema[container].as_object_mut().map(close);
                    (revision, schema)
                }
                Err(error) => panic!("{}: {error}", path.display()),
            }
        };
        Self { roots: Revision::ALL.into_iter().map(read).collect(), compiled: Mutex::default() }
    }

    /// Holds a value against a definition.
    ///
    /// # Errors
    /// The revision has no such definition, or the value does not fit: says where.
    pub(crate) fn check(&self, revision: Revision, kind: &str, value: &Value) -> Result<(), String> {
        let validator = self.definition(revision, kind)?;
        validator
            .validate(value)
            .map_err(|error| format!("no {kind} of {revision}: {}: {error}", error.instance_path()))
    }

    fn definition(&self, revision: Revision, kind: &str) -> Result<Arc<Validator>, String> {
        let name = (revision, kind.to_owned());
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = compiled.get(&name) {
            return Ok(Arc::clone(validator));
        }
        let schema = &self.roots[&revision];
        let container = container(schema);
        if schema[container].get(kind).is_none() {
            return Err(format!("{revision} has no {kind}"));
        }
        let mut root = json!({ "$ref": format!("#/{container}/{kind}") });
        root[container] = schema[container].clone();
        root["$schema"] = schema["$schema"].clone();
        let validator = Arc::new(jsonschema::validator_for(&root).map_err(|error| error.to_string())?);
        compiled.insert(name, Arc::clone(&validator));
        Ok(validator)
    }
}

/// Where a schema keeps its definitions.
fn container(schema: &Value) -> &'static str {
    if schema.get("$defs").is_some() { "$defs" } else { "definitions" }
}
