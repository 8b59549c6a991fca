//! Packages for a registry.

use crate::error::Result;
use crate::process::{cargo, run};
use crate::workspace::{Workspace, root};

/// Packs every package that is published, and builds each from what was packed. Those that need each other are taken from one
/// another's archives, so nothing of them has to be published yet.
///
/// # Errors
///
/// One cannot be packed, or does not build from its archive.
pub fn crates(verify: bool) -> Result<()> {
    let mut command = cargo();
    command.current_dir(root()).args(["package", "--locked", "--allow-dirty"]);
    // The whole workspace would take those along that nobody publishes.
    for package in Workspace::read()?.packages() {
        if package.publish.as_ref().is_none_or(|registries| !registries.is_empty()) {
            command.args(["--package", &package.name]);
        }
    }
    if !verify {
        command.arg("--no-verify");
    }
    run(&mut command)
}
