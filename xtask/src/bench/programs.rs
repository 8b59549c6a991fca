//! The programs of the folder `bench`.

use std::path::PathBuf;

use crate::error::Result;
use crate::process::{cargo, run};
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
}

impl Program {
    pub(crate) const ALL: [Self; 4] = [Self::Floor, Self::Hermes, Self::Load, Self::Rmcp];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Floor => "bench-floor",
            Self::Hermes => "bench-hermes",
            Self::Load => "bench-load",
            Self::Rmcp => "bench-rmcp",
        }
    }
}

/// Where they are, once built.
#[derive(Debug)]
pub(crate) struct Programs(PathBuf);

impl Programs {
    /// Builds those that are wanted.
    ///
    /// # Errors
    ///
    /// When one does not build.
    pub(crate) fn build(workspace: &Workspace, wanted: &[Program]) -> Result<Self> {
        wanted.iter().try_for_each(|program| Self::build_one(workspace, *program).map(drop))?;
        Ok(Self(Self::folder(workspace)))
    }

    /// Builds one.
    ///
    /// Each on its own: built together, they would share the features of their dependencies.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub(crate) fn build_one(workspace: &Workspace, program: Program) -> Result<PathBuf> {
        let folder = Self::folder(workspace);
        run(cargo()
            .args(["build", "--release", "--locked", "--package", program.name(), "--manifest-path"])
            .arg(root().join("bench/Cargo.toml"))
            .arg("--target-dir")
            .arg(&folder))?;
        Ok(Self(folder).find(program))
    }

    fn folder(workspace: &Workspace) -> PathBuf {
        workspace.target().join("bench")
    }

    pub(crate) fn find(&self, program: Program) -> PathBuf {
        self.0.join("release").join(program.name())
    }
}
