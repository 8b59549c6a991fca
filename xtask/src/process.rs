//! Running commands: printed, without standard input, and with an error that names them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Error, Result, at};
use crate::stage::say;

/// The cargo that started this program, or the one on the path.
#[must_use]
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Prints the command and runs it to its end; its output goes where this program's goes.
///
/// # Errors
///
/// [`Error::Spawn`] if it does not start, [`Error::Command`] if it does not exit with 0.
pub fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    say(&format!("$ {line}"));
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|source| Error::Spawn { command: line.clone(), source })?;
    if status.success() { Ok(()) } else { Err(Error::Command { command: line, status }) }
}

/// The same, but its standard output and standard error go into a file.
///
/// # Errors
///
/// Those of [`run`], and [`Error::File`] if the file cannot be written.
pub fn run_into(command: &mut Command, log: &Path) -> Result<()> {
    let file = File::create(log).map_err(at(log))?;
    say(&format!("what it says goes to {}", log.display()));
    run(command.stdout(file.try_clone().map_err(at(log))?).stderr(file))
}

/// Runs the command to its end and returns its standard output.
///
/// # Errors
///
/// [`Error::Spawn`] if it does not start, [`Error::Command`] if it does not exit with 0; its standard error was passed
/// on then and otherwise.
pub fn output(command: &mut Command) -> Result<String> {
    let line = line(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Error::Spawn { command: line.clone(), source })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::Command { command: line, status: output.status })
    }
}

/// The command as a person would type it; the program without its folder.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_else(|| command.get_program());
    let words: Vec<_> =
        std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_says_no_is_named_with_its_status() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 3` failed: exit status: 3");
    }

    #[test]
    fn a_command_that_does_not_exist_is_named() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(
            matches!(error, Error::Spawn { ref command, .. } if command == "no-such-program-here"),
            "{error}"
        );
    }
}
