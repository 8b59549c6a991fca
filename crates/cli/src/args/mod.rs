//! The command line.

mod asking;
mod command;
mod config;
mod flags;
mod pages;
mod serving;
mod values;

pub(crate) use asking::{Call, Conversation, Output, Prompt, Reach, Watch};
pub(crate) use command::{Cli, Verb};
pub(crate) use config::{Config, ConfigAdd, ConfigImport, Whose};
pub(crate) use flags::{DEFAULT_TIMEOUT, EraWanted, Flags, LogFormat};
pub(crate) use pages::{CompleteWord, Manual, New};
pub(crate) use serving::{Demo, Serving};
pub(crate) use values::{parse_place, parse_timeout};
