//! The official conformance suite, run against the server and the client that are written for it.
//!
//! The suite's own exit code says little: it is 0 when checks only warn or are left out. So what counts is read from
//! the checks that it writes down, and every run has to reach the number of checks that can be reached.

mod check;
mod client;
mod judged;
mod leg;
mod run;
mod server;
mod suite;
mod tally;

pub use leg::Revision;
pub(crate) use run::newest;
pub use run::run;
