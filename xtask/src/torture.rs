//! Many calls while connections are cut at random, for as many rounds as wanted.

use std::env;

use crate::error::Result;
use crate::process::{cargo, run};
use crate::test::Programs;
use crate::workspace::root;

/// What is run, and against whom.
#[derive(Clone, Debug, clap::Args)]
pub struct Torture {
    /// How many rounds of a hundred calls; the revisions take turns.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub rounds: u64,
    /// What repeats a run: the same seed plans the same calls and cuts.
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,
    /// How many seconds a call may take, with all its resumes, before it is lost.
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    pub patience: u64,
    /// Another server than the demo, which has the demo's tools: http://IP:PORT/PATH.
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
}

/// Builds the program, unless `HERMES_BIN` or a target names one, then runs the one test with so many rounds. It prints
/// its figures.
///
/// # Errors
///
/// When the build fails, or when a call was lost, doubled or crossed; what was found was printed.
pub fn torture(wanted: &Torture) -> Result<()> {
    let mut command = cargo();
    command
        .current_dir(root())
        .env("HERMES_TORTURE_ROUNDS", wanted.rounds.to_string())
        .env("HERMES_TORTURE_SEED", wanted.seed.to_string())
        .env("HERMES_TORTURE_PATIENCE", wanted.patience.to_string());
    if let Some(target) = &wanted.target {
        command.env("HERMES_TORTURE_TARGET", target);
    } else if env::var_os("HERMES_BIN").is_none() {
        let programs = Programs::build(&["--package", "mcp-hermes-cli"])?;
        command.env("HERMES_BIN", programs.find("hermes")?);
    }
    run(command.args([
        "test",
        "--package",
        "mcp-hermes-tests",
        "--test",
        "http",
        "torture::",
        "--",
        "--nocapture",
    ]))
}
