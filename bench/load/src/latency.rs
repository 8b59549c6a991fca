//! How long answers took.

use std::time::Duration;

/// All times of a run.
#[derive(Debug, Default)]
pub(crate) struct Latency(Vec<Duration>);

impl Latency {
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) const fn count(&self) -> usize {
        self.0.len()
    }

    /// The time in microseconds that this share of the answers did not exceed; 0 of none.
    pub(crate) fn micros(&mut self, share: f64) -> f64 {
        self.0.sort_unstable();
        let at = (self.0.len() as f64 * share) as usize;
        let took = self.0.get(at).or_else(|| self.0.last());
        took.map_or(0.0, |took| took.as_secs_f64() * 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_found_whatever_the_order() {
        let mut latency = Latency::default();
        (1..=100).rev().for_each(|micros| latency.add(Duration::from_micros(micros)));
        assert_eq!((latency.micros(0.5), latency.micros(0.99), latency.micros(1.0)), (51.0, 100.0, 100.0));
        assert_eq!(Latency::default().micros(0.5), 0.0);
    }
}
