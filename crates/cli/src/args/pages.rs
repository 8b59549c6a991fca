//! Verbs that write files and pages.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::Shell;

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
