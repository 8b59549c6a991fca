//! What the client adds to the exchange that carries its call.

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::report::Limit::AtMost;
use super::report::Report;
use super::table::{Table, median};
use super::trial::{Running, alone};
use crate::error::Result;
use crate::stage::say;

/// What the generator tells of one run.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Figures {
    bare: Part,
    hermes: Part,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Part {
    cpu_us: f64,
    p50_us: f64,
    p99_us: f64,
}

impl Part {
    /// The middle of some runs.
    fn median(runs: &[Self]) -> Self {
        let middle = |figure: fn(&Self) -> f64| median(runs.iter().map(figure));
        Self {
            cpu_us: middle(|it| it.cpu_us),
            p50_us: middle(|it| it.p50_us),
            p99_us: middle(|it| it.p99_us),
        }
    }

    fn cells(self, name: &str, base: Self) -> Vec<String> {
        let mut cells = vec![name.to_owned()];
        for (own, base) in
            [(self.cpu_us, base.cpu_us), (self.p50_us, base.p50_us), (self.p99_us, base.p99_us)]
        {
            cells.extend([format!("{own:.1}"), format!("{:.2}", own / base)]);
        }
        cells
    }
}

const ERAS: [(&str, &str); 2] = [("2026-07-28", "modern"), ("2025-11-25", "legacy")];

/// How many calls in memory make one of HTTP: they are that much quicker.
const IN_MEMORY: u64 = 10;

/// Calls one after the other, by the client of Hermes and by a bare client of HTTP that sends the same, in turns; then
/// of a server in the same process.
pub(super) fn measure(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let columns = ["client", "CPU µs/call", "× bare", "p50 µs", "× bare", "p99 µs", "× bare"];
    let mut table = Table::new("a call by the client over HTTP, JSON, one after the other", &columns);
    let calls = bench.calls().to_string();
    let mut ratios = Vec::new();
    for (name, era) in ERAS {
        let mut runs: Vec<Figures> = Vec::new();
        for round in 1..=bench.rounds() {
            say(&format!("the client, {name}: round {round} of {}", bench.rounds()));
            let server = Running::start(&programs.find(Program::Hermes), &[])?;
            runs.push(server.load(programs, "client", &["--era", era, "--calls", &calls])?);
        }
        let of = |part: fn(&Figures) -> Part| Part::median(&runs.iter().map(part).collect::<Vec<_>>());
        let (bare, hermes) = (of(|it| it.bare), of(|it| it.hermes));
        table.row(&bare.cells(&format!("bare reqwest, {name}"), bare));
        table.row(&hermes.cells(&format!("Hermes, {name}"), bare));
        ratios.push((name, hermes.cpu_us / bare.cpu_us, hermes.p50_us / bare.p50_us));
    }
    report.add(&table.text());
    for (name, cpu, p50) in ratios {
        report.target(format!("client over HTTP, {name}: CPU by bare reqwest's"), cpu, AtMost(1.3), " ×");
        report.target(format!("client over HTTP, {name}: p50 by bare reqwest's"), p50, AtMost(1.3), " ×");
    }
    in_memory(programs, bench, report)
}

fn in_memory(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let mut table =
        Table::new("client and server in one process", &["era", "CPU µs/call", "p50 µs", "p99 µs"]);
    let calls = (bench.calls() * IN_MEMORY).to_string();
    let mut middles = Vec::new();
    for (name, era) in ERAS {
        let mut runs: Vec<Part> = Vec::new();
        for round in 1..=bench.rounds() {
            say(&format!("in memory, {name}: round {round} of {}", bench.rounds()));
            runs.push(alone(programs, &["memory", "--era", era, "--calls", &calls])?);
        }
        let it = Part::median(&runs);
        let figures = [it.cpu_us, it.p50_us, it.p99_us].map(|figure| format!("{figure:.1}"));
        table.row(&[&[name.to_owned()], figures.as_slice()].concat());
        middles.push((name, it.p50_us));
    }
    report.add(&table.text());
    for (name, p50) in middles {
        report.target(format!("client and server in memory, {name}: p50"), p50, AtMost(5.0), " µs");
    }
    Ok(())
}
