//! The outbox of this crate, driven as an HTTP server drives it, with its invariants watched from outside.

use super::policy::{Frame, Kind, Msg, Policy, Pushed, Read, Step, Told};
use super::table::{self, Input, Output, Row};
use hermes_proto::outbox::{
    Appended, Budget, CallId, Delivery, Encoded, Enqueued, Event, EventId, Expired, Held, Lease, Next,
    Outbox, Patience, Related, ResumeError, Stage, StreamId, Unrelated,
};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Far longer than all steps of a trace together, so that only the order of deadlines matters.
const PATIENCE: Duration = Duration::from_secs(3600);

#[expect(clippy::disallowed_methods, reason = "a model's time has to begin somewhere; it only adds to this")]
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(table::rows);

/// The crate's outbox behind the connections of a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Real {
    outbox: Outbox,
    budget: Budget,
    /// The lease of each connection; a refused one has none.
    leases: Vec<Option<Lease>>,
    /// Whether the server believes that the connection is open.
    held: Vec<bool>,
    /// Whether it was asked to hang up.
    hangs_up: Vec<bool>,
    call: Option<StreamId>,
    answered: bool,
    /// Whether the reader of the call was told of the end.
    read_out: bool,
    /// Whether a new stream starts with a priming event.
    primes: bool,
    /// Whether R4 is in force.
    grace: bool,
    /// Counts the moments at which a deadline may start, so that deadlines pass in the order they were set.
    clock: u8,
    /// What the last step told.
    told: Vec<Told>,
    broken: Option<&'static str>,
}

impl Real {
    pub fn new(primes: bool) -> Self {
        Self::within(primes, Budget::default())
    }

    pub fn within(primes: bool, budget: Budget) -> Self {
        Self {
            outbox: Outbox::new(Patience { grace: PATIENCE, retention: PATIENCE }, budget),
            budget,
            leases: Vec::new(),
            held: Vec::new(),
            hangs_up: Vec::new(),
            call: None,
            answered: false,
            read_out: false,
            primes,
            grace: true,
            clock: 0,
            told: Vec::new(),
            broken: None,
        }
    }

    /// The same without R4: nothing ever expires.
    pub fn without_grace() -> Self {
        Self { grace: false, ..Self::new(false) }
    }

    fn now(&self) -> Instant {
        *START + Duration::from_millis(self.clock.into())
    }

    fn adopt(&mut self, conn: usize, lease: Option<Lease>) {
        assert_eq!(conn, self.leases.len(), "connections are numbered");
        self.held.push(lease.is_some());
        self.hangs_up.push(false);
        self.leases.push(lease);
    }

    fn primer(&self, lease: &Lease) -> Vec<Frame<EventId>> {
        if self.primes { vec![Frame { id: Some(lease.start()), body: None, gap: 0 }] } else { Vec::new() }
    }

    fn lease(&self, conn: usize) -> Option<&Lease> {
        self.leases.get(conn)?.as_ref()
    }

    fn stage(&self, conn: usize) -> Stage {
        self.lease(conn).map_or(Stage::Closed, |lease| self.outbox.stage(lease.stream()))
    }

    /// Whether this connection's lease is still the one of its stream: nobody has detached it or attached since.
    fn is_current(&self, conn: usize) -> bool {
        let Some(lease) = self.lease(conn) else { return false };
        let superseded = (conn + 1..self.leases.len())
            .filter_map(|later| self.lease(later))
            .any(|later| later.stream() == lease.stream());
        self.held[conn] && !superseded
    }

    /// Makes one call, and holds it against the table and the accounts.
    fn call<T>(
        &mut self,
        stream: StreamId,
        input: Input,
        call: impl FnOnce(&mut Outbox, Instant) -> T,
        output: impl FnOnce(&T) -> Output,
    ) -> T {
        let (before, now) = (self.outbox.stage(stream), self.now());
        let result = self.audited(|outbox| call(outbox, now)).0;
        self.expect_row((before, input, self.outbox.stage(stream), output(&result)));
        result
    }

    fn expect_row(&mut self, row: Row) {
        if !ROWS.contains(&row) {
            self.broken = Some("every call does what the table says");
        }
    }

