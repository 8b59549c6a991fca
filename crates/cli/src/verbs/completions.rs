//! `hermes completions SHELL`.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{Exit, Result};
use crate::output::print;

/// Prints the script that completes verbs and flags in a shell.
pub(crate) fn run(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hermes", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
