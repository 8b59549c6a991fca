//! The task as a whole.

use std::fs;
use std::path::Path;

use super::check;
use super::judged::Judged;
use super::leg::{self, Answers, Revision};
use super::server::Running;
use super::suite::{Edition, Suite};
use super::tally::{Tally, table};
use crate::error::{Error, Result, at};
use crate::schemas;
use crate::stage::say;
use crate::test::Programs;
use crate::workspace::Workspace;

/// The package of the server, and the program in it.
const PACKAGE: &str = "mcp-hermes-conformance";
const SERVER: &str = "conformance-server";

/// Builds `conformance-server`, runs the official suite against it, and prints what each run came to.
///
/// Only the newest edition unless `all` is set; all revisions unless one is named. What the suite wrote down stays in
/// `target/conformance/results`.
///
/// # Errors
///
/// [`Error::Conformance`] if a check failed, warned or was left out, or if fewer have passed than a full server
/// passes; otherwise whatever kept the suite from running.
pub fn run(all: bool, revision: Option<Revision>) -> Result<()> {
    let workspace = Workspace::read()?;
    schemas::prepare(&workspace);
    let programs = Programs::build(&["--package", PACKAGE])?;
    let editions: &[Edition] = if all { &[Edition::Newest, Edition::Older] } else { &[Edition::Newest] };
    against(programs.find(SERVER)?, &workspace, editions, revision)
}

/// The same for a server that is built already, with the newest edition and all revisions.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn newest(workspace: &Workspace, programs: &Programs) -> Result<()> {
    against(programs.find(SERVER)?, workspace, &[Edition::Newest], None)
}

fn against(
    server: &Path,
    workspace: &Workspace,
    editions: &[Edition],
    revision: Option<Revision>,
) -> Result<()> {
    let suites = editions.iter().map(|edition| Suite::install(workspace, *edition));
    let suites = suites.collect::<Result<Vec<Suite>>>()?;
    let results = workspace.target().join("conformance/results");
    if results.exists() {
        fs::remove_dir_all(&results).map_err(at(&results))?;
    }
    fs::create_dir_all(&results).map_err(at(&results))?;
    let judged = Judged::new(workspace, results.join("judged.txt"));
    let servers = [
        Running::start(server, Answers::Events, Some(&judged))?,
        // As it comes, and with nobody reading along.
        Running::start(server, Answers::Json, None)?,
    ];
    let mut tallies = Vec::new();
    for suite in &suites {
        for leg in leg::chosen(suite.edition(), revision) {
            let folder = results.join(leg.name().replace(' ', "-"));
            for server in servers.iter().filter(|server| server.gives(leg.answers)) {
                suite.run(&leg, server.url(), &folder)?;
            }
            tallies.push(Tally::new(&leg, &check::read(&folder)?));
        }
    }
    drop(servers);
    let verdict = judged.read()?;
    say(&table(&tallies));
    say(&verdict.text());
    match tallies.iter().map(Tally::faults).sum::<usize>() + verdict.faults() {
        0 => Ok(()),
        faults => Err(Error::Conformance(faults)),
    }
}
