//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::arguments::Word;
use crate::config::HostProgram;
use crate::exit;

const EXAMPLES: &str = "\
Examples:
  hermes demo
  hermes call demo add a:=2 b:=3
  hermes list http://127.0.0.1:8000/mcp
  hermes list
  hermes call files read_file path=README.md
  hermes list -- npx -y @modelcontextprotocol/server-everything
  hermes call echo message=hi -- npx -y @modelcontextprotocol/server-everything";

const ENVIRONMENT: &str = "\
Environment:
  HERMES_CONFIG a file of servers, as --config takes it
  HERMES_LOG    what the library logs to standard error, such as debug (RUST_LOG is read too)
  OTEL_EXPORTER_OTLP_ENDPOINT
                where traces and metrics are sent, as --otlp takes it; TRACEPARENT: the trace they belong to
  HERMES_TRACE  a file to which every message is added, one a line, as --trace shows them
  HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY
                the proxy before a server, and servers before which there is none
  SSL_CERT_FILE, SSL_CERT_DIR
                whom to trust in place of the issuers that this machine knows (not on macOS)
  NO_COLOR      no colours";

/// How long a request may take when nothing else is said.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Run, call and debug Model Context Protocol servers.
///
/// TARGET is `demo`, the server that is built in, or the address of a server, such as http://127.0.0.1:8000/mcp, or the
/// name of a server in .mcp.json or .vscode/mcp.json. To talk to a server that is a command, leave TARGET out and put
/// the command after `--`: hermes call echo message=hi -- npx -y some-server
///
/// The files are looked for in the working folder and, inside a repository, in the folders around it up to its root. The
/// nearest one that has the name counts. A server is started only when its name is written, and never from a file that
/// belongs to another user. --config names one file to take instead. `demo` and addresses are never looked up.
#[derive(Debug, Parser)]
#[command(name = "hermes", bin_name = "hermes", version, after_help = after_help(), max_term_width = 100)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(subcommand_value_name = "VERB", subcommand_help_heading = "Verbs")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) flags: Flags,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Serve the demo server, or see an MCP conversation
    ///
    /// Without a choice, the demo server listens on port 8000 of this machine, or on another one when that is
    /// taken. With --stdio, it serves whoever started this command. With --show, a client talks to it in
    /// memory, once per era of the protocol, and the conversation is shown.
    #[command(
        override_usage = "hermes demo [--http ADDRESS:PORT | --socket ADDRESS | --stdio | --show] [OPTIONS]"
    )]
    Demo(Demo),

    /// List tools, resources, templates and prompts; without a target, the servers that have a name
    ///
    /// Without a target nothing is started: the servers are listed that .mcp.json and .vscode/mcp.json name, or the file
    /// of --config, with what is wrong with them.
    #[command(override_usage = format!("hermes list [OPTIONS]\n       {}", usage("list", "")))]
    List(List),

    /// Call a tool
    ///
    /// The arguments are checked against the tool's schema before anything is sent. NAME=VALUE takes the type
    /// that the schema gives it; NAME:=JSON is sent as it stands. NAME=@FILE and NAME:=@FILE take what is in a file, or
    /// on standard input as @-; @@ is an at sign. @FILE or - alone holds many arguments, as --args does.
    #[command(override_usage = usage("call", " TOOL [NAME=VALUE | NAME:=JSON | NAME=@FILE | @FILE]..."))]
    Call(Call),

    /// Read a resource
    #[command(override_usage = usage("read", " URI"))]
    Read(Read),

    /// Fill in a prompt
    #[command(override_usage = usage("prompt", " PROMPT [NAME=VALUE]..."))]
    Prompt(Prompt),

    /// Complete an argument of a prompt or of a resource template
    ///
    /// The last argument is the one to complete; those before it are sent as its context.
    #[command(override_usage = usage("complete", " PROMPT-OR-TEMPLATE [NAME=VALUE]... NAME=PREFIX"))]
    Complete(Reach),

    /// Ask for a sign of life
    #[command(override_usage = usage("ping", ""))]
    Ping(Reach),

    /// Show who the server is and what it can do
    #[command(override_usage = usage("info", ""))]
    Info(Reach),

    /// Show what changes, until interrupted
    ///
    /// Shows changes of the lists, and of the resources that are named.
    #[command(override_usage = usage("listen", " [URI]..."))]
    Listen(Reach),

    /// Talk to a server, command by command
    ///
    /// At a terminal, lines are completed by Tab and remembered, questions of the server are answered as they come, and
    /// Ctrl-C takes back the call that runs. With -c, or when the lines come from a file or another program, it is a script:
    /// the first command that fails ends it, with its exit code. The command help lists what there is.
    #[command(override_usage = usage("shell", " [-c COMMAND]..."))]
    Shell(Conversation),

    /// Make a project: a server that compiles, with a test
    #[command(override_usage = "hermes new NAME [--hermes FOLDER | --hermes URL]")]
    New(New),

    /// Name servers: list them, add, remove, copy from other programs, check
    ///
    /// Servers are kept in the user's own file, ~/.config/hermes/mcp.json, in .mcp.json of the working folder with
    /// --project, or in the file of --config. The files of other programs are only read.
    #[command(subcommand, arg_required_else_help = true)]
    Config(Config),

    /// Print a completion script for a shell
    ///
    /// For example: hermes completions bash > ~/.local/share/bash-completion/completions/hermes
    ///
    /// In bash, zsh and fish the names of servers, and the tools, resources, prompts and arguments that they offer, are
    /// completed too. A server is asked when its name is typed; HERMES_COMPLETE=off asks none.
    #[command(override_usage = "hermes completions SHELL")]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },

    /// Answer a shell that completes a line
    #[command(name = "__complete", hide = true)]
    CompleteWord(CompleteWord),

    /// Print the manual page, or that of a verb
    ///
    /// For example: hermes man call > hermes-call.1 && man ./hermes-call.1
    #[command(override_usage = "hermes man [VERB | --folder FOLDER]")]
    Man(Manual),
}

