//! A file of servers while it is changed: what else is in it, comments too, stays as it is.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hermes::servers::ServerFile;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value, json};

use super::servers::text;
use crate::atomic;
use crate::exit::{Exit, Failure, Result};

/// The table that servers stand in, and what VS Code calls it.
const TABLES: [&str; 2] = ["mcpServers", "servers"];

/// A file that is being changed. As long as this is there, nobody else changes it.
#[derive(Debug)]
pub(crate) struct Document {
    /// The folder of the file, locked: the file itself is another one once it is written.
    _locked: Option<File>,
    path: PathBuf,
    mark: &'static str,
    root: CstRootNode,
    file: CstObject,
}

impl Document {
    /// Opens a file to which something is added, and makes the folder around it. Waits until nobody else changes it.
    ///
    /// # Errors
    /// As [`open`](Self::open), or the folder cannot be made.
    pub(crate) fn make(path: &Path) -> Result<Self> {
        atomic::folder(folder(path)).map_err(|error| unwritable(path, &error))?;
        Self::open(path)
    }

    /// Opens a file, which need not be there. Waits until nobody else changes it.
    ///
    /// # Errors
    /// It cannot be read, or is no JSON object.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        const MARK: &str = "\u{feff}";
        let locked = lock(path).map_err(|error| unwritable(path, &error))?;
        let text = text(path, ServerFile::LIMIT)?.unwrap_or_else(|| "{}\n".to_owned());
        let (mark, text) = text.strip_prefix(MARK).map_or(("", text.as_str()), |rest| (MARK, rest));
        let root = CstRootNode::parse(text, &jsonc()).map_err(|error| {
            let (line, column) = (error.line_display(), error.column_display());
            Failure::usage(format!("{}:{line}:{column}: {}", path.display(), error.kind()))
        })?;
        let no_object = || Failure::usage(format!("what {} holds is no JSON object", path.display()));
        let file = root.object_value_or_create().ok_or_else(no_object)?;
        Ok(Self { _locked: locked, path: path.to_owned(), mark, root, file })
    }

    /// Whether there is a server with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        TABLES
            .iter()
            .any(|table| self.file.object_value(table).is_some_and(|table| table.get(name).is_some()))
    }

    /// Adds a server, or puts it in the place of the one with this name.
    ///
    /// # Errors
    /// The table of the servers is no object.
    pub(crate) fn set(&self, name: &str, server: &Value) -> Result<()> {
        let [usual, other] = TABLES;
        let is_other = self.file.get(usual).is_none() && self.file.get(other).is_some();
        let table = if is_other { other } else { usual };
        let servers = self
            .file
            .object_value_or_create(table)
            .ok_or_else(|| Failure::usage(format!("`{table}` in {} is no object", self.path.display())))?;
        match servers.get(name) {
            Some(old) => old.set_value(input(server)),
            None => drop(servers.append(name, input(server))),
        }
        Ok(())
    }

    /// Takes a server out; says whether it was there.
    pub(crate) fn remove(&self, name: &str) -> bool {
        let tables = TABLES.iter().filter_map(|table| self.file.object_value(table));
        let found: Vec<_> = tables.filter_map(|table| table.get(name)).collect();
        let was_there = !found.is_empty();
        found.into_iter().for_each(jsonc_parser::cst::CstObjectProp::remove);
        was_there
    }

    /// Writes the file, all at once.
    ///
    /// # Errors
    /// It cannot be written; then the old one is still there.
    pub(crate) fn write(&self) -> Result<()> {
        let text = format!("{}{}", self.mark, self.root);
        atomic::replace(&self.path, &text).map_err(|error| unwritable(&self.path, &error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Output, format!("cannot write to {}: {error}", path.display()))
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Waits until nobody else changes the file. The lock ends with what is returned; it is that of the folder, so nothing is left
/// lying about. There is none where there is no folder yet, nor on a file system that knows none.
fn lock(path: &Path) -> io::Result<Option<File>> {
    // All who change a file that links lead to meet at the file.
    let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = match File::open(folder(&file)) {
        Ok(folder) => folder,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    match rustix::io::retry_on_intr(|| rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive))
    {
        Ok(()) => Ok(Some(folder)),
        Err(rustix::io::Errno::NOLCK | rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// JSON with comments and trailing commas, and nothing else that is not JSON.
pub(super) const fn jsonc() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// A server as a file has it: the words of a command, or one address.
pub(crate) fn entry(words: &[String], env: &[(String, String)], headers: &[(String, String)]) -> Value {
    let table = |pairs: &[(String, String)]| -> Map<String, Value> {
        pairs.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect()
    };
    let mut entry = match words {
        [address] if address.contains("://") => {
            let kind = if address.to_ascii_lowercase().starts_with("ws") { "ws" } else { "http" };
            json!({ "type": kind, "url": address })
        }
        [command, args @ ..] => json!({ "command": command, "args": args }),
        [] => json!({}),
    };
    for (member, pairs) in [("env", env), ("headers", headers)] {
        if !pairs.is_empty() {
            entry[member] = Value::Object(table(pairs));
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        let root = CstRootNode::parse(text, &jsonc()).expect("JSON");
        let file = root.object_value_or_create().expect("an object");
        Document { _locked: None, path: PathBuf::from("f"), mark: "", root, file }
    }

    #[test]
    fn a_new_server_stands_behind_the_others_and_nothing_else_changes() -> Result<()> {
        let document = document(
            "{\n    // ours\n    \"x\": 1e2,\n    \"mcpServers\": {\n        \"a\": { \"command\": \"x\" }, // first\n    },\n}\n",
        );
        document.set("b", &json!({ "command": "y", "args": ["1", "2"] }))?;
        assert_eq!(
            document.root.to_string(),
            "{\n    // ours\n    \"x\": 1e2,\n    \"mcpServers\": {\n        \"a\": { \"command\": \"x\" }, // first\n        \"b\": {\n            \"command\": \"y\",\n            \"args\": [\"1\", \"2\"],\n        },\n    },\n}\n"
        );
        assert!(document.has("a") && document.has("b") && !document.has("c"));
        assert!(document.remove("b") && !document.remove("b"));
        assert!(document.root.to_string().contains("// first"));
        Ok(())
    }

    #[test]
    fn an_empty_file_becomes_one_that_people_can_read() -> Result<()> {
        let document = document("{}\n");
        document.set("a", &json!({ "type": "http", "url": "https://example.org/mcp" }))?;
        assert_eq!(
            document.root.to_string(),
            "{\n  \"mcpServers\": {\n    \"a\": {\n      \"type\": \"http\",\n      \"url\": \"https://example.org/mcp\"\n    }\n  }\n}\n"
        );
        Ok(())
    }

    #[test]
    fn the_table_is_the_one_that_the_file_has() -> Result<()> {
        let other = document("{ \"servers\": {} }");
        other.set("a", &json!({ "command": "x", "args": [] }))?;
        assert!(other.root.to_string().starts_with("{ \"servers\": {"));
        assert!(other.has("a"));
        let failure = document("{ \"mcpServers\": 7 }").set("a", &json!({})).expect_err("no table");
        assert_eq!(failure.to_string(), "`mcpServers` in f is no object");
        Ok(())
    }
}
