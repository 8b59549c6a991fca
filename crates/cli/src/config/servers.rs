//! What stands in a file of servers.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use hermes::servers::{Entry, FileError, ServerFile, Surroundings};
use serde_json::{Map, Value, json};

use super::edit::jsonc;
use super::hosts::HostProgram;
use super::secret;
use crate::bounded;
use crate::exit::{Failure, Result, chain};
use crate::places;

/// The name of a file of servers in the user's own folder.
const OWN: &str = "mcp.json";

/// The file of servers of a project.
const PROJECT: &str = ".mcp.json";

/// How long the file of another program may be, in bytes: some keep more in it than servers.
const LONGEST_OF_HOSTS: u64 = 64 * 1024 * 1024;

/// The command line or the address of a server, without what looks like a secret.
pub(crate) fn reach(entry: &Entry) -> String {
    // The words of a command are apart in the file alone.
    let servers = Servers::read(entry.file()).ok().flatten();
    let named = servers.as_ref().and_then(|servers| servers.find(entry.name()));
    match named.map(|named| named.reach()) {
        Some(reach) if !reach.is_empty() => reach,
        _ => secret::shown(entry.to_string().split_whitespace()),
    }
}

/// The user's own file of servers.
pub(crate) fn own() -> Option<PathBuf> {
    places::settings().map(|folder| folder.join(OWN))
}

/// The file of the project that is worked in.
pub(crate) fn project() -> PathBuf {
    PathBuf::from(PROJECT)
}

/// The servers in one file.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(crate) path: PathBuf,
    /// Each as `.mcp.json` has it.
    servers: Map<String, Value>,
    /// Whether they are written in the words of another program.
    is_of_host: bool,
}

/// A server in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a Value,
}

impl Servers {
    /// Reads a file of servers, if it is there.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        let Some(text) = text(path, ServerFile::LIMIT)? else { return Ok(None) };
        // What is wrong with it is told in the same words wherever it is read.
        ServerFile::parse(&text, path, &Surroundings::process())
            .map_err(|error| Failure::usage(chain(&error)))?;
        let file = json(path, &text)?;
        let mut servers = Map::new();
        for table in ["mcpServers", "servers"] {
            let entries = file[table].as_object().into_iter().flatten();
            servers.extend(entries.map(|(name, value)| (name.clone(), value.clone())));
        }
        Ok(Some(Self { path: path.to_owned(), servers, is_of_host: false }))
    }

    /// Reads the file of another program, if it is there.
    ///
    /// # Errors
    /// It cannot be read, or is not what such a file is.
    pub(crate) fn of_host(host: HostProgram) -> Result<Option<Self>> {
        let Some(path) = host.file() else { return Ok(None) };
        let Some(text) = text(&path, LONGEST_OF_HOSTS)? else { return Ok(None) };
        let file = if host.is_toml() {
            toml::from_str(&text).map_err(|error| {
                Failure::usage(format!("{} is not TOML: {}", path.display(), error.message()))
            })?
        } else {
            json(&path, &text)?
        };
        let servers = host.servers(&file, env::current_dir().ok().as_deref());
        Ok(Some(Self { path, servers, is_of_host: true }))
    }

    /// Reads a file of servers, if it is there: in the words of the program that it belongs to.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub(crate) fn of_file(path: &Path) -> Result<Option<Self>> {
        let whole = std::path::absolute(path).ok();
        let mut hosts = HostProgram::value_variants().iter();
        match hosts.find(|host| whole.is_some() && host.file() == whole) {
            Some(host) => Self::of_host(*host),
            None => Self::read(path),
        }
    }

    /// All servers, in the order of the file.
    pub(crate) fn all(&self) -> impl Iterator<Item = Named<'_>> {
        self.servers.iter().map(|(name, value)| Named { name, value })
    }

    /// The server with this name.
    pub(crate) fn find(&self, name: &str) -> Option<Named<'_>> {
        self.all().find(|server| server.name == name)
    }

    /// Each server as it would be used, with what is wrong with it. Nothing is started.
    ///
    /// # Errors
    /// It has changed meanwhile, and cannot be read any more.
    pub(crate) fn entries(&self, surroundings: &Surroundings) -> Result<ServerFile> {
        let read = if self.is_of_host {
            let text = json!({ "mcpServers": self.servers }).to_string();
            ServerFile::parse(&text, &self.path, surroundings)
        } else {
            ServerFile::read(&self.path, surroundings)
        };
        read.map_err(|error| Failure::usage(chain(&error)))
    }
}

impl Named<'_> {
    /// The command line or the address, without what looks like a secret.
    pub(crate) fn reach(&self) -> String {
        let text = |member: &str| self.value[member].as_str();
        match (text("command"), text("url")) {
            (Some(command), _) => {
                let args = self.value["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
                secret::shown(std::iter::once(command).chain(args))
            }
            (None, Some(url)) => secret::shown([url]),
            (None, None) => String::new(),
        }
    }

    /// The names in one of its tables, such as `env`. What they stand for may be secrets.
    pub(crate) fn names_in(&self, table: &str) -> Vec<String> {
        self.value[table].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn is_disabled(&self) -> bool {
        self.value["disabled"] == Value::Bool(true)
    }
}

/// The text of a file that may not be there, and may be so long.
pub(super) fn text(path: &Path, limit: u64) -> Result<Option<String>> {
    let read = bounded::file(path, limit)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidData)));
    match read {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(Failure::usage(FileError::TooLong { file: path.to_owned(), limit }.to_string()))
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(Failure::usage(format!("cannot read {}: {error}", path.display()))),
    }
}

fn json(path: &Path, text: &str) -> Result<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    jsonc_parser::parse_to_serde_value(text, &jsonc()).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        Failure::usage(format!("{}:{line}:{column}: {}", path.display(), error.kind()))
    })
}