/// Below the flags: what to try, and how it exits.
fn after_help() -> String {
    format!("{EXAMPLES}\n\n{ENVIRONMENT}\n\n{}", exit::TABLE)
}

fn usage(verb: &str, what: &str) -> String {
    format!("hermes {verb} TARGET{what} [OPTIONS]\n       hermes {verb}{what} [OPTIONS] -- COMMAND [ARG]...")
}

/// The server, and what is asked of it.
#[derive(Debug, Default, Args)]
pub(crate) struct Reach {
    /// The target, then what the usage line says; no target when a command follows
    #[arg(value_name = "WORD", hide = true)]
    pub(crate) words: Vec<String>,
    /// The command that starts the server
    #[arg(value_name = "COMMAND", last = true, hide = true)]
    pub(crate) command: Vec<OsString>,
}

/// `hermes new`
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder to make; the last part of it is the name of the server
    #[arg(value_name = "NAME")]
    pub(crate) path: PathBuf,
    /// Where the library is: a copy of its repository, or an address for git [default: what this program was built from]
    #[arg(long, value_name = "FOLDER | URL")]
    pub(crate) hermes: Option<String>,
}

/// `hermes man`
#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// The verb; without one, the page has all of them
    #[arg(value_name = "VERB", conflicts_with = "folder")]
    pub(crate) verb: Option<String>,
    /// Write all pages to this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
}

/// `hermes config`
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// List the files of servers on this machine, and what is in them
    ///
    /// Those of other programs too: Claude Code and Desktop, Codex, Cursor, Gemini CLI, LM Studio, VS Code, Windsurf, Zed.
    /// Nothing is started, and no value of a variable or header is shown.
    List,
    /// Add a server: an address, or a command after --
    #[command(
        override_usage = "hermes config add NAME URL [--header 'NAME: VALUE']...\n       hermes config add NAME [--env NAME=VALUE]... -- COMMAND [ARG]..."
    )]
    Add(ConfigAdd),
    /// Take a server out
    Remove {
        /// Its name
        name: String,
        #[command(flatten)]
        whose: Whose,
    },
    /// Copy servers from the files of other programs
    Import(ConfigImport),
    /// Look for mistakes in files of servers; start none
    Check {
        /// The files; those that names are looked up in if none is named
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
}

/// `hermes config add`
#[derive(Debug, Args)]
pub(crate) struct ConfigAdd {
    /// The name it is to have
    pub(crate) name: String,
    /// Its address
    #[arg(value_name = "URL")]
    pub(crate) address: Option<String>,
    /// Set a variable for the command
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Put it in the place of a server that has the name
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) whose: Whose,
    /// The command that starts it
    #[arg(value_name = "COMMAND", last = true)]
    pub(crate) command: Vec<OsString>,
}

