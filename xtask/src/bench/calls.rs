//! The cost of a call.

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::table::{Table, median};
use super::trial::Running;
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
        Ok(self.table(&measured))
    }

    fn table(&self, measured: &[Vec<Figures>]) -> String {
        let columns =
            ["server", "calls/s", "CPU µs/call", "of which user", "× the first", "p50 µs", "p99 µs"];
        let mut table = Table::new(self.title, &columns);
        let mut first = None;
        for (entry, runs) in self.entries.iter().zip(measured) {
            let middle = |figure: fn(&Figures) -> f64| median(runs.iter().map(figure));
            let cpu = middle(|it| it.cpu_us);
            let first = *first.get_or_insert(cpu);
            table.row(&[
                entry.name.to_owned(),
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
}
