//! One module for each verb.

mod call;
mod complete;
mod completions;
mod config;
mod configured;
mod info;
mod list;
mod listen;
mod man;
mod ping;
mod prompt;
mod read;
mod run;
mod watch;
mod words;

pub(crate) use complete::Complete;
pub(crate) use info::{Info, offers};
pub(crate) use ping::Ping;
pub(crate) use run::run;
