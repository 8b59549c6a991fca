//! Every interleaving of small sessions, long random ones, and the roster: on the real code.
//!
//! With `HERMES_EXPLORE_BOUNDS=large` more may happen; `HERMES_EXPLORE_SEED` (a number) sets the seed of the long runs,
//! and `--nocapture` shows what was visited.

#[expect(unreachable_pub, reason = "a module of this test alone")]
mod session_world;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use hermes_proto::admit::Gone;
use hermes_proto::channel::{Change, Filter};
use hermes_proto::exchange::{Due, Exchange};
use hermes_proto::session::{AtCapacity, Roster, SessionId};
use hermes_types::Revision;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;
use session_world::{Model, Step, Variant, World};

/// Nothing happens.
const QUIET: Model = Model {
    revision: Revision::V2025_11_25,
    batches: false,
    events: &[true],
    posts: 1,
    conns: 2,
    notes: 0,
    asks: 0,
    hints: 0,
    gets: 0,
    cuts: 1,
    polls: 0,
    cancels: 0,
    expiries: 0,
    closes: false,
    kept: 9,
};

/// Everything happens, and more than can be explored.
const BUSY: Model = Model {
    events: &[true, false],
    posts: 6,
    conns: 14,
    notes: 5,
    asks: 4,
    hints: 3,
    gets: 3,
    cuts: 6,
    polls: 2,
    cancels: 2,
    expiries: 3,
    closes: true,
    kept: 1,
    ..QUIET
};

#[expect(clippy::disallowed_methods, reason = "the bounds and seeds of a test, not of the core")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn large() -> bool {
    setting("HERMES_EXPLORE_BOUNDS").is_some_and(|bounds| bounds == "large")
}

/// One connection more, if the long search was asked for.
fn more(conns: usize) -> usize {
    conns + usize::from(large())
}

struct Node {
    parent: usize,
    step: Option<Step>,
}

fn trace(nodes: &[Node], mut at: usize) -> String {
    let mut steps = Vec::new();
    while let Some(step) = nodes[at].step {
        steps.push(step.to_string());
        at = nodes[at].parent;
    }
    steps.reverse();
    steps.join(", ")
}

/// Visits every state breadth first; gives the first flaw with a shortest way to it.
#[expect(clippy::disallowed_methods, reason = "the report says how long a search took")]
#[expect(clippy::print_stdout, reason = "the report is what this test is run for")]
fn explore(name: &str, model: &Model, variant: Variant) -> Option<(&'static str, String)> {
    let start = Instant::now();
    let (mut nodes, mut seen, mut steps) = (Vec::new(), BTreeSet::new(), 0_usize);
    let mut level = vec![(World::new(model, variant), 0)];
    nodes.push(Node { parent: 0, step: None });
    let mut found = None;
    'search: while !level.is_empty() {
        let mut next = Vec::new();
        for (world, at) in level {
            if let Some(flaw) = world.flaw().or_else(|| world.clone().settle_down(model)) {
                found = Some((flaw, trace(&nodes, at)));
                break 'search;
            }
            for step in world.enabled(model) {
                steps += 1;
                let after = world.after(model, step);
                let mut hasher = DefaultHasher::new();
                after.hash(&mut hasher);
                if seen.insert(hasher.finish()) {
                    nodes.push(Node { parent: at, step: Some(step) });
                    next.push((after, nodes.len() - 1));
                }
            }
        }
        level = next;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{name:<34} {:>8} states {steps:>9} steps {seconds:>7.2} s  {found:?}", nodes.len());
    found
}

#[test]
fn a_call_that_is_cut_anywhere_is_answered_once_on_its_own_stream() {
    let model = Model { conns: more(2), cuts: 2, notes: 1, ..QUIET };
    assert_eq!(explore("one call, cut and resumed", &model, Variant::Sound), None);
    let json = Model { events: &[false], notes: 1, cancels: 1, closes: true, ..QUIET };
    assert_eq!(explore("one call, as JSON", &json, Variant::Sound), None);
}

#[test]
fn two_calls_never_cross_and_a_duplicate_id_is_refused() {
    let model = Model { posts: 2, conns: more(2), ..QUIET };
    assert_eq!(explore("two calls", &model, Variant::Sound), None);
    let model = Model { posts: 2, conns: 2, cancels: 1, expiries: 1, ..QUIET };
    assert_eq!(explore("two calls, cancelled", &model, Variant::Sound), None);
}

