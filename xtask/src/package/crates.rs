//! Packages for a registry.

use crate::error::Result;
use crate::process::{cargo, run};
use crate::workspace::root;

/// Packs every package that is published, and builds each from what was packed. Those that need each other are taken from one
/// another's archives, so nothing of them has to be published yet.
///
/// # Errors
///
/// One cannot be packed, or does not build from its archive.
pub fn crates(verify: bool) -> Result<()> {
    let mut command = cargo();
    command.current_dir(root()).args(["package", "--workspace", "--locked", "--allow-dirty"]);
    if !verify {
        command.arg("--no-verify");
    }
    run(&mut command)
}
