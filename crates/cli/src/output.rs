//! The two outputs: results on standard output, everything else on standard error.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anstyle::Style;
use hermes::types::RawJson;
use serde::Serialize;
use serde_json::json;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};

use crate::exit::{Exit, Failure, Result};
use crate::render::{Screen, style};

/// Whether machines read standard error: then every line of it is a JSON object, as the log writes them.
static FOR_MACHINES: AtomicBool = AtomicBool::new(false);

/// Writes to standard error for machines from now on.
pub(crate) fn for_machines() {
    FOR_MACHINES.store(true, Relaxed);
}

/// Whether machines read standard error.
pub(crate) fn is_for_machines() -> bool {
    FOR_MACHINES.load(Relaxed)
}

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
    if is_for_machines() {
        return write_line(&logged(None, line));
    }
    write_line(line);
}

fn write_line(line: &str) {
    // In one piece, as others write to the same terminal.
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// Says something under a label: `warning: …`.
pub(crate) fn note(label: &str, look: Style, text: &str) {
    if is_for_machines() {
        return write_line(&logged(Some(label), text));
    }
    write_line(&noted(label, look, text));
}

/// A line as the log has it, in JSON. The label says how bad it is, and is there as `kind`.
fn logged(label: Option<&str>, text: &str) -> String {
    let level = match label {
        Some("error" | "critical" | "alert" | "emergency") => "ERROR",
        Some("warning") => "WARN",
        Some("debug") => "DEBUG",
        _ => "INFO",
    };
    let mut timestamp = String::new();
    // A clock that cannot be read leaves it empty.
    let _ = SystemTime.format_time(&mut Writer::new(&mut timestamp));
    let mut fields = json!({ "message": text });
    if let Some(label) = label {
        fields["kind"] = label.into();
    }
    json!({ "timestamp": timestamp, "level": level, "fields": fields, "target": "hermes" }).to_string()
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
