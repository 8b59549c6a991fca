//! How long the requests of one server took, by method and by tool, and how they ended.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use hermes_types::Method;

use crate::histogram::{Histogram, Shape};

/// How many tools are told apart. What comes later is counted under [`OTHER`]: a server that makes up tools must not make
/// up rows without end in somebody's database.
const TOOLS: usize = 200;

/// The name for whatever is none of those that are told apart.
pub const OTHER: &str = "_OTHER";

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Success,
    /// With the failure of a tool, which is a result for the model to read.
    ToolError,
    /// With questions to the client, which repeats it with the answers.
    InputRequired,
    /// With an error of the protocol.
    Error,
    /// Without an answer: its client did not want it any more.
    Cancelled,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Success, Self::ToolError, Self::InputRequired, Self::Error, Self::Cancelled];

    /// Its name in events and accounts.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::ToolError => "tool_error",
            Self::InputRequired => "input_required",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The requests of one kind.
#[derive(Debug, Default)]
pub struct Series {
    durations: Histogram,
    outcomes: [AtomicU64; Outcome::ALL.len()],
}

impl Series {
    /// Counts a request: three additions that order nothing.
    pub fn record(&self, outcome: Outcome, duration: Duration) {
        if let Some(count) = self.outcomes.get(outcome as usize) {
            count.fetch_add(1, Relaxed);
        }
        self.durations.record(duration);
    }
}

/// How long requests took, and how they ended. All methods and up to 200 tools are told apart.
pub struct Timings {
    methods: [OnceLock<Box<Series>>; Method::ALL.len()],
    others: Series,
    tools: RwLock<BTreeMap<Arc<str>, Arc<Series>>>,
    sessions: Histogram,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            methods: [const { OnceLock::new() }; Method::ALL.len()],
            others: Series::default(),
            tools: RwLock::default(),
            sessions: Histogram::default(),
        }
    }
}

/// What one kind of requests has come to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The method of the protocol, or [`OTHER`].
    pub method: &'static str,
    /// The tool, for calls of tools.
    pub tool: Option<Arc<str>>,
    /// How many ended how.
    pub outcomes: [(Outcome, u64); Outcome::ALL.len()],
    /// How long they took.
    pub durations: Shape,
}

impl Timings {
    /// The requests of this method, those for a tool that exists apart; `None`: no method that is known.
    #[must_use]
    pub fn method(&self, method: Option<Method>) -> &Series {
        let series = method.and_then(|method| self.methods.get(method as usize));
        series.map_or(&self.others, |series| series.get_or_init(Box::default))
    }

    /// The calls of this tool, and the name that they are counted under.
    #[must_use]
    pub fn tool(&self, name: &str) -> (Arc<str>, Arc<Series>) {
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner);
        let known = tools.get_key_value(name).map(|(name, series)| (Arc::clone(name), Arc::clone(series)));
        drop(tools);
        known.unwrap_or_else(|| self.new_tool(name))
    }

    #[cold]
    fn new_tool(&self, name: &str) -> (Arc<str>, Arc<Series>) {
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let name = if tools.len() < TOOLS || tools.contains_key(name) { name } else { OTHER };
        let name: Arc<str> = Arc::from(name);
        let series = Arc::clone(tools.entry(Arc::clone(&name)).or_default());
        (name, series)
    }

    /// How long sessions last.
    #[must_use]
    pub const fn sessions(&self) -> &Histogram {
        &self.sessions
    }

    /// All kinds of requests that there were, by method and tool.
    #[must_use]
    pub fn readings(&self) -> Vec<Reading> {
        let of_methods = Method::ALL
            .iter()
            .zip(&self.methods)
            .filter_map(|(method, series)| Some(reading(method.as_str(), None, series.get()?)));
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner);
        let of_tools = tools
            .iter()
            .map(|(tool, series)| reading(Method::ToolsCall.as_str(), Some(Arc::clone(tool)), series));
        let others = reading(OTHER, None, &self.others);
        let others = Some(others).filter(|others| others.durations.count() > 0);
        of_methods.chain(of_tools).chain(others).collect()
    }
}

fn reading(method: &'static str, tool: Option<Arc<str>>, series: &Series) -> Reading {
    let mut outcomes = Outcome::ALL.map(|outcome| (outcome, 0));
    for ((_, count), counted) in outcomes.iter_mut().zip(&series.outcomes) {
        *count = counted.load(Relaxed);
    }
    Reading { method, tool, outcomes, durations: series.durations.shape() }
}

impl fmt::Debug for Timings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timings").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_counted_where_it_belongs() {
        let timings = Timings::default();
        timings.method(Some(Method::ToolsList)).record(Outcome::Success, Duration::from_millis(1));
        timings.method(None).record(Outcome::Error, Duration::ZERO);
        timings.tool("add").1.record(Outcome::ToolError, Duration::from_millis(2));
        let readings = timings.readings();
        let seen: Vec<_> = readings
            .iter()
            .map(|it| (it.method, it.tool.as_deref(), it.outcomes.iter().find(|(_, count)| *count == 1)))
            .collect();
        assert_eq!(
            seen,
            [
                ("tools/list", None, Some(&(Outcome::Success, 1))),
                ("tools/call", Some("add"), Some(&(Outcome::ToolError, 1))),
                (OTHER, None, Some(&(Outcome::Error, 1))),
            ]
        );
    }

    #[test]
    fn tools_without_end_share_one_row() {
        let timings = Timings::default();
        for number in 0..TOOLS + 50 {
            timings.tool(&format!("t{number}")).1.record(Outcome::Success, Duration::ZERO);
        }
        let readings = timings.readings();
        assert_eq!(readings.len(), TOOLS + 1);
        let other =
            readings.iter().find(|it| it.tool.as_deref() == Some(OTHER)).map(|it| it.durations.count());
        assert_eq!(other, Some(50));
    }

    #[test]
    fn every_outcome_has_a_place() {
        for (place, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, place);
        }
    }

    #[test]
    fn every_method_has_a_place() {
        for (place, method) in Method::ALL.iter().enumerate() {
            assert_eq!(*method as usize, place);
        }
    }
}
