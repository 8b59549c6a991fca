//! What was measured, and whether it is good enough.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What may not be exceeded.
pub(crate) struct Thresholds {
    /// Of a hundred requests of one kind, ninety-five take no longer.
    pub(crate) p95: Duration,
    /// The part of all requests that may fail, from 0 to 1.
    pub(crate) errors: f64,
}

/// All that the users did, by what it was.
#[derive(Default)]
pub(crate) struct Tally(Mutex<BTreeMap<&'static str, Kind>>);

#[derive(Default)]
struct Kind {
    took: Vec<Duration>,
    errors: usize,
    /// The first thing that went wrong.
    example: Option<String>,
}

impl Kind {
    /// The time that this part of the requests took at most.
    fn quantile(&self, part: f64) -> Duration {
        let mut took = self.took.clone();
        took.sort_unstable();
        let place = (took.len() as f64 * part).ceil() as usize;
        took.get(place.saturating_sub(1)).copied().unwrap_or_default()
    }
}

impl Tally {
    pub(crate) fn note(&self, kind: &'static str, took: Duration, outcome: Result<(), String>) {
        let mut kinds = self.kinds();
        let kind = kinds.entry(kind).or_default();
        kind.took.push(took);
        if let Err(error) = outcome {
            kind.errors += 1;
            kind.example.get_or_insert(error);
        }
    }

    /// The thresholds that were not kept.
    pub(crate) fn broken(&self, thresholds: &Thresholds) -> Vec<String> {
        let kinds = self.kinds();
        let mut broken: Vec<String> = kinds
            .iter()
            .map(|(name, kind)| (name, kind.quantile(0.95)))
            .filter(|(_, p95)| *p95 > thresholds.p95)
            .map(|(name, p95)| format!("p95 of {name} is {p95:?}, more than {:?}", thresholds.p95))
            .collect();
        let all: usize = kinds.values().map(|kind| kind.took.len()).sum();
        let errors: usize = kinds.values().map(|kind| kind.errors).sum();
        if errors as f64 > all as f64 * thresholds.errors {
            broken.push(format!(
                "{errors} of {all} requests failed, more than {} %",
                thresholds.errors * 100.0
            ));
        }
        broken
    }

    fn kinds(&self) -> MutexGuard<'_, BTreeMap<&'static str, Kind>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line for each kind of request.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<10}{:>8}{:>8}{:>12}{:>12}", "request", "count", "errors", "median", "p95")?;
        for (name, kind) in &*self.kinds() {
            let milliseconds = |part| format!("{:.1} ms", kind.quantile(part).as_secs_f64() * 1000.0);
            let (count, median, p95) = (kind.took.len(), milliseconds(0.5), milliseconds(0.95));
            writeln!(f, "{name:<10}{count:>8}{:>8}{median:>12}{p95:>12}", kind.errors)?;
            if let Some(example) = &kind.example {
                writeln!(f, "  such as: {example}")?;
            }
        }
        Ok(())
    }
}
