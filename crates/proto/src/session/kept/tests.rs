//! A session that is restored is the session that was interrupted, whatever had happened in it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hermes_types::{Method, RequestId, Revision};
use proptest::prelude::*;

use super::{KeptSession, Terms};
use crate::channel::{CallId, Channel, Verdict};
use crate::clocks::Clocks;
use crate::limits::Limits;
use crate::outbox::{
    Budget, Encoded, Event, EventId, KeptStream, Lease, Next, Outbox, Patience, Stage, Unreadable,
};
use crate::session::Session;

const PATIENCE: Patience = Patience { grace: Duration::from_secs(30), retention: Duration::from_secs(300) };
/// So small that notes, hints and responses give way.
const BUDGET: Budget = Budget {
    stream_bytes: 60,
    stream_events: 3,
    session_bytes: 120,
    session_events: 6,
    handed_bytes: 30,
    handed_responses: 1,
};

const fn terms() -> Terms {
    Terms { limits: Limits::SERVER, in_flight: 4, patience: PATIENCE, budget: BUDGET }
}

#[expect(clippy::disallowed_methods, reason = "a test has to begin somewhere; it only adds to this")]
fn start() -> Instant {
    Instant::now()
}

fn wall(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Callers are numbered, and none of them is kept.
type Numbered = Session<u32>;

fn session(revision: Revision, now: Instant) -> Numbered {
    let channel = Channel::resumed(terms().limits, terms().in_flight, revision);
    Session::new(channel, Outbox::new(PATIENCE, BUDGET), now)
}

fn unknown(id: &RequestId, revision: Revision) -> Vec<u8> {
    format!("{revision}: {id} is unknown").into()
}

/// What a store would hold: two JSON texts, and the texts of messages by their numbers.
struct Kept {
    head: String,
    streams: String,
    texts: BTreeMap<u64, Encoded>,
}

fn keep(session: &Numbered, clocks: &Clocks) -> Kept {
    let mut texts = BTreeMap::new();
    let mut number = |text: &Encoded| {
        let number = texts.len() as u64;
        texts.insert(number, text.clone());
        number
    };
    let (head, streams) = session.keep(clocks, &mut number).expect("its handshake is done");
    let json = "plain values are JSON";
    Kept {
        head: serde_json::to_string(&head).expect(json),
        streams: serde_json::to_string(&streams).expect(json),
        texts,
    }
}

fn restore(kept: &Kept, clocks: &Clocks) -> Result<Numbered, Unreadable> {
    let head: KeptSession = serde_json::from_str(&kept.head).expect("as it was written");
    let streams: Vec<KeptStream> = serde_json::from_str(&kept.streams).expect("as they were written");
    let find = |number: u64| kept.texts.get(&number).cloned();
    Session::restore(head, &streams, terms(), clocks, &find, unknown)
}

/// One thing that happens in a session.
#[derive(Clone, Debug)]
enum Step {
    Ask(usize),
    Attach,
    Batch(u8, u8),
    Call { id: u8, events: bool },
    Cancel(u8),
    Detach(usize),
    Expire,
    GiveUp(usize),
    HangUp(usize),
    Initialized,
    Note(usize, u8),
    Read(usize),
    Remark(u8),
    Resume(usize),
    Settle(usize),
    Subscribe(u8),
    TakeResponse(usize),
    Tell(u8),
    Unsubscribe(u8),
    Wait(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        any::<usize>().prop_map(Step::Ask),
        Just(Step::Attach),
        (0..6u8, 0..6u8).prop_map(|(a, b)| Step::Batch(a, b)),
        (0..6u8, any::<bool>()).prop_map(|(id, events)| Step::Call { id, events }),
        (0..6u8).prop_map(Step::Cancel),
        any::<usize>().prop_map(Step::Detach),
        Just(Step::Expire),
        any::<usize>().prop_map(Step::GiveUp),
        any::<usize>().prop_map(Step::HangUp),
        Just(Step::Initialized),
        (any::<usize>(), any::<u8>()).prop_map(|(call, text)| Step::Note(call, text)),
        (any::<usize>()).prop_map(Step::Read),
        (any::<usize>()).prop_map(Step::Read),
        any::<u8>().prop_map(Step::Remark),
        any::<usize>().prop_map(Step::Resume),
        any::<usize>().prop_map(Step::Settle),
        (0..4u8).prop_map(Step::Subscribe),
        any::<usize>().prop_map(Step::TakeResponse),
        (0..4u8).prop_map(Step::Tell),
        (0..4u8).prop_map(Step::Unsubscribe),
        (1..90u8).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..60)
}

/// A session and what its client and its server hold of it.
#[derive(Clone)]
struct World {
    session: Numbered,
    now: Instant,
    start: Instant,
    calls: Vec<CallId>,
    leases: Vec<Lease>,
    seen: Vec<EventId>,
    asked: Vec<(RequestId, CallId)>,
    /// All that anybody was ever told, to compare two worlds by.
    told: Vec<String>,
}

fn pick<T>(all: &[T], which: usize) -> Option<&T> {
    all.get(which % all.len().max(1))
}

impl World {
    fn new(revision: Revision) -> Self {
        let start = start();
        Self {
            session: session(revision, start),
            now: start,
            start,
            calls: Vec::new(),
            leases: Vec::new(),
            seen: Vec::new(),
            asked: Vec::new(),
            told: Vec::new(),
        }
    }

    fn clocks(&self, away: u64) -> Clocks {
        Clocks::new(self.now, wall(1_000_000 + self.now.duration_since(self.start).as_secs() + away))
    }

    fn receive(&mut self, body: &str, events: bool) {
        let (verdicts, lease) = self.session.receive(body, events, self.now);
        let accepted = verdicts.iter().filter_map(|verdict| match verdict {
            Verdict::Run(call) => Some(call.call),
            _ => None,
        });
        self.calls.extend(accepted);
        self.told.push(format!("{verdicts:?} {lease:?}"));
        self.leases.extend(lease);
    }

    fn step(&mut self, step: &Step) {
        let now = self.now;
        match step {
            Step::Ask(which) => {
                let Some(call) = pick(&self.calls, *which).copied() else { return };
                let asked =
                    self.session.ask(call, Method::RootsList, 7, |id| format!("ask {id}").into(), now);
                self.told.push(format!("{asked:?}"));
                self.asked.extend(asked.ok().map(|asked| (asked.id, call)));
            }
            Step::Attach => self.leases.extend(self.session.attach(now)),
            Step::Batch(a, b) => self.receive(&format!("[{},{}]", request(*a), request(*b)), true),
            Step::Call { id, events } => self.receive(&request(*id), *events),
            Step::Cancel(id) => self.receive(
                &format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
                ),
                true,
            ),
            Step::Detach(which) => {
                if self.leases.is_empty() {
                    return;
                }
                let lease = self.leases.remove(which % self.leases.len());
                let left = self.session.detach(&lease, now);
                self.told.push(format!("{left:?}"));
            }
            Step::Expire => {
                let told = self.session.expire(now);
                self.told.push(format!("{told:?}"));
            }
            Step::GiveUp(which) => {
                let Some((id, call)) = pick(&self.asked, *which).cloned() else { return };
                let cancelled = || Some(Encoded::from(*b"never mind"));
                let wake = self.session.give_up(&id, call, cancelled, now);
                self.told.push(format!("{wake:?}"));
            }
            Step::HangUp(which) => {
                let Some(call) = pick(&self.calls, *which).copied() else { return };
                let wake = self.session.hang_up(call);
                self.told.push(format!("{wake:?}"));
            }
            Step::Initialized => {
                self.receive(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, true);
            }
            Step::Note(which, text) => {
                let Some(call) = pick(&self.calls, *which).copied() else { return };
                let wake = self.session.note(call, vec![b'n'; usize::from(*text) % 50].into(), now);
                self.told.push(format!("{wake:?}"));
            }
            Step::Read(which) => {
                let Some(lease) = pick(&self.leases, *which) else { return };
                let next = self.session.next(lease);
                self.told.push(format!("{next:?}"));
                if let Next::Event(Event { id, .. }) = next {
                    self.seen.push(id);
                }
            }
            Step::Remark(text) => {
                let wake = self.session.remark(vec![b'r'; usize::from(*text) % 50].into());
                self.told.push(format!("{wake:?}"));
            }
            Step::Resume(which) => {
                let Some(cursor) = pick(&self.seen, *which).copied() else { return };
                let resumed = self.session.resume(cursor, now);
                self.told.push(format!("{resumed:?}"));
                self.leases.extend(resumed.ok());
            }
            Step::Settle(which) => {
                let Some(call) = pick(&self.calls, *which).copied() else { return };
                let wake = self.session.settle(call, b"result".to_vec(), now);
                self.told.push(format!("{wake:?}"));
            }
            Step::Subscribe(uri) => drop(self.session.subscribe(format!("note://{uri}"))),
            Step::TakeResponse(which) => {
                let Some(lease) = pick(&self.leases, *which) else { return };
                let taken = self.session.take_response(lease);
                self.told.push(format!("{taken:?}"));
            }
            Step::Tell(text) => {
                let wake = self.session.tell(vec![*text].into());
                self.told.push(format!("{wake:?}"));
            }
            Step::Unsubscribe(uri) => self.session.unsubscribe(&format!("note://{uri}")),
            Step::Wait(seconds) => self.now += Duration::from_secs(u64::from(*seconds)),
        }
    }
}

