//! Flags that may stand anywhere.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};

use super::values::{parse_collector, parse_header, parse_input, parse_timeout};
use crate::arguments::Word;

/// How long a request may take when nothing else is said.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

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
    /// named there. What is left at the end is waited for at most a second, or as OTEL_EXPORTER_OTLP_TIMEOUT says.
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url, value_parser = parse_collector)]
    pub(crate) otlp: Option<String>,
    /// Show every message on standard error and, over HTTP, every status and header; secrets are masked
    #[arg(long, global = true)]
    pub(crate) trace: bool,
    /// How standard error is written: the log, which HERMES_LOG asks for, and what else is said there
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// Say more on standard error: progress, what is started, and what the server writes there
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
}

/// How standard error is written.
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