    /// Makes a call, and checks that what was accepted is held or has left in one way, and that what is held keeps
    /// to the budget. Also says how many notes and responses were given up by time, and how many hints were
    /// raised again.
    fn audited<T>(&mut self, call: impl FnOnce(&mut Outbox) -> T) -> (T, u64, u64) {
        let before = self.outbox.held();
        let result = call(&mut self.outbox);
        let after = self.outbox.held();
        let counters = self.outbox.take_counters();
        let given_up = counters.expired_unsent + counters.expired_unconfirmed;
        let total = |held: Held| held.queued + held.logged;
        if total(before) as u64 + counters.accepted != total(after) as u64 + counters.left() {
            self.broken = Some("what was accepted is held or has left in one way");
        }
        if after.bytes != total(after) || self.outbox.bytes_held() != after.bytes {
            self.broken = Some("the bytes held are those of the messages held: each has one");
        }
        let Budget { session_events, session_bytes, stream_events, .. } = self.budget;
        let one_stream = self.call.is_none() || self.leases.len() == 1 && after.queued == 0;
        let limit =
            session_events.min(session_bytes).min(if one_stream { stream_events } else { usize::MAX });
        if total(after) - after.responses > limit {
            self.broken = Some("what is held keeps to the budget, responses apart");
        }
        let dropped = counters.dropped_unsent + counters.dropped_unconfirmed + counters.abandoned;
        self.told.push(Told::NotesGivenUp(small(dropped)));
        if self.outbox.take_hint_loss() {
            self.told.push(Told::HintsLost);
        }
        (result, given_up, counters.reraised)
    }

    fn log(&mut self, class: Related, msg: Msg) {
        let stream = self.call.expect("a call is running");
        let appended = self.call(
            stream,
            table::appends(class),
            |outbox, now| outbox.append(stream, class, Encoded::from([msg]), now),
            table::appended,
        );
        match (class, appended) {
            (_, Appended::Logged(id)) if id.stream() == stream => {}
            (Related::Note, Appended::Dropped) => {}
            (Related::Request(_), Appended::Full) => self.told.push(Told::Failed(msg, Delivery::NotSent)),
            _ => self.broken = Some("a running call can log on its own stream"),
        }
    }

    /// A lease that has ended can do nothing at all.
    fn stale_leases_are_powerless(&self) -> bool {
        (0..self.leases.len()).filter(|conn| !self.is_current(*conn)).filter_map(|conn| self.lease(conn)).all(
            |lease| {
                let mut outbox = self.outbox.clone();
                let found = outbox.next(lease);
                found == Next::Stale && !outbox.detach(lease, self.now()).current && outbox == self.outbox
            },
        )
    }

    /// The taker is the standalone stream attached last, and has something to read if anything waits.
    fn the_taker_can_take(&self) -> bool {
        let standalone = |lease: &&Lease| self.outbox.stage(lease.stream()) == Stage::StandaloneLeased;
        let newest = (0..self.leases.len())
            .rev()
            .filter(|conn| self.is_current(*conn) && !self.hangs_up[*conn])
            .filter_map(|conn| self.lease(conn))
            .find(standalone);
        let takes = newest.map(Lease::stream) == self.outbox.taker();
        takes
            && newest.is_none_or(|lease| {
                self.outbox.held().queued == 0
                    || matches!(self.outbox.clone().next(lease), Next::Event(_) | Next::Gap(_))
            })
    }

    /// Once there is a response, neither a second one nor anything else gets in.
    fn an_answer_is_final(&self) -> bool {
        let Some(stream) = self.call.filter(|_| self.answered) else { return true };
        [Related::Note, Related::Response].into_iter().all(|class| {
            let mut outbox = self.outbox.clone();
            let appended = outbox.append(stream, class, Encoded::from([0]), self.now());
            !matches!(appended, Appended::Logged(_)) && outbox == self.outbox
        })
    }

    /// Every open stream without a reader has a deadline, save a call that runs and asks nothing.
    fn nothing_waits_for_ever(&self) -> bool {
        let streams = self.leases.iter().flatten().map(Lease::stream);
        let waits = |stage| matches!(stage, Stage::StandaloneWaiting | Stage::AnsweredWaiting);
        self.outbox.deadline().is_some()
            || !streams.into_iter().any(|stream| waits(self.outbox.stage(stream)))
    }
}

