//! All tests with one command.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::Message;

use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::peers::{self, Peers};
use crate::process::{cargo, run};
use crate::stage::{Stages, say};
use crate::tally::Tally;
use crate::workspace::{Workspace, root};
use crate::{conformance, fuzz, schemas};

/// The name of the program that users run.
const HERMES: &str = "hermes";

/// Builds everything once, then runs the workspace's tests, a few seconds of each fuzz target and, if asked to, the tests
/// with foreign peers and the official conformance suite.
///
/// # Errors
///
/// When cargo cannot describe the workspace. A failed stage is noted in `stages` and does not stop the others.
pub fn all(stages: &mut Stages, with_peers: bool) -> Result<()> {
    let workspace = Workspace::read()?;
    let Some(programs) = stages.run("build", build) else { return Ok(()) };
    let hermes = programs.find(HERMES)?;
    schemas::prepare(&workspace);
    let tally = Tally::begin(&workspace)?;
    stages.run("tests", || {
        let schemas = schemas::variable(&workspace);
        let mut tests = tests(hermes);
        run(tests.envs(schemas).envs(tally.variable()).args(["test", "--workspace", "--no-fail-fast"]))
    });
    say(&tally.read()?);
    stages.run("fuzz", fuzz::gate);
    if with_peers {
        foreign(stages, &workspace, hermes, Peers::Two, None);
        stages.run("conformance", || conformance::newest(&workspace, &programs));
    }
    Ok(())
}

/// Only the tests with foreign peers, but with all of them and with a browser; prints a grid of what was tried with
/// which.
///
/// # Errors
///
/// See [`all`].
pub fn interop(stages: &mut Stages) -> Result<()> {
    let workspace = Workspace::read()?;
    if let Some(programs) = stages.run("build", build) {
        let grid = Grid::begin(&workspace)?;
        let hermes = programs.find(HERMES)?;
        foreign(stages, &workspace, hermes, Peers::All, Some(&grid));
        pages(stages, hermes, &grid);
        say(&grid.read()?);
    }
    Ok(())
}

/// Only the tests with pages in a browser; prints the grid, too.
///
/// # Errors
///
/// See [`all`].
pub fn browser(stages: &mut Stages) -> Result<()> {
    let grid = Grid::begin(&Workspace::read()?)?;
    if let Some(hermes) = stages.run("build", hermes) {
        pages(stages, &hermes, &grid);
        say(&grid.read()?);
    }
    Ok(())
}

/// The program `hermes` for a test that runs it: the one named by `HERMES_BIN`, else newly built.
///
/// # Errors
///
/// When the workspace does not build.
pub fn hermes() -> Result<PathBuf> {
    match env::var_os("HERMES_BIN") {
        Some(path) => Ok(PathBuf::from(path)),
        None => build()?.find(HERMES).map(Path::to_owned),
    }
}

/// The explorer of the protocol core with its large bounds, optimised.
///
/// # Errors
///
/// When an invariant breaks.
pub fn explore() -> Result<()> {
    run(cargo().current_dir(root()).env("HERMES_EXPLORE_BOUNDS", "large").args([
        "test",
        "--release",
        "--package",
        "mcp-hermes-proto",
        "--test",
        "explore",
        "--test",
        "explore_session",
        "--",
        "--nocapture",
    ]))
}

fn foreign(stages: &mut Stages, workspace: &Workspace, hermes: &Path, peers: Peers, grid: Option<&Grid>) {
    let Some(folder) = stages.run("install peers", || peers::install(workspace, peers)) else { return };
    let feature = match peers {
        Peers::Two => "mcp-hermes-tests/peers",
        Peers::All => "mcp-hermes-tests/every-peer",
    };
    // The whole workspace is named so that cargo picks the same features as before and builds nothing twice.
    stages.run("peers", || {
        let mut command = tests(hermes);
        command.envs(schemas::variable(workspace)).env("HERMES_PEERS_DIR", &folder).args([
            "test",
            "--workspace",
            "--features",
            feature,
        ]);
        if let Some(grid) = grid {
            command.env("HERMES_PEERS_GRID", grid.path());
        }
        run(command.args(["--test", "peers"]))
    });
}

fn pages(stages: &mut Stages, hermes: &Path, grid: &Grid) {
    let Some(browser) = stages.run("find browser", peers::browser) else { return };
    stages.run("browser", || {
        let mut command = tests(hermes);
        command.env(peers::BROWSER, browser).env("HERMES_PEERS_GRID", grid.path());
        let features = ["test", "--workspace", "--features", "mcp-hermes-tests/browser"];
        run(command.args(features).args(["--test", "peers", "browser::"]))
    });
}

/// A cargo whose tests find the program that [`build`] made.
fn tests(hermes: &Path) -> Command {
    let mut command = cargo();
    command.current_dir(root()).env("HERMES_BIN", hermes);
    command
}

/// Builds all programs and tests, exactly as `cargo test --workspace` will want them.
fn build() -> Result<Programs> {
    Programs::build(&["--workspace", "--bins", "--tests"])
}

/// The programs that a build made, by name.
#[derive(Debug)]
pub(crate) struct Programs(BTreeMap<String, PathBuf>);

impl Programs {
    /// Runs `cargo build` with these arguments.
    ///
    /// # Errors
    ///
    /// When it does not start or something does not build.
    pub(crate) fn build(arguments: &[&str]) -> Result<Self> {
        let line = format!("cargo build {}", arguments.join(" "));
        let mut command = cargo();
        command
            .current_dir(root())
            .arg("build")
            .args(arguments)
            .arg("--message-format=json-render-diagnostics")
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        let output = command.output().map_err(|source| Error::Spawn { command: line.clone(), source })?;
        if !output.status.success() {
            return Err(Error::Command { command: line, status: output.status });
        }
        let programs = Message::parse_stream(output.stdout.as_slice()).filter_map(|message| match message {
            Ok(Message::CompilerArtifact(artifact)) if artifact.target.is_bin() && !artifact.profile.test => {
                Some((artifact.target.name, artifact.executable?.into_std_path_buf()))
            }
            _ => None,
        });
        Ok(Self(programs.collect()))
    }

    /// Where a program lies.
    ///
    /// # Errors
    ///
    /// [`Error::NoProgram`] when none of that name was built.
    pub(crate) fn find(&self, name: &'static str) -> Result<&Path> {
        self.0.get(name).map(PathBuf::as_path).ok_or(Error::NoProgram(name))
    }
}
