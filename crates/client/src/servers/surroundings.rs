//! What the variables in a file of servers stand for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::error::Flaw;

/// Defaults within defaults are followed this far.
const NESTING: u32 = 8;

/// What the variables in a file of servers stand for: the environment, and the inputs that an editor would ask for.
///
/// | written | means |
/// |---|---|
/// | `${NAME}`, `${env:NAME}` | the environment variable |
/// | `${NAME:-default}`, `${env:NAME:-default}` | the default if the variable is not set, or empty, as in a shell |
/// | `${input:id}` | the value given by [`input`](Self::input), or the default in the file |
/// | `${workspaceFolder}`, `${workspaceFolderBasename}` | the folder that the file is for |
/// | `${userHome}` | the value of `HOME` |
/// | `${/}`, `${pathSeparator}` | `/` |
///
/// What a variable stands for is taken as it is, and never looked at for further variables. Braces around what could
/// be no name, such as `${x%%.*}`, are left alone: a shell may be meant.
///
/// ```
/// use hermes_client::servers::{ServerFile, Surroundings};
///
/// let text = r#"{ "mcpServers": { "files": { "command": "${BIN:-server}", "args": ["${FOLDER}"] } } }"#;
/// let around = Surroundings::empty().env("FOLDER", "/data");
/// let file = ServerFile::parse(text, "/project/.mcp.json", &around)?;
/// assert_eq!(file.entry("files").map(|files| files.to_string()).as_deref(), Some("${BIN:-server} ${FOLDER}"));
/// # Ok::<(), hermes_client::servers::FileError>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Surroundings {
    /// Whether the environment of this process counts.
    process: bool,
    env: BTreeMap<OsString, OsString>,
    inputs: BTreeMap<String, String>,
    /// The folder that files are for, whatever folder they are in.
    workspace: Option<PathBuf>,
}

impl Surroundings {
    /// The environment of this process.
    pub fn process() -> Self {
        Self { process: true, ..Self::default() }
    }

    /// Nothing but what is said.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Sets a variable, in place of that of the process.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Gives the input with this id a value, in place of its default.
    pub fn input(mut self, id: impl Into<String>, value: impl Into<String>) -> Self {
        self.inputs.insert(id.into(), value.into());
        self
    }

    /// Says which folder files are for, in place of the one that they are in: for a file of servers that are used
    /// everywhere, the one that is worked in.
    ///
    /// ```
    /// use hermes_client::servers::{ServerFile, Surroundings};
    ///
    /// let text = r#"{ "mcpServers": { "files": { "command": "server", "args": ["${workspaceFolder}"] } } }"#;
    /// let file = ServerFile::parse(text, "/settings/mcp.json", &Surroundings::empty().workspace("/project"))?;
    /// let target = file.entry("files").expect("it is in the file").target().expect("it is sound");
    /// assert!(target.to_string().contains("/project"), "{target}");
    /// # Ok::<(), hermes_client::servers::FileError>(())
    /// ```
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(folder.into());
        self
    }

    /// The folder that files are for, if it is said.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    fn variable(&self, name: &str) -> Result<Option<String>, Flaw> {
        let value = self.env.get(std::ffi::OsStr::new(name)).cloned();
        let value = value.or_else(|| if self.process { std::env::var_os(name) } else { None });
        value
            .map(|value| value.into_string().map_err(|_| Flaw::NotUnicode { variable: name.to_owned() }))
            .transpose()
    }
}

/// The names alone: values may be secrets.
impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("process", &self.process)
            .field("env", &self.env.keys())
            .field("inputs", &self.inputs.keys())
            .field("workspace", &self.workspace)
            .finish()
    }
}

/// What the variables of one file stand for.
pub(super) struct Scope<'a> {
    pub(super) surroundings: &'a Surroundings,
    /// The folder that the file is for.
    pub(super) workspace: &'a Path,
    /// The inputs that the file declares, with their defaults.
    pub(super) inputs: BTreeMap<String, Option<String>>,
}

