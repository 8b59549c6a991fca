//! The project's own tasks, run as `cargo xtask <task>`.
//!
//! Everything a contributor or the continuous integration needs beyond `cargo` itself: one command that passes all
//! tests, the gates before it, the foreign peers that the tests talk to, and the rules of style that no lint holds.
//! It is a library besides a binary, so that the test suite checks the same rules with the same code.
//!
//! It is deliberately not a build system: each task ends in a handful of ordinary commands, which it prints.

pub mod bench;
pub mod cli;
pub mod conformance;
pub mod deny;
pub mod error;
mod finding;
mod function;
pub mod fuzz;
pub mod gates;
pub mod grid;
pub mod ledger;
pub mod llms;
pub mod nginx;
pub mod package;
mod page;
mod parity;
pub mod peers;
pub mod process;
pub mod promtool;
pub mod purity;
pub mod readme;
pub mod restart;
pub mod schemas;
pub mod soak;
mod source;
pub mod stage;
pub mod tally;
pub mod ten_tasks;
pub mod test;
pub mod tidy;
pub mod torture;
pub mod workspace;
