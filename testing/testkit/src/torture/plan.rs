//! What a round does, as its seed says.

use std::fmt;

use hermes_types::Revision;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::relay::Strike;

/// How long a call sleeps that is to be cancelled: so long that a round does not end without that.
const UNTIL_CANCELLED_MS: u64 = 60_000;

/// No head of an answer is shorter than this.
const SURELY_IN_THE_HEAD: u64 = 40;

/// One round: its sessions, calls and cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The revision that all clients speak.
    pub revision: Revision,
    /// The calls, which all begin at once.
    pub calls: Vec<CallPlan>,
    /// For each session, the kills of its standalone stream, one connection after the other.
    pub listeners: Vec<Vec<Kill>>,
}

/// One call and what happens to its connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPlan {
    /// Which session makes it.
    pub session: usize,
    /// The request's id, which other sessions use as well.
    pub id: u64,
    /// What is called.
    pub work: Work,
    /// The kill of the POST, then of each resume; after that connections pass.
    pub kills: Vec<Kill>,
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A long text, whose length says whose it is.
    Big {
        /// Its length.
        bytes: u64,
    },
    /// A text of the call's own.
    Echo,
    /// Progress with the call's own token.
    Progress {
        /// How many notes.
        notes: u64,
        /// The time between them, in milliseconds.
        interval_ms: u64,
    },
    /// Silence, which is counted when it begins and when it ends.
    Sleep {
        /// How long, in milliseconds.
        ms: u64,
    },
    /// An effect, whose number is the answer.
    Touch,
}

/// How and when a connection ends before its answer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kill {
    /// The client ends it once it has read so many events.
    Events(u64, Cut),
    /// The relay strikes once it has forwarded so many bytes of the answer.
    Bytes(u64, Strike),
}

/// How a client ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It leaves it open and never reads again.
    Abandon,
    /// It closes it.
    Close,
    /// It resets it.
    Reset,
}

impl Plan {
    /// The plan of a seed.
    #[must_use]
    pub fn new(seed: u64, revision: Revision, sessions: usize, calls: usize) -> Self {
        let mut dice = Dice::new(seed);
        let sessions = sessions.max(1);
        let call = |at: usize, dice: &mut Dice| {
            let (work, kills) =
                if revision.is_modern() { modern(at, dice) } else { legacy(at, revision, dice) };
            CallPlan { session: at % sessions, id: (at / sessions + 1) as u64, work, kills }
        };
        let calls = (0..calls).map(|at| call(at, &mut dice)).collect();
        let listeners = match revision.is_modern() {
            true => Vec::new(),
            false => (0..sessions)
                .map(|_| (0..dice.between(0, 4)).map(|_| listener(&mut dice)).collect())
                .collect(),
        };
        Self { revision, calls, listeners }
    }

    /// How many of the calls are to be cancelled by all means.
    #[must_use]
    pub fn certainly_cancelled(&self) -> usize {
        self.calls.iter().filter(|call| call.work == Work::Sleep { ms: UNTIL_CANCELLED_MS }).count()
    }
}

fn work(at: usize, dice: &mut Dice) -> Work {
    match dice.between(1, 100) {
        1..=30 => Work::Sleep { ms: dice.between(0, 250) },
        31..=70 => Work::Progress { notes: dice.between(1, 8), interval_ms: dice.between(0, 25) },
        71..=80 => Work::Touch,
        81..=90 => Work::Echo,
        // One length for each call.
        _ => Work::Big { bytes: dice.between(1, 200) * 1000 + at as u64 },
    }
}

fn legacy(at: usize, revision: Revision, dice: &mut Dice) -> (Work, Vec<Kill>) {
    let work = work(at, dice);
    // Before 2025-11-25 nothing tells a client where it is until the first message comes, so bytes cut mostly blind.
    let by_bytes = if revision >= Revision::V2025_11_25 { 50 } else { 15 };
    let kills = if dice.chance(70) { dice.between(1, 3) } else { 0 };
    let kill = |dice: &mut Dice| {
        if dice.chance(by_bytes) {
            let most = if let Work::Big { bytes } = work { bytes } else { 900 };
            Kill::Bytes(dice.between(1, most), strike(dice))
        } else {
            Kill::Events(dice.between(1, 4), cut(dice))
        }
    };
    (work, (0..kills).map(|_| kill(dice)).collect())
}

