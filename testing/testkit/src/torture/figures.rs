//! What a torture counts.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

/// How often what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls that were made.
    pub calls: u64,
    /// Connections that were cut, stalled, swallowed or left, of calls and of standalone streams.
    pub cuts: u64,
    /// Streams that were resumed by `Last-Event-ID`.
    pub resumes: u64,
    /// Calls that were cut before their client knew an event id, which cannot be resumed.
    pub blind: u64,
    /// Modern calls that were cut, which cancels them.
    pub given_up: u64,
    /// Calls whose answer, and progress whose note, never came.
    pub lost: u64,
    /// Of the lost calls, those that were still open when patience ended: neither answered nor refused.
    pub hung: u64,
    /// Answers, events and effects that came twice.
    pub duplicated: u64,
    /// Messages on a stream that is not theirs.
    pub crossed: u64,
    /// Everything else that must not be: refusals, broken answers, counters that are wrong.
    pub wrong: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        let Self { calls, cuts, resumes, blind, given_up, lost, hung, duplicated, crossed, wrong } = other;
        self.calls += calls;
        self.cuts += cuts;
        self.resumes += resumes;
        self.blind += blind;
        self.given_up += given_up;
        self.lost += lost;
        self.hung += hung;
        self.duplicated += duplicated;
        self.crossed += crossed;
        self.wrong += wrong;
    }
}

/// What became of a torture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How many rounds.
    pub rounds: u64,
    /// What was counted in all of them.
    pub count: Count,
    /// What must not be, one line each, with the seed that repeats it.
    pub findings: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Figures {
    /// Whether nothing was found that must not be.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Figures {
    /// All counts with their names, in the order in which they are told.
    #[must_use]
    pub const fn counts(&self) -> [(&'static str, u64); 11] {
        let Count { calls, cuts, resumes, blind, given_up, lost, hung, duplicated, crossed, wrong } =
            self.count;
        [
            ("rounds", self.rounds),
            ("calls", calls),
            ("cuts", cuts),
            ("resumes", resumes),
            ("blind", blind),
            ("given up", given_up),
            ("lost", lost),
            ("of which hung", hung),
            ("duplicated", duplicated),
            ("crossed", crossed),
            ("wrong", wrong),
        ]
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.counts() {
            write!(f, "{name} {count}, ")?;
        }
        write!(f, "seconds {:.1}", self.took.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_one_line() {
        let mut figures = Figures { rounds: 2, took: Duration::from_millis(1500), ..Figures::default() };
        figures.count += Count { calls: 100, lost: 1, ..Count::default() };
        figures.count += Count { calls: 100, cuts: 7, ..Count::default() };
        assert_eq!(
            figures.to_string(),
            "rounds 2, calls 200, cuts 7, resumes 0, blind 0, given up 0, lost 1, of which hung 0, duplicated 0, \
             crossed 0, wrong 0, seconds 1.5"
        );
    }
}
