//! `hermes list` without a target: the servers that have a name.

use hermes::servers::Entry;
use serde::Serialize;

use crate::args::Flags;
use crate::config::reach;
use crate::configured::Configured;
use crate::exit::{Exit, Result};
use crate::output::{print, print_json, report};
use crate::render::{Row, Screen, style, table};
use crate::target::missing;

/// All of them, for machines.
#[derive(Serialize)]
struct Servers<'a> {
    servers: Vec<Server<'a>>,
}

/// One server. Nothing in it is a secret.
#[derive(Serialize)]
struct Server<'a> {
    name: &'a str,
    /// The command line or the address, with its variables as they are written.
    reach: String,
    file: String,
    line: usize,
    disabled: bool,
    /// Why it cannot be used.
    error: Option<String>,
}

/// Lists the servers that have a name; starts none.
///
/// # Errors
/// There is no file of servers, or one that cannot be read; the others are listed all the same.
pub(crate) fn run(flags: &Flags) -> Result<Exit> {
    let configured = Configured::look(flags)?;
    if configured.is_empty() {
        return Err(missing(Some(&configured.places())));
    }
    let (entries, failures) = configured.all();
    if flags.json {
        print_json(&Servers { servers: entries.iter().map(server).collect() })?;
    } else if entries.is_empty() {
        print("No servers have a name here.\n")?;
    } else {
        print(&table(Screen::stdout(), &entries.iter().map(row).collect::<Vec<_>>()))?;
    }
    failures.iter().for_each(report);
    Ok(failures.first().map_or(Exit::Ok, |failure| failure.exit()))
}

fn server(entry: &Entry) -> Server<'_> {
    Server {
        name: entry.name(),
        reach: reach(entry),
        file: entry.file().display().to_string(),
        line: entry.line(),
        disabled: entry.is_disabled(),
        error: entry.error().map(ToString::to_string),
    }
}

fn row(entry: &Entry) -> Row {
    let disabled = if entry.is_disabled() { ", disabled" } else { "" };
    // The file may be somebody else's.
    let screen = Screen::stdout();
    Row::new(screen.clean(entry.name()))
        .with(style::PLAIN, screen.clean(&reach(entry)))
        .with(style::FAINT, format!("{}:{}{disabled}", entry.file().display(), entry.line()))
        .with(style::BAD, entry.error().map(ToString::to_string).unwrap_or_default())
}
