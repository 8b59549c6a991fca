//! Long random runs of the outbox against a simple reference, until every row of its table was seen.
//!
//! The seed is fixed, so that a run proves the same thing every time; `HERMES_EXPLORE_SEED` (a number) sets another.

#[expect(unreachable_pub, reason = "a module of this test and of the exploration")]
#[path = "explorer/table.rs"]
mod table;

use hermes_proto::outbox::{
    Appended, Budget, CallId, Delivery, Detached, Encoded, Enqueued, Event, EventId, Expired, Held, Lease,
    Next, Outbox, Patience, Related, ResumeError, Stage, StreamId, Unrelated,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use table::{Input, Output, Row};

const GRACE: u64 = 10;
const RETENTION: u64 = 25;

/// What is done next. Numbers pick among what there is.
#[derive(Clone, Debug)]
enum Op {
    Abandon(u64),
    Append(u64, Option<bool>),
    Attach,
    CloseAll,
    Detach(Index),
    Enqueue(Say),
    Finish(Index),
    HangUp(u64),
    Next(Index),
    Open,
    Resume(u64, Index),
    Settle(Index),
    Shed(usize),
    Wait(u64),
}

/// What is said outside any call.
#[derive(Clone, Copy, Debug)]
enum Say {
    /// With what it is about.
    Hint(u16),
    Note,
    Request,
}

/// Texts from here on are those of hints; below, every message has its own.
const HINTS: u16 = 60_000;

fn say() -> impl Strategy<Value = Say> {
    prop_oneof![(0..3_u16).prop_map(Say::Hint), Just(Say::Note), Just(Say::Request)]
}

/// One that is never reached, and some that are reached by messages or by bytes, of one stream or of all.
fn budgets() -> impl Strategy<Value = Budget> {
    let tight = |stream_events, stream_bytes, session_events, session_bytes| Budget {
        stream_bytes,
        stream_events,
        session_bytes,
        session_events,
        ..Budget::default()
    };
    prop::sample::select(vec![
        Budget::default(),
        tight(3, 100, 5, 100),
        tight(100, 9, 100, 14),
        tight(4, 12, 4, 100),
        tight(2, 7, 100, 100),
        Budget { handed_responses: 0, ..Budget::default() },
        Budget { handed_responses: 1, ..Budget::default() },
        Budget { handed_bytes: 3, ..tight(3, 100, 5, 100) },
    ])
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        4 => (0..6_u64).prop_map(Op::Abandon),
        20 => any::<Index>().prop_map(Op::Finish),
        12 => (0..6_u64).prop_map(Op::HangUp),
        2 => (0..10_usize).prop_map(Op::Shed),
        90 => (1..5_u64, prop::option::weighted(0.85, any::<bool>())).prop_map(|(stream, class)| Op::Append(stream, class)),
        6 => Just(Op::Attach),
        1 => Just(Op::CloseAll),
        36 => any::<Index>().prop_map(Op::Detach),
        36 => say().prop_map(Op::Enqueue),
        108 => any::<Index>().prop_map(Op::Next),
        10 => Just(Op::Open),
        60 => (0..5_u64, any::<Index>()).prop_map(|(stream, seq)| Op::Resume(stream, seq)),
        18 => any::<Index>().prop_map(Op::Settle),
        27 => (1..6_u64).prop_map(Op::Wait),
    ];
    prop::collection::vec(op, 100..300)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Abandoned,
    Answered,
    Closed,
    Running,
    Standalone,
}

/// What may give way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Hint,
    Never,
    Note,
}

/// What a budget is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Exchange(u64),
    Session,
    Unrelated,
}

/// A held message: its place, the call that it asks for, and whether it is a response.
struct Item {
    seq: u64,
    asks: Option<u64>,
    response: bool,
    text: u16,
}

