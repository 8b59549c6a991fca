//! One server of a file.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jsonc_parser::ast::Value;

use super::env_file;
use super::error::{EntryError, Flaw};
use super::members::{Fault, Members, wrong};
use super::surroundings::Scope;
use crate::child::Command;
use crate::target::Target;

/// All members that mean something here.
const KNOWN: [&str; 10] =
    ["args", "command", "cwd", "disabled", "env", "envFile", "headers", "timeout", "type", "url"];

/// How the address of a server may begin. Sockets (`unix:`) are left out: editors mean HTTP over them.
const SCHEMES: [&str; 4] = ["http", "https", "ws", "wss"];

/// How long a file of variables may be, in bytes.
const LONGEST_ENV_FILE: u64 = 1024 * 1024;

/// Some hosts count `timeout` in seconds. What is below this many milliseconds is taken for such a number.
const SECONDS_BELOW: f64 = 1000.0;

/// One server of a [`ServerFile`](super::ServerFile): how it is reached, or why it cannot be.
///
/// | member | means |
/// |---|---|
/// | `type` | `stdio`; or `http`, `streamable-http`, `sse`, `ws`, which are one: what the server speaks is found out by its address. May be left out |
/// | `command`, `args`, `cwd` | the server is started, without a shell |
/// | `env`, `envFile` | variables for it on top of our own environment; `null` takes one away, and `env` has the last word |
/// | `url`, `headers` | the server is at an address; the headers go with every request |
/// | `disabled` | it is left out when all servers are started |
/// | `timeout` | how long an answer may take, in milliseconds; below 1000 it is ignored, as some hosts count in seconds |
///
/// As text an entry is its command line or its address as it is written in the file, with its variables and without
/// credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    name: String,
    file: PathBuf,
    line: usize,
    is_disabled: bool,
    timeout: Option<Duration>,
    /// As it is written.
    written: String,
    reach: Result<Reach, EntryError>,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Reach {
    Command(Start),
    Address { url: String, headers: Vec<(String, String)> },
}

/// How a server is started.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) program: OsString,
    pub(super) args: Vec<String>,
    pub(super) cwd: PathBuf,
    /// Variables to set, or to take away.
    pub(super) env: Vec<(String, Option<String>)>,
}

impl Start {
    fn command(&self) -> Command {
        let command = Command::new(&self.program).args(&self.args).cwd(&self.cwd);
        self.env.iter().fold(command, |command, (name, value)| match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        })
    }
}

impl Entry {
    /// Reads an entry. Whatever is wrong with it is kept in it.
    pub(super) fn read(file: &Path, line: usize, name: &str, value: &Value<'_>, scope: &Scope<'_>) -> Self {
        let mut entry = Self {
            name: name.to_owned(),
            file: file.to_owned(),
            line,
            is_disabled: false,
            timeout: None,
            written: String::new(),
            reach: Err(EntryError {
                file: file.to_owned(),
                line,
                server: name.to_owned(),
                member: None,
                flaw: Flaw::Neither,
            }),
        };
        match entry.fill(value, scope) {
            Ok(reach) => entry.reach = Ok(reach),
            Err(fault) => entry.spoil(fault),
        }
        entry
    }

    fn fill(&mut self, value: &Value<'_>, scope: &Scope<'_>) -> Result<Reach, Fault> {
        let object = value.as_object().ok_or_else(|| wrong("an object", value))?;
        let members = Members { object, scope };
        for other in members.others(&KNOWN) {
            tracing::debug!(server = %self.name, member = other, "a member that is not known is left alone");
        }
        self.is_disabled = members.truth("disabled")?;
        let (command, url) = (members.written("command")?, members.written("url")?);
        let is_command = match (members.written("type")?, command, url) {
            (Some("stdio"), ..) => true,
            (Some("http" | "streamable-http" | "streamableHttp" | "sse" | "ws" | "websocket"), ..) => false,
            (Some(name), ..) => return Err(Flaw::UnknownType { name: name.to_owned() }.of("type")),
            (None, Some(_), Some(_)) => return Err(Flaw::Both.into()),
            (None, command, url) if command.is_some() || url.is_some() => command.is_some(),
            (None, ..) => return Err(Flaw::Neither.into()),
        };
        self.written =
            if is_command { command.unwrap_or_default().to_owned() } else { shown(url.unwrap_or_default()) };
        self.timeout = timeout(&members)?;
        if !is_command {
            return address(&members);
        }
        let (written, args) = members.strings("args")?;
        for arg in written {
            self.written.extend([" ", arg]);
        }
        command_of(&members, args)
    }

    fn spoil(&mut self, Fault { member, flaw }: Fault) {
        let (file, line, server) = (self.file.clone(), self.line, self.name.clone());
        self.reach = Err(EntryError { file, line, server, member, flaw });
    }

    /// The same name stands in the file once more, in this line: neither is known to be the one that is meant.
    pub(super) fn is_there_again(&mut self, line: usize) {
        let first = match &self.reach {
            Err(EntryError { flaw: Flaw::Twice { first }, .. }) => *first,
            _ => self.line,
        };
        self.line = line;
        self.spoil(Flaw::Twice { first }.into());
    }

    /// The name of the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file that it stands in.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The line of the file that it begins in, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Whether it is left out when all servers are started.
    #[must_use]
    pub const fn is_disabled(&self) -> bool {
        self.is_disabled
    }

