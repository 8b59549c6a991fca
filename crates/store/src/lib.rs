//! Sessions of a server, kept in one file, so that they outlive its process.
//!
//! [`FileStore`] is a [`Store`](hermes_server::store::Store) on an embedded database. What is in its records, and when they
//! are written, is the business of `hermes_server::endpoint`.

mod error;
mod file;
mod quiet;

pub use error::OpenError;
pub use file::FileStore;
