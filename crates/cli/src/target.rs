//! Which server is meant.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::time::Duration;

use hermes::servers::Entry;

use crate::args::{Flags, Reach};
use crate::config;
use crate::configured::Configured;
use crate::exit::{Failure, Result};

/// The name of the built-in server.
pub(crate) const DEMO: &str = "demo";

/// How else a server is named.
pub(crate) const OTHERWISE: &str = "to talk to a server, write its address, or put the command that starts it at the end: -- COMMAND ARGS...";

/// A server to talk to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The demo server, in memory.
    Demo,
    /// A server at an address.
    Http {
        /// The address, without the credentials that may be in it.
        shown: String,
        /// The address.
        url: String,
    },
    /// A server behind a socket, by its address.
    Socket(String),
    /// A command that speaks over its standard input and output.
    Command {
        /// The program, to be found along PATH.
        program: OsString,
        /// Its arguments.
        args: Vec<OsString>,
    },
    /// A server that a file names.
    Named(Box<Entry>),
}

impl Target {
    /// Tells the target from the words that are meant for it.
    ///
    /// # Errors
    /// There is no target, or it is none that can be reached.
    pub(crate) fn resolve(reach: Reach, flags: &Flags) -> Result<(Self, Vec<String>)> {
        let mut words = reach.words.into_iter();
        let target = match reach.command.split_first() {
            Some((program, args)) => Self::Command { program: program.clone(), args: args.to_vec() },
            None => Self::named(words.next(), flags)?,
        };
        match flags.headers.first() {
            Some((name, _)) if target.address().is_none() => {
                let message = format!(
                    "--header \"{name}\" has no use here: a command, a socket and the demo server take no headers"
                );
                Err(Failure::usage(message))
            }
            _ => Ok((target, words.collect())),
        }
    }

    fn named(name: Option<String>, flags: &Flags) -> Result<Self> {
        // An empty word is a variable that is not set: no server is meant, whatever a file calls one.
        let name = name.filter(|name| !name.is_empty()).ok_or_else(|| missing(None))?;
        if name == DEMO {
            return Ok(Self::Demo);
        }
        if ["http://", "https://", "ws://", "wss://"]
            .iter()
            .any(|scheme| name.to_ascii_lowercase().starts_with(scheme))
        {
            return Ok(Self::Http { shown: shown(&name), url: name });
        }
        if ["unix:", "tcp:"].iter().any(|scheme| name.to_ascii_lowercase().starts_with(scheme)) {
            return Ok(Self::Socket(name));
        }
        Configured::look(flags)?.find(&name).map(|entry| Self::Named(Box::new(entry)))
    }

    /// How a further command line would name it, for hints: the words before and after the arguments.
    pub(crate) fn spelling(&self) -> (String, String) {
        match self {
            Self::Demo => (" demo".to_owned(), String::new()),
            Self::Http { shown, .. } => (format!(" {shown}"), String::new()),
            Self::Socket(address) => (format!(" {address}"), String::new()),
            Self::Command { program, args } => (String::new(), format!(" -- {}", joined(program, args))),
            Self::Named(entry) => (format!(" {}", entry.name()), String::new()),
        }
    }

    /// How long an answer may take, if the file that names the server says so.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        match self {
            Self::Named(entry) => entry.timeout(),
            Self::Demo | Self::Http { .. } | Self::Socket(_) | Self::Command { .. } => None,
        }
    }

    /// The address, if it has one, without the credentials that may be in it.
    pub(crate) fn address(&self) -> Option<String> {
        match self {
            Self::Http { shown, .. } => Some(shown.clone()),
            Self::Named(entry) => entry.url().map(shown),
            Self::Demo | Self::Socket(_) | Self::Command { .. } => None,
        }
    }
}

