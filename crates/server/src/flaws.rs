//! Mistakes of a server's author, which are told before anybody is served: all of them at once.

use std::error::Error;
use std::fmt;

use crate::server::Server;
use crate::shared::Shared;

/// What is wrong with one part of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {what}")]
#[non_exhaustive]
pub struct Flaw {
    /// Which part: its kind and its name.
    pub part: String,
    /// What is wrong, and what to do about it.
    pub what: String,
}

/// Everything that is wrong with a server, in the order in which it was built.
///
/// ```
/// use hermes_server::{Context, Server, State, ToolError};
///
/// struct Database;
///
/// let server = Server::new("demo", "0.1.0")
///     .tool("not a name", |(): (), _: Context| async { "?" })
///     .needs::<State<Database>>("tool \"count\"");
/// let flaws = server.check().unwrap_err();
/// assert_eq!(flaws.iter().count(), 2);
/// assert!(flaws.to_string().contains("tool \"not a name\": "));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Flaws(Vec<Flaw>);

impl Flaws {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Flaw> {
        self.0.iter()
    }
}

/// A line for each.
impl fmt::Display for Flaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server cannot be served as it is:")?;
        self.0.iter().try_for_each(|flaw| write!(f, "\n  {flaw}"))
    }
}

/// The same lines: a `main` that returns the error shows it so.
impl fmt::Debug for Flaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Flaws {}

/// What a server was given while it was built: see [`FromContext::missing`](crate::FromContext::missing).
#[derive(Clone, Copy)]
pub struct Given<'a>(&'a Shared);

impl Given<'_> {
    /// Whether [`Server::state`](crate::Server::state) was given a value of this type.
    #[must_use]
    pub fn has_state<T: Send + Sync + 'static>(&self) -> bool {
        self.0.has::<T>()
    }
}

impl fmt::Debug for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Given")
    }
}

/// Says what is missing for a handler, if anything is.
pub(crate) type Need = fn(&Given<'_>) -> Option<String>;

/// What is known to be wrong with a server, and what is to be looked at when it is complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub(crate) flaws: Vec<Flaw>,
    pub(crate) needs: Vec<(String, Need)>,
}

impl Server {
    /// Looks at what was built, as everything that serves does before it begins: names that clients refuse, types and
    /// schemas that no call can fit, templates that cannot be read, state that handlers ask for and nobody has given.
    ///
    /// What is added [while the server runs](crate::ServerHandle::add) is told in the log instead, and so is what is wrong
    /// with [tools of other origin](Self::raw_tool).
    ///
    /// # Errors
    /// [`Flaws`]: all of them, each with the name of its part.
    pub fn check(&self) -> Result<(), Flaws> {
        let Findings { flaws, needs } = &self.settings.findings;
        let given = Given(&self.settings.shared);
        let missing = needs.iter().filter_map(|(part, need)| {
            let what = need(&given)?;
            Some(Flaw { part: part.clone(), what })
        });
        let all: Vec<Flaw> = flaws.iter().cloned().chain(missing).collect();
        if all.is_empty() { Ok(()) } else { Err(Flaws(all)) }
    }
}
