//! A file of servers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{self, Path, PathBuf};

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::entry::Entry;
use super::error::FileError;
use super::surroundings::{Scope, Surroundings};

/// The members that hold servers, by the name of the server.
const SERVERS: [&str; 2] = ["mcpServers", "servers"];

/// The folders that editors keep their files in: such a file is for the folder around it.
const OF_EDITORS: [&str; 2] = [".vscode", ".cursor"];

/// A file of servers, such as `.mcp.json`, the `mcp.json` of VS Code or Cursor, or `claude_desktop_config.json`.
///
/// ```json
/// {
///   "mcpServers": {
///     "files": {
///       "command": "npx",
///       "args": ["-y", "@modelcontextprotocol/server-filesystem", "${workspaceFolder}"],
///       "env": { "DEBUG": "1" },
///       "cwd": "."
///     },
///     "tickets": {
///       "type": "http",
///       "url": "https://example.org/mcp",
///       "headers": { "Authorization": "Bearer ${TOKEN}" }
///     }
///   }
/// }
/// ```
///
/// The servers stand in `mcpServers`, or in `servers` as VS Code has it, whose `inputs` and `envFile` are understood
/// too. Comments, trailing commas and a byte order mark do no harm, and members that are not known are left alone. What
/// is wrong with one server is said by its [`Entry`], and is nothing to the others.
///
/// A path in it, and the working folder of its servers, is of the folder that the file is for: the one it is in, or the
/// one around `.vscode` or `.cursor`. A command without a `/` is looked up in PATH.
#[derive(Clone, Debug)]
pub struct ServerFile {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl ServerFile {
    /// How long a file may be, in bytes: 4 MiB.
    pub const LIMIT: u64 = 4 * 1024 * 1024;

    /// Reads a file, and the files of variables that it names. It is small, and read at once.
    ///
    /// # Errors
    /// [`FileError`]: nothing can be made of the file as a whole.
    pub fn read(path: impl AsRef<Path>, surroundings: &Surroundings) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|source| FileError::Read { file: path.to_owned(), source })?;
        Self::read_from(file, path, surroundings)
    }

    /// Reads a file that is open already, so that what was found out about it is true of what is read.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from(
        file: File,
        path: impl AsRef<Path>,
        surroundings: &Surroundings,
    ) -> Result<Self, FileError> {
        let path = path.as_ref();
        let read = |source| FileError::Read { file: path.to_owned(), source };
        let mut bytes = Vec::new();
        file.take(Self::LIMIT + 1).read_to_end(&mut bytes).map_err(read)?;
        if bytes.len() as u64 > Self::LIMIT {
            return Err(FileError::TooLong { file: path.to_owned(), limit: Self::LIMIT });
        }
        let text = String::from_utf8(bytes).map_err(|_| read(io::ErrorKind::InvalidData.into()))?;
        Self::parse(&text, path, surroundings)
    }

    /// Makes sense of a text as if it stood in this file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(text: &str, path: impl AsRef<Path>, surroundings: &Surroundings) -> Result<Self, FileError> {
        let path = path.as_ref().to_owned();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = parse_to_ast(text, &CollectOptions::default(), &jsonc()).map_err(|error| {
            let problem = error.kind().to_string();
            let (line, column) = (error.line_display(), error.column_display());
            FileError::Json { file: path.clone(), line, column, problem }
        })?;
        let Some(Value::Object(root)) = document.value else {
            return Err(FileError::NoServers { file: path });
        };
        let tables: Vec<&Object<'_>> = root
            .properties
            .iter()
            .filter(|property| SERVERS.contains(&property.name.as_str()))
            .filter_map(|property| property.value.as_object())
            .collect();
        if tables.is_empty() {
            return Err(FileError::NoServers { file: path });
        }
        let workspace = surroundings.folder().map_or_else(|| workspace(&path), Path::to_owned);
        let scope = Scope { surroundings, workspace: &workspace, inputs: inputs(&root) };
        let mut entries: Vec<Entry> = Vec::new();
        for property in tables.into_iter().flat_map(|table| &table.properties) {
            let (name, line) = (property.name.as_str(), line_of(text, property));
            match entries.iter_mut().find(|entry| entry.name() == name) {
                Some(first) => first.is_there_again(line),
                None => entries.push(Entry::read(&path, line, name, &property.value, &scope)),
            }
        }
        Ok(Self { path, entries })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The servers, in the order of the file; also those that cannot be used, and those that are disabled.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The server with this name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name() == name)
    }
}

/// JSON with comments and trailing commas, and nothing else that is not JSON.
const fn jsonc() -> ParseOptions {
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

/// The folder that a file is for.
fn workspace(file: &Path) -> PathBuf {
    // Where there is no current folder, relative paths stay so.
    let file = path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().unwrap_or(&file);
    let is_of_editor = folder.file_name().is_some_and(|name| OF_EDITORS.iter().any(|&own| name == own));
    let folder = if is_of_editor { folder.parent().unwrap_or(folder) } else { folder };
    folder.to_owned()
}

/// The inputs that are declared, with their defaults. What is no declaration declares nothing.
fn inputs(root: &Object<'_>) -> BTreeMap<String, Option<String>> {
    let list = root.get_array("inputs").map(|list| list.elements.as_slice()).unwrap_or_default();
    let declared = list.iter().filter_map(Value::as_object);
    declared
        .filter_map(|input| {
            let text = |name| input.get_string(name).map(|text| text.value.clone().into_owned());
            Some((text("id")?, text("default")))
        })
        .collect()
}

/// The line that a property begins in, from 1.
fn line_of(text: &str, property: &ObjectProp<'_>) -> usize {
    let before = text.as_bytes().get(..property.range.start).unwrap_or_default();
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}