struct Stream {
    phase: Phase,
    /// The lease that reads it, by its place among all.
    lease: Option<usize>,
    deadline: Option<u64>,
    log: Vec<Item>,
    last: u64,
    handed: u64,
    shown: u64,
    at: u64,
    hangs_up: bool,
    /// Whether its reader was told of the end.
    read_out: bool,
    /// The numbers of the notes that gave way.
    dropped: Vec<u64>,
    /// How many of them the reader has to be told of: at least and at most.
    untold: (u64, u64),
    /// The numbers of the hints that gave way behind their reader.
    hints_dropped: Vec<u64>,
}

/// The rules, written down once more with plain numbers and lists.
#[derive(Default)]
struct Reference {
    queue: VecDeque<Item>,
    streams: Vec<Stream>,
    /// Which of them were read to their end and have no reader, the first ones first.
    handed: VecDeque<u64>,
    leases: usize,
    closed: bool,
    now: u64,
    budget: Budget,
    /// Notes that gave way in the queue.
    untold: u64,
    hint_loss: bool,
    /// The gap told last: at least and at most.
    gap: (u64, u64),
}

impl Item {
    fn is_hint(&self) -> bool {
        self.text >= HINTS
    }

    fn gives(&self) -> Gives {
        match self {
            _ if self.is_hint() => Gives::Hint,
            _ if self.asks.is_some() || self.response => Gives::Never,
            _ => Gives::Note,
        }
    }

    /// Two to four bytes.
    fn encoded(&self) -> Vec<u8> {
        let [high, low] = self.text.to_be_bytes();
        [high, low, 0, 0][..2 + usize::from(self.text % 3)].to_vec()
    }
}

impl Stream {
    fn push(&mut self, mut item: Item) -> u64 {
        self.last += 1;
        item.seq = self.last;
        self.log.push(item);
        self.last
    }

    fn is_in(&self, place: Place, number: u64) -> bool {
        match place {
            Place::Exchange(one) => number == one,
            Place::Session => true,
            Place::Unrelated => self.phase == Phase::Standalone,
        }
    }

    fn delivery(&self, item: &Item) -> Delivery {
        if item.seq > self.handed { Delivery::NotSent } else { Delivery::Unknown }
    }
}

impl Reference {
    fn stream(&mut self, number: u64) -> Option<&mut Stream> {
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        self.streams.get_mut(at).filter(|stream| stream.phase != Phase::Closed)
    }

    fn stage(&mut self, number: u64) -> Stage {
        let Some(stream) = self.stream(number) else { return Stage::Closed };
        match (stream.phase, stream.lease.is_some()) {
            (Phase::Answered, true) => Stage::AnsweredLeased,
            (Phase::Answered, false) => Stage::AnsweredWaiting,
            (Phase::Abandoned | Phase::Closed, _) => Stage::Closed,
            (Phase::Running, true) => Stage::RunningLeased,
            (Phase::Running, false) => Stage::RunningWaiting,
            (Phase::Standalone, true) => Stage::StandaloneLeased,
            (Phase::Standalone, false) => Stage::StandaloneWaiting,
        }
    }

    fn begin(&mut self, phase: Phase) {
        let phase = if self.closed { Phase::Closed } else { phase };
        let lease = Some(self.leases);
        self.leases += 1;
        let log = Vec::new();
        let (dropped, hints_dropped) = (Vec::new(), Vec::new());
        self.streams.push(Stream {
            phase,
            lease,
            deadline: None,
            log,
            last: 0,
            handed: 0,
            shown: 0,
            at: 0,
            hangs_up: false,
            read_out: false,
            dropped,
            untold: (0, 0),
            hints_dropped,
        });
    }

