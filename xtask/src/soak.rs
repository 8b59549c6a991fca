//! `cargo xtask soak`: the measured server under good and bad clients for a long time.

use serde::Deserialize;

use crate::bench::{Program, Programs, Running};
use crate::error::{Error, Result};
use crate::stage::say;
use crate::workspace::Workspace;

/// How long the server is left alone at the end, in seconds: longer than a session that nobody uses is kept.
const REST: f64 = 30.0;

/// For how long idle sessions are kept meanwhile, in seconds: so that many come and go.
const IDLE: &str = "20";

/// What is to be done.
#[derive(Clone, Debug, clap::Args)]
pub struct Soak {
    /// How long.
    #[arg(long, default_value_t = 30.0, value_name = "N")]
    pub minutes: f64,
}

/// What the generator tells.
#[derive(Debug, Deserialize)]
struct Figures {
    answered: u64,
    lost: u64,
    instead: Vec<String>,
    abandoned: u64,
    cut: u64,
    slow: u64,
    cancelled: u64,
    memory: Vec<(f64, u64)>,
    slope: f64,
    tasks_before: u64,
    tasks_after: u64,
    descriptors_before: u64,
    descriptors_after: u64,
}

/// Runs it and prints what was seen.
///
/// # Errors
///
/// [`Error::Soaked`]: calls were lost, or tasks or descriptors were left.
pub fn soak(soak: &Soak) -> Result<()> {
    let workspace = Workspace::read()?;
    let programs = Programs::build(&workspace, &[Program::Hermes, Program::Load])?;
    let server = Running::start(&programs.find(Program::Hermes), &["--idle", IDLE, "--stream"])?;
    say(&format!("{} minutes, and {REST} seconds of rest", soak.minutes));
    let seconds = (soak.minutes * 60.0).to_string();
    let it: Figures =
        server.load(&programs, "soak", &["--seconds", &seconds, "--rest", &REST.to_string()])?;
    let last = it.memory.last().map_or(0, |(_, bytes)| *bytes);
    say(&format!(
        "answered {}, lost {}, sessions abandoned {}, streams cut {}, read slowly to their end {}, calls cancelled {}\n\
         memory {:.1} MB at the end, {:+.2} MB an hour in the second half\n\
         tasks {} before and {} afterwards, descriptors {} and {}",
        it.answered,
        it.lost,
        it.abandoned,
        it.cut,
        it.slow,
        it.cancelled,
        last as f64 / 1e6,
        it.slope / 1e6,
        it.tasks_before,
        it.tasks_after,
        it.descriptors_before,
        it.descriptors_after,
    ));
    it.instead.iter().for_each(|instead| say(&format!("instead of an answer: {instead}")));
    let is_clean =
        it.lost == 0 && it.tasks_after <= it.tasks_before && it.descriptors_after <= it.descriptors_before;
    if is_clean { Ok(()) } else { Err(Error::Soaked) }
}