impl Policy for Real {
    type Id = EventId;
    const PUSHES: bool = false;

    fn get(&mut self, conn: usize, cursor: Option<EventId>) -> Option<Vec<Frame<EventId>>> {
        let Some(cursor) = cursor else {
            let lease = self.audited(Outbox::attach).0;
            self.expect_row((Stage::Closed, Input::Attach, self.outbox.stage(lease.stream()), Output::Lease));
            let frames = self.primer(&lease);
            // A listener that was refused a moment ago starts afresh on the same connection.
            self.leases.truncate(conn);
            self.held.truncate(conn);
            self.hangs_up.truncate(conn);
            self.adopt(conn, Some(lease));
            return Some(frames);
        };
        let resumed =
            self.call(cursor.stream(), Input::Resume, |outbox, _| outbox.resume(cursor), table::resumed);
        match &resumed {
            Ok(lease) if lease.start() == cursor => self.read_out &= self.call != Some(lease.stream()),
            Ok(_) => self.broken = Some("a lease starts where its cursor says"),
            // The client waited too long, and who had to be told was told.
            Err(ResumeError::Gone) => {}
            Err(_) => self.broken = Some("an honest cursor is good as long as its stream is open"),
        }
        self.adopt(conn, resumed.ok());
        self.lease(conn).map(|_| Vec::new())
    }

    fn post(&mut self, conn: usize) -> Vec<Frame<EventId>> {
        let lease = self.audited(Outbox::open).0;
        self.expect_row((Stage::Closed, Input::Open, self.outbox.stage(lease.stream()), Output::Lease));
        self.call = Some(lease.stream());
        let frames = self.primer(&lease);
        self.adopt(conn, Some(lease));
        frames
    }

    fn append(&mut self, kind: Kind, msg: Msg) -> Pushed<EventId> {
        let class = match kind {
            Kind::Hint(_) => Unrelated::Hint,
            Kind::Note => Unrelated::Note,
            Kind::Request => Unrelated::Request(CallId::new(msg.into())),
            Kind::Response => unreachable!("a response belongs to its call"),
        };
        let enqueued = self.audited(|outbox| outbox.enqueue(class, Encoded::from([msg]))).0;
        match (kind, enqueued) {
            (_, Enqueued::Queued) | (Kind::Hint(_), Enqueued::Coalesced | Enqueued::Dropped) => {}
            (Kind::Note, Enqueued::Dropped) => {}
            (Kind::Request, Enqueued::Full) => self.told.push(Told::Failed(msg, Delivery::NotSent)),
            _ => self.broken = Some("an open session takes messages"),
        }
        Vec::new()
    }

    fn relate(&mut self, kind: Kind, msg: Msg) -> Pushed<EventId> {
        match kind {
            Kind::Note => self.log(Related::Note, msg),
            Kind::Request => {
                self.clock += 1;
                self.log(Related::Request(CallId::new(msg.into())), msg);
            }
            Kind::Hint(_) | Kind::Response => unreachable!("neither belongs to a running call"),
        }
        Vec::new()
    }

    fn respond(&mut self, msg: Msg) -> (Pushed<EventId>, bool) {
        self.clock += 1;
        self.answered = true;
        self.log(Related::Response, msg);
        (Vec::new(), false)
    }

    fn read(&mut self, conn: usize) -> Read<EventId> {
        let Some(lease) = self.lease(conn).cloned() else { return Read::Ended };
        let input = if self.is_current(conn) { Input::NextCurrent } else { Input::NextStale };
        match self.call(lease.stream(), input, |outbox, _| outbox.next(&lease), table::found) {
            Next::Event(Event { id, message }) => {
                if id.stream() != lease.stream() || id <= lease.start() {
                    self.broken = Some("a lease reads its own stream, after its start");
                }
                Read::Frame(Frame { id: Some(id), body: message.as_bytes().first().copied(), gap: 0 })
            }
            Next::Gap(count) => Read::Frame(Frame { id: None, body: None, gap: small(count) }),
            Next::Idle => Read::Idle,
            Next::Ended if self.call == Some(lease.stream()) => {
                self.read_out = true;
                Read::Ended
            }
            Next::Ended | Next::HangUp | Next::Stale => Read::Ended,
        }
    }

