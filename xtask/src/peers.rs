//! Foreign peers: clients and servers that nobody here wrote, installed into the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::error::{Error, Result, at};
use crate::process::{cargo, run};
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// How many peers are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peers {
    /// Two clients and two servers: what CI has the time for.
    Two,
    /// All of them.
    All,
}

/// What may lie in a folder of `testing/tests/peers`: the exact versions that are installed from a registry.
const MANIFESTS: [&str; 2] = [NODE, PYTHON];
const NODE: &str = "package.json";
const PYTHON: &str = "requirements.txt";

/// The folders with the manifests of the peers that CI leaves out. Version 1 of the Python SDK needs an environment of
/// its own.
const MORE: [&str; 3] = ["more", "python-1", "websocket"];

/// The programs that speak for the Rust SDK: a client, and a server over HTTP.
const RUST: [&str; 2] = ["rmcp", "http/rmcp"];

/// The variable that names a browser.
pub const BROWSER: &str = "HERMES_BROWSER";

/// The browser that is used when none is named.
const CHROMIUM: &str = "chromium";

/// Installs the peers named in `testing/tests/peers`, unless those very versions are there already.
///
/// Needs `npm` and Python 3.11 or newer with `venv`; on a Debian machine `venv` is installed if it is missing.
/// Returns the folder: `node_modules` lies in it, and a virtual environment named `venv`. The same holds for its
/// folders of further peers.
///
/// # Errors
///
/// When an installer or the compiler fails or a file cannot be written.
pub fn install(workspace: &Workspace, peers: Peers) -> Result<PathBuf> {
    let manifests = root().join("testing/tests/peers");
    let folder = workspace.target().join("peers");
    install_into(&folder, &manifests)?;
    if peers == Peers::All {
        for name in MORE {
            more(&workspace.target(), name)?;
        }
        for name in RUST {
            build_rust(&folder.join("rmcp"), &manifests.join(name))?;
        }
    }
    Ok(folder)
}

/// A browser for the tests with pages: the one that `HERMES_BROWSER` names, else Chromium, which is installed on a
/// Debian machine if it is missing.
///
/// # Errors
///
/// [`Error::NoBrowser`]: there is none, and none can be installed.
pub fn browser() -> Result<PathBuf> {
    if let Some(named) = env::var_os(BROWSER) {
        return Ok(PathBuf::from(named));
    }
    let version = || run(Command::new(CHROMIUM).arg("--version"));
    if version().is_err() {
        let install = ["install", "--yes", "--no-install-recommends", CHROMIUM];
        run(Command::new("apt-get").args(install)).and_then(|()| version()).map_err(|_| Error::NoBrowser)?;
    }
    Ok(PathBuf::from(CHROMIUM))
}

/// Installs what the manifests of one folder name.
fn install_into(folder: &Path, manifests: &Path) -> Result<()> {
    let stamp = folder.join("installed");
    let mut wanted = String::new();
    for manifest in MANIFESTS.map(|name| manifests.join(name)).iter().filter(|manifest| manifest.exists()) {
        wanted.push_str(&fs::read_to_string(manifest).map_err(at(manifest))?);
    }
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        say(&format!("{name}: installed already"));
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(at(folder))?;
    for name in MANIFESTS {
        let manifest = manifests.join(name);
        if manifest.exists() {
            fs::copy(&manifest, folder.join(name)).map_err(at(&manifest))?;
            if name == NODE { install_node(folder)? } else { install_python(folder)? }
        }
    }
    fs::write(&stamp, wanted).map_err(at(&stamp))
}

/// Installs the further peers of one folder of `testing/tests/peers`.
///
/// # Errors
///
/// As [`install`].
pub(crate) fn more(target: &Path, name: &str) -> Result<PathBuf> {
    let folder = target.join("peers").join(name);
    install_into(&folder, &root().join("testing/tests/peers").join(name))?;
    Ok(folder)
}

/// Compiles programs on the Rust SDK, a workspace of their own. Cargo knows whether anything is left to do.
///
/// # Errors
///
/// When they do not compile.
pub(crate) fn build_rust(target: &Path, package: &Path) -> Result<()> {
    let manifest = package.join("Cargo.toml");
    run(cargo().args(["build", "--locked", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(target))
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
        .arg(folder.join(PYTHON)))
}
