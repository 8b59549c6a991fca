//! One module for each verb.

mod call;
mod complete;
mod completions;
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

pub(crate) use run::run;