/// `hermes config import`
#[derive(Debug, Args)]
pub(crate) struct ConfigImport {
    /// The program to copy from; all that are found if none is named
    #[arg(value_name = "PROGRAM", value_enum)]
    pub(crate) host: Option<HostProgram>,
    /// The servers to copy; all if none is named
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Put them in the place of servers that have their names
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) whose: Whose,
}

/// The file that is changed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Whose {
    /// Change .mcp.json in the working folder instead of the user's own file
    #[arg(long, conflicts_with = "config")]
    pub(crate) project: bool,
}

/// `hermes __complete`
#[derive(Debug, Args)]
pub(crate) struct CompleteWord {
    /// Who asks
    pub(crate) shell: Shell,
    /// Ask the target, and keep the answer for the next time
    #[arg(long)]
    pub(crate) fill: bool,
    /// The words of the line, up to the cursor
    #[arg(last = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}

impl Verb {
    /// The words for a server, if the verb talks to one.
    pub(crate) fn reach(&mut self) -> Option<&mut Reach> {
        match self {
            Self::List(list) => Some(&mut list.reach),
            Self::Call(call) => Some(&mut call.reach),
            Self::Read(read) => Some(&mut read.reach),
            Self::Prompt(prompt) => Some(&mut prompt.reach),
            Self::Shell(conversation) => Some(&mut conversation.reach),
            Self::Complete(reach) | Self::Ping(reach) | Self::Info(reach) | Self::Listen(reach) => {
                Some(reach)
            }
            Self::Config(_)
            | Self::Demo(_)
            | Self::New(_)
            | Self::Completions { .. }
            | Self::CompleteWord(_)
            | Self::Man(_) => None,
        }
    }
}

/// `hermes shell`
#[derive(Debug, Args)]
pub(crate) struct Conversation {
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Carry out this command, in place of those that are typed (repeatable)
    #[arg(short, long = "command", value_name = "COMMAND", allow_hyphen_values = true)]
    pub(crate) commands: Vec<String>,
}

/// `hermes demo`
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Serve over HTTP at this address, such as 127.0.0.1:8000; port 0 takes any
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with_all = ["stdio", "show"])]
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
    #[arg(long, value_name = "N", env = "HERMES_MAX_SESSIONS", help_heading = SERVING)]
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
    #[arg(long, value_name = "BYTES", env = "HERMES_MAX_BODY", help_heading = SERVING)]
    pub(crate) max_body: Option<usize>,
    /// Let pages of this origin call the server, spelt as browsers do (repeatable)
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin, env = "HERMES_ALLOW_ORIGIN", value_delimiter = ',', help_heading = SERVING)]
    pub(crate) allow_origin: Vec<String>,
    /// A name that the server is reached by (repeatable)
    #[arg(long, value_name = "HOST", value_parser = parse_host, env = "HERMES_ALLOW_HOST", value_delimiter = ',', help_heading = SERVING)]
    pub(crate) allow_host: Vec<String>,
    /// Keep sessions in this file, and go on with those that it has kept: a restart is a cut connection, and no more
    #[arg(long, value_name = "PATH", env = "HERMES_STORE", value_hint = ValueHint::FilePath, conflicts_with = "stateless", help_heading = SERVING)]
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

/// `hermes list`
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) reach: Reach,
    #[command(flatten)]
    pub(crate) watch: Watch,
}

/// `hermes read`
#[derive(Debug, Args)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) reach: Reach,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) watch: Watch,
}

/// Whether it is done once.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Watch {
    /// Do it again whenever it changes, until interrupted
    #[arg(long)]
    pub(crate) watch: bool,
}

/// Where what came goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Output {
    /// Write images, audio and blobs to this file, or what there is else if there are none; - is standard output
    ///
    /// Several go to files with numbers: picture-1.png, picture-2.png. A file that is there is not overwritten.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite files that are there
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// `hermes call`
#[derive(Debug, Args)]
pub(crate) struct Call {
    #[command(flatten)]
    pub(crate) reach: Reach,
    #[command(flatten)]
    pub(crate) base: Base,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Send the arguments without checking them first, also to a tool that is not listed
    #[arg(long)]
    pub(crate) no_check: bool,
}

