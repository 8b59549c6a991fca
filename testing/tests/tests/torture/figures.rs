//! What was counted, over all rounds.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// So many requests a call may cost: it, three more while the server is busy, one in a new session, one more if it is
/// safe, five for the rest of its answer, and its cancellation.
const REQUESTS_OF_A_CALL: u64 = 12;

/// So many requests a minute a client may make by itself: its stream comes back with growing pauses, the first of half a
/// second, after each of which a session may be begun anew (three requests).
const REQUESTS_BY_ITSELF: f64 = 4.0 * 120.0;

/// So many more it makes in the course of a round: connecting, and parting.
const REQUESTS_OF_A_ROUND: u64 = 10;

/// What came of all calls.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) rounds: u64,
    pub(crate) calls: u64,
    pub(crate) answered: u64,
    /// The others, by how they failed.
    pub(crate) failed: BTreeMap<&'static str, u64>,
    /// How many safe calls ran once more.
    pub(crate) again: u64,
    /// In how many rounds the client knew which tools are safe.
    pub(crate) knew: u64,
    pub(crate) connections: u64,
    pub(crate) requests: u64,
    pub(crate) cut: u64,
    pub(crate) blows: u64,
    /// How often connecting failed under fire.
    pub(crate) not_connected: u64,
    /// The longest that a call went on beyond its limit.
    pub(crate) overtime: Duration,
    pub(crate) took: Duration,
    /// What must not be.
    pub(crate) findings: Vec<String>,
}

impl Figures {
    /// The most that is too much: more requests than the calls and the client's own pauses allow.
    pub(crate) fn check_attempts(&self) {
        let by_itself = self.took.as_secs_f64() / 60.0 * REQUESTS_BY_ITSELF;
        let most = (self.calls * REQUESTS_OF_A_CALL + self.rounds * REQUESTS_OF_A_ROUND) as f64 + by_itself;
        assert!((self.requests as f64) < most, "a storm of requests, more than {most}:\n{self}");
        // A connection that brings no request was cut, or was late.
        let most = self.requests + self.calls * REQUESTS_OF_A_CALL + self.rounds * REQUESTS_OF_A_ROUND;
        assert!(self.connections < most, "a storm of connections, more than {most}:\n{self}");
    }

    /// Connections and requests together, a minute.
    fn attempts_per_minute(&self) -> f64 {
        (self.connections + self.requests) as f64 / (self.took.as_secs_f64() / 60.0).max(f64::EPSILON)
    }

    /// The most of it, on one line.
    pub(crate) fn line(&self) -> String {
        format!(
            "{} calls, {} answered, {} cuts, {:.0} attempts a minute, {} findings",
            self.calls,
            self.answered,
            self.cut,
            self.attempts_per_minute(),
            self.findings.len(),
        )
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  {} rounds ({} with the tools known) in {:.1} s: {} calls, {} answered; {} failed: {:?}; {} ran once more",
            self.rounds,
            self.knew,
            self.took.as_secs_f64(),
            self.calls,
            self.answered,
            self.calls - self.answered,
            self.failed,
            self.again,
        )?;
        writeln!(
            f,
            "  {} connections, of which {} were struck; the server struck {} times; connecting failed {} times",
            self.connections, self.cut, self.blows, self.not_connected,
        )?;
        write!(
            f,
            "  {} requests, {:.2} a call; {:.0} connections and requests a minute, while there were {:.0} calls a \
             minute; at most {} ms beyond a limit",
            self.requests,
            self.requests as f64 / (self.calls as f64).max(1.0),
            self.attempts_per_minute(),
            self.calls as f64 / (self.took.as_secs_f64() / 60.0).max(f64::EPSILON),
            self.overtime.as_millis(),
        )
    }
}
