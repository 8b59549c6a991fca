//! How many instructions a call takes in the server: a figure that other programs on the machine do not change.
//!
//! Valgrind counts what the process executes; the kernel's part is not in it. A server is run twice, with few calls and
//! with many, and the difference is what the calls took.

use std::collections::BTreeMap;
use std::fs;
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

const WAYS: [Way; 7] = [
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
        load: &["--era", "modern", "--what", "list"],
        lines: false,
    },
    Way {
        name: "100 kB of arguments",
        options: &[],
        load: &["--era", "modern", "--what", "measure", "--letters", "100000"],
        lines: false,
    },
    Way {
        name: "100 kB of result",
        options: &[],
        load: &["--era", "modern", "--what", "fill", "--letters", "100000"],
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
        let now = way.count(programs, Program::Hermes, &INSTRUCTIONS, CALLS)?;
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
    /// What one call takes in a server, as a tool of valgrind has it.
    fn count(&self, programs: &Programs, program: Program, tool: &Tool, calls: [u64; 2]) -> Result<u64> {
        let [few, many] = calls;
        let (less, more) =
            (self.total(programs, program, tool, few)?, self.total(programs, program, tool, many)?);
        Ok(more.saturating_sub(less) / (many - few))
    }

    /// What the process takes from its start to its end.
    fn total(&self, programs: &Programs, program: Program, tool: &Tool, calls: u64) -> Result<u64> {
        let seen = programs.beside("valgrind.log");
        let log = format!("--log-file={}", seen.display());
        let words: Vec<_> =
            ["valgrind", log.as_str()].into_iter().chain(tool.words.iter().copied()).collect();
        let (server, calls) = (programs.find(program), calls.to_string());
        if self.lines {
            let mut load = Command::new(programs.find(Program::Load));
            load.args(["lines", "--calls", &calls, "--", "taskset", "-c", "0"]);
            output(load.args(&words).arg(server).args(self.options))?;
        } else {
            let server = Running::start_under(&words, &server, self.options)?;
            let load = [self.load, &["--calls", &calls]].concat();
            let _: Value = server.load(programs, "count", &load)?;
            server.end()?;
        }
        let text = fs::read_to_string(&seen).map_err(at(&seen))?;
        Ok(number(&text, tool.before).unwrap_or_default())
    }
}

/// A tool of valgrind: its options, and what stands before the number that it ends with.
struct Tool {
    words: &'static [&'static str],
    before: &'static str,
}

const INSTRUCTIONS: Tool = Tool {
    words: &["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
    before: "refs:",
};

const ALLOCATED: Tool = Tool { words: &["--tool=dhat", "--dhat-out-file=/dev/null"], before: "Total:" };

/// The number behind such words, as valgrind writes it: `==7== I   refs:      1,234,567`.
fn number(log: &str, before: &str) -> Option<u64> {
    let (_, rest) = log.lines().find_map(|line| line.split_once(before))?;
    rest.split_whitespace().next()?.replace(',', "").parse().ok()
}

/// How long the texts are of which the copies are counted.
const LETTERS: &str = "1000000";

/// How much memory is taken, in all, for a call with 1 MB: each copy of it has a place of its own.
pub(super) fn copies(programs: &Programs) -> Result<String> {
    if !has_valgrind() {
        return Ok(String::new());
    }
    let columns = ["server", "for 1 MB of arguments, MB", "for 1 MB of result, MB"];
    let mut table = Table::new("memory allocated for one call", &columns);
    let servers: [(&str, Program, &'static [&'static str]); 4] = [
        ("bare axum handler, one pass", Program::Floor, &["--once"]),
        ("bare axum handler, step by step", Program::Floor, &[]),
        ("Hermes", Program::Hermes, &[]),
        ("rmcp 3.11, table of tools kept", Program::Rmcp, &["--json", "--kept"]),
    ];
    for (name, program, options) in servers {
        say(&format!("copies: {name}"));
        let allocated = |load| {
            let way = Way { name, options, load, lines: false };
            way.count(programs, program, &ALLOCATED, [5, 15])
                .map(|bytes| format!("{:.1}", bytes as f64 / 1e6))
        };
        let arguments = allocated(&["--era", "modern", "--what", "measure", "--letters", LETTERS])?;
        let result = allocated(&["--era", "modern", "--what", "fill", "--letters", LETTERS])?;
        table.row(&[name.to_owned(), arguments, result]);
    }
    Ok(table.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_read_from_what_valgrind_says() {
        let log = "==7== Cachegrind\n==7== \n==7== I   refs:      12,345,678\n";
        assert_eq!(number(log, INSTRUCTIONS.before), Some(12_345_678));
        assert_eq!(number("==7== Total:     1,024 bytes in 3 blocks\n", ALLOCATED.before), Some(1024));
        assert_eq!(number("==7== killed\n", INSTRUCTIONS.before), None);
    }
}