#[test]
fn a_question_has_one_outcome_whatever_becomes_of_its_call() {
    let model = Model { asks: 1, cancels: 1, expiries: 1, closes: true, ..QUIET };
    assert_eq!(explore("a question", &model, Variant::Sound), None);
    let model = Model { events: &[false], conns: 2, gets: 1, asks: 1, cancels: 1, closes: true, ..QUIET };
    assert_eq!(explore("a question of a JSON call", &model, Variant::Sound), None);
}

#[test]
fn a_session_that_closes_answers_its_calls_and_ends_every_stream() {
    let model = Model { gets: 1, conns: more(2), hints: 1, closes: true, ..QUIET };
    assert_eq!(explore("a session closes", &model, Variant::Sound), None);
    let model =
        Model { gets: 2, posts: 0, conns: more(2), hints: 1, cuts: 2, expiries: 1, closes: true, ..QUIET };
    assert_eq!(explore("listeners supersede", &model, Variant::Sound), None);
}

#[test]
fn a_reader_that_is_asked_to_hang_up_comes_back_for_the_rest() {
    let model = Model { polls: 1, notes: 1, conns: more(2), ..QUIET };
    assert_eq!(explore("polling", &model, Variant::Sound), None);
}

#[test]
fn a_response_that_was_read_makes_room_and_one_that_was_not_stays() {
    let model = Model { posts: 2, conns: more(2), kept: 1, ..QUIET };
    assert_eq!(explore("one response is kept", &model, Variant::Sound), None);
    assert_eq!(explore("none is kept", &Model { conns: 2, kept: 0, ..model }, Variant::Sound), None);
}

#[test]
fn a_batch_is_answered_as_one_on_its_own_stream() {
    let model = Model { revision: Revision::V2025_03_26, batches: true, cancels: 1, closes: true, ..QUIET };
    let model = Model { posts: more(1), conns: 2, ..model };
    assert_eq!(explore("batches", &model, Variant::Sound), None);
}

#[test]
fn what_a_driver_may_get_wrong_is_found() {
    for (variant, model, rule) in [
        (Variant::EndsNewest, QUIET, "the newest lease is not stale"),
        (Variant::Deaf, Model { asks: 1, expiries: 1, ..QUIET }, "every caller of a question is told"),
        (
            Variant::NeverForgets,
            Model { posts: 0, hints: 1, closes: true, ..QUIET },
            "what was accepted has left in one way",
        ),
    ] {
        let found = explore(&format!("{variant:?}"), &model, variant);
        assert_eq!(found.map(|(flaw, _)| flaw), Some(rule), "{variant:?}");
    }
}

#[expect(clippy::print_stdout, reason = "whoever sees it fail wants the seed")]
fn seed() -> u64 {
    let seed = setting("HERMES_EXPLORE_SEED").and_then(|text| text.parse().ok()).unwrap_or(1);
    println!("HERMES_EXPLORE_SEED={seed}");
    seed
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: if large() { 20_000 } else { 200 },
        rng_seed: RngSeed::Fixed(seed()),
        ..ProptestConfig::default()
    })]

    #[test]
    fn long_sessions_agree_with_their_books_and_end_well(
        batches in any::<bool>(),
        kept in 0..3_usize,
        choices in prop::collection::vec(any::<Index>(), 0..200),
    ) {
        let revision = if batches { Revision::V2025_03_26 } else { Revision::V2025_11_25 };
        let model = Model { revision, batches, kept, ..BUSY };
        let mut world = World::new(&model, Variant::Sound);
        let mut steps = Vec::new();
        for choice in choices {
            let enabled = world.enabled(&model);
            if enabled.is_empty() {
                break;
            }
            let step = enabled[choice.index(enabled.len())];
            steps.push(step.to_string());
            world = world.after(&model, step);
            prop_assert_eq!(world.flaw(), None, "{}", steps.join(", "));
        }
        prop_assert_eq!(world.settle_down(&model), None, "{}", steps.join(", "));
    }

    #[test]
    fn a_roster_agrees_with_a_list_and_never_sends_away_who_is_in_use(
        steps in prop::collection::vec((0..5_u8, 0..6_u8), 0..120),
    ) {
        let mut rosters = Rosters::new(2);
        for (what, who) in steps {
            rosters.step(what, who);
        }
    }
}