fn request(id: u8) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_restored_session_is_the_interrupted_one_after_whatever_happened(
        batches in any::<bool>(), before in steps(), after in steps(),
    ) {
        let revision = if batches { Revision::V2025_03_26 } else { Revision::V2025_11_25 };
        let mut world = World::new(revision);
        for step in &before {
            world.step(step);
            let clocks = world.clocks(0);
            let restored = restore(&keep(&world.session, &clocks), &clocks).expect("a session is like that");
            let mut interrupted = world.session.clone();
            interrupted.interrupt(unknown, world.now);
            prop_assert_eq!(&restored, &interrupted, "after {:?}", step);
            let again = restore(&keep(&restored, &clocks), &clocks).expect("a restored session is like that");
            interrupted.interrupt(unknown, world.now);
            prop_assert_eq!(&again, &interrupted, "and once more, after {:?}", step);
        }
        // What follows is the same in both, word for word.
        let clocks = world.clocks(0);
        let mut other = world.clone();
        other.session = restore(&keep(&world.session, &clocks), &clocks).expect("a session is like that");
        world.session.interrupt(unknown, world.now);
        for step in &after {
            world.step(step);
            other.step(step);
        }
        prop_assert_eq!(world.told, other.told);
    }
}

/// A session with one call in flight, whose client is attached, and all that can be kept of it.
fn with_a_call() -> (World, Lease, CallId) {
    let mut world = World::new(Revision::V2025_11_25);
    world.step(&Step::Call { id: 1, events: true });
    let (lease, call) = (world.leases[0].clone(), world.calls[0]);
    (world, lease, call)
}