/// `hermes prompt`
#[derive(Debug, Args)]
pub(crate) struct Prompt {
    #[command(flatten)]
    pub(crate) reach: Reach,
    #[command(flatten)]
    pub(crate) base: Base,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Arguments as a whole.
#[derive(Debug, Args)]
pub(crate) struct Base {
    /// All arguments at once; single ones are set on top
    #[arg(long = "args", value_name = "JSON | @FILE | -", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
}

/// Flags that may stand anywhere before `--`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options for talking to a server")]
pub(crate) struct Flags {
    /// Print the result object as it came, for machines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// How long an answer may take, such as 700ms, 8s or 1m [default: 60s]
    ///
    /// It counts for each request. While a question of the server waits for somebody at the terminal, the time
    /// does not run out; when the question is answered there is at most this much time again. Progress extends the
    /// default, up to one hour, but no limit that was given here.
    #[arg(long, global = true, value_name = "TIME", value_parser = parse_timeout)]
    pub(crate) timeout: Option<Duration>,
    /// Which era of the protocol to speak
    #[arg(long, global = true, value_name = "ERA", value_enum, default_value_t = EraWanted::Auto)]
    pub(crate) era: EraWanted,
    /// Answer a question of the server: the field NAME of a form, or `text` for a model's reply
    ///
    /// A form that is not answered this way is asked for on the terminal, or declined where there is none. Names
    /// that the server does not ask for are mentioned at the end.
    #[arg(long = "answer", global = true, value_name = "NAME=VALUE")]
    pub(crate) answers: Vec<Word>,
    /// Offer a folder to the server as a root
    #[arg(long = "root", global = true, value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub(crate) roots: Vec<PathBuf>,
    /// Take the names of servers from this file alone, such as an .mcp.json or the mcp.json of an editor
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Give ${input:ID} in a file of servers its value
    #[arg(long = "input", global = true, value_name = "ID=VALUE", value_parser = parse_input)]
    pub(crate) inputs: Vec<(String, String)>,
    /// Send a header with each request (targets with an address only)
    #[arg(long = "header", short = 'H', global = true, value_name = "NAME: VALUE", value_parser = parse_header)]
    pub(crate) headers: Vec<(String, String)>,
    /// Also trust servers whose certificates come from the issuer in this file (PEM or DER)
    #[arg(long = "cacert", global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) issuers: Vec<PathBuf>,
    /// Export traces and metrics over OTLP to this collector, such as http://127.0.0.1:4318
    ///
    /// Without it the OTEL_* variables decide: nothing is exported unless OTEL_EXPORTER_OTLP_ENDPOINT, or an exporter, is
    /// named there.
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) otlp: Option<String>,
    /// Show every message on standard error and, over HTTP, every status and header; secrets are masked
    #[arg(long, global = true)]
    pub(crate) trace: bool,
    /// How the library's log is written, which HERMES_LOG asks for
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// Say more on standard error: progress, what is started, and what the server writes there
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
}

/// How the library's log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line, for machines
    Json,
}

/// Which era of the protocol to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EraWanted {
    /// Find out
    Auto,
    /// With a handshake (up to 2025-11-25)
    Legacy,
    /// Without one (2026-07-28)
    Modern,
}

/// Reads `700ms`, `8s`, `1.5m` or `2h`.
pub(crate) fn parse_timeout(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "" => return Err("a unit is missing: write 700ms, 8s or 1m".to_owned()),
        other => return Err(format!("the unit \"{other}\" is not known: write 700ms, 8s or 1m")),
    };
    let number: f64 = number.parse().map_err(|_| "it does not start with a number".to_owned())?;
    let time = Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())?;
    if time < Duration::from_millis(1) {
        return Err("it must be at least 1ms".to_owned());
    }
    Ok(time)
}

/// Reads `https://app.example`, with a port or without.
pub(crate) fn parse_origin(text: &str) -> Result<String, String> {
    let (scheme, host) = text.trim_end_matches('/').split_once("://").unwrap_or_default();
    let is_scheme =
        !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if is_scheme && parse_host(host).is_ok() {
        Ok(text.to_owned())
    } else {
        Err("write it as browsers do: https://app.example, with a port if it has one; there is no *"
            .to_owned())
    }
}

