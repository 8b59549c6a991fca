//! `hermes config`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::values::parse_variable;
use crate::config::HostProgram;

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
