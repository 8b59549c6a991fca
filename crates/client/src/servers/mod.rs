//! Servers that a file names, such as `.mcp.json`: what it says of them, and clients of all of them.
//!
//! A [`ServerFile`] is read into an [`Entry`] for each server, [`Servers`] keeps a client for each entry, and a
//! [`Client`](crate::Client) connects to one [target](Entry::target) alone. What is wrong with one server is never
//! anything to another.
//!
//! A file of servers says which programs to run. Read none that others may write to.

mod entry;
mod env_file;
mod error;
mod file;
mod members;
mod set;
mod status;
mod surroundings;
#[cfg(test)]
mod tests;

pub use entry::Entry;
pub use error::{EntryError, FileError, Flaw};
pub use file::ServerFile;
pub use set::Servers;
pub use status::{ServerEvent, ServerEvents, ServerStatus, StartError};
pub use surroundings::Surroundings;
