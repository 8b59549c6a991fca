//! The memory of sessions that nobody uses, and of streams on which nothing is said.

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::report::Limit::AtMost;
use super::report::Report;
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

/// How many sessions there are at last at the server of Hermes.
const MANY: u64 = 100_000;

/// How much memory it may take then, in megabytes, and one of them, in bytes.
const MANY_MB: f64 = 250.0;
const ONE: f64 = 2048.0;

impl Figures {
    fn each(&self) -> f64 {
        (self.bytes_after as f64 - self.bytes_before as f64) / self.opened as f64
    }
}

/// Opens so many sessions at each server, one after the other, and leaves them.
pub(super) fn measure(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
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
    let count = bench.sessions();
    let mut table = Table::new("sessions, opened and left", &columns);
    let number = count.to_string();
    let mut row = |name: &str, program, options: &[&str], wanted: &[&str]| {
        say(&format!("sessions: {name}"));
        let server = Running::start(&programs.find(program), options)?;
        let it: Figures = server.load(programs, "sessions", wanted)?;
        let (opened, tasks) = (it.opened as f64, it.tasks_after as f64 - it.tasks_before as f64);
        table.row(&[
            name.to_owned(),
            it.opened.to_string(),
            it.refused.to_string(),
            format!("{:.0}", (it.opened + it.refused) as f64 / it.seconds),
            format!("{:.1}", it.bytes_before as f64 / 1e6),
            format!("{:.1}", it.bytes_after as f64 / 1e6),
            format!("{:.0}", it.each()),
            format!("{:.2}", tasks / opened),
        ]);
        Result::Ok(it)
    };
    let mut first = None;
    for Entry { name, program, options, bare } in &ENTRIES {
        let mut wanted = vec!["--count", number.as_str()];
        wanted.extend(bare.then_some("--bare"));
        let it = row(name, *program, options, &wanted)?;
        first.get_or_insert_with(|| it.each());
    }
    let many = if bench.quick { count } else { MANY }.to_string();
    let all = row("Hermes, so many", Program::Hermes, &[], &["--count", &many])?;
    report.add(&table.text());
    report.target("an idle session of 2025-11-25: memory", first.unwrap_or(f64::NAN), AtMost(ONE), " bytes");
    let megabytes = if bench.quick { f64::NAN } else { all.bytes_after as f64 / 1e6 };
    report.target("100,000 idle sessions: memory of the server", megabytes, AtMost(MANY_MB), " MB");
    Ok(())
}
