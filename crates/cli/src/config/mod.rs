//! Files of servers: the user's own and the project's, which are changed, and those of other programs, which are only
//! read.

mod edit;
mod hosts;
mod programs;
mod secret;
mod servers;

pub(crate) use edit::{Document, entry};
pub(crate) use hosts::HostProgram;
pub(crate) use programs::missing_program;
pub(crate) use secret::shown;
pub(crate) use servers::{Named, Servers, own, project, reach};
