//! What may stand below Hermes: licences, banned crates, sources, advisories.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::error::Result;
use crate::process;
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// The version that is built when none is at hand.
const VERSION: &str = "0.20.2";

/// Runs cargo-deny over `deny.toml`.
///
/// Advisories are checked only if a database was fetched before: a gate must give the same answer without a network.
///
/// # Errors
///
/// When a dependency is not allowed, or when cargo-deny can neither be found nor built.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut command = Command::new(program(&workspace.target().join("tools"))?);
    command.current_dir(root()).args(["--all-features", "--locked", "check", "--hide-inclusion-graph"]);
    if has_advisories() {
        command.arg("--disable-fetch").arg("advisories");
    } else {
        say("no advisory database at hand: advisories are left out");
    }
    process::run(command.args(["bans", "licenses", "sources"]))
}

/// cargo-deny from the path, from `tools`, or newly built into `tools`.
fn program(tools: &Path) -> Result<PathBuf> {
    let built = tools.join("bin").join("cargo-deny");
    if let Ok(found) = which::which("cargo-deny") {
        return Ok(found);
    }
    if !built.is_file() {
        // It runs for a second and builds for minutes: no optimisation of any kind.
        process::run(
            process::cargo()
                .args(["install", "--quiet", "--locked", "--root"])
                .arg(tools)
                .arg(format!("cargo-deny@{VERSION}"))
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
        )?;
    }
    Ok(built)
}

/// Whether an advisory database lies where cargo-deny looks for it.
fn has_advisories() -> bool {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    home.and_then(|home| fs::read_dir(home.join("advisory-dbs")).ok())
        .is_some_and(|mut databases| databases.next().is_some())
}
