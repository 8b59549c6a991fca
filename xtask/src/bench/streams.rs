//! Streams that are open: their memory, and what it takes to tell all of them something.

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::report::Limit::AtMost;
use super::report::Report;
use super::table::{Table, median};
use super::trial::Running;
use crate::error::Result;
use crate::stage::say;

/// How many streams are told besides the first hundred. Each is a descriptor at both ends, and neither of them may have
/// more than 20,000 on the machines where this runs.
const LISTENERS: &str = "9900";

/// How often each server has its turn, at most: opening takes long, and memory does not vary.
const ROUNDS: usize = 3;

/// How often all are told.
const EVENTS: &str = "10";

/// What the generator tells.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Figures {
    opened: u64,
    told: u64,
    bytes_before: u64,
    bytes_after: u64,
    cpu_us: f64,
    user_us: f64,
    ms: f64,
}

const SERVERS: [(&str, Program, &[&str]); 3] = [
    ("bare axum handler", Program::Floor, &[]),
    ("Hermes", Program::Hermes, &[]),
    ("rmcp 3.11", Program::Rmcp, &[]),
];

/// Opens streams at each server in turns.
pub(super) fn measure(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let columns = ["server", "streams", "bytes/stream", "× bare"];
    let mut table = Table::new("streams that are open and silent", &columns);
    let mut ratios = Vec::new();
    for (name, era) in [("GET in a session", "legacy"), ("`subscriptions/listen`", "modern")] {
        let runs = turns(programs, bench, name, &["--era", era, "--count", bench.streams()])?;
        let each = |runs: &Vec<Figures>| {
            let grown = |it: &Figures| it.bytes_after as f64 - it.bytes_before as f64;
            median(runs.iter().map(|it| grown(it) / it.opened as f64))
        };
        let each: Vec<f64> = runs.iter().map(each).collect();
        let bare = each.first().copied().unwrap_or(f64::NAN);
        for ((server, ..), bytes) in SERVERS.iter().zip(&each) {
            let cells = [bench.streams().to_owned(), format!("{bytes:.0}"), format!("{:.2}", bytes / bare)];
            table.row(&[&[format!("{server}, {name}")], cells.as_slice()].concat());
        }
        ratios.push((name, each.get(1).copied().unwrap_or(f64::NAN) / bare));
    }
    report.add(&table.text());
    for (name, ratio) in ratios {
        report.target(
            format!("an open stream, {name}: memory by the bare handler's"),
            ratio,
            AtMost(1.2),
            " ×",
        );
    }
    told(programs, bench, report)
}

/// One update to all of them, again and again.
fn told(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let count = if bench.quick { bench.streams() } else { LISTENERS };
    let options = ["--era", "modern", "--count", count, "--events", EVENTS];
    let runs = turns(programs, bench, "an update to all", &options)?;
    let told = runs.iter().flatten().map(|it| it.told).max().unwrap_or_default();
    let title = format!("one `resources/updated` to {told} streams of `subscriptions/listen`");
    let columns = ["server", "CPU µs/delivery", "× bare", "of which user", "ms to the last"];
    let mut table = Table::new(&title, &columns);
    let middle =
        |at: usize, figure: fn(&Figures) -> f64| median(runs.get(at).into_iter().flatten().map(figure));
    for (at, (server, ..)) in SERVERS.iter().enumerate() {
        let cpu = middle(at, |it| it.cpu_us);
        table.row(&[
            (*server).to_owned(),
            format!("{cpu:.1}"),
            format!("{:.2}", cpu / middle(0, |it| it.cpu_us)),
            format!("{:.1}", middle(at, |it| it.user_us)),
            format!("{:.0}", middle(at, |it| it.ms)),
        ]);
    }
    report.add(&table.text());
    let ratio = middle(1, |it| it.cpu_us) / middle(0, |it| it.cpu_us);
    report.target(
        "an update to 10,000 streams: CPU of a delivery by the bare handler's",
        ratio,
        AtMost(2.0),
        " ×",
    );
    Ok(())
}

/// A few rounds of all servers.
fn turns(programs: &Programs, bench: &Bench, name: &str, options: &[&str]) -> Result<Vec<Vec<Figures>>> {
    let mut runs: Vec<Vec<Figures>> = SERVERS.iter().map(|_| Vec::new()).collect();
    let rounds = bench.rounds().min(ROUNDS);
    for round in 1..=rounds {
        say(&format!("streams, {name}: round {round} of {rounds}"));
        for ((_, program, own), runs) in SERVERS.iter().zip(&mut runs) {
            let server = Running::start(&programs.find(*program), own)?;
            runs.push(server.load(programs, "streams", options)?);
        }
    }
    Ok(runs)
}
