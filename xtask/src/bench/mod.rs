//! `cargo xtask bench`: Hermes beside a bare handler and beside the Rust SDK rmcp, all in one run.
//!
//! The programs lie in the folder `bench`, a workspace of its own. Servers run on one core, the generator on another, and
//! they take turns, so that what else the machine does falls on all of them. Figures of two machines, or of two runs, say
//! little beside each other; ratios within a run are what counts.

mod calls;
mod client;
mod count;
mod footprint;
mod group;
mod growth;
mod plot;
mod programs;
mod report;
mod sessions;
mod stalled;
mod streams;
mod table;
mod trial;

use std::fs;
use std::path::PathBuf;

use crate::error::{Result, at};
use crate::workspace::{Workspace, root};

use report::Report;

pub(crate) use programs::{Program, Programs};
pub(crate) use trial::Running;

/// A part of what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Part {
    /// The cost of a call over HTTP, beside the floor and rmcp.
    Calls,
    /// Lists of many tools, and calls beside them.
    Tools,
    /// Long arguments and long results.
    Big,
    /// How much memory long arguments and long results take on their way, counted by valgrind. Only when it is named.
    Copies,
    /// Calls over standard input and output.
    Lines,
    /// From the start of a program to its first answer.
    Starts,
    /// The memory of sessions, and one of which a connection does not read.
    Sessions,
    /// The memory of streams, and an update to all of them.
    Streams,
    /// What the client adds to the exchange that carries its call.
    Client,
}

/// How much is measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Bench {
    /// A few short rounds: whether everything works, not how fast it is.
    #[arg(long)]
    pub quick: bool,
    /// How many rounds, in each of which every server has its turn.
    #[arg(long, value_name = "N")]
    pub rounds: Option<usize>,
    /// Only these parts.
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Only what the binary weighs, and what a minimal server takes to build: it is built from nothing.
    #[arg(long)]
    pub footprint: bool,
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
        if self.quick { 0.5 } else { 1.5 }
    }

    const fn calls(&self) -> u64 {
        if self.quick { 500 } else { 3000 }
    }

    const fn sessions(&self) -> u64 {
        if self.quick { 1000 } else { 10_000 }
    }

    const fn streams(&self) -> &'static str {
        if self.quick { "200" } else { "2000" }
    }

    /// What has to be built.
    fn programs(&self) -> Vec<Program> {
        let has_binary = self.measures(Part::Calls) || self.measures(Part::Starts);
        match self {
            Self { count: true, .. } => vec![Program::Hermes, Program::Load],
            Self { footprint: true, .. } => vec![Program::Cli],
            Self { growth: true, .. } => vec![Program::Floor, Program::Hermes, Program::Load],
            _ if has_binary => Program::ALL.to_vec(),
            _ => Program::ALL.into_iter().filter(|program| *program != Program::Cli).collect(),
        }
    }

    fn measures(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

/// Builds everything for release, measures, and prints Markdown tables.
///
/// # Errors
///
/// When something does not build or run, or a server answers wrongly. Never for a figure, but that of instructions.
pub fn run(bench: &Bench) -> Result<()> {
    let programs = Programs::build(&Workspace::read()?, &bench.programs())?;
    let mut report = Report::default();
    report.add(&format!("Load of the machine before: {}; {} rounds.\n", trial::load(), bench.rounds()));
    if bench.count || bench.quick {
        report.add(&count::measure(&programs, bench.record)?);
    }
    if bench.growth {
        growth::measure(&programs, bench, &root().join("docs/growth"), &mut report)?;
    } else if bench.footprint {
        footprint::measure(&programs, bench, &mut report)?;
    } else if !bench.count {
        parts(&programs, bench, &mut report)?;
    }
    report.add(&format!("Load of the machine afterwards: {}.\n", trial::load()));
    let text = report.text();
    match &bench.into {
        Some(file) => fs::write(file, text).map_err(at(file)),
        None => Ok(()),
    }
}

/// Everything that is measured in time and memory, or what was chosen of it.
fn parts(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let groups = [
        (Part::Calls, &calls::CALLS[..]),
        (Part::Tools, &calls::TOOLS),
        (Part::Big, &calls::BIG),
        (Part::Lines, &calls::LINES),
    ];
    if bench.only.contains(&Part::Copies) {
        report.add(&count::copies(programs)?);
    }
    for group in groups.iter().filter(|(part, _)| bench.measures(*part)).flat_map(|(_, groups)| *groups) {
        group.measure(programs, bench, report)?;
    }
    if bench.measures(Part::Starts) {
        footprint::starts(programs, bench, report)?;
    }
    if bench.measures(Part::Sessions) {
        sessions::measure(programs, bench, report)?;
        stalled::measure(programs, report)?;
    }
    if bench.measures(Part::Streams) {
        streams::measure(programs, bench, report)?;
    }
    if bench.measures(Part::Client) {
        client::measure(programs, bench, report)?;
    }
    Ok(())
}
