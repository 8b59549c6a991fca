//! What the readers of bytes and messages promise, written as checks that hold for any input.
//!
//! Each module is one target. Its `check` takes whatever the fuzzer comes up with and panics when a promise is broken:
//! that nothing panics is only the least of them. Inputs are text wherever that can be, so that a seed, and an input
//! that broke something, can be read.
#![expect(clippy::missing_panics_doc, reason = "a check panics when what it checks does not hold")]

mod channel_model;
pub mod conversation;
mod cuts;
pub mod envelope;
pub mod head;
mod json;
pub mod lines;
pub mod opening;
pub mod sse;
