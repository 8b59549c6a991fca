//! A session of which one connection does not read.

use serde::Deserialize;

use super::programs::{Program, Programs};
use super::report::Report;
use super::table::Table;
use super::trial::Running;
use crate::error::Result;
use crate::stage::say;

/// What the generator tells.
#[derive(Debug, Deserialize)]
struct Figures {
    before: Part,
    beside: Part,
}

#[derive(Debug, Deserialize)]
struct Part {
    answered: u64,
    hung: u64,
    p50_us: f64,
    p99_us: f64,
}

/// Calls one after the other in a session, before and while another call of it sends 16 MB that are not read.
pub(super) fn measure(programs: &Programs, report: &mut Report) -> Result<()> {
    let columns = ["server", "answered", "hung", "p50 µs", "p99 µs"];
    let mut table = Table::new("calls of a session of which one connection does not read", &columns);
    for (name, program) in [("Hermes", Program::Hermes), ("rmcp 3.11", Program::Rmcp)] {
        say(&format!("a connection that does not read: {name}"));
        let server = Running::start(&programs.find(program), &[])?;
        let Figures { before, beside } = server.load(programs, "stalled", &[])?;
        for (when, part) in [("before", before), ("beside it", beside)] {
            table.row(&[
                format!("{name}, {when}"),
                part.answered.to_string(),
                part.hung.to_string(),
                format!("{:.0}", part.p50_us),
                format!("{:.0}", part.p99_us),
            ]);
        }
    }
    report.add(&table.text());
    Ok(())
}
