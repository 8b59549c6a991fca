//! The command line of `cargo xtask`.

use clap::{Parser, Subcommand};

use crate::bench::{self, Bench};
use crate::conformance::{self, Revision};
use crate::error::Result;
use crate::fuzz::{self, Fuzz};
use crate::ledger::{self, Number};
use crate::package::{self, Packed};
use crate::restart::{self, Restart};
use crate::soak::{self, Soak};
use crate::stage::Stages;
use crate::torture::{self, Torture};
use crate::workspace::Workspace;
use crate::{deny, gates, llms, nginx, promtool, schemas, ten_tasks, test, tidy};

/// The project's own tasks.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub struct Xtask {
    /// What to do.
    #[command(subcommand)]
    pub task: Task,
}

/// What `cargo xtask` can do.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum Task {
    /// Pass all tests: the workspace's, its documentation's, the conversations with foreign peers, and the official
    /// conformance suite.
    Test {
        /// Leave out the foreign peers and the conformance suite, which need the network, Node and Python.
        #[arg(long)]
        no_peers: bool,
    },
    /// Pass every gate, then all tests; print the time of each stage.
    Ci,
    /// Check the formatting.
    Format,
    /// Let clippy look at everything, warnings denied.
    Clippy,
    /// Let clippy look at each package without its features and with each feature alone.
    Features,
    /// Build the documentation, warnings denied.
    Docs,
    /// Check licences, banned crates and sources of all dependencies; advisories if a database is at hand.
    Deny,
    /// Check the rules that no lint holds: sizes, order, crate arrows, words.
    Tidy,
    /// Write the guides anew as texts for language models: `llms.txt` and its pages.
    Llms,
    /// Tell how many rules of the specification a test shows, and which it does not show.
    Ledger {
        /// Name each rule that no test shows, with the reason.
        #[arg(long)]
        missing: bool,
        /// Tell one rule and the tests that show it.
        #[arg(long, value_name = "NUMBER", conflicts_with = "missing")]
        row: Option<Number>,
    },
    /// Explore the interleavings of the protocol core up to the large bounds.
    Explore,
    /// Only the conversations with foreign peers, but with all of them and with a browser; print a grid of what passed.
    Interop,
    /// Only the pages in a browser that call a server at another origin.
    Browser,
    /// Give random inputs to what reads bytes and messages, and check what it promises.
    Fuzz(Fuzz),
    /// Take the official schemas and examples, which the model is compared with, from the specification's repository.
    Schemas {
        /// Another repository that has the pinned commit, as git names it.
        #[arg(long, value_name = "URL")]
        from: Option<String>,
    },
    /// Run the official conformance suite against the server and the client that are written for it.
    Conformance {
        /// Also the older edition of the suite.
        #[arg(long)]
        all: bool,
        /// Only the runs of one revision.
        #[arg(long, value_enum)]
        revision: Option<Revision>,
    },
    /// Hold the conversations that go through nginx, which has to be installed.
    Nginx,
    /// Have Prometheus' own tool check the alert rules; it has to be installed.
    Promtool,
    /// Hold the ten small programs in the other toolkits against the tests of ours; needs the network and Python.
    TenTasks,
    /// Kill a server in the middle of two hundred calls, and go on with its store, for many rounds.
    Restart(Restart),
    /// Call a server a hundredfold while connections are cut at random; nothing may be lost, doubled or crossed.
    Torture(Torture),
    /// Make the archive of the program, its checksum, and the folder that a container is built from.
    Dist(Packed),
    /// Judge the container file, and carry out its steps without an engine: build, start, ask, end; needs root.
    Container(Packed),
    /// Make the Debian package.
    Deb {
        /// Which program.
        #[command(flatten)]
        packed: Packed,
        /// Also install it, start what its unit starts, ask it, and remove it; needs root.
        #[arg(long)]
        check: bool,
    },
    /// Pack what is published, and build each package from what was packed.
    Package {
        /// Only pack.
        #[arg(long)]
        no_verify: bool,
    },
    /// Make a project with `hermes new`, run its tests and call it.
    NewProject,
    /// Measure Hermes beside a bare handler and beside the Rust SDK rmcp: time and memory.
    Bench(Bench),
    /// Keep a server busy with good and bad clients for a long time: no call may be lost, and nothing may be left behind.
    Soak(Soak),
}

/// Carries out one task from the workspace's folder.
///
/// # Errors
///
/// The first thing that failed, or the names of all failed stages; details were printed.
pub fn run(xtask: &Xtask) -> Result<()> {
    let mut stages = Stages::new();
    match xtask.task.clone() {
        Task::Test { no_peers } => test::all(&mut stages, !no_peers)?,
        Task::Ci => {
            gates::all(&mut stages);
            test::all(&mut stages, true)?;
        }
        Task::Format => return gates::format(),
        Task::Clippy => return gates::clippy(),
        Task::Features => return gates::features(&Workspace::read()?),
        Task::Docs => return gates::docs(),
        Task::Deny => return deny::run(&Workspace::read()?),
        Task::Tidy => return tidy::run(&Workspace::read()?),
        Task::Llms => return llms::write(),
        Task::Ledger { missing, row } => return ledger::run(missing, row),
        Task::Explore => return test::explore(),
        Task::Interop => test::interop(&mut stages)?,
        Task::Browser => test::browser(&mut stages)?,
        Task::Fuzz(fuzz) => fuzz::run(&mut stages, &fuzz)?,
        Task::Schemas { from } => return schemas::take(&Workspace::read()?, from.as_deref()).map(drop),
        Task::Conformance { all, revision } => return conformance::run(all, revision),
        Task::Bench(wanted) => return bench::run(&wanted),
        Task::Dist(packed) => return package::dist(&packed),
        Task::Container(packed) => return package::container(&packed),
        Task::Deb { packed, check } => return package::deb(&packed, check),
        Task::Package { no_verify } => return package::crates(!no_verify),
        Task::NewProject => return package::new_project(),
        Task::Soak(wanted) => return soak::soak(&wanted),
        Task::Nginx => return nginx::nginx(),
        Task::Promtool => return promtool::promtool(),
        Task::TenTasks => ten_tasks::ten_tasks(&mut stages)?,
        Task::Restart(wanted) => return restart::restart(&wanted),
        Task::Torture(wanted) => return torture::torture(&wanted),
    }
    stages.finish()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Xtask::command().debug_assert();
    }
}
