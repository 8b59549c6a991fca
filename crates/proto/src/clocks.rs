//! Two clocks: one that always goes on, and one that other processes can read.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The steady clock and the wall clock, read at one moment.
///
/// An [`Instant`] means nothing in another process. What has to be kept is written as wall-clock time, and read again as
/// an instant of the process that reads it. So the time in between counts, and a wall clock that was set anew makes it
/// wrong: whoever reads has to bound what comes out.
///
/// ```
/// use hermes_proto::clocks::Clocks;
/// use std::time::{Duration, Instant, UNIX_EPOCH};
///
/// # let now = Instant::now();
/// let before = Clocks::new(now, UNIX_EPOCH + Duration::from_secs(100));
/// let due = before.write(now + Duration::from_secs(60));
/// // Another process reads it half a minute later.
/// let after = Clocks::new(now, UNIX_EPOCH + Duration::from_secs(130));
/// assert_eq!(after.read(due), now + Duration::from_secs(30));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    now: Instant,
    wall: Duration,
}

impl Clocks {
    /// What the two clocks say. A wall clock before 1970 stands at 1970.
    #[must_use]
    pub fn new(now: Instant, wall: SystemTime) -> Self {
        Self { now, wall: wall.duration_since(UNIX_EPOCH).unwrap_or_default() }
    }

    /// What the steady clock says.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// An instant as wall-clock time, in milliseconds since 1970.
    #[must_use]
    pub fn write(&self, at: Instant) -> u64 {
        let at = match at.checked_duration_since(self.now) {
            Some(ahead) => self.wall.saturating_add(ahead),
            None => self.wall.saturating_sub(self.now.saturating_duration_since(at)),
        };
        u64::try_from(at.as_millis()).unwrap_or(u64::MAX)
    }

    /// Wall-clock time, in milliseconds since 1970, as an instant. What the steady clock cannot say is now.
    #[must_use]
    pub fn read(&self, millis: u64) -> Instant {
        let at = Duration::from_millis(millis);
        let read = match at.checked_sub(self.wall) {
            Some(ahead) => self.now.checked_add(ahead),
            None => self.now.checked_sub(self.wall.saturating_sub(at)),
        };
        read.unwrap_or(self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test has to begin somewhere; it only adds to this")]
    fn start() -> Instant {
        Instant::now() + Duration::from_secs(1_000)
    }

    #[test]
    fn the_time_away_counts_before_and_after_now() {
        let now = start();
        let wall = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let written = Clocks::new(now, wall);
        let read = Clocks::new(now, wall + Duration::from_secs(5));
        for (at, expected) in [
            (now, now - Duration::from_secs(5)),
            (now + Duration::from_secs(9), now + Duration::from_secs(4)),
            (now - Duration::from_secs(9), now - Duration::from_secs(14)),
        ] {
            assert_eq!(read.read(written.write(at)), expected);
        }
    }

    #[test]
    fn clocks_that_stand_anywhere_are_read() {
        let now = start();
        let before_1970 = Clocks::new(now, UNIX_EPOCH - Duration::from_secs(5));
        assert_eq!(before_1970.write(now), 0);
        assert_eq!(before_1970.read(0), now);
        assert_eq!(before_1970.read(u64::MAX), now + Duration::from_millis(u64::MAX));
        let today = Clocks::new(now, UNIX_EPOCH + Duration::from_secs(u64::from(u32::MAX)));
        assert!(today.read(0) <= now, "long ago, or now where the steady clock cannot say so");
    }
}
