//! `hermes`: run, call and debug Model Context Protocol servers.

mod args;
mod arguments;
mod exit;
mod hint;
mod questions;
mod render;
mod target;

fn main() {}
