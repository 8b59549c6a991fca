//! The official schemas and examples: data for the tests that is never committed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::error::{Result, at};
use crate::process::run;
use crate::stage::say;
use crate::workspace::Workspace;

/// The variable that names the folder to the tests.
const VARIABLE: &str = "MCP_SCHEMA_DIR";

/// Where the specification is published.
const SOURCE: &str = "https://github.com/modelcontextprotocol/modelcontextprotocol";

/// The commit whose files are taken: all five revisions as they are published, and the examples of 2026-07-28.
const COMMIT: &str = "b0f60ba5409db7a6582440a7b473cc0398890f15";

/// Takes the schemas and examples of the pinned commit, unless they are at hand, and returns their folder: in it lie
/// `schema/<revision>.json` and `examples/<revision>/<Definition>/*.json`.
///
/// `from` names another repository that has the commit. Needs git 2.25 or newer; only the files that are wanted are
/// taken over the network.
///
/// # Errors
///
/// When git fails, for example without a network, or a file cannot be written.
pub fn take(workspace: &Workspace, from: Option<&str>) -> Result<PathBuf> {
    let folder = folder(workspace);
    if folder.is_dir() {
        say(&format!("the official schemas are at hand: {VARIABLE}={}", folder.display()));
        return Ok(folder);
    }
    let repository = folder.with_extension("git");
    let unfinished = folder.with_extension("new");
    for leftover in [&repository, &unfinished] {
        if leftover.exists() {
            fs::remove_dir_all(leftover).map_err(at(leftover))?;
        }
        fs::create_dir_all(leftover).map_err(at(leftover))?;
    }
    check_out(&repository, from.unwrap_or(SOURCE))?;
    arrange(&repository.join("schema"), &unfinished)?;
    // Whole or not at all: whoever finds the folder need not look what is in it.
    fs::rename(&unfinished, &folder).map_err(at(&folder))?;
    fs::remove_dir_all(&repository).map_err(at(&repository))?;
    say(&format!("the official schemas: {VARIABLE}={}", folder.display()));
    Ok(folder)
}

/// Takes the schemas for the tests that follow, where nobody has named a folder. Without a network it says aloud that
/// those tests will not run. In CI nothing is taken: there a missing folder is a failure of its tests.
pub fn prepare(workspace: &Workspace) {
    if env::var_os(VARIABLE).is_some() || env::var_os("CI").is_some_and(|ci| ci == "true") {
        return;
    }
    if let Err(error) = take(workspace, None) {
        say(&format!(
            "\n*** The official schemas cannot be had: {error}\n\
             *** The model will NOT be compared with them. Name a folder with {VARIABLE},\n\
             *** or a copy of the specification's repository: cargo xtask schemas --from URL\n"
        ));
    }
}

/// The variable for a test, if the folder was taken and none was named.
#[must_use]
pub fn variable(workspace: &Workspace) -> Option<(&'static str, PathBuf)> {
    let folder = folder(workspace);
    (env::var_os(VARIABLE).is_none() && folder.is_dir()).then_some((VARIABLE, folder))
}

/// Named after the commit, so that a new pin takes new files.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target().join("mcp-schema").join(COMMIT)
}

/// Fetches the one commit without its history and its files, then checks out those that matter.
fn check_out(repository: &Path, from: &str) -> Result<()> {
    let git = |arguments: &[&str]| {
        run(Command::new("git")
            .current_dir(repository)
            // Nobody is there to be asked for a password.
            .env("GIT_TERMINAL_PROMPT", "0")
            .args(arguments))
    };
    git(&["init", "--quiet"])?;
    git(&["remote", "add", "origin", from])?;
    git(&["sparse-checkout", "set", "--no-cone", "/schema/*/schema.json", "/schema/*/examples/"])?;
    git(&["fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", COMMIT])?;
    git(&["-c", "advice.detachedHead=false", "checkout", "--quiet", COMMIT])
}

/// From `<revision>/schema.json` and `<revision>/examples` to the layout that the tests read.
fn arrange(published: &Path, folder: &Path) -> Result<()> {
    let schemas = folder.join("schema");
    fs::create_dir_all(&schemas).map_err(at(&schemas))?;
    for revision in list(published)? {
        let name = revision.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Revisions are dates; a draft is none.
        if !name.starts_with("20") {
            continue;
        }
        copy(&revision.join("schema.json"), &schemas.join(format!("{name}.json")))?;
        let examples = revision.join("examples");
        for definition in if examples.is_dir() { list(&examples)? } else { Vec::new() } {
            let to = folder.join("examples").join(&name).join(definition.file_name().unwrap_or_default());
            fs::create_dir_all(&to).map_err(at(&to))?;
            for file in list(&definition)? {
                copy(&file, &to.join(file.file_name().unwrap_or_default()))?;
            }
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(at(from))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(at(folder))).collect()
}