#[test]
fn every_short_life_of_a_roster_agrees_with_a_list() {
    let length = if large() { 7 } else { 5 };
    let choices: Vec<(u8, u8)> = (0..5).flat_map(|what| (0..3).map(move |who| (what, who))).collect();
    let mut level = vec![Rosters::new(2)];
    for _ in 0..length {
        let mut next = Vec::new();
        let mut seen = BTreeSet::new();
        for rosters in &level {
            for (what, who) in &choices {
                let mut after = rosters.clone();
                after.step(*what, *who);
                if seen.insert(after.list.clone()) {
                    next.push(after);
                }
            }
        }
        level = next;
    }
    assert!(!level.is_empty());
}

/// What the list knows of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Gone(bool),
    Here { since: u64, used: bool, due: Option<u64> },
    Never,
}

/// A roster, and a list of who is where.
#[derive(Clone)]
struct Rosters {
    roster: Roster<u8>,
    limit: usize,
    start: Instant,
    list: (u64, Vec<Place>),
}

impl Rosters {
    #[expect(clippy::disallowed_methods, reason = "a test has to begin somewhere; it only adds to this")]
    fn new(limit: usize) -> Self {
        Self { roster: Roster::new(limit), limit, start: Instant::now(), list: (0, vec![Place::Never; 6]) }
    }

    fn at(&self, seconds: u64) -> Instant {
        self.start + Duration::from_secs(seconds)
    }

    fn step(&mut self, what: u8, who: u8) {
        let (id, place) = (SessionId::from_bytes([who; 16]), self.list.1[usize::from(who)]);
        let now = self.at(self.list.0);
        match (what, place) {
            (0, Place::Never) => self.admit(who, id, now),
            (0, Place::Here { .. } | Place::Gone(_)) => self.list.0 += 1,
            (1, _) => {
                let found = self.roster.find(id);
                let expected = match place {
                    Place::Never => Err(Gone::Unknown),
                    Place::Gone(expired) => Err(if expired { Gone::Expired } else { Gone::Terminated }),
                    Place::Here { .. } => Ok(who),
                };
                assert_eq!(found, expected);
                if let Place::Here { used, .. } = &mut self.list.1[usize::from(who)] {
                    *used = true;
                }
            }
            (2, _) => {
                let here = matches!(place, Place::Here { .. });
                assert_eq!(self.roster.remove(id, Gone::Terminated), here.then_some(who));
                if here {
                    self.list.1[usize::from(who)] = Place::Gone(false);
                }
            }
            (3, _) => {
                let at = self.list.0 + u64::from(who) + 1;
                self.roster.watch(id, self.at(at));
                if let Place::Here { due, .. } = &mut self.list.1[usize::from(who)] {
                    *due = Some(due.map_or(at, |earlier| earlier.min(at)));
                }
            }
            _ => self.take_due(now),
        }
        let here = self.list.1.iter().filter(|place| matches!(place, Place::Here { .. })).count();
        assert_eq!(self.roster.len(), here);
        assert!(here <= self.limit);
        let due = self.list.1.iter().filter_map(Place::due).min();
        assert_eq!(self.roster.next_due(), due.map(|due| self.at(due)));
    }

    fn admit(&mut self, who: u8, id: SessionId, now: Instant) {
        let here: Vec<(u64, u8, bool)> = (0..)
            .zip(&self.list.1)
            .filter_map(|(who, place)| match place {
                Place::Here { since, used, .. } => Some((*since, who, *used)),
                Place::Gone(_) | Place::Never => None,
            })
            .collect();
        let idlest = here.iter().filter(|(.., used)| !used).min().map(|(_, who, _)| *who);
        let admitted = self.roster.admit(id, who, now).map(|admitted| admitted.evicted.map(|(_, who)| who));
        let full = here.len() >= self.limit;
        let expected = match (full, idlest) {
            (false, _) => Ok(None),
            (true, Some(idlest)) => Ok(Some(idlest)),
            (true, None) => Err(AtCapacity),
        };
        assert_eq!(admitted, expected);
        if let Ok(evicted) = admitted {
            if let Some(evicted) = evicted {
                self.list.1[usize::from(evicted)] = Place::Gone(true);
            }
            self.list.1[usize::from(who)] = Place::Here { since: self.list.0, used: false, due: None };
        }
    }