/// Reads `mcp.example.org`, with a port or without.
pub(crate) fn parse_host(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    if !text.is_empty() && text.bytes().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("write a name or an address, with a port or without: mcp.example.org".to_owned())
    }
}

/// Reads `id=value`.
fn parse_input(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((id, value)) if !id.is_empty() => Ok((id.to_owned(), value.to_owned())),
        _ => Err("write ID=VALUE, with the id that stands in ${input:id}".to_owned()),
    }
}

/// Reads `NAME=VALUE`.
fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// Reads `Name: value`.
fn parse_header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("the colon is missing: write 'Name: value'")?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    {
        return Err(format!("\"{name}\" is not the name of a header"));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err("the value has a control character in it".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_stand_before_or_after_the_arguments() -> Result<(), clap::Error> {
        for line in [
            "hermes call demo add a:=2 b=3 --json --timeout 8s --answer x=1 --args {}",
            "hermes call --json --timeout 8s --answer x=1 --args {} demo add a:=2 b=3",
            "hermes --json --timeout 8s --answer x=1 call demo --args {} add a:=2 b=3",
        ] {
            let cli = parse(line)?;
            assert!(cli.flags.json, "{line}");
            assert_eq!(cli.flags.timeout, Some(Duration::from_secs(8)), "{line}");
            assert_eq!(cli.flags.answers.len(), 1, "{line}");
            let Verb::Call(call) = cli.verb else { panic!("{line}: {:?}", cli.verb) };
            assert_eq!(call.reach.words, ["demo", "add", "a:=2", "b=3"], "{line}");
            assert_eq!(call.base.args.as_deref(), Some("{}"), "{line}");
        }
        Ok(())
    }

    #[test]
    fn what_follows_two_dashes_is_the_command_with_its_own_flags() -> Result<(), clap::Error> {
        let Verb::List(list) = parse("hermes list --json -- npx -y server --json")?.verb else {
            panic!("another verb");
        };
        assert_eq!(list.reach.words, [""; 0]);
        assert_eq!(list.reach.command, ["npx", "-y", "server", "--json"]);
        Ok(())
    }

    #[test]
    fn a_misspelt_verb_gets_a_hint() {
        let error = parse("hermes cal demo add").expect_err("no such verb");
        assert!(error.to_string().contains("'call'"), "{error}");
    }

    #[test]
    fn times_have_a_unit() {
        for (text, millis) in
            [("700ms", 700), ("8s", 8_000), ("1m", 60_000), ("1.5s", 1_500), ("2h", 7_200_000)]
        {
            assert_eq!(parse_timeout(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "8", "s", "8 days", "-1s", "0s", "1.2.3s", "99999999999999999999h"] {
            assert!(parse_timeout(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_header_is_a_name_and_a_value() {
        assert_eq!(parse_header("X-Key: a: b"), Ok(("X-Key".into(), "a: b".into())));
        for text in ["X-Key", ": v", "X Key: v", "X: a\nb"] {
            assert!(parse_header(text).is_err(), "{text}");
        }
    }

    #[test]
    fn answers_follow_the_grammar_of_arguments() -> Result<(), clap::Error> {
        let cli = parse("hermes call demo ask --answer name=Ada --answer age:=3")?;
        let names: Vec<&str> = cli.flags.answers.iter().map(|word| word.name.as_str()).collect();
        assert_eq!(names, ["name", "age"]);
        assert!(parse("hermes call demo ask --answer Ada").is_err());
        Ok(())
    }

    #[test]
    fn an_origin_or_host_that_could_never_match_is_refused() {
        for good in
            ["https://app.example", "http://localhost:6274", "http://[::1]:80", "https://app.example/"]
        {
            assert_eq!(parse_origin(good).as_deref(), Ok(good));
        }
        for bad in ["*", "nonsense", "app.example", "https://", "https://*.example", "https://a.example/path"]
        {
            assert!(parse_origin(bad).is_err(), "{bad}");
        }
        for good in ["mcp.example.org", "localhost:8000", "[2001:db8::7]:8000"] {
            assert_eq!(parse_host(good).as_deref(), Ok(good));
        }
        for bad in ["", "*", "http://x/", "a b"] {
            assert!(parse_host(bad).is_err(), "{bad}");
        }
    }
}
