//! The project that `hermes new` makes, built and tested as its author would.

use std::fs;
use std::process::Command;

use super::program::empty;
use crate::error::{Result, at};
use crate::process::{cargo, run};
use crate::test;
use crate::workspace::{Workspace, root};

/// Makes a project, runs its tests and calls it, without the network.
///
/// # Errors
///
/// It does not build, a test fails, or it cannot be called.
pub fn new_project() -> Result<()> {
    let hermes = test::hermes()?;
    let target = Workspace::read()?.target();
    let folder = target.join("new-project");
    empty(&folder)?;
    let project = folder.join("my-server");
    run(Command::new(&hermes).arg("new").arg(&project).arg("--hermes").arg(root()))?;
    // The versions that are here already.
    let lock = project.join("Cargo.lock");
    fs::copy(root().join("Cargo.lock"), &lock).map_err(at(&lock))?;
    run(cargo().current_dir(&project).env("CARGO_TARGET_DIR", &target).args(["test", "--offline"]))?;
    let mut call = Command::new(&hermes);
    call.current_dir(&project).env("CARGO_TARGET_DIR", &target).env("CARGO_NET_OFFLINE", "true");
    run(call.args(["call", "my-server", "keep", "text=bread", "--timeout", "60s"]))
}