    fn take_due(&mut self, now: Instant) {
        let due = (0_u8..).zip(&self.list.1).filter_map(|(who, place)| Some((place.due()?, who))).min();
        let expected = due.filter(|(due, _)| *due <= self.list.0).map(|(_, who)| who);
        assert_eq!(self.roster.take_due(now).map(|(_, who)| who), expected);
        if let Some(Place::Here { due, .. }) = expected.map(|who| &mut self.list.1[usize::from(who)]) {
            *due = None;
        }
    }
}

impl Place {
    const fn due(&self) -> Option<u64> {
        if let Self::Here { due, .. } = self { *due } else { None }
    }
}

/// One request of the modern era, and a list of what it has to say.
#[derive(Clone)]
struct Exchanges {
    exchange: Exchange,
    /// What waits: whether it may give way, and its text.
    waits: Vec<(bool, Vec<u8>)>,
    answered: bool,
    over: bool,
    listens: bool,
    said: u8,
    responses: u8,
}

impl Exchanges {
    const NOTES: usize = 2;

    fn step(&mut self, what: u8) {
        let running = !self.answered && !self.over;
        match what {
            0 => {
                self.said += 1;
                let text = vec![self.said];
                assert_eq!(self.exchange.note(text.clone()), running);
                let mut dropped = 0;
                if running {
                    self.waits.push((true, text));
                    let notes = self.waits.iter().filter(|(note, _)| *note).count();
                    if notes > Self::NOTES {
                        let oldest = self.waits.iter().position(|(note, _)| *note).expect("a note");
                        self.waits.remove(oldest);
                        dropped = 1;
                    }
                }
                assert_eq!(self.exchange.take_dropped(), dropped, "what gives way is counted once");
            }
            1 => {
                assert_eq!(self.exchange.settle(b"response".to_vec()), running, "one outcome");
                self.answered |= running;
            }
            2 => {
                let due = if !self.waits.is_empty() {
                    Due::Message(self.waits.remove(0).1)
                } else if self.over {
                    Due::Ended
                } else if self.answered {
                    self.over = true;
                    self.responses += 1;
                    Due::Response(b"response".to_vec())
                } else {
                    Due::Idle
                };
                assert_eq!(self.exchange.take_due(), due);
                assert!(self.responses <= 1, "the response is written once");
            }
            3 => {
                assert_eq!(self.exchange.cancel(), !self.over);
                self.over = true;
                self.waits.clear();
            }
            4 => {
                let filter = Filter { tools: true, ..Filter::default() };
                assert_eq!(self.exchange.listen(filter, b"ack".to_vec()), running);
                self.listens = true;
                self.waits.extend(running.then(|| (false, b"ack".to_vec())));
            }
            _ => {
                assert_eq!(self.exchange.tell(b"tools".to_vec()), running);
                let known = self.waits.iter().any(|(_, text)| text == b"tools");
                self.waits.extend((running && !known).then(|| (false, b"tools".to_vec())));
            }
        }
        let running = !self.answered && !self.over;
        assert_eq!(self.exchange.is_running(), running);
        assert_eq!(self.exchange.has_messages(), !self.waits.is_empty());
        assert_eq!(self.exchange.wants(&Change::Tools), running && self.listens);
        assert!(!self.exchange.wants(&Change::Prompts));
    }

    fn explore(&self, depth: u8) {
        for what in 0..if depth > 0 { 6 } else { 0 } {
            let mut after = self.clone();
            after.step(what);
            after.explore(depth - 1);
        }
    }
}

#[test]
fn every_short_life_of_an_exchange_agrees_with_a_list() {
    let exchange = Exchange::new(Exchanges::NOTES);
    let (answered, over, listens) = (false, false, false);
    let start = Exchanges { exchange, waits: Vec::new(), answered, over, listens, said: 0, responses: 0 };
    start.explore(if large() { 8 } else { 6 });
}