    fn resume(&mut self, number: u64, seq: u64) -> Result<(), ResumeError> {
        let (lease, issued) = (self.leases, number >= 1 && number <= self.streams.len() as u64);
        let Some(stream) = self.stream(number).filter(|stream| stream.phase != Phase::Abandoned) else {
            return Err(if issued { ResumeError::Gone } else { ResumeError::Unknown });
        };
        if seq > stream.handed {
            return Err(ResumeError::Ahead);
        }
        if seq < stream.shown {
            return Err(ResumeError::Behind);
        }
        stream.log.retain(|item| item.seq > seq);
        (stream.at, stream.shown) = (seq, seq);
        stream.dropped.retain(|dropped| *dropped > seq);
        let missed = stream.dropped.len() as u64;
        stream.untold = (missed, stream.dropped.iter().max().map_or(0, |last| last - seq));
        let hint_loss = stream.hints_dropped.iter().any(|dropped| *dropped > seq);
        stream.hints_dropped.clear();
        if stream.phase == Phase::Answered && seq == stream.last {
            stream.phase = Phase::Closed;
            return Err(ResumeError::Finished);
        }
        (stream.lease, stream.deadline, stream.hangs_up) = (Some(lease), None, false);
        stream.read_out = false;
        self.handed.retain(|handed| *handed != number);
        self.hint_loss |= hint_loss;
        self.leases += 1;
        Ok(())
    }

    fn is_current(&mut self, number: u64, lease: usize) -> bool {
        self.stream(number).is_some_and(|stream| stream.lease == Some(lease))
    }

    fn detach(&mut self, number: u64, lease: usize) -> Detached {
        let (current, now) = (self.is_current(number, lease), self.now);
        if let Some(stream) = self.stream(number).filter(|_| current) {
            let asks = stream.log.iter().any(|item| item.asks.is_some());
            (stream.lease, stream.hangs_up) = (None, false);
            if stream.phase == Phase::Abandoned {
                stream.phase = Phase::Closed;
            }
            stream.deadline = match stream.phase {
                Phase::Abandoned | Phase::Closed => None,
                Phase::Answered => Some(now + RETENTION),
                Phase::Running if !asks => None,
                Phase::Running | Phase::Standalone => Some(now + GRACE),
            };
            if stream.read_out {
                self.handed.push_back(number);
            }
        }
        Detached { current, expired: self.keep_few_handed() }
    }

    fn keep_few_handed(&mut self) -> Vec<Expired> {
        let streams = &self.streams;
        self.handed.retain(|number| {
            usize::try_from(*number).is_ok_and(|at| streams[at - 1].phase == Phase::Answered)
        });
        let mut told = Vec::new();
        loop {
            let bytes: usize =
                self.handed.iter().filter_map(|number| response_bytes(&self.streams, *number)).sum();
            let (count, budget) = (self.handed.len(), self.budget);
            let many = count > budget.handed_responses || bytes > budget.handed_bytes && count > 1;
            if !many {
                return told;
            }
            let Some(number) = self.handed.pop_front() else { return told };
            let Some(stream) = self.stream(number) else { continue };
            let log = std::mem::take(&mut stream.log);
            told.extend(log.iter().filter_map(|item| tell(number, item, stream.delivery(item))));
            stream.phase = Phase::Closed;
        }
    }

    fn append(&mut self, number: u64, item: Item) -> Result<u64, Appended> {
        let now = self.now;
        let Some(stream) = self.stream(number) else { return Err(Appended::NoSuchStream) };
        match stream.phase {
            Phase::Answered => return Err(Appended::Ended),
            Phase::Abandoned | Phase::Closed | Phase::Standalone => return Err(Appended::NoSuchStream),
            Phase::Running => {}
        }
        let fits = self.has_room(Place::Exchange(number), &item);
        if fits {
            self.make_room(Place::Exchange(number), &item);
        }
        let Some(stream) = self.stream(number) else { return Err(Appended::NoSuchStream) };
        if !fits && item.asks.is_some() {
            return Err(Appended::Full);
        }
        if !fits {
            stream.last += 1;
            stream.dropped.push(stream.last);
            stream.untold = (stream.untold.0 + 1, stream.untold.1 + 1);
            return Err(Appended::Dropped);
        }
        let waiting = stream.lease.is_none();
        if item.response {
            stream.phase = Phase::Answered;
            stream.deadline = waiting.then_some(now + RETENTION);
        } else if item.asks.is_some() && waiting {
            stream.deadline = stream.deadline.or(Some(now + GRACE));
        }
        Ok(stream.push(item))
    }

