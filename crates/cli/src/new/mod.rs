//! `hermes new`: a server to begin with.

mod depend;
mod project;

pub(crate) use project::make;
