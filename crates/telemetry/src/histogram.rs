//! Durations, counted by how long they are.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The upper bounds of the buckets, in microseconds: those that OpenTelemetry's conventions for the protocol name (10 ms to
/// 5 min), and finer ones below, because many tools answer faster than that.
const BOUNDS: [u64; 18] = [
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    30_000_000,
    60_000_000,
    120_000_000,
    300_000_000,
];

/// The upper bounds of the buckets, in seconds. What is longer than the last is in a bucket of its own.
pub fn bounds() -> impl ExactSizeIterator<Item = f64> {
    BOUNDS.into_iter().map(|micros| Duration::from_micros(micros).as_secs_f64())
}

/// How many durations fell into which bucket. Recording takes two additions that order nothing.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanos: AtomicU64,
}

/// What a histogram shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// How many were at most as long as each of [`bounds`], and at the end how many there are.
    pub cumulative: Vec<u64>,
    /// All of them together.
    pub sum: Duration,
}

impl Shape {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.cumulative.last().copied().unwrap_or_default()
    }
}

impl Histogram {
    /// Counts a duration.
    pub fn record(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let at = BOUNDS.partition_point(|bound| *bound < micros);
        if let Some(bucket) = self.buckets.get(at) {
            bucket.fetch_add(1, Relaxed);
        }
        // Five hundred years fit.
        self.nanos.fetch_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    /// What it shows now.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let mut count = 0;
        let cumulative = self
            .buckets
            .iter()
            .map(|bucket| {
                count += bucket.load(Relaxed);
                count
            })
            .collect();
        Shape { cumulative, sum: Duration::from_nanos(self.nanos.load(Relaxed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_in_its_bucket_and_in_all_above() {
        let histogram = Histogram::default();
        for millis in [1, 3, 7_000_000] {
            histogram.record(Duration::from_millis(millis));
        }
        let shape = histogram.shape();
        assert_eq!(shape.cumulative[..4], [0, 1, 1, 2]);
        assert_eq!(shape.cumulative[BOUNDS.len() - 1..], [2, 3]);
        assert_eq!((shape.count(), shape.sum), (3, Duration::from_millis(7_000_004)));
    }

    #[test]
    fn the_bounds_rise() {
        assert!(BOUNDS.is_sorted());
        assert_eq!(bounds().next(), Some(0.0005));
        assert_eq!(bounds().last(), Some(300.0));
    }
}
