//! The memory of sessions that nobody uses.

use serde::Deserialize;

use super::programs::{Program, Programs};
use super::table::Table;
use super::trial::Running;
use crate::error::Result;
use crate::stage::say;

/// What the generator tells.
#[derive(Debug, Deserialize)]
struct Figures {
    opened: u64,
    refused: u64,
    seconds: f64,
    bytes_before: u64,
    bytes_after: u64,
    tasks_before: u64,
    tasks_after: u64,
}

/// A server and what is opened there.
struct Entry {
    name: &'static str,
    program: Program,
    options: &'static [&'static str],
    bare: bool,
}

const ENTRIES: [Entry; 5] = [
    Entry {
        name: "Hermes, a handshake and a call each",
        program: Program::Hermes,
        options: &[],
        bare: false,
    },
    Entry { name: "rmcp 3.11, the same", program: Program::Rmcp, options: &[], bare: false },
    Entry {
        name: "Hermes with room for 1,000, `initialize` only",
        program: Program::Hermes,
        options: &["--sessions", "1000"],
        bare: true,
    },
    Entry {
        name: "Hermes with room for 1,000, a handshake and a call each",
        program: Program::Hermes,
        options: &["--sessions", "1000"],
        bare: false,
    },
    Entry {
        name: "rmcp 3.11 (has no limit), `initialize` only",
        program: Program::Rmcp,
        options: &[],
        bare: true,
    },
];

/// Opens so many sessions at each server, one after the other, and leaves them.
pub(super) fn measure(programs: &Programs, count: u64) -> Result<String> {
    let columns = [
        "server",
        "opened",
        "refused with 503",
        "sessions/s",
        "memory before, MB",
        "after, MB",
        "bytes/session",
        "tasks/session",
    ];
    let mut table = Table::new(&format!("{count} sessions, opened and left"), &columns);
    let number = count.to_string();
    for Entry { name, program, options, bare } in &ENTRIES {
        say(&format!("sessions: {name}"));
        let server = Running::start(&programs.find(*program), options)?;
        let mut wanted = vec!["--count", number.as_str()];
        wanted.extend(bare.then_some("--bare"));
        let it: Figures = server.load(programs, "sessions", &wanted)?;
        let grown = it.bytes_after as f64 - it.bytes_before as f64;
        let tasks = it.tasks_after as f64 - it.tasks_before as f64;
        let opened = it.opened as f64;
        table.row(&[
            (*name).to_owned(),
            it.opened.to_string(),
            it.refused.to_string(),
            format!("{:.0}", (it.opened + it.refused) as f64 / it.seconds),
            format!("{:.1}", it.bytes_before as f64 / 1e6),
            format!("{:.1}", it.bytes_after as f64 / 1e6),
            format!("{:.0}", grown / opened),
            format!("{:.2}", tasks / opened),
        ]);
    }
    Ok(table.text())
}
