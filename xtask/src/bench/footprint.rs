//! What a program weighs: the binary, its start, the crates below it and the time to build it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde::Deserialize;

use super::Bench;
use super::programs::{Program, Programs};
use super::report::Limit::AtMost;
use super::report::Report;
use super::table::{Table, median};
use crate::error::{Error, Result, at};
use crate::process::{cargo, output, run};
use crate::stage::say;
use crate::workspace::root;

/// How often each program is started.
const STARTS: usize = 21;

/// How often each is built from nothing, at most.
const BUILDS: usize = 2;

/// What the binary may weigh, in megabytes.
const WEIGHT: f64 = 12.0;

/// How long a first answer may take, in milliseconds.
const FIRST: f64 = 4.0;

/// How many crates may be in the tree of a minimal server.
const CRATES: f64 = 60.0;

/// What the generator tells of a start.
#[derive(Debug, Deserialize)]
struct Started {
    start_ms: f64,
}

/// The binary, as it comes and without symbols, linked with the machine's C library and with its own; the tree and the
/// build of a minimal server.
pub(super) fn measure(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let mut table = Table::new("the binary `hermes`", &["linked", "as built, MB", "stripped, MB"]);
    let kinds = [
        ("with the C library of the machine", programs.find(Program::Cli)),
        ("statically", contained(programs)?),
    ];
    for (name, path) in kinds {
        let stripped = programs.beside("stripped");
        run(Command::new("strip").arg("-o").arg(&stripped).arg(&path))?;
        let (whole, stripped) = (megabytes(&path)?, megabytes(&stripped)?);
        table.row(&[name.to_owned(), format!("{whole:.1}"), format!("{stripped:.1}")]);
        report.target(format!("`hermes`, linked {name}, stripped"), stripped, AtMost(WEIGHT), " MB");
    }
    report.add(&table.text());
    minimal(programs, bench, report)
}

fn megabytes(file: &Path) -> Result<f64> {
    Ok(fs::metadata(file).map_err(at(file))?.len() as f64 / 1e6)
}

/// The binary with its own C library.
fn contained(programs: &Programs) -> Result<PathBuf> {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut command = cargo();
    command.current_dir(root()).env("RUSTFLAGS", "-C target-feature=+crt-static");
    command.args(["build", "--release", "--locked", "--package", Program::Cli.name(), "--target", &target]);
    run(&mut command)?;
    Ok(programs.target().join(target).join("release/hermes"))
}

/// The crates of minimal servers, and how long they take to build from nothing.
fn minimal(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let mut table =
        Table::new("a minimal server over stdio", &["toolkit", "crates", "clean release build, s", "MB"]);
    let mut rows = [
        ("Hermes", Program::MinimalHermes, crates(Program::MinimalHermes)?, Vec::new(), 0.0),
        ("rmcp 3.11", Program::MinimalRmcp, crates(Program::MinimalRmcp)?, Vec::new(), 0.0),
    ];
    let rounds = bench.rounds().min(BUILDS);
    let folder = programs.beside("clean");
    for round in 1..=rounds {
        say(&format!("minimal servers from nothing: round {round} of {rounds}"));
        for (_, program, _, seconds, weight) in &mut rows {
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(at(&folder))?;
            }
            let began = Instant::now();
            run(building(*program).arg("--target-dir").arg(&folder))?;
            seconds.push(began.elapsed().as_secs_f64());
            *weight = megabytes(&folder.join("release").join(program.name()))?;
        }
    }
    fs::remove_dir_all(&folder).map_err(at(&folder))?;
    for (name, _, crates, seconds, weight) in &rows {
        let seconds = median(seconds.iter().copied());
        table.row(&[(*name).to_owned(), crates.to_string(), format!("{seconds:.1}"), format!("{weight:.1}")]);
    }
    report.add(&table.text());
    let [(_, _, crates, ours, _), (_, _, _, theirs, _)] = rows;
    report.target("a minimal server over stdio: crates in its tree", crates as f64, AtMost(CRATES), "");
    let ratio = median(ours) / median(theirs);
    report.target("its clean release build by that of rmcp's", ratio, AtMost(1.0), " ×");
    Ok(())
}

fn building(program: Program) -> Command {
    let mut command = cargo();
    command.args([
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        program.name(),
        "--manifest-path",
    ]);
    command.arg(root().join("bench/Cargo.toml"));
    command
}

/// How many crates are built for it and run with it, itself among them.
fn crates(program: Program) -> Result<usize> {
    let mut command = cargo();
    command.args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    command.args(["--package", program.name(), "--manifest-path"]).arg(root().join("bench/Cargo.toml"));
    let tree = output(&mut command)?;
    let names: BTreeSet<_> = tree.lines().filter_map(|line| line.split(" (").next()).collect();
    Ok(names.len())
}

/// From the start of a program to its first answer to a call, in turns.
pub(super) fn starts(programs: &Programs, bench: &Bench, report: &mut Report) -> Result<()> {
    let servers: [(&str, Program, &[&str]); 5] = [
        ("bare tokio handler of lines", Program::Floor, &["--stdio"]),
        ("`hermes demo`", Program::Cli, &["demo", "--stdio"]),
        ("Hermes", Program::Hermes, &["--stdio"]),
        ("rmcp 3.11", Program::Rmcp, &["--stdio"]),
        ("TypeScript SDK 1.32", Program::TypeScript, &[]),
    ];
    let rounds = if bench.quick { 3 } else { STARTS };
    say(&format!("starts: {rounds} of each"));
    let mut measured: Vec<Vec<f64>> = servers.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for ((_, program, options), starts) in servers.iter().zip(&mut measured) {
            if programs.is_there(*program) {
                starts.push(start(programs, *program, options)?);
            }
        }
    }
    let mut table = Table::new("from the start to the first answer over stdio", &["server", "ms", "× bare"]);
    let middles: Vec<f64> = measured.into_iter().map(median).collect();
    let bare = middles.first().copied().unwrap_or(f64::NAN);
    for ((name, ..), ms) in servers.iter().zip(&middles).filter(|(_, ms)| !ms.is_nan()) {
        table.row(&[(*name).to_owned(), format!("{ms:.2}"), format!("{:.2}", ms / bare)]);
    }
    report.add(&table.text());
    let demo = middles.get(1).copied().unwrap_or(f64::NAN);
    report.target("`hermes demo`: start to first answer over stdio", demo, AtMost(FIRST), " ms");
    Ok(())
}

/// One start. No core is chosen: what chooses one would be a start of its own.
fn start(programs: &Programs, program: Program, options: &[&str]) -> Result<f64> {
    let mut command = Command::new(programs.find(Program::Load));
    command.args(["lines", "--calls", "1", "--"]).arg(programs.find(program)).args(options);
    let started: Started = serde_json::from_str(&output(&mut command)?).map_err(Error::Figures)?;
    Ok(started.start_ms)
}
