//! `cargo xtask <task>`: see the library's documentation.

use std::process::ExitCode;

use clap::Parser;
use xtask::cli::{self, Xtask};

fn main() -> ExitCode {
    match cli::run(&Xtask::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            xtask::stage::say(&format!("xtask: {error}"));
            ExitCode::FAILURE
        }
    }
}
