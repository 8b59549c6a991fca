//! Foreign peers: clients and servers that nobody here wrote, installed into the target folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Result, at};
use crate::process::run;
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// What is installed, with its exact versions: beside the scripts that use it.
const MANIFESTS: [&str; 2] = ["package.json", "requirements.txt"];

/// Installs the peers named in `testing/tests/peers`, unless those very versions are there already.
///
/// Needs `npm` and Python 3.11 or newer with `venv`; on a Debian machine `venv` is installed if it is missing.
/// Returns the folder: `node_modules` lies in it, and a virtual environment named `venv`.
///
/// # Errors
///
/// When an installer fails or a file cannot be written.
pub fn install(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target().join("peers");
    let stamp = folder.join("installed");
    let wanted = wanted()?;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        say("the peers are installed");
        return Ok(folder);
    }
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    for name in MANIFESTS {
        fs::copy(manifest(name), folder.join(name)).map_err(at(manifest(name)))?;
    }
    install_node(&folder)?;
    install_python(&folder)?;
    fs::write(&stamp, wanted).map_err(at(&stamp))?;
    Ok(folder)
}

/// The content of all manifests: it changes when a version does.
fn wanted() -> Result<String> {
    MANIFESTS.iter().map(|name| fs::read_to_string(manifest(name)).map_err(at(manifest(name)))).collect()
}

fn manifest(name: &str) -> PathBuf {
    root().join("testing/tests/peers").join(name)
}

fn install_node(folder: &Path) -> Result<()> {
    run(Command::new("npm").current_dir(folder).args([
        "install",
        "--no-audit",
        "--no-fund",
        "--no-package-lock",
        "--no-update-notifier",
        "--loglevel=error",
    ]))
}

fn install_python(folder: &Path) -> Result<()> {
    let environment = folder.join("venv");
    let create = || run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
    if create().is_err() {
        // Debian ships Python without it.
        run(Command::new("apt-get").args(["install", "--yes", "--no-install-recommends", "python3-venv"]))?;
        create()?;
    }
    run(Command::new(environment.join("bin").join("python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
        .arg(folder.join("requirements.txt")))
}
