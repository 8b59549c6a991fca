//! What a call costs when something else grows: tools, sessions, messages, connections.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::Bench;
use super::plot::Plot;
use super::programs::{Program, Programs};
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
    opened: u64,
    bytes_before: u64,
    bytes_after: u64,
}

/// Measures what grows with what, and writes a picture of each into a folder.
pub(super) fn measure(programs: &Programs, bench: &Bench, folder: &Path) -> Result<Vec<String>> {
    fs::create_dir_all(folder).map_err(at(folder))?;
    let plots = [
        ("tools", tools(programs, bench)?),
        ("sessions", sessions(programs, bench)?),
        ("letters", letters(programs, bench)?),
        ("connections", connections(programs, bench)?),
    ];
    plots.iter().map(|(name, plot)| written(plot, &folder.join(format!("{name}.svg")))).collect()
}

/// The picture into its file; a table of the same.
fn written(plot: &Plot, file: &Path) -> Result<String> {
    fs::write(file, plot.svg()).map_err(at(file))?;
    let columns: Vec<&str> = std::iter::once(plot.across.as_str())
        .chain(plot.curves.iter().map(|(name, _)| name.as_str()))
        .collect();
    let mut table = Table::new(&format!("{}, {}", plot.title, plot.up), &columns);
    let places = plot.curves.first().map_or(&[][..], |(_, points)| points.as_slice());
    for (row, (place, _)) in places.iter().enumerate() {
        let figures = plot.curves.iter().map(|(_, points)| points.get(row).map_or(f64::NAN, |it| it.1));
        let cells: Vec<_> =
            std::iter::once(format!("{place:.0}")).chain(figures.map(|it| format!("{it:.1}"))).collect();
        table.row(&cells);
    }
    Ok(table.text())
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
    for count in [4_u32, 10, 100, 1000, 10_000] {
        say(&format!("growth: {count} tools"));
        let server = Running::start(&programs.find(Program::Hermes), &["--tools", &count.to_string()])?;
        let place = f64::from(count);
        calls.push((place, cost(&server, programs, bench, &["--era", "modern"])?));
        let list = ["--era", "modern", "--list", "--connections", "4"];
        lists.push((place, cost(&server, programs, bench, &list)?));
    }
    Ok(plot("a call and a list beside more tools", "tools", [("tools/call", calls), ("tools/list", lists)]))
}

fn sessions(programs: &Programs, bench: &Bench) -> Result<Plot> {
    let (mut calls, mut there) = (Vec::new(), 0);
    let server = Running::start(&programs.find(Program::Hermes), &["--sessions", "200000"])?;
    let most: u64 = if bench.quick { 1000 } else { 100_000 };
    for count in [100_u64, 1000, 10_000, 100_000].into_iter().filter(|count| *count <= most) {
        say(&format!("growth: {count} sessions"));
        let more = (count - there).to_string();
        let opened: Opened = server.load(programs, "sessions", &["--count", &more])?;
        there = count;
        say(&format!("{} opened, {} MB in all", opened.opened, opened.bytes_after / 1_000_000));
        let grown = opened.bytes_after.saturating_sub(opened.bytes_before) / opened.opened.max(1);
        say(&format!("{grown} bytes each"));
        calls.push((count as f64, cost(&server, programs, bench, &["--era", "legacy"])?));
    }
    Ok(plot("a call beside more idle sessions", "sessions", [("tools/call", calls)]))
}

fn letters(programs: &Programs, bench: &Bench) -> Result<Plot> {
    let mut curves = [("bare handler", Program::Floor, Vec::new()), ("Hermes", Program::Hermes, Vec::new())];
    for (name, program, points) in &mut curves {
        say(&format!("growth: longer texts, {name}"));
        let server = Running::start(&programs.find(*program), &[])?;
        for letters in [100_u32, 1000, 10_000, 100_000, 1_000_000] {
            let number = letters.to_string();
            let options = ["--era", "modern", "--connections", "4", "--letters", &number];
            points.push((f64::from(letters), cost(&server, programs, bench, &options)?));
        }
    }
    let curves = curves.map(|(name, _, points)| (name, points));
    Ok(plot("a call with a longer text, which comes back", "letters", curves))
}

fn connections(programs: &Programs, bench: &Bench) -> Result<Plot> {
    let mut curves = [("bare handler", Program::Floor, Vec::new()), ("Hermes", Program::Hermes, Vec::new())];
    for (name, program, points) in &mut curves {
        say(&format!("growth: more connections, {name}"));
        let server = Running::start(&programs.find(*program), &[])?;
        for count in [1_u32, 4, 16, 64, 256] {
            let options = ["--era", "modern", "--connections", &count.to_string()];
            points.push((f64::from(count), cost(&server, programs, bench, &options)?));
        }
    }
    let curves = curves.map(|(name, _, points)| (name, points));
    Ok(plot("a call on more connections", "connections", curves))
}

fn plot<const N: usize>(title: &str, across: &str, curves: [(&str, Vec<(f64, f64)>); N]) -> Plot {
    Plot {
        title: title.to_owned(),
        across: across.to_owned(),
        up: "CPU µs".to_owned(),
        curves: curves.map(|(name, points)| (name.to_owned(), points)).to_vec(),
    }
}
