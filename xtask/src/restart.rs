//! Servers that are killed in the middle of their calls, for as many rounds as wanted.

use crate::error::Result;
use crate::process::{cargo, run};
use crate::workspace::root;

/// How often, and what repeats it.
#[derive(Clone, Debug, clap::Args)]
pub struct Restart {
    /// How many rounds of two hundred calls, with one `kill -9` in each.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub rounds: u64,
    /// The same seed plans the same calls.
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,
}

/// Runs the one test with so many rounds. It prints its figures.
///
/// # Errors
///
/// When a call was lost or ran twice, or a session did not go on; what was found was printed.
pub fn restart(wanted: &Restart) -> Result<()> {
    let mut command = cargo();
    command
        .current_dir(root())
        .env("HERMES_RESTART_ROUNDS", wanted.rounds.to_string())
        .env("HERMES_RESTART_SEED", wanted.seed.to_string())
        .args(["test", "--package", "mcp-hermes-tests", "--test", "restart"]);
    run(&mut command)
}
