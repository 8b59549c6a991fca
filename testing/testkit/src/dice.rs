//! Chance that a seed repeats.

/// A source of numbers that are the same for a seed on every machine and in every version: `SplitMix64`.
///
/// It decides what a test does, so that a seed alone says it; it is of no use for secrets.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// Dice that fall as this seed says.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` up to and including `high`; `low` if there is none between.
    pub const fn between(&mut self, low: u64, high: u64) -> u64 {
        let drawn = self.next();
        if high <= low { low } else { low + drawn % (high - low + 1) }
    }

    /// Whether something happens that happens so many times in a hundred.
    pub const fn chance(&mut self, percent: u64) -> bool {
        self.between(1, 100) <= percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_numbers_for_ever() {
        let mut dice = Dice::new(0);
        assert_eq!([dice.next(), dice.next()], [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
    }

    #[test]
    fn numbers_stay_in_their_bounds() {
        let mut dice = Dice::new(7);
        let drawn: Vec<u64> = (0..1000).map(|_| dice.between(3, 5)).collect();
        assert!((3..=5).all(|number| drawn.contains(&number)) && drawn.iter().all(|it| (3..=5).contains(it)));
        assert_eq!((dice.between(4, 4), dice.between(4, 1)), (4, 4));
        assert!(!dice.chance(0) && dice.chance(100));
    }
}
