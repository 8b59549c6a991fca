//! What Linux tells of another process, and of this one.

use std::fs;

use rustix::time::{ClockId, clock_gettime};

use crate::Result;

/// How long a tick of `/proc` is, in microseconds. Linux shows a hundred a second to programs on every architecture that
/// counts.
const TICK: f64 = 10_000.0;

/// The time that a process has spent so far, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    pub(crate) user: f64,
    pub(crate) system: f64,
}

impl Spent {
    pub(crate) fn read(pid: u32) -> Result<Self> {
        Ok(Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat"))?))
    }

    fn parse(stat: &str) -> Self {
        // The second field is a name, which may hold anything, in parentheses.
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let mut fields = rest.split_ascii_whitespace().skip(11);
        let mut ticks = || fields.next().and_then(|it| it.parse::<f64>().ok()).unwrap_or_default();
        Self { user: ticks() * TICK, system: ticks() * TICK }
    }

    pub(crate) fn since(self, earlier: Self) -> Self {
        Self { user: self.user - earlier.user, system: self.system - earlier.system }
    }
}

/// The time that this process has spent so far, in microseconds.
pub(crate) fn own_time() -> f64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    spent.tv_sec as f64 * 1e6 + spent.tv_nsec as f64 / 1e3
}

/// How many files, pipes and connections a process has open.
pub(crate) fn descriptors(pid: u32) -> Result<usize> {
    Ok(fs::read_dir(format!("/proc/{pid}/fd"))?.count())
}

/// The memory that a process occupies, in bytes.
pub(crate) fn resident(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes =
        line.and_then(|line| line.split_ascii_whitespace().next()).and_then(|it| it.parse::<u64>().ok());
    Ok(kilobytes.unwrap_or_default() * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_does_not_move_the_fields() {
        let Spent { user, system } = Spent::parse("7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 20 30 0");
        assert_eq!((user, system), (200_000.0, 300_000.0));
    }
}
