//! `hermes demo`.

use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, CommandFactory as _, FromArgMatches, ValueHint};
use hermes::settings::{Key, Kind, Settings};

use super::command::Cli;
use super::values::{parse_place, parse_setting};

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

/// How the demo server is served over HTTP, as its flags say.
#[derive(Debug)]
pub(crate) struct Serving {
    pub(crate) flags: Settings,
    /// A file that says more.
    pub(crate) file: Option<PathBuf>,
}

/// The heading of the options that only matter over HTTP.
pub(crate) const SERVING: &str = "Serving over HTTP";

/// The flag that names the file.
const FILE: &str = "settings";

/// What has a flag of its own here. The address has one too, which decides over more than that.
fn keys() -> impl Iterator<Item = Key> {
    Key::ALL.into_iter().filter(|key| *key != Key::Http && !key.is_secret())
}

fn flag(key: Key) -> Arg {
    let (kind, default) = (key.kind(), key.default().map(|default| default.trim_matches('"')));
    let default = default.filter(|_| kind != Kind::Switch && !kind.is_list());
    let default = default.map(|default| format!(" [default: {default}]")).unwrap_or_default();
    let arg = Arg::new(key.name()).long(key.name()).help_heading(SERVING);
    let arg = arg.help(format!("{}{default} [env: {}]", key.about(), key.variable()));
    if kind == Kind::Switch {
        return arg.action(ArgAction::SetTrue);
    }
    let check = move |text: &str| parse_setting(key, text).map(|_| text.to_owned());
    let hint = if kind == Kind::File { ValueHint::FilePath } else { ValueHint::Other };
    let action = if kind.is_list() { ArgAction::Append } else { ArgAction::Set };
    arg.value_name(kind.placeholder()).value_parser(ValueParser::new(check)).value_hint(hint).action(action)
}

impl Args for Serving {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new(FILE)
            .long(FILE)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::FilePath)
            .help("Take what is not said here from this file (TOML), where the flags are keys [env: HERMES_SETTINGS]")
            .help_heading(SERVING);
        command.args(keys().map(flag)).arg(file)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Serving {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Settings::default();
        for key in keys() {
            let texts: Vec<&str> = match key.kind() {
                Kind::Switch => matches.get_flag(key.name()).then_some("true").into_iter().collect(),
                _ => matches.get_many(key.name()).into_iter().flatten().map(String::as_str).collect(),
            };
            for text in texts {
                let set = flags.set(key, text);
                flags = set.map_err(|error| Cli::command().error(ErrorKind::ValueValidation, error))?;
            }
        }
        Ok(Self { flags, file: matches.get_one(FILE).cloned() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Demo {
    /// Sees to it that what the command line says fits together.
    ///
    /// # Errors
    /// Two things on it contradict each other, or one has no use.
    pub(super) fn settle(&self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let is_said = |flag: &str| matches.value_source(flag) == Some(ValueSource::CommandLine);
        let contradiction = |text: String| Err(Cli::command().error(ErrorKind::ArgumentConflict, text));
        let elsewhere = [("stdio", self.stdio), ("show", self.show), ("socket", self.socket.is_some())];
        if let Some((way, _)) = elsewhere.into_iter().find(|(_, is_wanted)| *is_wanted) {
            let mut flags = keys().map(Key::name).chain([FILE]);
            return match flags.find(|flag| is_said(flag)) {
                Some(flag) => {
                    contradiction(format!("--{flag} is about serving over HTTP, and has no use with --{way}"))
                }
                None => Ok(()),
            };
        }
        if is_said(Key::Store.name()) && is_said(Key::Stateless.name()) {
            return contradiction(
                "--stateless serves without sessions, so there is nothing that --store could keep".to_owned(),
            );
        }
        Ok(())
    }
}
