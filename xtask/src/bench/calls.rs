//! The cost of a call.

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::table::{Table, median};
use super::trial::{Running, piped};
use crate::error::Result;
use crate::stage::say;

/// Servers that are compared with each other.
struct Group {
    title: &'static str,
    era: &'static str,
    /// The first is the floor, or what the others are measured by.
    entries: &'static [Entry],
}

/// A server of a group.
struct Entry {
    name: &'static str,
    program: Program,
    options: &'static [&'static str],
}

const GROUPS: [Group; 3] = [
    Group {
        title: "`tools/call`, 2026-07-28, JSON, 16 connections",
        era: "modern",
        entries: &[
            Entry { name: "bare axum handler", program: Program::Floor, options: &[] },
            Entry { name: "Hermes", program: Program::Hermes, options: &[] },
            Entry { name: "rmcp 3.11", program: Program::Rmcp, options: &["--json"] },
            Entry {
                name: "rmcp 3.11, table of tools kept",
                program: Program::Rmcp,
                options: &["--json", "--kept"],
            },
        ],
    },
    Group {
        title: "`tools/call`, 2025-11-25, in 16 sessions",
        era: "legacy",
        entries: &[
            Entry { name: "bare axum handler, events", program: Program::Floor, options: &["--stream"] },
            Entry { name: "Hermes, as it comes: JSON", program: Program::Hermes, options: &[] },
            Entry { name: "Hermes, events", program: Program::Hermes, options: &["--stream"] },
            Entry { name: "rmcp 3.11, events", program: Program::Rmcp, options: &[] },
            Entry {
                name: "rmcp 3.11, events, table of tools kept",
                program: Program::Rmcp,
                options: &["--kept"],
            },
        ],
    },
    Group {
        title: "the same call beside 1,000 tools, 2026-07-28",
        era: "modern",
        entries: &[
            Entry { name: "Hermes, 4 tools", program: Program::Hermes, options: &[] },
            Entry { name: "Hermes, 1,000 tools", program: Program::Hermes, options: &["--tools", "1000"] },
        ],
    },
];

/// What the generator tells of one run.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Figures {
    per_second: f64,
    cpu_us: f64,
    user_us: f64,
    p50_us: f64,
    p99_us: f64,
    /// How long an answer was; over pipes nobody tells.
    #[serde(default)]
    bytes: u64,
}

/// Measures all groups: a table of each.
pub(super) fn measure(programs: &Programs, bench: &Bench) -> Result<Vec<String>> {
    GROUPS.iter().map(|group| group.measure(programs, bench)).collect()
}

impl Group {
    fn measure(&self, programs: &Programs, bench: &Bench) -> Result<String> {
        let seconds = bench.seconds().to_string();
        let options = ["--era", self.era, "--seconds", &seconds];
        let mut measured: Vec<Vec<Figures>> = self.entries.iter().map(|_| Vec::new()).collect();
        for round in 1..=bench.rounds() {
            say(&format!("{}: round {round} of {}", self.title, bench.rounds()));
            for (entry, runs) in self.entries.iter().zip(&mut measured) {
                let server = Running::start(&programs.find(entry.program), entry.options)?;
                runs.push(server.load(programs, "call", &options)?);
            }
        }
        let names = self.entries.iter().map(|entry| entry.name);
        Ok(compared(self.title, names.zip(&measured)))
    }
}

/// A table of medians; the first row is what the others are measured by.
fn compared<'r>(title: &str, rows: impl Iterator<Item = (&'r str, &'r Vec<Figures>)>) -> String {
    let columns = ["server", "calls/s", "CPU µs/call", "of which user", "× the first", "p50 µs", "p99 µs"];
    let mut table = Table::new(title, &columns);
    let mut first = None;
    for (name, runs) in rows {
        let middle = |figure: fn(&Figures) -> f64| median(runs.iter().map(figure));
        let cpu = middle(|it| it.cpu_us);
        let first = *first.get_or_insert(cpu);
        table.row(&[
            name.to_owned(),
            format!("{:.0}", middle(|it| it.per_second)),
            format!("{cpu:.1}"),
            format!("{:.1}", middle(|it| it.user_us)),
            format!("{:.2}", cpu / first),
            format!("{:.0}", middle(|it| it.p50_us)),
            format!("{:.0}", middle(|it| it.p99_us)),
        ]);
    }
    table.text()
}

/// Lists of 1,000 tools, beside a bare handler that sends as many bytes, which were written beforehand.
pub(super) fn lists(programs: &Programs, bench: &Bench) -> Result<String> {
    let seconds = bench.seconds().to_string();
    let load = ["--era", "modern", "--list", "--connections", "4", "--seconds", &seconds];
    let (mut bare, mut hermes, mut rmcp) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=bench.rounds() {
        say(&format!("lists of 1,000 tools: round {round} of {}", bench.rounds()));
        let run = |program, options: &[&str], runs: &mut Vec<Figures>| {
            let figures: Figures =
                Running::start(&programs.find(program), options)?.load(programs, "call", &load)?;
            runs.push(figures);
            Result::Ok(figures.bytes)
        };
        let bytes = run(Program::Hermes, &["--tools", "1000"], &mut hermes)?.to_string();
        run(Program::Floor, &["--bytes", &bytes], &mut bare)?;
        run(Program::Rmcp, &["--json", "--kept", "--tools", "1000"], &mut rmcp)?;
    }
    let rows = [
        ("bare axum handler, as many bytes", &bare),
        ("Hermes", &hermes),
        ("rmcp 3.11, table of tools kept", &rmcp),
    ];
    Ok(compared("`tools/list`, 1,000 tools, 2026-07-28, 4 connections", rows.into_iter()))
}

/// Calls over standard input and output, so many under way at a time.
pub(super) fn lines(programs: &Programs, bench: &Bench, flight: usize) -> Result<String> {
    let servers: [(&str, Program, &[&str]); 4] = [
        ("bare tokio handler of lines", Program::Floor, &["--stdio"]),
        ("Hermes", Program::Hermes, &["--stdio"]),
        ("rmcp 3.11", Program::Rmcp, &["--stdio"]),
        ("rmcp 3.11, table of tools kept", Program::Rmcp, &["--stdio", "--kept"]),
    ];
    let mut measured: [Vec<Figures>; 4] = Default::default();
    for round in 1..=bench.rounds() {
        say(&format!("stdio, {flight} under way: round {round} of {}", bench.rounds()));
        for ((_, program, options), runs) in servers.iter().zip(&mut measured) {
            runs.push(piped(programs, *program, options, (flight, bench.seconds()))?);
        }
    }
    let title = format!("`tools/call` over stdio, 2025-11-25, {flight} under way");
    Ok(compared(&title, servers.iter().map(|server| server.0).zip(&measured)))
}
