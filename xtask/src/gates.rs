//! The gates before the tests.

use std::iter;
use std::process::Command;

use crate::deny;
use crate::error::Result;
use crate::process::{cargo, run};
use crate::stage::Stages;
use crate::workspace::{Workspace, root};

/// The package of the program.
const PROGRAM: &str = "mcp-hermes-cli";

/// Runs every gate, also after one has failed.
pub fn all(stages: &mut Stages) {
    stages.run("format", format);
    stages.run("clippy", clippy);
    stages.run("features", || features(&Workspace::read()?));
    stages.run("docs", docs);
    stages.run("deny", || deny::run(&Workspace::read()?));
}

/// Formatting as `rustfmt.toml` says.
///
/// # Errors
///
/// When a file is formatted otherwise.
pub fn format() -> Result<()> {
    run(in_workspace().args(["fmt", "--all", "--check"]))
}

/// Clippy over all targets with all features; a warning fails.
///
/// # Errors
///
/// When clippy has something to say.
pub fn clippy() -> Result<()> {
    run(in_workspace().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "-D",
        "warnings",
    ]))
}

/// Clippy over each package that has features: with none of them, and with each alone.
///
/// What only one of them uses, or what two of them need together, is seen nowhere else: everywhere else they are all
/// switched on.
///
/// # Errors
///
/// When a package with one feature does not build, or clippy has something to say.
pub fn features(workspace: &Workspace) -> Result<()> {
    for package in workspace.packages() {
        if !package.manifest_path.starts_with(root().join("crates")) {
            continue;
        }
        let mut names: Vec<&str> = package.features.keys().map(String::as_str).collect();
        names.retain(|name| *name != "default");
        if names.is_empty() {
            continue;
        }
        for feature in iter::once("").chain(names) {
            let arguments =
                ["clippy", "--package", &package.name, "--no-default-features", "--features", feature];
            run(in_workspace().args(arguments).args(["--", "-D", "warnings"]))?;
        }
    }
    Ok(())
}

/// The documentation, private items included; a warning fails.
///
/// # Errors
///
/// When rustdoc has something to say.
pub fn docs() -> Result<()> {
    // The program and the facade are both named `hermes`. Documented one after the other, the facade's pages stay.
    for packages in [["--package", PROGRAM].as_slice(), &["--workspace", "--exclude", PROGRAM]] {
        run(in_workspace().env("RUSTDOCFLAGS", "-D warnings").arg("doc").args(packages).args([
            "--no-deps",
            "--document-private-items",
            "--all-features",
        ]))?;
    }
    Ok(())
}

fn in_workspace() -> Command {
    let mut command = cargo();
    command.current_dir(root());
    command
}