    /// Whether the message fits there, once what may give way to it has done so.
    fn fits(&self, place: Place, item: &Item, giving: &[Gives]) -> bool {
        let logs = (1..).zip(&self.streams).filter(|(number, stream)| stream.is_in(place, *number));
        let queue = self.queue.iter().filter(|_| !matches!(place, Place::Exchange(_)));
        let (mut events, mut bytes) = (1, item.encoded().len());
        for held in logs.flat_map(|(_, stream)| &stream.log).chain(queue) {
            if !held.response && !giving.contains(&held.gives()) {
                events += 1;
                bytes += held.encoded().len();
            }
        }
        let Budget { stream_bytes, stream_events, session_bytes, session_events, .. } = self.budget;
        match place {
            Place::Session => events <= session_events && bytes <= session_bytes,
            Place::Exchange(_) | Place::Unrelated => events <= stream_events && bytes <= stream_bytes,
        }
    }

    fn has_room(&self, place: Place, item: &Item) -> bool {
        let giving: &[Gives] =
            if item.gives() == Gives::Note { &[Gives::Note] } else { &[Gives::Note, Gives::Hint] };
        item.response || self.fits(place, item, giving) && self.fits(Place::Session, item, giving)
    }

    fn make_room(&mut self, place: Place, item: &Item) {
        for place in [place, Place::Session] {
            while !item.response && !self.fits(place, item, &[]) {
                let gave = self.give_way(place, Gives::Note) || self.give_way(place, Gives::Hint);
                assert!(gave, "there is room");
            }
        }
    }

    fn give_way(&mut self, place: Place, gives: Gives) -> bool {
        for unsent in [false, true] {
            for (number, stream) in (1..).zip(&mut self.streams) {
                let handed = stream.handed;
                let gives_way = |item: &Item| item.gives() == gives && (unsent || item.seq <= handed);
                let found = stream.log.iter().position(gives_way).filter(|_| stream.is_in(place, number));
                let Some(at) = found else { continue };
                let item = stream.log.remove(at);
                let missed = u64::from(item.seq > stream.at);
                if gives == Gives::Note {
                    stream.dropped.push(item.seq);
                    stream.untold = (stream.untold.0 + missed, stream.untold.1 + missed);
                } else if missed == 0 {
                    stream.hints_dropped.push(item.seq);
                } else {
                    self.hint_loss = true;
                }
                return true;
            }
        }
        let found = self.queue.iter().position(|item| item.gives() == gives);
        let Some(at) = found.filter(|_| !matches!(place, Place::Exchange(_))) else { return false };
        self.queue.remove(at);
        self.hint_loss |= gives == Gives::Hint;
        self.untold += u64::from(gives == Gives::Note);
        true
    }

    fn shed(&mut self, bytes: usize) -> usize {
        let before = self.held().bytes;
        while before - self.held().bytes < bytes && self.give_way(Place::Session, Gives::Note) {}
        before - self.held().bytes
    }

    fn abandon(&mut self, number: u64) -> Vec<Expired> {
        let Some(stream) = self.stream(number).filter(|stream| stream.phase == Phase::Running) else {
            return Vec::new();
        };
        stream.phase = if stream.lease.is_some() { Phase::Abandoned } else { Phase::Closed };
        (stream.deadline, stream.untold) = (None, (0, 0));
        let log = std::mem::take(&mut stream.log);
        log.iter().filter_map(|item| tell(number, item, stream.delivery(item))).collect()
    }

    fn finish(&mut self, number: u64, lease: usize) -> bool {
        let current = self.is_current(number, lease);
        let only = self
            .stream(number)
            .filter(|stream| current && stream.phase == Phase::Answered && stream.last == 1);
        only.map(|stream| (stream.phase, stream.log) = (Phase::Closed, Vec::new())).is_some()
    }

    fn hang_up(&mut self, number: u64) -> bool {
        let open = self.stream(number).filter(|one| one.phase != Phase::Abandoned && one.lease.is_some());
        open.map(|stream| stream.hangs_up = true).is_some()
    }

