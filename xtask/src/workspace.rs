//! Where the workspace is and what is in it.

use std::path::{Path, PathBuf};

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Package};

use crate::error::Result;

/// The workspace that this program was built from.
#[derive(Debug)]
pub struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// Asks cargo about this workspace; reads no registry.
    ///
    /// # Errors
    ///
    /// When cargo cannot read a manifest.
    pub fn read() -> Result<Self> {
        let mut command = MetadataCommand::new();
        command.current_dir(root()).features(CargoOpt::AllFeatures).no_deps();
        Ok(Self { metadata: command.exec()? })
    }

    /// The folder for everything that is made and can be thrown away.
    #[must_use]
    pub fn target(&self) -> PathBuf {
        self.metadata.target_directory.clone().into_std_path_buf()
    }

    /// The packages of the workspace.
    #[must_use]
    pub fn packages(&self) -> Vec<&Package> {
        self.metadata.workspace_packages()
    }

    /// The packages that cargo takes when none is named.
    #[must_use]
    pub fn default_packages(&self) -> Vec<&Package> {
        self.metadata.workspace_default_packages()
    }

    /// Names of the workspace's own packages that `package` depends on in one way, sorted.
    #[must_use]
    pub fn own_dependencies(&self, package: &Package, kind: DependencyKind) -> Vec<String> {
        let own = |name: &str| self.packages().iter().any(|package| package.name.as_str() == name);
        let mut names: Vec<String> = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == kind && own(&dependency.name))
            .map(|dependency| dependency.name.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The folder of the workspace's manifest.
#[must_use]
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}
