//! The demo server, which other programs are tried against, and a conversation with it.
//!
//! Its names are fixed: tests and guides elsewhere are written against them.

mod asking;
mod asset;
mod changes;
mod content;
mod conversation;
mod http;
mod prompts;
mod resources;
mod serve;
mod socket;
mod state;
mod tools;
mod transcript;

pub(crate) use conversation::converse;
pub(crate) use http::listen;
pub(crate) use serve::{serve, server};
pub(crate) use socket::share;
pub(crate) use tools::hush;