    /// The event, or what there is instead of one.
    fn next(&mut self, number: u64, lease: usize) -> Result<(u64, Vec<u8>), Output> {
        if self.closed {
            return Err(Output::Ended);
        }
        if !self.is_current(number, lease) {
            return Err(Output::Stale);
        }
        let standalone =
            self.streams.iter().filter(|stream| stream.phase == Phase::Standalone && !stream.hangs_up);
        let takes = standalone.filter_map(|stream| stream.lease).max() == Some(lease);
        let ahead = if takes { std::mem::take(&mut self.untold) } else { 0 };
        if let Some(stream) = self.stream(number) {
            let (least, most) = std::mem::take(&mut stream.untold);
            if most + ahead > 0 {
                self.gap = (least + ahead, most + ahead);
                return Err(Output::Gap);
            }
        }
        let all_read =
            self.stream(number).is_some_and(|stream| stream.log.iter().all(|item| item.seq <= stream.at));
        let taken = if takes && all_read { self.queue.pop_front() } else { None };
        let Some(stream) = self.stream(number) else { return Err(Output::Stale) };
        if let Some(item) = taken {
            stream.log.retain(|earlier| !item.is_hint() || earlier.text != item.text);
            stream.push(item);
        }
        let at = stream.at;
        let Some(found) = stream.log.iter().find(|item| item.seq > at).map(|item| (item.seq, item.encoded()))
        else {
            stream.read_out |= stream.phase == Phase::Answered;
            return Err(match stream.phase {
                Phase::Abandoned | Phase::Answered => Output::Ended,
                _ if stream.hangs_up => Output::HangUp,
                Phase::Closed | Phase::Running | Phase::Standalone => Output::Idle,
            });
        };
        stream.at = found.0;
        stream.handed = stream.handed.max(found.0);
        Ok(found)
    }

    fn settle(&mut self, call: u64) -> Option<Delivery> {
        if let Some(at) = self.queue.iter().position(|item| item.asks == Some(call)) {
            return self.queue.remove(at).map(|_| Delivery::NotSent);
        }
        self.streams.iter_mut().find_map(|stream| {
            let at = stream.log.iter().position(|item| item.asks == Some(call))?;
            let item = stream.log.remove(at);
            Some(stream.delivery(&item))
        })
    }

    fn enqueue(&mut self, item: Item) -> Enqueued {
        if self.closed {
            return Enqueued::Closed;
        }
        if self.waits(&item) {
            return Enqueued::Coalesced;
        }
        if !self.has_room(Place::Unrelated, &item) {
            self.hint_loss |= item.gives() == Gives::Hint;
            self.untold += u64::from(item.gives() == Gives::Note);
            return if item.asks.is_some() { Enqueued::Full } else { Enqueued::Dropped };
        }
        self.make_room(Place::Unrelated, &item);
        self.queue.push_back(item);
        Enqueued::Queued
    }

    /// Whether an equal hint is in the queue.
    fn waits(&self, item: &Item) -> bool {
        item.is_hint() && self.queue.iter().any(|waiting| waiting.text == item.text)
    }

    fn due(&self) -> Vec<u64> {
        let numbered = (1..).zip(&self.streams).filter(|(_, stream)| stream.phase != Phase::Closed);
        let due = numbered.filter(|(_, stream)| stream.deadline.is_some_and(|due| due <= self.now));
        due.map(|(number, _)| number).collect()
    }

    fn expire(&mut self) -> Vec<Expired> {
        let mut told = Vec::new();
        let mut raised = Vec::new();
        for number in self.due() {
            let Some(stream) = self.stream(number) else { continue };
            let running = stream.phase == Phase::Running;
            let (out, kept): (Vec<Item>, Vec<Item>) =
                std::mem::take(&mut stream.log).into_iter().partition(|item| !running || item.asks.is_some());
            told.extend(out.iter().filter_map(|item| tell(number, item, stream.delivery(item))));
            (stream.log, stream.deadline) = (kept, None);
            if !running {
                stream.phase = Phase::Closed;
                let hint_loss = !stream.hints_dropped.is_empty();
                self.hint_loss |= hint_loss;
            }
            raised.extend(out.into_iter().filter(Item::is_hint));
        }
        for hint in raised.into_iter().rev() {
            if !self.waits(&hint) {
                self.queue.push_front(hint);
            }
        }
        told
    }

