//! What the client adds to the exchange that carries its call.

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::table::{Table, median};
use super::trial::Running;
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
    p50_us: f64,
    p99_us: f64,
}

/// Calls one after the other, by the client of Hermes and by a bare client of HTTP that sends the same, in turns.
pub(super) fn measure(programs: &Programs, bench: &Bench) -> Result<String> {
    let columns = ["era", "bare p50 µs", "Hermes p50 µs", "added", "bare p99 µs", "Hermes p99 µs", "added"];
    let mut table = Table::new("a call by the client, JSON, one after the other", &columns);
    let calls = bench.calls().to_string();
    for (name, era) in [("2026-07-28", "modern"), ("2025-11-25", "legacy")] {
        let mut runs: Vec<Figures> = Vec::new();
        for round in 1..=bench.rounds() {
            say(&format!("the client, {name}: round {round} of {}", bench.rounds()));
            let server = Running::start(&programs.find(Program::Hermes), &[])?;
            runs.push(server.load(programs, "client", &["--era", era, "--calls", &calls])?);
        }
        let middle = |figure: fn(&Figures) -> f64| median(runs.iter().map(figure));
        let (bare, hermes) = (middle(|it| it.bare.p50_us), middle(|it| it.hermes.p50_us));
        let (bare_late, hermes_late) = (middle(|it| it.bare.p99_us), middle(|it| it.hermes.p99_us));
        let figures = [bare, hermes, hermes - bare, bare_late, hermes_late, hermes_late - bare_late];
        let cells: Vec<_> =
            std::iter::once(name.to_owned()).chain(figures.map(|figure| format!("{figure:.0}"))).collect();
        table.row(&cells);
    }
    Ok(table.text())
}