#[test]
fn a_call_that_ran_is_answered_on_its_own_stream_once_and_is_not_run_again() {
    let (mut world, lease, call) = with_a_call();
    let clocks = world.clocks(0);
    let mut restored = restore(&keep(&world.session, &clocks), &clocks).expect("restores");
    assert!(restored.channel().running().is_empty());
    assert_eq!(restored.settle(call, b"late".to_vec(), world.now), None);
    let lease = restored.resume(lease.start(), world.now).expect("the client comes back");
    let Next::Event(event) = restored.next(&lease) else { panic!("no outcome") };
    assert_eq!(event.message.as_bytes(), b"2025-11-25: 1 is unknown");
    assert_eq!(restored.next(&lease), Next::Ended);
    world.session = restored;
    world.step(&Step::Call { id: 1, events: true });
    assert_eq!(world.calls.len(), 2, "its id is free again");
    assert_ne!(world.calls[0], world.calls[1]);
}

#[test]
fn a_stream_that_is_opened_after_a_restart_has_a_name_of_its_own() {
    let (world, lease, _) = with_a_call();
    let clocks = world.clocks(0);
    let mut restored = restore(&keep(&world.session, &clocks), &clocks).expect("restores");
    assert_ne!(restored.attach(world.now).expect("open").stream(), lease.stream());
}

#[test]
fn an_event_that_may_have_been_read_before_the_end_is_a_cursor_after_it() {
    let (mut world, lease, call) = with_a_call();
    let _ = world.session.note(call, Encoded::from(*b"half"), world.now);
    let clocks = world.clocks(0);
    // It is read after it was kept, and the process ends.
    let kept = keep(&world.session, &clocks);
    let Next::Event(event) = world.session.next(&lease) else { panic!("nothing to read") };
    let mut restored = restore(&kept, &clocks).expect("restores");
    let lease = restored.resume(event.id, world.now).expect("it was sent");
    let Next::Event(outcome) = restored.next(&lease) else { panic!("no outcome") };
    assert!(outcome.id > event.id);
}

