//! Servers that take turns under the same load, and what their figures say of each other.

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::report::{Limit, Report};
use super::table::{Table, median};
use super::trial::{Cores, Running, piped};
use crate::error::Result;
use crate::stage::say;

/// Among the options of a server: as many bytes as the answer of the first one has.
pub(super) const AS_MANY: &str = "{bytes}";

/// How long a server is called before it is measured, in seconds.
const WARMUP: &str = "0.3";

/// Servers that are compared with each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) title: &'static str,
    /// What the generator is told.
    pub(super) load: &'static [&'static str],
    pub(super) entries: &'static [Entry],
    /// Which one the others are measured by.
    pub(super) base: usize,
    pub(super) lines: &'static [Line],
}

/// A server of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    name: &'static str,
    program: Program,
    options: &'static [&'static str],
    way: Way,
}

/// How a server is reached, and what it has of the machine.
#[derive(Clone, Copy, Debug)]
enum Way {
    Http(Cores),
    Lines,
}

impl Entry {
    /// A server on one core.
    pub(super) const fn http(name: &'static str, program: Program, options: &'static [&'static str]) -> Self {
        Self { name, program, options, way: Way::Http(Cores::Own) }
    }

    /// A server that may use all cores, with so many threads.
    pub(super) const fn threads(name: &'static str, program: Program, threads: &'static str) -> Self {
        Self { name, program, options: &[], way: Way::Http(Cores::All { threads }) }
    }

    /// A server that reads lines.
    pub(super) const fn lines(
        name: &'static str,
        program: Program,
        options: &'static [&'static str],
    ) -> Self {
        Self { name, program, options, way: Way::Lines }
    }
}

/// A target: a figure of one server, as a share of that of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) what: &'static str,
    pub(super) figure: fn(&Figures) -> f64,
    pub(super) of: usize,
    pub(super) by: usize,
    pub(super) limit: Limit,
}

/// What the generator tells of one run.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Figures {
    pub(super) per_second: f64,
    pub(super) cpu_us: f64,
    pub(super) user_us: f64,
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    /// How long an answer was; over pipes nobody tells.
    #[serde(default)]
    bytes: u64,
}

impl Figures {
    pub(super) const fn cpu(&self) -> f64 {
        self.cpu_us
    }

    pub(super) const fn user(&self) -> f64 {
        self.user_us
    }

    pub(super) const fn rate(&self) -> f64 {
        self.per_second
    }

    pub(super) const fn middle(&self) -> f64 {
        self.p50_us
    }

    pub(super) const fn late(&self) -> f64 {
        self.p99_us
    }
}

impl Group {
    /// Measures it: a table, and its targets.
    pub(super) fn measure(&self, programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
        let mut measured: Vec<Vec<Figures>> = self.entries.iter().map(|_| Vec::new()).collect();
        for round in 1..=bench.rounds() {
            say(&format!("{}: round {round} of {}", self.title, bench.rounds()));
            let mut bytes = None;
            for (entry, runs) in self.entries.iter().zip(&mut measured) {
                if programs.is_there(entry.program) {
                    let figures = self.turn(entry, programs, bench, bytes.unwrap_or_default())?;
                    bytes.get_or_insert(figures.bytes);
                    runs.push(figures);
                }
            }
        }
        report.add(&self.table(&measured));
        let value = |at: usize, figure: fn(&Figures) -> f64| {
            median(measured.get(at).into_iter().flatten().map(figure))
        };
        for Line { what, figure, of, by, limit } in self.lines {
            report.target(*what, value(*of, *figure) / value(*by, *figure), *limit, " ×");
        }
        Ok(())
    }

    /// One run of one server.
    fn turn(&self, entry: &Entry, programs: &Programs, bench: &Bench, bytes: u64) -> Result<Figures> {
        let (seconds, bytes) = (bench.seconds().to_string(), bytes.to_string());
        let load = [self.load, &["--seconds", &seconds, "--warmup", WARMUP]].concat();
        let program = programs.find(entry.program);
        let options: Vec<&str> =
            entry.options.iter().map(|word| if *word == AS_MANY { bytes.as_str() } else { word }).collect();
        match entry.way {
            Way::Http(cores) => Running::start_on(cores, &program, &options)?.load(programs, "call", &load),
            Way::Lines => piped(programs, &program, &options, &load),
        }
    }

    /// The medians of all; those of the base are what the others are measured by.
    fn table(&self, measured: &[Vec<Figures>]) -> String {
        let columns =
            ["server", "calls/s", "CPU µs/call", "× base", "of which user", "× base", "p50 µs", "p99 µs"];
        let mut table = Table::new(self.title, &columns);
        let middle = |runs: &[Figures], figure: fn(&Figures) -> f64| median(runs.iter().map(figure));
        let base = measured.get(self.base).map_or(&[][..], Vec::as_slice);
        for (entry, runs) in self.entries.iter().zip(measured).filter(|(_, runs)| !runs.is_empty()) {
            let (cpu, user) = (middle(runs, Figures::cpu), middle(runs, Figures::user));
            table.row(&[
                entry.name.to_owned(),
                format!("{:.0}", middle(runs, Figures::rate)),
                format!("{cpu:.1}"),
                format!("{:.2}", cpu / middle(base, Figures::cpu)),
                format!("{user:.1}"),
                format!("{:.2}", user / middle(base, Figures::user)),
                format!("{:.0}", middle(runs, Figures::middle)),
                format!("{:.0}", middle(runs, Figures::late)),
            ]);
        }
        table.text()
    }
}