fn modern(at: usize, dice: &mut Dice) -> (Work, Vec<Kill>) {
    if dice.chance(25) {
        let strike = if dice.chance(50) { Strike::Reset } else { Strike::Finish };
        let kill = Kill::Bytes(dice.between(1, SURELY_IN_THE_HEAD), strike);
        return (Work::Sleep { ms: UNTIL_CANCELLED_MS }, vec![kill]);
    }
    let work = work(at, dice);
    let kill = match dice.between(1, 4) {
        1 => Some(Kill::Bytes(dice.between(1, 900), strike(dice))),
        2 => Some(Kill::Events(dice.between(1, 4), cut(dice))),
        _ => None,
    };
    (work, kill.into_iter().collect())
}

fn listener(dice: &mut Dice) -> Kill {
    Kill::Bytes(dice.between(1, 400), strike(dice))
}

const fn strike(dice: &mut Dice) -> Strike {
    match dice.between(1, 10) {
        1..=4 => Strike::Reset,
        5..=6 => Strike::Finish,
        7..=8 => Strike::Stall,
        _ => Strike::Swallow,
    }
}

const fn cut(dice: &mut Dice) -> Cut {
    match dice.between(1, 3) {
        1 => Cut::Abandon,
        2 => Cut::Close,
        _ => Cut::Reset,
    }
}

impl CallPlan {
    /// What nobody else's answer says; also the call's progress token.
    #[must_use]
    pub fn mark(&self) -> String {
        format!("s{}-c{}", self.session, self.id)
    }

    /// The tool and its arguments.
    #[must_use]
    pub fn tool(&self) -> (&'static str, Value) {
        match self.work {
            Work::Big { bytes } => ("big", json!({ "bytes": bytes })),
            Work::Echo => ("echo", json!({ "text": self.mark() })),
            Work::Progress { notes, interval_ms } => {
                ("progress", json!({ "n": notes, "interval_ms": interval_ms }))
            }
            Work::Sleep { ms } => ("sleep", json!({ "ms": ms })),
            Work::Touch => ("touch", json!({})),
        }
    }

    /// Whether a text may be the call's result.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        match self.work {
            Work::Big { bytes } => text.len() as u64 == bytes && text.bytes().all(|byte| byte == b'x'),
            Work::Echo => text == self.mark(),
            Work::Progress { .. } | Work::Sleep { .. } => text == "done",
            Work::Touch => text.parse::<u64>().is_ok(),
        }
    }
}

impl fmt::Display for CallPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call {} of session {}, {:?}, cut by {:?}", self.id, self.session, self.work, self.kills)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_plan() {
        for revision in [Revision::V2025_03_26, Revision::V2025_11_25, Revision::V2026_07_28] {
            let plan = Plan::new(7, revision, 4, 100);
            assert_eq!(plan, Plan::new(7, revision, 4, 100));
            assert_ne!(plan, Plan::new(8, revision, 4, 100));
            assert_eq!(plan.calls.len(), 100);
        }
    }

    #[test]
    fn every_kind_of_work_and_of_kill_is_planned() {
        let plan = Plan::new(1, Revision::V2025_11_25, 4, 1000);
        let worked = |wanted: fn(&Work) -> bool| plan.calls.iter().any(|call| wanted(&call.work));
        assert!(worked(|work| matches!(work, Work::Big { .. })) && worked(|work| *work == Work::Touch));
        let kills: Vec<Kill> = plan.calls.iter().flat_map(|call| call.kills.clone()).collect();
        for strike in [Strike::Finish, Strike::Reset, Strike::Stall, Strike::Swallow] {
            assert!(
                kills.iter().any(|kill| matches!(kill, Kill::Bytes(_, it) if *it == strike)),
                "{strike:?}"
            );
        }
        for cut in [Cut::Abandon, Cut::Close, Cut::Reset] {
            assert!(kills.iter().any(|kill| matches!(kill, Kill::Events(_, it) if *it == cut)), "{cut:?}");
        }
    }

    #[test]
    fn ids_are_those_of_other_sessions_too_and_marks_are_not() {
        let plan = Plan::new(1, Revision::V2025_11_25, 4, 100);
        assert_eq!((plan.calls[0].id, plan.calls[1].id, plan.calls[4].id), (1, 1, 2));
        let mut marks: Vec<String> = plan.calls.iter().map(CallPlan::mark).collect();
        marks.sort();
        marks.dedup();
        assert_eq!(marks.len(), 100);
    }
}
