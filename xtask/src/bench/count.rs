//! How many instructions a call takes in the server: a figure that other programs on the machine do not change.
//!
//! Valgrind counts what the process executes; the kernel's part is not in it. A server is run twice, with few calls and
//! with many, and the difference is what the calls took.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::programs::{Program, Programs};
use super::table::Table;
use super::trial::Running;
use crate::error::{Error, Result, at};
use crate::process::{output, run};
use crate::stage::say;
use crate::workspace::root;

/// By how much a count may grow, as a share of the recorded one.
const TOLERANCE: f64 = 0.03;

/// How many calls the shorter run makes, and the longer one.
const CALLS: [u64; 2] = [200, 1200];

/// A way through the server.
struct Way {
    name: &'static str,
    options: &'static [&'static str],
    load: &'static [&'static str],
    /// Over standard input and output instead of HTTP.
    lines: bool,
}

const WAYS: [Way; 5] = [
    Way { name: "2026-07-28, JSON", options: &[], load: &["--era", "modern"], lines: false },
    Way { name: "2025-11-25, session, JSON", options: &[], load: &["--era", "legacy"], lines: false },
    Way {
        name: "2025-11-25, session, events",
        options: &["--stream"],
        load: &["--era", "legacy"],
        lines: false,
    },
    Way { name: "stdio, 64 under way", options: &["--stdio"], load: &[], lines: true },
    Way {
        name: "list of 1,000 tools",
        options: &["--tools", "1000"],
        load: &["--era", "modern", "--list"],
        lines: false,
    },
];

/// Counts one call of each way and compares it with what is recorded; with `record` it is recorded instead.
///
/// Without valgrind nothing is counted, and that is said.
///
/// # Errors
///
/// [`Error::Grown`]: a call takes more than it did. Or a program does not run.
pub(super) fn measure(programs: &Programs, record: bool) -> Result<String> {
    let mut table = Table::new("instructions of one call", &["way", "recorded", "now", "change"]);
    if !has_valgrind() {
        say(
            "NOT COUNTED: valgrind is missing (`apt-get install valgrind`); nobody knows whether calls cost more",
        );
        return Ok(String::new());
    }
    let file = root().join("bench/instructions.json");
    let recorded: BTreeMap<String, u64> = if record {
        BTreeMap::new()
    } else {
        let text = fs::read_to_string(&file).map_err(at(&file))?;
        serde_json::from_str(&text).map_err(Error::Figures)?
    };
    let (mut counted, mut grown) = (BTreeMap::new(), Vec::new());
    for way in &WAYS {
        say(&format!("instructions: {}", way.name));
        let now = way.count(programs)?;
        let before = recorded.get(way.name).copied().unwrap_or(now);
        let change = now as f64 / before as f64 - 1.0;
        if change > TOLERANCE {
            grown.push(format!("{} by {:.1} %", way.name, change * 100.0));
        }
        let cells = [before.to_string(), now.to_string(), format!("{:+.1} %", change * 100.0)];
        table.row(&[&[way.name.to_owned()], cells.as_slice()].concat());
        counted.insert(way.name, now);
    }
    if record {
        let text = serde_json::to_string_pretty(&counted).map_err(Error::Figures)?;
        fs::write(&file, text + "\n").map_err(at(&file))?;
    }
    if grown.is_empty() {
        return Ok(table.text());
    }
    say(&table.text());
    Err(Error::Grown(grown))
}

/// Whether valgrind is there, or could be fetched by somebody who may.
fn has_valgrind() -> bool {
    let is_there = || output(Command::new("valgrind").arg("--version")).is_ok();
    let may_install = || output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    is_there()
        || (may_install()
            && run(Command::new("apt-get").args(["install", "--yes", "--quiet", "valgrind"])).is_ok()
            && is_there())
}

impl Way {
    fn count(&self, programs: &Programs) -> Result<u64> {
        let [few, many] = CALLS;
        let (less, more) = (self.instructions(programs, few)?, self.instructions(programs, many)?);
        Ok(more.saturating_sub(less) / (many - few))
    }

    /// What the process executes from its start to its end.
    fn instructions(&self, programs: &Programs, calls: u64) -> Result<u64> {
        let seen = programs.folder_of("instructions.log");
        let words = watched(&seen);
        let calls = calls.to_string();
        if self.lines {
            let server = programs.find(Program::Hermes);
            let mut load = Command::new(programs.find(Program::Load));
            load.args(["lines", "--calls", &calls, "--", "taskset", "-c", "0"]);
            output(load.args(&words).arg(server).args(self.options))?;
        } else {
            let server = Running::start_under(&words, &programs.find(Program::Hermes), self.options)?;
            let load = [self.load, &["--calls", &calls]].concat();
            let _: Value = server.load(programs, "count", &load)?;
            server.end()?;
        }
        let text = fs::read_to_string(&seen).map_err(at(&seen))?;
        Ok(executed(&text).unwrap_or_default())
    }
}

/// What is said before the server's own words, so that valgrind counts.
fn watched(seen: &Path) -> Vec<String> {
    let log = format!("--log-file={}", seen.display());
    let words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", &log];
    words.map(str::to_owned).to_vec()
}

/// The number that valgrind ends with: `==7== I   refs:      1,234,567`.
fn executed(log: &str) -> Option<u64> {
    let line = log.lines().find(|line| line.contains("I   refs:") || line.contains("I refs:"))?;
    let (_, number) = line.rsplit_once(' ')?;
    number.replace(',', "").parse().ok()
}

impl Programs {
    /// A file beside them.
    fn folder_of(&self, name: &str) -> PathBuf {
        self.find(Program::Hermes).with_file_name(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_what_valgrind_says() {
        let log = "==7== Cachegrind\n==7== \n==7== I   refs:      12,345,678\n";
        assert_eq!(executed(log), Some(12_345_678));
        assert_eq!(executed("==7== killed\n"), None);
    }
}
