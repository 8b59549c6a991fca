//! What a call costs when something else grows: tools, sessions, streams, messages, connections.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::Bench;
use super::plot::Plot;
use super::programs::{Program, Programs};
use super::report::Report;
use super::table::{Table, median};
use super::trial::Running;
use crate::error::{Result, at};
use crate::stage::say;

/// What the generator tells of one run.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Figures {
    cpu_us: f64,
}

/// What the generator tells of sessions.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Opened {
    bytes_after: u64,
}

/// Measures what grows with what, and writes a picture of each into a folder.
pub(super) fn measure(programs: &Programs, bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    fs::create_dir_all(folder).map_err(at(folder))?;
    let (sessions, memory) = sessions(programs, bench)?;
    let plots = [
        ("tools", tools(programs, bench)?),
        ("sessions", sessions),
        ("memory", memory),
        ("streams", streams(programs, bench)?),
        ("letters", letters(programs, bench)?),
        ("connections", connections(programs, bench)?),
    ];
    for (name, plot) in &plots {
        let file = folder.join(format!("{name}.svg"));
        fs::write(&file, plot.svg()).map_err(at(&file))?;
        report.add(&table(plot));
    }
    Ok(())
}

/// What a picture shows, as a table.
fn table(plot: &Plot) -> String {
    let columns: Vec<&str> = std::iter::once(plot.across.as_str())
        .chain(plot.curves.iter().map(|(name, _)| name.as_str()))
        .collect();
    let mut table = Table::new(&format!("{}: {}", plot.title, plot.up), &columns);
    let places = plot.curves.first().map_or(&[][..], |(_, points)| points.as_slice());
    for (row, (place, _)) in places.iter().enumerate() {
        let figures = plot.curves.iter().map(|(_, points)| points.get(row).map_or(f64::NAN, |it| it.1));
        let cells: Vec<_> =
            std::iter::once(format!("{place:.0}")).chain(figures.map(|it| format!("{it:.1}"))).collect();
        table.row(&cells);
    }
    table.text()
}

/// The median of some short runs against a server.
fn cost(server: &Running, programs: &Programs, bench: &Bench, options: &[&str]) -> Result<f64> {
    let seconds = bench.seconds().min(1.0).to_string();
    let options = [options, &["--seconds", &seconds, "--warmup", "0.2"]].concat();
    let runs: Result<Vec<Figures>> =
        (0..bench.rounds().min(3)).map(|_| server.load(programs, "call", &options)).collect();
    Ok(median(runs?.iter().map(|run| run.cpu_us)))
}

fn tools(programs: &Programs, bench: &Bench) -> Result<Plot> {
    let (mut calls, mut lists) = (Vec::new(), Vec::new());
    for count in [1_u32, 10, 100, 1000, 10_000] {
        say(&format!("growth: {count} tools"));
        let server = Running::start(&programs.find(Program::Hermes), &["--tools", &count.to_string()])?;
        let place = f64::from(count);
        calls.push((place, cost(&server, programs, bench, &["--era", "modern"])?));
        let list = ["--era", "modern", "--what", "list", "--connections", "4"];
        lists.push((place, cost(&server, programs, bench, &list)?));
    }
    let curves = [("tools/call", calls), ("tools/list", lists)];
    Ok(plot("A call and a list beside more tools", "number of tools", TIME, curves))
}

/// What a call costs beside more sessions, and the memory of the server with them.
fn sessions(programs: &Programs, bench: &Bench) -> Result<(Plot, Plot)> {
    let (mut calls, mut memory, mut there) = (Vec::new(), Vec::new(), 0);
    let server = Running::start(&programs.find(Program::Hermes), &[])?;
    let most: u64 = if bench.quick { 1000 } else { 100_000 };
    for count in [1, 10, 100_u64, 1000, 10_000, 100_000].into_iter().filter(|count| *count <= most) {
        say(&format!("growth: {count} sessions"));
        let more = (count - there).to_string();
        let opened: Opened = server.load(programs, "sessions", &["--count", &more])?;
        there = count;
        memory.push((count as f64, opened.bytes_after as f64 / 1e6));
        calls.push((count as f64, cost(&server, programs, bench, &["--era", "legacy"])?));
    }
    let across = "number of idle sessions";
    Ok((
        plot("A call beside more idle sessions", across, TIME, [("tools/call", calls)]),
        plot("The memory of a server with more idle sessions", across, "memory, MB", [("Hermes", memory)]),
    ))
}

fn streams(programs: &Programs, bench: &Bench) -> Result<Plot> {
    let most: u32 = if bench.quick { 100 } else { 9000 };
    let curves = compared(programs, "more streams", |server, points| {
        // Those that are opened before anything is measured count too.
        for count in [10_u32, 100, 1000, 9000].into_iter().filter(|count| *count <= most) {
            let options = ["--era", "modern", "--count", &count.to_string(), "--events", "10"];
            let told: Figures = server.load(programs, "streams", &options)?;
            points.push((f64::from(count + 100), told.cpu_us));
        }
        Ok(())
    })?;
    let up = "CPU time of a delivery, µs";
    Ok(plot("An update to more streams", "number of streams of subscriptions/listen", up, curves))
}

fn letters(programs: &Programs, bench: &Bench) -> Result<Plot> {
    let curves = compared(programs, "longer texts", |server, points| {
        for letters in [100_u32, 1000, 10_000, 100_000, 1_000_000] {
            let options = ["--era", "modern", "--connections", "4", "--letters", &letters.to_string()];
            points.push((f64::from(letters), cost(server, programs, bench, &options)?));
        }
        Ok(())
    })?;
    Ok(plot("A call with a longer text, which comes back", "length of the text, bytes", TIME, curves))
}

fn connections(programs: &Programs, bench: &Bench) -> Result<Plot> {
    let curves = compared(programs, "more connections", |server, points| {
        for count in [1_u32, 4, 16, 64, 256, 1024] {
            let options = ["--era", "modern", "--connections", &count.to_string()];
            points.push((f64::from(count), cost(server, programs, bench, &options)?));
        }
        Ok(())
    })?;
    Ok(plot("A call on more connections", "number of connections", TIME, curves))
}

/// A curve: a name and its points.
type Curve = (&'static str, Vec<(f64, f64)>);

/// The curves of the bare handler and of Hermes.
fn compared(
    programs: &Programs,
    what: &str,
    points: impl Fn(&Running, &mut Vec<(f64, f64)>) -> Result<()>,
) -> Result<[Curve; 2]> {
    let mut curves = [("bare handler", Vec::new()), ("Hermes", Vec::new())];
    for ((name, own), program) in curves.iter_mut().zip([Program::Floor, Program::Hermes]) {
        say(&format!("growth: {what}, {name}"));
        points(&Running::start(&programs.find(program), &[])?, own)?;
    }
    Ok(curves)
}

/// How the axis of time is named.
const TIME: &str = "CPU time of a call, µs";

fn plot<const N: usize>(title: &str, across: &str, up: &str, curves: [Curve; N]) -> Plot {
    Plot {
        title: title.to_owned(),
        across: across.to_owned(),
        up: up.to_owned(),
        curves: curves.map(|(name, points)| (name.to_owned(), points)).to_vec(),
    }
}
