//! Servers that a file names, such as `.mcp.json`.

mod entry;
mod env_file;
mod error;
mod file;
mod members;
mod surroundings;
#[cfg(test)]
mod tests;

pub use entry::Entry;
pub use error::{EntryError, FileError, Flaw};
pub use file::ServerFile;
pub use surroundings::Surroundings;