    /// How long an answer may take, if it says so.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Whether another entry says the same, wherever it stands.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let reach = match (&self.reach, &other.reach) {
            (Ok(ours), Ok(theirs)) => ours == theirs,
            (Err(ours), Err(theirs)) => (&ours.member, &ours.flaw) == (&theirs.member, &theirs.flaw),
            _ => false,
        };
        reach && self.is_disabled == other.is_disabled && self.timeout == other.timeout
    }

    #[cfg(test)]
    pub(super) const fn reach(&self) -> &Result<Reach, EntryError> {
        &self.reach
    }

    /// What a client connects to: the command, or the address with its headers. Whether the file disables it does not
    /// matter here.
    ///
    /// ```no_run
    /// use hermes_client::Client;
    /// use hermes_client::servers::{ServerFile, Surroundings};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = ServerFile::read(".mcp.json", &Surroundings::process())?;
    /// let entry = file.entry("files").ok_or("there are no files")?;
    /// let client = Client::connect(entry.target()?).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What is wrong with the entry.
    pub fn target(&self) -> Result<Target, EntryError> {
        match &self.reach {
            Ok(Reach::Command(start)) => Ok(start.command().into()),
            Ok(Reach::Address { url, headers }) => {
                let target = Target::from(url);
                Ok(headers.iter().fold(target, |target, (name, value)| target.header(name, value)))
            }
            Err(error) => Err(error.clone()),
        }
    }

    /// Its address, if that is how it is reached and nothing is wrong with it. There may be credentials in it.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.reach {
            Ok(Reach::Address { url, .. }) => Some(url),
            _ => None,
        }
    }

    /// The folder that it is started in, if that is how it is reached and nothing is wrong with it. It need not be there.
    #[must_use]
    pub fn cwd(&self) -> Option<&Path> {
        match &self.reach {
            Ok(Reach::Command(start)) => Some(&start.cwd),
            _ => None,
        }
    }

    /// Why it cannot be used, if so.
    #[must_use]
    pub fn error(&self) -> Option<&EntryError> {
        self.reach.as_ref().err()
    }
}

fn timeout(members: &Members<'_>) -> Result<Option<Duration>, Fault> {
    let Some(number) = members.number("timeout")? else { return Ok(None) };
    if number < SECONDS_BELOW {
        tracing::debug!(timeout = number, "a timeout below 1000 ms is taken for seconds, and left alone");
        return Ok(None);
    }
    // What is too long for a duration is no limit at all.
    Ok(Duration::try_from_secs_f64(number / 1000.0).ok())
}

fn address(members: &Members<'_>) -> Result<Reach, Fault> {
    let url = members.string("url")?.ok_or_else(|| Flaw::Missing.of("url"))?;
    let url = url.trim().to_owned();
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    if !SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err(Flaw::NotAnAddress.of("url"));
    }
    let headers = members.pairs("headers")?;
    let headers = headers.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    Ok(Reach::Address { url, headers })
}

fn command_of(members: &Members<'_>, args: Vec<String>) -> Result<Reach, Fault> {
    let scope = members.scope;
    let of = |member: &'static str| move |flaw: Flaw| flaw.of(member);
    let cwd = members.written("cwd")?;
    let cwd = scope.path(cwd.unwrap_or_default(), scope.workspace).map_err(of("cwd"))?;
    let program = members.string("command")?.ok_or_else(|| Flaw::Missing.of("command"))?;
    let program = scope.untilde(&program).map_err(of("command"))?;
    // A path is of the folder that the server works in, as for any program that starts another one.
    let is_path = program.components().count() > 1;
    let program = if is_path { cwd.join(program) } else { program }.into_os_string();
    let mut env = Vec::new();
    if let Some(file) = members.written("envFile")? {
        let file = scope.path(file, scope.workspace).map_err(of("envFile"))?;
        env = variables(file).map_err(of("envFile"))?;
    }
    env.extend(members.pairs("env")?);
    Ok(Reach::Command(Start { program, args, cwd, env }))
}

/// The variables of a file.
fn variables(file: PathBuf) -> Result<Vec<(String, Option<String>)>, Flaw> {
    let mut bytes = Vec::new();
    let read = File::open(&file).and_then(|open| open.take(LONGEST_ENV_FILE + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Err(Flaw::EnvFile { file, kind: error.kind() });
    }
    if bytes.len() as u64 > LONGEST_ENV_FILE {
        return Err(Flaw::EnvFileTooLong { file, limit: LONGEST_ENV_FILE });
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(Flaw::EnvFile { file, kind: io::ErrorKind::InvalidData });
    };
    let variables = env_file::parse(&text).map_err(|line| Flaw::EnvFileLine { file, line })?;
    Ok(variables.into_iter().map(|(name, value)| (name, Some(value))).collect())
}

/// An address as it is written, without credentials: no user, and no query.
fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let mut shown = String::new();
    if !scheme.is_empty() {
        shown.extend([scheme, "://"]);
    }
    shown.push_str(host);
    if rest.len() > authority.len() {
        shown.extend(["/", path]);
    }
    shown
}

/// The command line or the address, as it is written.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// Without the values of variables and headers, which may be secrets.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Entry");
        shown.field("name", &self.name).field("written", &self.written);
        match &self.reach {
            Ok(Reach::Command(Start { cwd, env, .. })) => {
                let names: Vec<&str> = env.iter().map(|(name, _)| name.as_str()).collect();
                shown.field("cwd", cwd).field("env", &names);
            }
            Ok(Reach::Address { headers, .. }) => {
                let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
                shown.field("headers", &names);
            }
            Err(error) => {
                shown.field("error", error);
            }
        }
        shown.field("is_disabled", &self.is_disabled).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
