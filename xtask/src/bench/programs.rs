//! The programs of the folder `bench`, and those that are measured with them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Result, at};
use crate::process::{cargo, run};
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The bare handler.
    Floor,
    /// Hermes.
    Hermes,
    /// The generator.
    Load,
    /// The Rust SDK.
    Rmcp,
    /// The binary `hermes`.
    Cli,
    /// A minimal server of Hermes that reads lines.
    MinimalHermes,
    /// The same of the Rust SDK.
    MinimalRmcp,
    /// The TypeScript SDK, where it is installed.
    TypeScript,
}

impl Program {
    /// All that a whole run measures.
    pub(super) const ALL: [Self; 6] =
        [Self::Floor, Self::Hermes, Self::Load, Self::Rmcp, Self::Cli, Self::TypeScript];

    /// The package that it is built from.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Floor => "bench-floor",
            Self::Hermes => "bench-hermes",
            Self::Load => "bench-load",
            Self::Rmcp => "bench-rmcp",
            Self::Cli => "mcp-hermes-cli",
            Self::MinimalHermes => "minimal-hermes",
            Self::MinimalRmcp => "minimal-rmcp",
            Self::TypeScript => "typescript.mjs",
        }
    }
}

/// Where they are, once built.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The folder for everything that is made.
    target: PathBuf,
}

impl Programs {
    /// Builds those that are wanted.
    ///
    /// # Errors
    ///
    /// When one does not build.
    pub(crate) fn build(workspace: &Workspace, wanted: &[Program]) -> Result<Self> {
        wanted.iter().try_for_each(|program| Self::build_one(workspace, *program).map(drop))?;
        Ok(Self { target: workspace.target() })
    }

    /// Builds one.
    ///
    /// Each on its own: built together, they would share the features of their dependencies.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub(crate) fn build_one(workspace: &Workspace, program: Program) -> Result<PathBuf> {
        let programs = Self { target: workspace.target() };
        match program {
            Program::TypeScript => programs.place()?,
            Program::Cli => {
                let mut command = cargo();
                command.current_dir(root()).args(["build", "--release", "--locked", "--package"]);
                run(command.arg(program.name()))?;
            }
            _ => run(cargo()
                .args(["build", "--release", "--locked", "--package", program.name(), "--manifest-path"])
                .arg(root().join("bench/Cargo.toml"))
                .arg("--target-dir")
                .arg(programs.target.join("bench")))?,
        }
        Ok(programs.find(program))
    }

    pub(crate) fn find(&self, program: Program) -> PathBuf {
        match program {
            Program::Cli => self.target.join("release/hermes"),
            Program::TypeScript => self.target.join("peers").join(program.name()),
            _ => self.target.join("bench/release").join(program.name()),
        }
    }

    /// Whether it was built, or installed by somebody.
    pub(super) fn is_there(&self, program: Program) -> bool {
        self.find(program).exists()
    }

    /// The folder for everything that is made.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// A file beside those that were built.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.target.join("bench").join(name)
    }

    /// Puts the server of the TypeScript SDK beside the SDK, which it finds only there.
    fn place(&self) -> Result<()> {
        if !self.target.join("peers/node_modules/@modelcontextprotocol/sdk").exists() {
            say("the TypeScript SDK is left out; `cargo xtask interop` installs it");
            return Ok(());
        }
        let (from, to) = (root().join("bench/typescript.mjs"), self.find(Program::TypeScript));
        fs::copy(&from, &to).map(drop).map_err(at(&from))
    }
}
