//! What people install: an archive, a Debian package, packages for a registry.

mod container;
mod crates;
mod deb;
mod deb_check;
mod dist;
mod flaw;
mod new;
mod program;

use std::path::PathBuf;

pub use container::container;
pub use crates::crates;
pub use deb::deb;
pub use dist::dist;
pub use flaw::Flaw;
pub use new::new_project;

/// Which program is packed.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Packed {
    /// Pack this program instead of building it.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
}
