//! `hermes`: run, call and debug Model Context Protocol servers.

mod args;
mod arguments;
mod atomic;
mod completion;
mod config;
mod configured;
mod console;
mod demo;
mod exit;
mod hint;
mod new;
mod output;
mod places;
mod questions;
mod render;
mod save;
mod session;
mod shell;
mod signals;
mod target;
mod telemetry;
mod trace;
mod verbs;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Cli;
use crate::exit::Exit;

fn main() -> ExitCode {
    let exit = match Cli::try_parse() {
        Ok(cli) => verbs::run(cli).unwrap_or_else(|failure| {
            output::report(&failure);
            failure.exit()
        }),
        Err(help_or_error) => {
            // Help and version are printed where they belong.
            match help_or_error.print() {
                _ if help_or_error.use_stderr() => Exit::Usage,
                Ok(()) => Exit::Ok,
                Err(error) => {
                    let failure = output::lost(&error);
                    output::report(&failure);
                    failure.exit()
                }
            }
        }
    };
    exit.into()
}
