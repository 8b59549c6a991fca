//! The task as a whole.

use std::fs;
use std::path::Path;

use super::check;
use super::client;
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

/// The package of the server and the client, and the programs in it.
const PACKAGE: &str = "mcp-hermes-conformance";
const SERVER: &str = "conformance-server";
const CLIENT: &str = "conformance-client";

/// Builds `conformance-server` and `conformance-client`, runs the official suite against them, and prints what each run
/// came to.
///
/// Only the newest edition unless `all` is set; all revisions unless one is named. What the suite wrote down stays in
/// `target/conformance/results`.
///
/// # Errors
///
/// [`Error::Conformance`] if a check failed, warned or was left out, or if fewer have passed than can be passed; otherwise
/// whatever kept the suite from running.
pub fn run(all: bool, revision: Option<Revision>) -> Result<()> {
    let workspace = Workspace::read()?;
    schemas::prepare(&workspace);
    let programs = Programs::build(&["--package", PACKAGE])?;
    let editions: &[Edition] = if all { &[Edition::Newest, Edition::Older] } else { &[Edition::Newest] };
    against(&programs, &workspace, editions, revision)
}

/// The same for programs that are built already, with the newest edition and all revisions.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn newest(workspace: &Workspace, programs: &Programs) -> Result<()> {
    against(programs, workspace, &[Edition::Newest], None)
}

fn against(
    programs: &Programs,
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
    let mut tallies = servers(programs.find(SERVER)?, &suites, revision, &results, &judged)?;
    let verdict = judged.read()?;
    for suite in &suites {
        tallies.extend(client::try_all(suite, programs.find(CLIENT)?, revision, &results)?);
    }
    say(&table(&tallies));
    say(&verdict.text());
    match tallies.iter().map(Tally::faults).sum::<usize>() + verdict.faults() {
        0 => Ok(()),
        faults => Err(Error::Conformance(faults)),
    }
}

/// Everything that is there for servers.
fn servers(
    program: &Path,
    suites: &[Suite],
    revision: Option<Revision>,
    results: &Path,
    judged: &Judged<'_>,
) -> Result<Vec<Tally>> {
    let servers = [
        Running::start(program, Answers::Events, Some(judged))?,
        // As it comes, and with nobody reading along.
        Running::start(program, Answers::Json, None)?,
    ];
    let mut tallies = Vec::new();
    for suite in suites {
        for leg in leg::chosen(suite.edition(), revision) {
            let folder = results.join(leg.name().replace(' ', "-"));
            for server in servers.iter().filter(|server| server.gives(leg.answers)) {
                suite.try_server(&leg, server.url(), &folder)?;
            }
            tallies.push(Tally::new(leg.wanted(), &check::read(&folder)?));
        }
    }
    Ok(tallies)
}
