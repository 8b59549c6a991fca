//! Named stages and the time that each of them took.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Prints one line on standard output.
#[expect(clippy::print_stdout, reason = "a task talks to whoever runs it")]
pub fn say(line: &str) {
    println!("{line}");
}

/// Runs stages one after the other, goes on after a failed one, and tells all of them at the end.
///
/// ```
/// let mut stages = xtask::stage::Stages::new();
/// stages.run("one", || Ok(()));
/// assert!(stages.finish().is_ok());
/// ```
#[derive(Debug)]
pub struct Stages {
    started: Instant,
    done: Vec<Stage>,
}

#[derive(Debug)]
struct Stage {
    name: String,
    took: Duration,
    passed: bool,
}

impl Stages {
    /// Starts the clock.
    #[must_use]
    pub fn new() -> Self {
        Self { started: Instant::now(), done: Vec::new() }
    }

    /// Runs one stage and prints its name, its error if it has one, and its time.
    ///
    /// Returns what the stage made, so that a later stage can be left out when it needs that.
    pub fn run<T>(&mut self, name: &str, stage: impl FnOnce() -> Result<T>) -> Option<T> {
        say(&format!("\n=== {name}"));
        let started = Instant::now();
        let outcome = stage();
        let took = started.elapsed();
        match &outcome {
            Ok(_) => say(&format!("=== {name}: passed in {:.1} s", took.as_secs_f64())),
            Err(error) => say(&format!("=== {name}: FAILED in {:.1} s: {error}", took.as_secs_f64())),
        }
        self.done.push(Stage { name: name.to_owned(), took, passed: outcome.is_ok() });
        outcome.ok()
    }

    /// The table of all stages with their times and the total.
    #[must_use]
    pub fn table(&self) -> String {
        let mut table = String::from("\nstage              time\n");
        for stage in &self.done {
            let verdict = if stage.passed { "" } else { "  FAILED" };
            let _ = writeln!(table, "{:<14}{:>7.1} s{verdict}", stage.name, stage.took.as_secs_f64());
        }
        let _ = write!(table, "{:<14}{:>7.1} s", "total", self.started.elapsed().as_secs_f64());
        table
    }

    /// Prints the table.
    ///
    /// # Errors
    ///
    /// [`Error::Stages`] names the stages that failed.
    pub fn finish(self) -> Result<()> {
        say(&self.table());
        let failed: Vec<String> =
            self.done.into_iter().filter(|stage| !stage.passed).map(|stage| stage.name).collect();
        if failed.is_empty() { Ok(()) } else { Err(Error::Stages(failed)) }
    }
}

impl Default for Stages {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_stage_is_named_and_does_not_stop_the_next() {
        let mut stages = Stages::new();
        assert_eq!(stages.run("first", || Ok(1)), Some(1));
        assert_eq!(stages.run("second", || Err::<(), _>(Error::Untidy(3))), None);
        assert_eq!(stages.run("third", || Ok(3)), Some(3));
        let table = stages.table();
        let failed: Vec<&str> = table.lines().filter(|line| line.ends_with("FAILED")).collect();
        assert_eq!(failed.len(), 1, "{table}");
        assert!(failed[0].starts_with("second"), "{table}");
        assert_eq!(stages.finish().unwrap_err().to_string(), "failed: second");
    }
}
