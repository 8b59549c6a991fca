//! `cargo xtask bench`: Hermes beside a bare handler and beside the Rust SDK rmcp, all in one run.
//!
//! The programs lie in the folder `bench`, a workspace of its own. Servers run on one core, the generator on another, and
//! they take turns, so that what else the machine does falls on all of them. Figures of two machines, or of two runs, say
//! little beside each other; ratios within a run are what counts.

mod calls;
mod client;
mod count;
mod growth;
mod plot;
mod programs;
mod sessions;
mod stalled;
mod table;
mod trial;

use std::fs;
use std::path::PathBuf;

use crate::error::{Result, at};
use crate::stage::say;
use crate::workspace::{Workspace, root};

pub(crate) use programs::{Program, Programs};
pub(crate) use trial::Running;

/// How much is measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Bench {
    /// A few short rounds: whether everything works, not how fast it is.
    #[arg(long)]
    pub quick: bool,
    /// How many rounds, in each of which every server has its turn.
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Only what the client adds to the exchange that carries its call.
    #[arg(long)]
    pub client: bool,
    /// Only what grows with what: tables, and pictures in `docs/growth`.
    #[arg(long)]
    pub growth: bool,
    /// Only how many instructions a call takes, which has to be no more than is recorded. `--quick` looks at it too.
    #[arg(long)]
    pub count: bool,
    /// Record how many instructions a call takes.
    #[arg(long, requires = "count")]
    pub record: bool,
    /// Also write the tables to this file.
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,
}

impl Bench {
    fn rounds(&self) -> usize {
        self.rounds.unwrap_or(if self.quick { 2 } else { 7 }).max(1)
    }

    const fn seconds(&self) -> f64 {
        if self.quick { 0.5 } else { 3.0 }
    }

    const fn calls(&self) -> u64 {
        if self.quick { 500 } else { 5000 }
    }

    const fn sessions(&self) -> u64 {
        if self.quick { 1000 } else { 10_000 }
    }
}

/// Builds everything for release, measures, and prints Markdown tables.
///
/// # Errors
///
/// When something does not build or run, or a server answers wrongly. Never for a figure.
pub fn run(bench: &Bench) -> Result<()> {
    let few = bench.client || bench.count;
    let wanted: &[Program] = if few { &[Program::Hermes, Program::Load] } else { &Program::ALL };
    let programs = Programs::build(&Workspace::read()?, wanted)?;
    let mut report = String::new();
    let mut add = |part: String| {
        say(&part);
        report.push_str(&part);
        report.push('\n');
    };
    if bench.count || bench.quick {
        add(count::measure(&programs, bench.record)?);
    }
    if bench.count {
        return Ok(());
    }
    if bench.growth {
        for part in growth::measure(&programs, bench, &root().join("docs/growth"))? {
            add(part);
        }
        return Ok(());
    }
    add(format!("Load of the machine before: {}; {} rounds.\n", trial::load(), bench.rounds()));
    if !bench.client {
        for part in calls::measure(&programs, bench)? {
            add(part);
        }
        add(calls::lists(&programs, bench)?);
        for flight in [64, 1] {
            add(calls::lines(&programs, bench, flight)?);
        }
        add(sessions::measure(&programs, bench.sessions())?);
        add(stalled::measure(&programs)?);
    }
    add(client::measure(&programs, bench)?);
    add(format!("Load of the machine afterwards: {}.\n", trial::load()));
    if let Some(file) = &bench.into {
        fs::write(file, report).map_err(at(file))?;
    }
    Ok(())
}
