//! What is wrong with settings.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::PathBuf;

use hermes_server::ServerError;
use hermes_server::store::StoreError;
use hermes_store::OpenError;

use super::key::Key;
use super::value::A_KEY;

/// Where something was set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// By the program itself, such as after a flag of its command line.
    Program(Key),
    /// In the environment.
    Variable(Key),
    /// In a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The key as it is written there, if the mistake is about one.
        key: Option<String>,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(key) => write!(f, "`{}`", key.name()),
            Self::Variable(key) => f.write_str(key.variable()),
            Self::File { path, line, key: None } => write!(f, "{}:{line}", path.display()),
            Self::File { path, line, key: Some(key) } => write!(f, "{}:{line}: `{key}`", path.display()),
        }
    }
}

/// Why settings cannot be used. It is for whoever wrote them: where, what is wrong, what to write instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no TOML.
    #[error("{place}: {mistake}")]
    Syntax {
        /// The line that cannot be read.
        place: Place,
        /// What is wrong, in the words of the parser.
        mistake: String,
    },
    /// There is no such key.
    #[error("{place}: there is no such key; {}", instead(*nearest))]
    Unknown {
        /// Where it stands.
        place: Place,
        /// What may have been meant.
        nearest: Option<Key>,
    },
    /// A secret stands where others read.
    #[error(
        "{place}: a secret does not belong here: name a file that holds it with `{}-file`, or set {}",
        key.name(),
        key.variable()
    )]
    Exposed {
        /// Where it stands.
        place: Place,
        /// What it is.
        key: Key,
    },
    /// A value is not one of its key.
    #[error("{place}: {written}: {instead}")]
    Value {
        /// Where it stands.
        place: Place,
        /// What stands there; `***` for a secret.
        written: String,
        /// What to write instead.
        instead: String,
    },
    /// The file of a key cannot be read.
    #[error("{place}: cannot read {}", path.display())]
    KeyFile {
        /// Where the file was named.
        place: Place,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file of a key holds something else. Nothing of it is shown: it may be part of a key.
    #[error("{place}: {} holds no key: {A_KEY}", path.display())]
    NoKey {
        /// Where the file was named.
        place: Place,
        /// The file.
        path: PathBuf,
    },
    /// More than one mistake, in the order in which they are written: variables first, then the file. None of them is this one.
    #[error("these settings cannot be used:{}", lines(_0))]
    Several(Vec<Self>),
    /// The store cannot be opened.
    #[error("{place}")]
    Store {
        /// Where it was named.
        place: Place,
        /// Why, with the file's name.
        source: OpenError,
    },
    /// What is in the store cannot be read.
    #[error("{place}: {}", path.display())]
    Kept {
        /// Where it was named.
        place: Place,
        /// The file.
        path: PathBuf,
        /// Why.
        source: StoreError,
    },
}

impl SettingsError {
    /// All mistakes as one, or what there is without any.
    pub(super) fn unless<T>(mistakes: Vec<Self>, good: T) -> Result<T, Self> {
        let mut all: Vec<Self> = mistakes
            .into_iter()
            .flat_map(|mistake| match mistake {
                Self::Several(some) => some,
                one => vec![one],
            })
            .collect();
        match all.len() {
            0 => Ok(good),
            1 => Err(all.remove(0)),
            _ => Err(Self::Several(all)),
        }
    }
}

/// A line for each, with its sources: as one of many it has no place of its own where they would be told.
fn lines(mistakes: &[SettingsError]) -> String {
    let line = |mistake: &SettingsError| {
        let (mut line, mut source) = (format!("\n  {mistake}"), mistake.source());
        while let Some(cause) = source {
            line.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        line
    };
    mistakes.iter().map(line).collect()
}

fn instead(nearest: Option<Key>) -> String {
    nearest.map_or_else(
        || {
            let keys = Key::ALL.into_iter().filter(|key| !key.is_secret()).map(Key::name);
            format!("there is: {}", keys.collect::<Vec<_>>().join(", "))
        },
        |key| format!("did you mean `{}`?", key.name()),
    )
}

/// For a `main` that returns `hermes::Result`.
impl From<SettingsError> for ServerError {
    fn from(error: SettingsError) -> Self {
        Self::Listen(Box::new(error))
    }
}
