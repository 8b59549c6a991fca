//! `hermes demo`.

use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, CommandFactory as _, ValueHint};

use super::command::Cli;
use super::values::{parse_count, parse_host, parse_origin, parse_place, parse_timeout};

/// `hermes demo`
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Serve over HTTP at this address, such as 127.0.0.1:8000; port 0 takes any
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = parse_place, conflicts_with_all = ["stdio", "show"])]
    pub(crate) http: Option<String>,
    /// Serve on a socket of this machine, such as unix:/tmp/demo.sock or tcp:127.0.0.1:7000
    #[arg(long, value_name = "unix:PATH | tcp:HOST:PORT", conflicts_with_all = ["http", "stdio", "show"])]
    pub(crate) socket: Option<String>,
    /// Serve over standard input and output
    #[arg(long, conflicts_with = "show")]
    pub(crate) stdio: bool,
    /// Show a conversation, and serve nobody
    #[arg(long)]
    pub(crate) show: bool,
    #[command(flatten)]
    pub(crate) serving: Serving,
}

/// How the demo server is served over HTTP.
#[derive(Debug, Args)]
pub(crate) struct Serving {
    /// How many sessions there may be
    #[arg(long, value_name = "N", value_parser = parse_count, env = "HERMES_MAX_SESSIONS", help_heading = SERVING)]
    pub(crate) max_sessions: Option<usize>,
    /// After how long without use a session expires
    #[arg(long, value_name = "TIME", value_parser = parse_timeout, env = "HERMES_SESSION_IDLE", help_heading = SERVING)]
    pub(crate) session_idle: Option<Duration>,
    /// How long a result waits for a client that lost its connection
    #[arg(long, value_name = "TIME", value_parser = parse_timeout, env = "HERMES_RETENTION", help_heading = SERVING)]
    pub(crate) retention: Option<Duration>,
    /// How often a silent stream gives a sign of life
    #[arg(long, value_name = "TIME", value_parser = parse_timeout, env = "HERMES_KEEP_ALIVE", help_heading = SERVING)]
    pub(crate) keep_alive: Option<Duration>,
    /// The longest body that is read, in bytes
    #[arg(long, value_name = "BYTES", value_parser = parse_count, env = "HERMES_MAX_BODY", help_heading = SERVING)]
    pub(crate) max_body: Option<usize>,
    /// Let pages of this origin call the server, spelt as browsers do (repeatable)
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin, env = "HERMES_ALLOW_ORIGIN", value_delimiter = ',', help_heading = SERVING)]
    pub(crate) allow_origin: Vec<String>,
    /// A name that the server is reached by (repeatable)
    #[arg(long, value_name = "HOST", value_parser = parse_host, env = "HERMES_ALLOW_HOST", value_delimiter = ',', help_heading = SERVING)]
    pub(crate) allow_host: Vec<String>,
    /// Keep sessions in this file, and go on with those that it has kept: a restart is a cut connection, and no more
    #[arg(long, value_name = "PATH", env = "HERMES_STORE", value_hint = ValueHint::FilePath, help_heading = SERVING)]
    pub(crate) store: Option<PathBuf>,
    /// Serve clients of the legacy era without sessions
    #[arg(long, env = "HERMES_STATELESS", help_heading = SERVING)]
    pub(crate) stateless: bool,
    /// Serve /metrics too, for Prometheus
    #[arg(long, env = "HERMES_METRICS", help_heading = SERVING)]
    pub(crate) metrics: bool,
    /// A file with the key that seals what clients carry between requests: 32 bytes, or 64 hexadecimal digits
    #[arg(long, value_name = "FILE", env = "HERMES_STATE_KEY_FILE", value_hint = ValueHint::FilePath, help_heading = SERVING)]
    pub(crate) state_key_file: Option<PathBuf>,
    /// A file with the key before that, while what it sealed is still about
    #[arg(long, value_name = "FILE", env = "HERMES_PREVIOUS_STATE_KEY_FILE", value_hint = ValueHint::FilePath, help_heading = SERVING)]
    pub(crate) previous_state_key_file: Option<PathBuf>,
    /// Take what is not said here from this file (TOML), where the flags are keys
    #[arg(long, value_name = "FILE", env = "HERMES_SETTINGS", value_hint = ValueHint::FilePath, help_heading = SERVING)]
    pub(crate) settings: Option<PathBuf>,
}

/// The heading of the options that only matter over HTTP.
pub(crate) const SERVING: &str = "Serving over HTTP";

impl Demo {
    /// Sees to it that what the command line says fits together. What the environment says gives way to it.
    ///
    /// # Errors
    /// Two things on the command line contradict each other, or one has no use.
    pub(super) fn settle(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let is_said = |flag: &str| matches.value_source(flag) == Some(ValueSource::CommandLine);
        let contradiction = |text: String| Cli::command().error(ErrorKind::ArgumentConflict, text);
        let elsewhere = [("stdio", self.stdio), ("show", self.show), ("socket", self.socket.is_some())];
        if let Some((way, _)) = elsewhere.into_iter().find(|(_, is_wanted)| *is_wanted) {
            // Every start passes here: only these flags are described once more, and not the whole command line.
            let serving = Serving::augment_args(Command::new(way));
            return match serving.get_arguments().find(|flag| is_said(flag.get_id().as_str())) {
                Some(flag) => {
                    let flag = flag.get_long().unwrap_or_default();
                    Err(contradiction(format!(
                        "--{flag} is about serving over HTTP, and has no use with --{way}"
                    )))
                }
                None => Ok(()),
            };
        }
        let serving = &mut self.serving;
        match (is_said("store"), is_said("stateless")) {
            (true, true) => {
                return Err(contradiction(
                    "--stateless serves without sessions, so there is nothing that --store could keep"
                        .to_owned(),
                ));
            }
            (true, false) => serving.stateless = false,
            (false, _) if serving.stateless => serving.store = None,
            (false, _) => {}
        }
        Ok(())
    }
}
