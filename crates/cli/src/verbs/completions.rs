//! `hermes completions SHELL`, and what its scripts ask.

use clap_complete::Shell;

use crate::args::CompleteWord;
use crate::completion;
use crate::exit::{Exit, Result};
use crate::output::print;

/// Prints the script that completes what is typed in a shell.
///
/// # Errors
/// It cannot be printed.
pub(crate) fn run(shell: Shell) -> Result<Exit> {
    print(&completion::script(shell))?;
    Ok(Exit::Ok)
}

/// Answers such a script.
///
/// # Errors
/// It cannot be printed.
pub(crate) fn answer(asked: &CompleteWord) -> Result<Exit> {
    print(&completion::complete(asked.shell, &asked.words))?;
    Ok(Exit::Ok)
}