    fn readable(&self, conn: usize) -> bool {
        self.held[conn] && self.lease(conn).is_some_and(|lease| self.outbox.clone().next(lease) != Next::Idle)
    }

    fn closing(&self, conn: usize) -> Option<Step> {
        self.held.get(conn).is_some_and(|held| *held).then_some(Step::Notice(conn))
    }

    fn close(&mut self, conn: usize) {
        let Some(lease) = self.lease(conn).cloned() else { return };
        let (stream, input) =
            (lease.stream(), if self.is_current(conn) { Input::DetachCurrent } else { Input::DetachStale });
        self.clock += 1;
        let (before, now) = (self.outbox.stage(stream), self.now());
        let (detached, given_up, _) = self.audited(|outbox| outbox.detach(&lease, now));
        self.expect_row((before, input, self.outbox.stage(stream), table::done(&detached.current)));
        self.held[conn] = false;
        let told: Vec<Told> = detached.expired.into_iter().map(told_of).collect();
        let responses = told.iter().filter(|told| matches!(told, Told::ResponseGivenUp(_))).count() as u64;
        if responses > 0 && !self.read_out {
            self.broken = Some("only a response that was read to its end leaves before its time");
        }
        self.told.extend(told);
        self.told.push(Told::NotesGivenUp(small(given_up - responses)));
    }

    fn can_hang_up(&self, conn: usize) -> bool {
        self.is_current(conn) && !self.hangs_up[conn] && self.stage(conn) != Stage::Closed
    }

    fn hang_up(&mut self, conn: usize) {
        let Some(stream) = self.lease(conn).map(Lease::stream) else { return };
        self.hangs_up[conn] = true;
        if !self.call(stream, Input::HangUp, |outbox, _| outbox.hang_up(stream), table::done) {
            self.broken = Some("a reader can be asked to hang up");
        }
    }

    fn cancel(&mut self) {
        let stream = self.call.expect("a call is running");
        let told = self.call(stream, Input::Abandon, |outbox, _| outbox.abandon(stream), |_| Output::Done);
        for expired in told {
            let told = told_of(expired);
            self.told.push(told);
        }
    }

    fn told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }

    fn settle(&mut self, msg: Msg) {
        self.audited(|outbox| outbox.settle(CallId::new(msg.into())));
    }

    fn can_expire(&self) -> bool {
        self.grace && self.outbox.deadline().is_some()
    }

    fn expire(&mut self) -> Vec<Told> {
        let due = self.outbox.deadline().expect("asked before");
        let (expired, given_up, raised) = self.audited(|outbox| outbox.expire(due));
        if self.outbox.deadline().is_some_and(|next| next <= due) {
            self.broken = Some("what is due is done");
        }
        let mut told: Vec<Told> = expired.into_iter().map(told_of).collect();
        let responses = told.iter().filter(|told| matches!(told, Told::ResponseGivenUp(_))).count() as u64;
        told.extend([Told::NotesGivenUp(small(given_up - responses)), Told::Raised(small(raised))]);
        told
    }

    fn broken(&self) -> Option<&'static str> {
        let holds = [
            (self.stale_leases_are_powerless(), "a stale lease changes nothing"),
            (self.the_taker_can_take(), "the newest standalone lease can take what is queued"),
            (self.an_answer_is_final(), "a response is logged once and ends its stream"),
            (self.nothing_waits_for_ever(), "a stream without a reader has a deadline"),
        ];
        self.broken.or_else(|| holds.iter().find(|(holds, _)| !holds).map(|(_, name)| *name))
    }
}

fn told_of(expired: Expired) -> Told {
    match expired {
        Expired::Request { call, delivery } => {
            Told::Failed(Msg::try_from(call.number()).expect("a message of the script"), delivery)
        }
        Expired::Response { delivery, .. } => Told::ResponseGivenUp(delivery),
    }
}

fn small(count: u64) -> u8 {
    u8::try_from(count).expect("a script of a few messages")
}