    fn close_all(&mut self) -> Vec<Expired> {
        self.closed = true;
        let mut told = Vec::new();
        for (number, stream) in (1..).zip(&mut self.streams).filter(|(_, one)| one.phase != Phase::Closed) {
            let log = std::mem::take(&mut stream.log);
            told.extend(log.iter().filter_map(|item| tell(number, item, stream.delivery(item))));
            stream.phase = Phase::Closed;
        }
        told.extend(self.queue.drain(..).filter_map(|item| tell(0, &item, Delivery::NotSent)));
        told
    }

    fn held(&self) -> Held {
        let open = self.streams.iter().filter(|stream| stream.phase != Phase::Closed);
        let logged: Vec<&Item> = open.flat_map(|stream| &stream.log).collect();
        let bytes = logged.iter().copied().chain(&self.queue).map(|item| item.encoded().len()).sum();
        let (queued, logged) = (self.queue.len(), logged.len());
        let responses = self.streams.iter().filter(|stream| stream.phase == Phase::Answered).count();
        Held { queued, logged, responses, bytes }
    }

    fn deadline(&self) -> Option<u64> {
        let open = self.streams.iter().filter(|stream| stream.phase != Phase::Closed);
        open.filter_map(|stream| stream.deadline).min()
    }
}

/// How long the response of this stream is.
fn response_bytes(streams: &[Stream], number: u64) -> Option<usize> {
    let stream = streams.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
    stream.log.last().map(|item| item.encoded().len())
}

fn tell(number: u64, item: &Item, delivery: Delivery) -> Option<Expired> {
    match item.asks {
        Some(call) => Some(Expired::Request { call: CallId::new(call), delivery }),
        None => item.response.then(|| Expired::Response { stream: stream(number), delivery }),
    }
}

fn event(number: u64, seq: u64) -> EventId {
    format!("s{number}-{seq}").parse().expect("the form of an event id")
}

fn stream(number: u64) -> StreamId {
    event(number, 0).stream()
}

/// The outbox and its reference side by side.
struct Pair<'a> {
    outbox: Outbox,
    reference: Reference,
    /// Every lease ever given, with the number of its stream.
    leases: Vec<(u64, Lease)>,
    start: Instant,
    said: u16,
    /// What was accepted less what has left.
    balance: u64,
    seen: &'a RefCell<BTreeSet<Row>>,
}