impl Scope<'_> {
    /// Puts in place of every variable what it stands for.
    pub(super) fn expand(&self, text: &str) -> Result<String, Flaw> {
        self.expand_to(text, NESTING)
    }

    /// The same for a path, which may begin with `~` and may be relative to a folder.
    pub(super) fn path(&self, text: &str, folder: &Path) -> Result<PathBuf, Flaw> {
        Ok(folder.join(self.untilde(&self.expand(text)?)?))
    }

    /// A path that may begin with `~`, as a shell understands it.
    pub(super) fn untilde(&self, path: &str) -> Result<PathBuf, Flaw> {
        match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Ok(PathBuf::from(self.home()?).join(rest.trim_start_matches('/')))
            }
            _ => Ok(PathBuf::from(path)),
        }
    }

    fn home(&self) -> Result<String, Flaw> {
        self.surroundings.variable("HOME")?.ok_or_else(|| Flaw::Unset { variable: "HOME".to_owned() })
    }

    fn expand_to(&self, text: &str, nesting: u32) -> Result<String, Flaw> {
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            expanded.push_str(before);
            let (inner, behind) = closed(after).ok_or(Flaw::Unclosed)?;
            match self.value(inner, nesting)? {
                Some(value) => expanded.push_str(&value),
                None => expanded.extend(["${", inner, "}"]),
            }
            rest = behind;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    /// What stands for the text between the braces; `None` when it is no variable at all.
    fn value(&self, inner: &str, nesting: u32) -> Result<Option<String>, Flaw> {
        match inner {
            "/" | "pathSeparator" => return Ok(Some("/".to_owned())),
            "userHome" => return self.home().map(Some),
            "workspaceFolder" => return Ok(Some(self.workspace.to_string_lossy().into_owned())),
            "workspaceFolderBasename" => {
                let name = self.workspace.file_name().unwrap_or_default();
                return Ok(Some(name.to_string_lossy().into_owned()));
            }
            _ => {}
        }
        if let Some(id) = inner.strip_prefix("input:") {
            return self.input(id).map(Some);
        }
        let asked = inner.strip_prefix("env:").unwrap_or(inner);
        let (name, default) =
            asked.split_once(":-").map_or((asked, None), |(name, default)| (name, Some(default)));
        if !is_name(name) {
            // A word and a colon are what editors write for things that only they know.
            return match name.split_once(':') {
                Some((kind, _)) if is_name(kind) => {
                    Err(Flaw::UnknownVariable { variable: format!("${{{inner}}}") })
                }
                _ => Ok(None),
            };
        }
        match (self.surroundings.variable(name)?, default) {
            (Some(value), _) if !value.is_empty() => Ok(Some(value)),
            (_, Some(default)) => match nesting.checked_sub(1) {
                Some(nesting) => self.expand_to(default, nesting).map(Some),
                None => Err(Flaw::Nested),
            },
            (Some(empty), None) => Ok(Some(empty)),
            (None, None) => Err(Flaw::Unset { variable: name.to_owned() }),
        }
    }

    fn input(&self, id: &str) -> Result<String, Flaw> {
        let given = self.surroundings.inputs.get(id).cloned();
        given
            .or_else(|| self.inputs.get(id).cloned().flatten())
            .ok_or_else(|| Flaw::NoInput { id: id.to_owned() })
    }
}

