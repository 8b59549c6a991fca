//! All tests with one command.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::Message;

use crate::error::{Error, Result};
use crate::peers;
use crate::process::{cargo, run};
use crate::stage::Stages;
use crate::workspace::{Workspace, root};

/// Builds everything once, then runs the workspace's tests and, if asked to, those with foreign peers.
///
/// # Errors
///
/// When cargo cannot describe the workspace. A failed stage is noted in `stages` and does not stop the others.
pub fn all(stages: &mut Stages, with_peers: bool) -> Result<()> {
    let workspace = Workspace::read()?;
    let Some(hermes) = stages.run("build", build) else { return Ok(()) };
    stages.run("tests", || run(tests(&hermes).args(["test", "--workspace", "--no-fail-fast"])));
    if with_peers {
        foreign(stages, &workspace, &hermes);
    }
    Ok(())
}

/// Only the tests with foreign peers.
///
/// # Errors
///
/// See [`all`].
pub fn interop(stages: &mut Stages) -> Result<()> {
    let workspace = Workspace::read()?;
    if let Some(hermes) = stages.run("build", build) {
        foreign(stages, &workspace, &hermes);
    }
    Ok(())
}

/// The program `hermes` for a test that runs it: the one named by `HERMES_BIN`, else newly built.
///
/// # Errors
///
/// When the workspace does not build.
pub fn hermes() -> Result<PathBuf> {
    env::var_os("HERMES_BIN").map_or_else(build, |path| Ok(PathBuf::from(path)))
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
        "--",
        "--nocapture",
    ]))
}

fn foreign(stages: &mut Stages, workspace: &Workspace, hermes: &Path) {
    let Some(folder) = stages.run("install peers", || peers::install(workspace)) else { return };
    // The whole workspace is named so that cargo picks the same features as before and builds nothing twice.
    stages.run("peers", || {
        run(tests(hermes).env("HERMES_PEERS_DIR", &folder).args([
            "test",
            "--workspace",
            "--features",
            "mcp-hermes-tests/peers",
            "--test",
            "peers",
        ]))
    });
}

/// A cargo whose tests find the program that [`build`] made.
fn tests(hermes: &Path) -> Command {
    let mut command = cargo();
    command.current_dir(root()).env("HERMES_BIN", hermes);
    command
}

/// Builds all programs and tests, exactly as `cargo test --workspace` will want them, and returns the program `hermes`.
fn build() -> Result<PathBuf> {
    let mut command = cargo();
    command
        .current_dir(root())
        .args(["build", "--workspace", "--bins", "--tests"])
        .arg("--message-format=json-render-diagnostics")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let line = "cargo build --workspace --bins --tests";
    let output = command.output().map_err(|source| Error::Spawn { command: line.to_owned(), source })?;
    if !output.status.success() {
        return Err(Error::Command { command: line.to_owned(), status: output.status });
    }
    Message::parse_stream(output.stdout.as_slice())
        .filter_map(|message| match message {
            Ok(Message::CompilerArtifact(artifact)) => Some(artifact),
            _ => None,
        })
        .filter(|artifact| {
            artifact.target.is_bin() && artifact.target.name == "hermes" && !artifact.profile.test
        })
        .find_map(|artifact| artifact.executable)
        .map(PathBuf::from)
        .ok_or(Error::NoProgram("hermes"))
}
