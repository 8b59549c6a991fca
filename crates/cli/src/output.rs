//! The two outputs: results on standard output, everything else on standard error.

use std::io::{self, Write as _};

use anstyle::Style;
use hermes::types::RawJson;
use serde::Serialize;

use crate::exit::{Exit, Failure, Result};
use crate::render::{Screen, style};

/// Writes a result to standard output, as it is.
///
/// # Errors
/// Nobody reads on (which ends the program quietly), or the output cannot take it.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| lost(&error))
}

/// What it means that standard output cannot be written to: nobody reads on, which is no failure, or the text is
/// lost.
pub(crate) fn lost(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::quiet(Exit::Ok),
        _ => Failure::new(Exit::Output, format!("cannot write to standard output: {error}")),
    }
}

/// Writes the JSON that a server sent, unchanged, as one line.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_raw(json: &RawJson) -> Result<()> {
    print(&format!("{}\n", json.get()))
}

/// Writes a value as one line of JSON.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_json<T: Serialize>(value: &T) -> Result<()> {
    let json = serde_json::to_string(value)
        .map_err(|error| Failure::usage(format!("the result cannot be written as JSON: {error}")))?;
    print(&format!("{json}\n"))
}

/// Writes a line to standard error. Nothing can be done if nobody hears it.
pub(crate) fn say(line: &str) {
    // In one piece, as others write to the same terminal.
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// Says something under a label: `warning: …`.
pub(crate) fn note(label: &str, look: Style, text: &str) {
    say(&noted(label, look, text));
}

/// The line that says something under a label.
pub(crate) fn noted(label: &str, look: Style, text: &str) -> String {
    let screen = Screen::stderr();
    format!("{} {}", screen.paint(look, &format!("{label}:")), screen.clean(text))
}

/// Says why the program ends.
pub(crate) fn report(failure: &Failure) {
    let message = failure.to_string();
    if !message.is_empty() {
        note("error", style::BAD, &message);
    }
    if let Some(hint) = failure.hint() {
        note("hint", style::GOOD, hint);
    }
}
