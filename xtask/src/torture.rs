//! Many calls while connections are cut at random, for as many rounds as wanted.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::bench::{Program, Programs as Benched, Running};
use crate::error::{Error, Result, at};
use crate::process::{cargo, run, run_into};
use crate::stage::say;
use crate::test::Programs;
use crate::workspace::{Workspace, root};

/// What is run, and against whom.
#[derive(Clone, Debug, clap::Args)]
pub struct Torture {
    /// How many rounds of a hundred calls; the revisions take turns. For the client: how many for each era.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub rounds: u64,
    /// What repeats a run: the same seed plans the same calls and cuts.
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,
    /// How many seconds a call may take, with all its resumes, before it is lost.
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    pub patience: u64,
    /// The library's client in place of a bare one: its calls settle, and it storms nobody.
    #[arg(long, conflicts_with_all = ["target", "peer"])]
    pub client: bool,
    /// Another server than the demo, which has the demo's tools: http://IP:PORT/PATH.
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Also the same rounds against a foreign server; prints both results side by side.
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "target")]
    pub peer: Option<Peer>,
}

/// A foreign server that has the demo's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Peer {
    /// The Rust SDK.
    Rmcp,
}

/// Builds the program, unless `HERMES_BIN` or a target names one, then runs the one test with so many rounds. It prints
/// its figures.
///
/// # Errors
///
/// When the build fails, or when a call was lost, doubled or crossed; what was found was printed. What a foreign server
/// loses is no error.
pub fn torture(wanted: &Torture) -> Result<()> {
    if wanted.client {
        return run(&mut of_client(wanted));
    }
    let mut command = rounds(wanted);
    if let Some(target) = &wanted.target {
        command.env("HERMES_TORTURE_TARGET", target);
    } else if env::var_os("HERMES_BIN").is_none() {
        let programs = Programs::build(&["--package", "mcp-hermes-cli"])?;
        command.env("HERMES_BIN", programs.find("hermes")?);
    }
    match wanted.peer {
        None => run(&mut command),
        Some(Peer::Rmcp) => beside(wanted, &mut command),
    }
}

/// How long a client is watched that has nothing to do: a whole minute, as its attempts are told by the minute.
const WATCHED: &str = "60";

/// The tests of the client with so many rounds.
fn of_client(wanted: &Torture) -> Command {
    let mut command = cargo();
    command
        .current_dir(root())
        .env("HERMES_TORTURE_ROUNDS", wanted.rounds.to_string())
        .env("HERMES_TORTURE_SEED", wanted.seed.to_string())
        .env("HERMES_TORTURE_WATCHED", WATCHED)
        .args(["test", "--package", "mcp-hermes-tests", "--test", "crashes", "--test", "torture"])
        .args(["--", "--nocapture"]);
    command
}

/// The test with so many rounds.
fn rounds(wanted: &Torture) -> Command {
    let mut command = cargo();
    command
        .current_dir(root())
        .env("HERMES_TORTURE_ROUNDS", wanted.rounds.to_string())
        .env("HERMES_TORTURE_SEED", wanted.seed.to_string())
        .env("HERMES_TORTURE_PATIENCE", wanted.patience.to_string())
        .args(["test", "--package", "mcp-hermes-tests", "--test", "http", "torture::", "--", "--nocapture"]);
    command
}

/// Runs the prepared rounds, then the same ones against the Rust SDK, and prints a table.
fn beside(wanted: &Torture, ours: &mut Command) -> Result<()> {
    let workspace = Workspace::read()?;
    let folder = workspace.target().join("torture");
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let (our_figures, their_figures) = (folder.join("hermes.tsv"), folder.join("rmcp.tsv"));
    let outcome = run(ours.env(FIGURES, &our_figures));

    let server = Running::start(&Benched::build_one(&workspace, Program::Rmcp)?, &["--demo"])?;
    let mut theirs = rounds(wanted);
    theirs
        .env("HERMES_TORTURE_TARGET", server.url())
        .env(FIGURES, &their_figures)
        // Here it is about what arrives, not about how it is written.
        .env_remove("MCP_SCHEMA_DIR");
    match run_into(&mut theirs, &folder.join("rmcp.log")) {
        // The test fails for what is found, which is what is counted here.
        Ok(()) | Err(Error::Command { .. }) => {}
        Err(other) => return Err(other),
    }
    say("| | Hermes | rmcp 3.11 |\n|---|---:|---:|");
    for ((name, our), (_, their)) in read(&our_figures)?.iter().zip(read(&their_figures)?) {
        say(&format!("| {name} | {our} | {their} |"));
    }
    outcome
}

/// Names the file in which the test leaves its figures.
const FIGURES: &str = "HERMES_TORTURE_FIGURES";

/// Names and values, a line each.
fn read(file: &Path) -> Result<Vec<(String, String)>> {
    let text = fs::read_to_string(file).map_err(at(file))?;
    let split = |line: &str| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(text.lines().filter_map(split).collect())
}
