//! Verbs that ask a server for something.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

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

/// `hermes shell`
#[derive(Debug, Args)]
pub(crate) struct Conversation {
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Carry out this command, in place of those that are typed (repeatable)
    #[arg(short, long = "command", value_name = "COMMAND", allow_hyphen_values = true)]
    pub(crate) commands: Vec<String>,
}