#[test]
fn nothing_that_waited_ends_within_the_grace_time_after_a_start_however_long_it_took() {
    let (mut world, lease, call) = with_a_call();
    let _ = world.session.settle(call, b"result".to_vec(), world.now);
    let _ = world.session.detach(&lease, world.now);
    for away in [0, 1_000, 1_000_000_000] {
        let kept = keep(&world.session, &world.clocks(0));
        let mut restored = restore(&kept, &world.clocks(away)).expect("restores");
        let just_before = world.now + PATIENCE.grace - Duration::from_secs(1);
        let _ = restored.expire(just_before);
        assert_eq!(restored.outbox.stage(lease.stream()), Stage::AnsweredWaiting, "{away} s");
    }
}

#[test]
fn the_time_away_counts_beyond_the_grace_time() {
    let (mut world, lease, call) = with_a_call();
    let _ = world.session.settle(call, b"result".to_vec(), world.now);
    let _ = world.session.detach(&lease, world.now);
    let kept = keep(&world.session, &world.clocks(0));
    let restored = restore(&kept, &world.clocks(100)).expect("restores");
    assert_eq!(restored.deadline(), Some(world.now + PATIENCE.retention - Duration::from_secs(100)));
    assert_eq!(restored.idle_since(), Some(world.now - Duration::from_secs(100)));
}

#[test]
fn a_wall_clock_that_was_set_back_makes_nothing_wait_longer_than_it_was_meant_to() {
    let (mut world, lease, call) = with_a_call();
    let _ = world.session.settle(call, b"result".to_vec(), world.now);
    let _ = world.session.detach(&lease, world.now);
    let kept = keep(&world.session, &world.clocks(0));
    let restored = restore(&kept, &Clocks::new(world.now, UNIX_EPOCH)).expect("restores");
    assert_eq!(restored.deadline(), Some(world.now + PATIENCE.retention));
    assert_eq!(restored.idle_since(), Some(world.now));
}

#[test]
fn a_session_before_its_handshake_is_not_kept() {
    let now = start();
    let session = Numbered::new(Channel::new(Limits::SERVER, 4), Outbox::new(PATIENCE, BUDGET), now);
    assert_eq!(session.keep(&Clocks::new(now, UNIX_EPOCH), &mut |_| 0), None);
}

#[test]
fn what_contradicts_itself_is_refused_and_nothing_panics() {
    let (mut world, _, call) = with_a_call();
    let _ = world.session.note(call, Encoded::from(*b"half"), world.now);
    let clocks = world.clocks(0);
    let kept = keep(&world.session, &clocks);
    let stream = |from: &str, to: &str| Kept {
        head: kept.head.clone(),
        streams: kept.streams.replacen(from, to, 1),
        texts: kept.texts.clone(),
    };
    let head = |from: &str, to: &str| Kept {
        head: kept.head.replacen(from, to, 1),
        streams: kept.streams.clone(),
        texts: kept.texts.clone(),
    };
    for (what, spoilt) in [
        ("no texts", Kept { texts: BTreeMap::new(), ..stream("", "") }),
        ("a later stream", stream(r#""id":1"#, r#""id":9"#)),
        ("an earlier end", stream(r#""last":1"#, r#""last":0"#)),
        ("a later cursor", stream(r#""shown":0"#, r#""shown":5"#)),
        ("an event twice", stream(r#"[1,{"#, r#"[0,{"#)),
        ("a hint of a call", stream(r#""note""#, r#""hint""#)),
        ("a revision of another time", head("2025-11-25", "2026-07-28")),
        ("no revision", head("2025-11-25", "yesterday")),
        ("another call", head(r#""posts":[[0"#, r#""posts":[[3"#)),
        ("no calls", head(r#""begun":1"#, r#""begun":0"#)),
    ] {
        assert_ne!(
            (&spoilt.head, &spoilt.streams, spoilt.texts.len()),
            (&kept.head, &kept.streams, 1),
            "{what}"
        );
        assert!(restore(&spoilt, &clocks).is_err(), "{what}");
    }
}
