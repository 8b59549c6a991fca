//! How long to wait before the next attempt.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;

/// Chance never adds more than this.
const JITTER: Duration = Duration::from_secs(1);

/// Growing pauses between attempts that fail.
///
/// | attempt | pause |
/// |---|---|
/// | the first after something came | the first pause, or what the server wants |
/// | any further | twice the one before, up to the cap, and never less than the server wants |
///
/// Chance adds up to an eighth, at most a second, so that many clients of one server do not come back together.
///
/// Source: `basic/transports#resumability-and-redelivery`, 2025-11-25.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    first: Duration,
    cap: Duration,
    failed: u32,
}

impl Backoff {
    pub(crate) const fn new(first: Duration, cap: Duration) -> Self {
        Self { first, cap, failed: 0 }
    }

    /// How many attempts were made since something came.
    pub(crate) const fn attempts(&self) -> u32 {
        self.failed
    }

    /// Something came.
    pub(crate) const fn reset(&mut self) {
        self.failed = 0;
    }

    /// The pause before the next attempt; `least` is what the server wants.
    pub(crate) fn next(&mut self, least: Option<Duration>) -> Duration {
        let pause = self.first.saturating_mul(1 << self.failed.min(16)).min(self.cap);
        self.failed = self.failed.saturating_add(1);
        let pause = pause.max(least.unwrap_or_default());
        pause.saturating_add((pause / 8).min(JITTER).mul_f64(chance()))
    }
}

/// A number from 0 to 1. The standard library seeds every one of these states anew.
fn chance() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    f64::from((bits >> 32) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: R164
    #[test]
    fn b050_pauses_grow_to_a_cap_and_begin_anew_when_something_came() {
        let second = Duration::from_secs(1);
        let mut backoff = Backoff::new(second, 8 * second);
        for expected in [1, 2, 4, 8, 8, 8] {
            let pause = backoff.next(None);
            assert!(pause >= expected * second && pause <= expected * second + JITTER, "{pause:?}");
        }
        backoff.reset();
        assert!(backoff.next(None) < 2 * second);
    }

    #[test]
    fn what_the_server_wants_is_the_least() {
        let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(5));
        for _ in 0..20 {
            let pause = backoff.next(Some(Duration::from_secs(60)));
            assert!(pause >= Duration::from_secs(60) && pause <= Duration::from_secs(61), "{pause:?}");
        }
    }
}