impl Pair<'_> {
    fn item(&mut self, asks: bool, response: bool) -> (Item, Encoded) {
        self.said += 1;
        let asks = asks.then_some(self.said.into());
        let item = Item { seq: 0, asks, response, text: self.said };
        let message = Encoded::from(item.encoded());
        (item, message)
    }

    fn now(&self) -> Instant {
        self.start + Duration::from_secs(self.reference.now)
    }

    fn saw(&self, number: u64, before: Stage, input: Input, output: Output) {
        let row = (before, input, self.outbox.stage(stream(number)), output);
        self.seen.borrow_mut().insert(row);
    }

    fn begin(&mut self, input: Input, phase: Phase, lease: Lease) {
        self.reference.begin(phase);
        let number = self.reference.streams.len() as u64;
        assert_eq!(lease.start(), event(number, 0), "streams are numbered as they are opened");
        if !self.reference.closed {
            self.saw(number, Stage::Closed, input, Output::Lease);
        }
        self.leases.push((number, lease));
    }

    fn step(&mut self, op: &Op) {
        match *op {
            Op::Attach => {
                let lease = self.outbox.attach();
                self.begin(Input::Attach, Phase::Standalone, lease);
            }
            Op::Open => {
                let lease = self.outbox.open();
                self.begin(Input::Open, Phase::Running, lease);
            }
            Op::Resume(number, pick) => {
                // From the start of the stream to the one after all that was read.
                let handed = self.reference.stream(number).map_or(0, |stream| stream.handed);
                let seq = pick.index(usize::try_from(handed + 2).expect("a short log")) as u64;
                let before = self.outbox.stage(stream(number));
                let resumed = self.outbox.resume(event(number, seq));
                let expected = self.reference.resume(number, seq).map(|()| event(number, seq));
                assert_eq!(resumed.as_ref().map(Lease::start), expected.as_ref().copied());
                self.saw(number, before, Input::Resume, table::resumed(&resumed));
                self.leases.extend(resumed.ok().map(|lease| (number, lease)));
            }
            Op::Detach(pick) => self.with_lease(pick, Self::detach),
            Op::Next(pick) => self.with_lease(pick, Self::next),
            Op::Append(number, class) => self.append(number, class),
            Op::Enqueue(say) => {
                let (mut item, mut message) = self.item(matches!(say, Say::Request), false);
                let class = match (say, item.asks) {
                    (Say::Hint(about), _) => {
                        item.text = HINTS + about;
                        message = Encoded::from(item.encoded());
                        Unrelated::Hint
                    }
                    (_, Some(call)) => Unrelated::Request(CallId::new(call)),
                    (_, None) => Unrelated::Note,
                };
                assert_eq!(self.outbox.enqueue(class, message), self.reference.enqueue(item));
            }
            Op::Settle(pick) => {
                let call = pick.index(usize::from(self.said) + 1) as u64;
                assert_eq!(self.outbox.settle(CallId::new(call)), self.reference.settle(call));
            }
            Op::Wait(seconds) => {
                self.reference.now += seconds;
                let due = self.reference.due();
                let before: Vec<Stage> =
                    due.iter().map(|number| self.outbox.stage(stream(*number))).collect();
                assert_eq!(self.outbox.expire(self.now()), self.reference.expire());
                for (number, before) in due.into_iter().zip(before) {
                    self.saw(number, before, Input::Expire, Output::Done);
                }
            }
            Op::Abandon(number) => {
                let before = self.outbox.stage(stream(number));
                let told = self.outbox.abandon(stream(number));
                assert_eq!(told, self.reference.abandon(number));
                let ended = self.outbox.stage(stream(number)) != before;
                let output = if ended { Output::Done } else { Output::Nothing };
                self.saw(number, before, Input::Abandon, output);
            }
            Op::Finish(pick) => self.with_lease(pick, Self::finish),
            Op::HangUp(number) => {
                let before = self.outbox.stage(stream(number));
                let asked = self.outbox.hang_up(stream(number));
                assert_eq!(asked, self.reference.hang_up(number));
                self.saw(number, before, Input::HangUp, table::done(&asked));
            }
            Op::Shed(bytes) => assert_eq!(self.outbox.shed(bytes), self.reference.shed(bytes)),
            Op::CloseAll => {
                let before = self.outbox.clone();
                assert_eq!(self.outbox.close_all(), self.reference.close_all());
                for number in 1..=self.reference.streams.len() as u64 {
                    let stage = before.stage(stream(number));
                    if stage != Stage::Closed {
                        self.saw(number, stage, Input::CloseAll, Output::Done);
                    }
                }
            }
        }
        self.agree();
    }

    fn with_lease(&mut self, pick: Index, act: impl FnOnce(&mut Self, u64, usize, &Lease)) {
        if !self.leases.is_empty() {
            // One of the last few: the older ones are stale, and all alike.
            let recent = self.leases.len().min(4);
            let at = self.leases.len() - 1 - pick.index(recent);
            let (number, lease) = self.leases[at].clone();
            act(self, number, at, &lease);
        }
    }

    fn detach(&mut self, number: u64, at: usize, lease: &Lease) {
        let before = self.outbox.stage(lease.stream());
        let ended = self.outbox.detach(lease, self.now());
        assert_eq!(ended, self.reference.detach(number, at));
        let (input, output) = if ended.current {
            (Input::DetachCurrent, Output::True)
        } else {
            (Input::DetachStale, Output::False)
        };
        self.saw(number, before, input, output);
    }

    fn finish(&mut self, number: u64, at: usize, lease: &Lease) {
        let before = self.outbox.stage(lease.stream());
        let (only, finished) = (self.outbox.only_response(lease), self.outbox.finish(lease));
        assert_eq!((only, finished), (finished, self.reference.finish(number, at)));
        self.saw(number, before, Input::Finish, table::done(&finished));
    }

    fn next(&mut self, number: u64, at: usize, lease: &Lease) {
        let before = self.outbox.stage(lease.stream());
        let current = self.reference.is_current(number, at);
        let next = self.outbox.next(lease);
        match (&next, self.reference.next(number, at)) {
            (Next::Event(Event { id, message }), Ok((seq, encoded))) => {
                assert_eq!((*id, message.as_bytes()), (event(number, seq), encoded.as_slice()));
            }
            (Next::Gap(count), Err(Output::Gap)) => {
                let (least, most) = self.reference.gap;
                assert!((least..=most).contains(count), "{count} is not within {least} and {most}");
            }
            (_, Ok(found)) => panic!("{next:?} instead of {found:?}"),
            (_, Err(expected)) => assert_eq!(table::found(&next), expected),
        }
        let input = if current { Input::NextCurrent } else { Input::NextStale };
        self.saw(number, before, input, table::found(&next));
    }

    /// Without a class it is the response; else it asks or does not.
    fn append(&mut self, number: u64, class: Option<bool>) {
        let (item, message) = self.item(class == Some(true), class.is_none());
        let related = match item.asks {
            _ if item.response => Related::Response,
            Some(call) => Related::Request(CallId::new(call)),
            None => Related::Note,
        };
        let input = table::appends(related);
        let before = self.outbox.stage(stream(number));
        let now = self.now();
        let appended = self.outbox.append(stream(number), related, message, now);
        let expected = self.reference.append(number, item).map(|seq| Appended::Logged(event(number, seq)));
        assert_eq!(appended, expected.unwrap_or_else(|refused| refused));
        self.saw(number, before, input, table::appended(&appended));
    }

    fn agree(&mut self) {
        let held = self.outbox.held();
        assert_eq!(held, self.reference.held());
        let counters = self.outbox.take_counters();
        self.balance += counters.accepted;
        self.balance -= counters.left();
        assert_eq!(self.outbox.bytes_held(), held.bytes);
        assert_eq!(self.outbox.take_hint_loss(), std::mem::take(&mut self.reference.hint_loss));
        assert_eq!(
            self.balance,
            (held.queued + held.logged) as u64,
            "accepted is held or has left in one way"
        );
        let deadline = self.reference.deadline().map(|due| self.start + Duration::from_secs(due));
        assert_eq!(self.outbox.deadline(), deadline);
        for number in 0..=self.reference.streams.len() as u64 + 1 {
            assert_eq!(self.outbox.stage(stream(number)), self.reference.stage(number), "s{number}");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "where time begins and which seed is a matter of the test")]
#[expect(clippy::print_stdout, reason = "whoever sees it fail wants the seed")]
fn long_random_runs_agree_with_the_reference_and_see_every_row_of_the_table() {
    let seed = std::env::var("HERMES_EXPLORE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1_u64);
    println!("HERMES_EXPLORE_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let (seen, start) = (RefCell::new(BTreeSet::new()), Instant::now());
    let patience = Patience { grace: Duration::from_secs(GRACE), retention: Duration::from_secs(RETENTION) };
    let outcome = runner.run(&(budgets(), ops()), |(budget, ops)| {
        let (outbox, leases) = (Outbox::new(patience, budget), Vec::new());
        let reference = Reference { budget, ..Reference::default() };
        let mut pair = Pair { outbox, reference, leases, start, said: 0, balance: 0, seen: &seen };
        ops.iter().for_each(|op| pair.step(op));
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("with seed {seed}: {failure}");
    }
    let rows: BTreeSet<Row> = table::rows().into_iter().collect();
    let seen = seen.into_inner();
    assert_eq!(seen.difference(&rows).collect::<Vec<_>>(), Vec::<&Row>::new(), "against the table");
    assert_eq!(rows.difference(&seen).collect::<Vec<_>>(), Vec::<&Row>::new(), "never seen");
}