/// No target is named, and no file of servers is in these places, if they were looked at.
pub(crate) fn missing(looked: Option<&str>) -> Failure {
    let none = looked.map(|places| format!("no servers have a name, as there is none of {places}; "));
    let none = none.unwrap_or_default();
    let hint = format!("{none}write \"demo\" for the built-in server; {OTHERWISE}");
    Failure::usage("the target is missing").with_hint(hint)
}

/// An address as people are told it: without a user, a password and a query, which may be a token.
fn shown(url: &str) -> String {
    hermes::Target::from(url).to_string()
}

/// A command as it is typed, without quotes and without what looks like a secret.
fn joined(program: &OsStr, args: &[OsString]) -> String {
    let words = std::iter::once(program).chain(args.iter().map(OsString::as_os_str));
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    config::shown(words.iter().map(AsRef::as_ref))
}

/// As questions name it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Demo => f.write_str("the demo server"),
            Self::Http { shown, .. } => write!(f, "the server at {shown}"),
            Self::Socket(address) => write!(f, "the server at {address}"),
            Self::Command { program, args } => write!(f, "the server `{}`", joined(program, args)),
            Self::Named(entry) => write!(f, "the server {:?}", entry.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Verb};

    fn resolve(line: &str) -> Result<(Target, Vec<String>)> {
        let cli = Cli::read(line.split(' ')).expect(line);
        let Verb::Read(read) = cli.verb else { panic!("{line}") };
        Target::resolve(read.reach, &cli.flags)
    }

    fn refused(line: &str) -> String {
        let failure = resolve(line).expect_err(line);
        assert_eq!(failure.exit(), crate::exit::Exit::Usage);
        format!("{failure}; {}", failure.hint().unwrap_or_default())
    }

    #[test]
    fn the_first_word_is_the_target() -> Result<()> {
        assert_eq!(
            resolve("hermes read demo demo://greeting")?,
            (Target::Demo, vec!["demo://greeting".into()])
        );
        Ok(())
    }

    #[test]
    fn a_command_takes_the_place_of_the_target() -> Result<()> {
        let (target, words) = resolve("hermes read demo -- python3 server.py --fast")?;
        let args = ["server.py".into(), "--fast".into()];
        assert_eq!(target, Target::Command { program: "python3".into(), args: args.to_vec() });
        assert_eq!(words, ["demo"]);
        Ok(())
    }

    #[test]
    fn what_is_no_target_explains_the_command() {
        assert!(refused("hermes read").starts_with("the target is missing; write \"demo\""));
        assert!(refused("hermes read --").starts_with("the target is missing"));
        let refusal = refused("hermes read dmeo demo://greeting");
        assert!(refusal.starts_with("\"dmeo\" is not a target; did you mean \"demo\"?"), "{refusal}");
        assert!(refusal.ends_with("-- COMMAND ARGS..."), "{refusal}");
        let refusal = refused("hermes read files x");
        assert!(refusal.starts_with("\"files\" is not a target; no server with that name in "), "{refusal}");
    }

    #[test]
    fn a_command_is_told_without_its_secrets() -> Result<()> {
        let (target, _) =
            resolve("hermes read x -- server --token s3cret --api-key=s3cret https://me:s3cret@a.example/")?;
        let told = "server --token *** --api-key=*** https://a.example/";
        assert_eq!(target.to_string(), format!("the server `{told}`"));
        assert_eq!(target.spelling().1, format!(" -- {told}"));
        Ok(())
    }

    #[test]
    fn an_address_is_a_target_and_takes_headers() -> Result<()> {
        let (target, words) = resolve("hermes read --header X:1 HTTPS://me:key@example.org/mcp?a=b@c x")?;
        assert_eq!(target.to_string(), "the server at HTTPS://example.org/mcp");
        assert!(matches!(target, Target::Http { url, .. } if url.contains("me:key")));
        assert_eq!(words, ["x"]);
        Ok(())
    }

    #[test]
    fn headers_are_for_addresses() {
        assert!(refused("hermes read --header X:1 demo x").contains("take no headers"));
    }
}
