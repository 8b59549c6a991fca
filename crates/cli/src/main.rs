//! `hermes`: run, call and debug Model Context Protocol servers.

mod args;
mod arguments;
mod atomic;
mod bounded;
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
mod warned;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::args::Cli;
use crate::exit::Exit;

fn main() -> ExitCode {
    if asks_for_json(std::env::args_os().skip(1)) {
        output::for_machines();
    }
    let exit = match Cli::read(std::env::args_os()) {
        Ok(cli) => verbs::run(cli).unwrap_or_else(|failure| {
            output::report(&failure);
            failure.exit()
        }),
        Err(error) if error.use_stderr() && output::is_for_machines() => {
            let text = error.to_string();
            output::report(&exit::Failure::usage(text.strip_prefix("error: ").unwrap_or(&text).trim_end()));
            Exit::Usage
        }
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

/// Whether `--log-format json` is on the command line: what is wrong with the rest of it is told in JSON too.
fn asks_for_json(words: impl Iterator<Item = OsString>) -> bool {
    let ours: Vec<OsString> = words.take_while(|word| word != "--").collect();
    let mut pairs = ours.iter().zip(ours.iter().skip(1));
    pairs.any(|(flag, value)| flag == "--log-format" && value == "json")
        || ours.iter().any(|word| word == "--log-format=json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_known_before_the_command_line_is_understood() {
        let asks = |line: &str| asks_for_json(line.split(' ').map(OsString::from));
        assert!(asks("ping demo --log-format json") && asks("--log-format=json ping --oops"));
        assert!(
            !asks("ping demo") && !asks("ping -- x --log-format json") && !asks("x --log-format text json")
        );
    }
}
