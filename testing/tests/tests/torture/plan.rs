//! What a round does, as its seed says.

use std::time::Duration;

use hermes::types::Era;
use hermes_testkit::dice::Dice;
use hermes_testkit::relay::{Fate, Strike};

/// One round: its calls, what becomes of its connections, and what the server suffers meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// A run that begins with this seed begins with this round.
    pub(crate) seed: u64,
    pub(crate) era: Era,
    /// How many calls are under way at once.
    pub(crate) width: usize,
    /// Whether connecting is cut as well.
    pub(crate) is_cut_from_the_start: bool,
    pub(crate) fates: Vec<Fate>,
    pub(crate) calls: Vec<CallPlan>,
}

/// One call, and what happens before it begins.
#[derive(Clone, Debug)]
pub(crate) struct CallPlan {
    pub(crate) key: String,
    /// Whether it may run twice: the server says that the tool only reads.
    pub(crate) is_safe: bool,
    /// Whether the caller says so as well.
    pub(crate) says_so: bool,
    pub(crate) work: Work,
    pub(crate) timeout: Duration,
    pub(crate) before: Option<Blow>,
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    /// How long it takes.
    pub(crate) ms: u64,
    /// How many notes of progress it sends meanwhile.
    pub(crate) notes: u32,
    /// How long its answer is, beyond its key.
    pub(crate) bytes: u32,
    /// Whether it asks the user first.
    pub(crate) asks: bool,
}

/// What the server suffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blow {
    /// It is killed, and is back after so long; it knows no session of before.
    Crash(Duration),
    /// It ends in good order, and is back at once.
    Restart,
    /// Something in front of it answers so many requests with 503.
    Busy {
        requests: u32,
        /// In seconds, in `Retry-After`.
        retry_after: Option<u64>,
    },
}

impl Plan {
    pub(crate) fn new(seed: u64, era: Era) -> Self {
        let mut dice = Dice::new(seed);
        let calls = dice.between(10, 30);
        Self {
            seed,
            era,
            width: dice.between(1, 8) as usize,
            is_cut_from_the_start: dice.chance(30),
            fates: (0..dice.between(4, 16)).map(|_| fate(&mut dice)).collect(),
            calls: (0..calls).map(|at| call(at, &mut dice)).collect(),
        }
    }
}

fn call(at: u64, dice: &mut Dice) -> CallPlan {
    let work = match dice.between(1, 10) {
        1..=4 => Work { ms: 0, notes: 0, bytes: dice.between(0, 200) as u32, asks: false },
        5..=6 => Work { ms: dice.between(1, 60), notes: 0, bytes: 0, asks: false },
        7..=8 => Work { ms: dice.between(1, 80), notes: dice.between(1, 6) as u32, bytes: 9, asks: false },
        9 => Work { ms: 0, notes: 0, bytes: dice.between(1000, 100_000) as u32, asks: false },
        _ => Work { ms: 0, notes: dice.between(0, 2) as u32, bytes: 1, asks: true },
    };
    let before = dice.chance(6).then(|| match dice.between(1, 4) {
        1 => Blow::Restart,
        2 => Blow::Crash(Duration::from_millis(dice.between(0, 150))),
        _ => Blow::Busy {
            requests: dice.between(1, 4) as u32,
            retry_after: if dice.chance(70) { Some(0) } else { None },
        },
    });
    CallPlan {
        key: format!("call-{at}"),
        is_safe: dice.chance(40),
        says_so: dice.chance(50),
        work,
        timeout: Duration::from_millis(dice.between(150, 700)),
        before,
    }
}

fn fate(dice: &mut Dice) -> Fate {
    let mut fate = Fate::pass();
    if dice.chance(15) {
        fate = fate.late(Duration::from_millis(dice.between(1, 120)));
    }
    if dice.chance(20) {
        fate = fate.in_pieces(dice.between(1, 64) as usize);
    }
    match dice.between(1, 100) {
        1..=45 => fate.strike_answer(bytes(dice), strike(dice)),
        46..=80 => fate.strike_request(bytes(dice), strike(dice)),
        _ => fate,
    }
}

/// Often in the first request or answer of a connection, sometimes in a later one.
const fn bytes(dice: &mut Dice) -> u64 {
    match dice.between(1, 10) {
        1 => 0,
        2..=5 => dice.between(1, 500),
        6..=8 => dice.between(500, 2500),
        _ => dice.between(2500, 40_000),
    }
}

const fn strike(dice: &mut Dice) -> Strike {
    match dice.between(1, 10) {
        1..=4 => Strike::Reset,
        5..=7 => Strike::Finish,
        8 => Strike::Stall,
        _ => Strike::Swallow,
    }
}
