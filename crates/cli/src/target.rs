//! Which server is meant.

use std::ffi::{OsStr, OsString};
use std::fmt;

use crate::args::{Flags, Reach};
use crate::exit::{Failure, Result};
use crate::hint;

/// The name of the built-in server.
const DEMO: &str = "demo";

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
    /// A command that speaks over its standard input and output.
    Command {
        /// The program, to be found along PATH.
        program: OsString,
        /// Its arguments.
        args: Vec<OsString>,
    },
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
            None => Self::named(words.next())?,
        };
        if let (Some((name, _)), Self::Demo | Self::Command { .. }) = (flags.headers.first(), &target) {
            let message =
                format!("--header \"{name}\" has no use here: a command and the demo server take no headers");
            return Err(Failure::usage(message));
        }
        Ok((target, words.collect()))
    }

    fn named(name: Option<String>) -> Result<Self> {
        const COMMAND: &str = "to talk to a server, write its address, or put the command that starts it at the end: -- COMMAND ARGS...";
        let Some(name) = name else {
            let hint = format!("write \"demo\" for the built-in server; {COMMAND}");
            return Err(Failure::usage("the target is missing").with_hint(hint));
        };
        if name == DEMO {
            return Ok(Self::Demo);
        }
        if ["http://", "https://"].iter().any(|scheme| name.to_ascii_lowercase().starts_with(scheme)) {
            return Ok(Self::Http { shown: without_credentials(&name), url: name });
        }
        let near = hint::nearest(&name, [DEMO]).map(|near| format!("did you mean \"{near}\"? "));
        Err(Failure::usage(format!("\"{name}\" is not a target"))
            .with_hint(format!("{}{COMMAND}", near.unwrap_or_default())))
    }

    /// How a further command line would name it, for hints: the words before and after the arguments.
    pub(crate) fn spelling(&self) -> (String, String) {
        match self {
            Self::Demo => (" demo".to_owned(), String::new()),
            Self::Http { shown, .. } => (format!(" {shown}"), String::new()),
            Self::Command { program, args } => (String::new(), format!(" -- {}", joined(program, args))),
        }
    }

    /// The address, if it has one.
    pub(crate) fn address(&self) -> Option<&str> {
        match self {
            Self::Http { shown, .. } => Some(shown),
            Self::Demo | Self::Command { .. } => None,
        }
    }
}

/// An address without a user and a password.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

/// A command as it is typed, without quotes.
fn joined(program: &OsStr, args: &[OsString]) -> String {
    let words =
        std::iter::once(program).chain(args.iter().map(OsString::as_os_str)).map(OsStr::to_string_lossy);
    words.collect::<Vec<_>>().join(" ")
}

/// As questions name it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Demo => f.write_str("the demo server"),
            Self::Http { shown, .. } => write!(f, "the server at {shown}"),
            Self::Command { program, args } => write!(f, "the server `{}`", joined(program, args)),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Verb};

    fn resolve(line: &str) -> Result<(Target, Vec<String>)> {
        let cli = Cli::try_parse_from(line.split(' ')).expect(line);
        let Verb::Read(reach) = cli.verb else { panic!("{line}") };
        Target::resolve(reach, &cli.flags)
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
        assert!(refused("hermes read files x").starts_with("\"files\" is not a target; to talk to a server"));
    }

    #[test]
    fn an_address_is_a_target_and_takes_headers() -> Result<()> {
        let (target, words) = resolve("hermes read --header X:1 HTTPS://me:key@example.org/mcp?a=b@c x")?;
        assert_eq!(target.to_string(), "the server at HTTPS://example.org/mcp?a=b@c");
        assert!(matches!(target, Target::Http { url, .. } if url.contains("me:key")));
        assert_eq!(words, ["x"]);
        Ok(())
    }

    #[test]
    fn headers_are_for_addresses() {
        assert!(refused("hermes read --header X:1 demo x").contains("take no headers"));
    }
}