/// The text up to the brace that closes it, and what follows; a default may have variables with braces of their own.
fn closed(text: &str) -> Option<(&str, &str)> {
    let mut open = 0_u32;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '{' if last == '$' => open += 1,
            '}' if open == 0 => {
                let (inner, behind) = text.split_at_checked(at)?;
                return Some((inner, behind.strip_prefix('}')?));
            }
            '}' => open -= 1,
            _ => {}
        }
        last = c;
    }
    None
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<String, Flaw> {
        let surroundings = Surroundings::empty()
            .env("A", "alpha")
            .env("EMPTY", "")
            .env("TRICK", "${A} $A")
            .env("HOME", "/users/me")
            .input("key", "k1");
        let inputs =
            BTreeMap::from([("region".to_owned(), Some("eu".to_owned())), ("pass".to_owned(), None)]);
        let scope = Scope { surroundings: &surroundings, workspace: Path::new("/srv/project"), inputs };
        scope.expand(text)
    }

    #[test]
    fn every_form_of_a_variable_stands_for_its_value() {
        for (text, expanded) in [
            ("", ""),
            ("plain $A {A} $", "plain $A {A} $"),
            ("${A}", "alpha"),
            ("x${A}y${env:A}z", "xalphayalphaz"),
            ("${A:-b}", "alpha"),
            ("${B:-b}", "b"),
            ("${B:-}", ""),
            ("${env:B:-b:-c}", "b:-c"),
            ("${EMPTY}", ""),
            ("${EMPTY:-b}", "b"),
            ("${B:-https://example.org/mcp}", "https://example.org/mcp"),
            ("${B:-${C:-${A}!}}", "alpha!"),
            ("${input:key} ${input:region}", "k1 eu"),
            ("${workspaceFolder}/x ${workspaceFolderBasename}", "/srv/project/x project"),
            ("${userHome}${/}x${pathSeparator}", "/users/me/x/"),
            ("é${A}é", "éalphaé"),
        ] {
            assert_eq!(expand(text).as_deref(), Ok(expanded), "{text}");
        }
    }

    #[test]
    fn nothing_is_expanded_twice() {
        assert_eq!(expand("${TRICK}").as_deref(), Ok("${A} $A"));
        assert_eq!(expand("${B:-x}${TRICK}").as_deref(), Ok("x${A} $A"));
    }

    #[test]
    fn what_could_be_no_name_is_left_to_a_shell() {
        for text in ["${}", "${x%%.*}", "${#a}", "${1}", "${:-x}", "${ A }"] {
            assert_eq!(expand(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_variable_without_a_value_is_named() {
        let unset = |name: &str| Err(Flaw::Unset { variable: name.to_owned() });
        assert_eq!(expand("x${B}"), unset("B"));
        assert_eq!(expand("${env:B}"), unset("B"));
        assert_eq!(expand("${B:-${C}}"), unset("C"));
        for id in ["pass", "other"] {
            assert_eq!(expand(&format!("${{input:{id}}}")), Err(Flaw::NoInput { id: id.to_owned() }));
        }
        for foreign in ["${command:pick}", "${config:a.b}", "${workspaceFolder:api}"] {
            assert_eq!(expand(foreign), Err(Flaw::UnknownVariable { variable: foreign.to_owned() }));
        }
        assert_eq!(expand("${A"), Err(Flaw::Unclosed));
        assert_eq!(expand("${B:-${A}"), Err(Flaw::Unclosed));
        assert_eq!(expand(&format!("{}{}", "${B:-".repeat(9), "}".repeat(9))), Err(Flaw::Nested));
    }

    #[test]
    fn a_tilde_is_the_home_only_where_a_shell_would_say_so() {
        let surroundings = Surroundings::empty().env("HOME", "/users/me");
        let scope =
            Scope { surroundings: &surroundings, workspace: Path::new("/w"), inputs: BTreeMap::new() };
        for (text, path) in [
            ("~", "/users/me"),
            ("~/x", "/users/me/x"),
            ("~you/x", "/w/~you/x"),
            ("x/~", "/w/x/~"),
            ("/x", "/x"),
        ] {
            assert_eq!(scope.path(text, scope.workspace).as_deref(), Ok(Path::new(path)), "{text}");
        }
    }

    #[test]
    fn values_are_not_shown() {
        let shown = format!("{:?}", Surroundings::process().env("TOKEN", "s3cret").input("key", "s3cret"));
        assert!(shown.contains("TOKEN") && shown.contains("key") && !shown.contains("s3cret"), "{shown}");
    }
}
