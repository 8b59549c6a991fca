//! The steps of a session's world.

use std::fmt;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use hermes_proto::channel::{CallId, Channel, Verdict};
use hermes_proto::limits::Limits;
use hermes_proto::outbox::{
    Budget, Delivery, Encoded, EventId, Lease, Next, Outbox, Patience, ResumeError, StreamId,
};
use hermes_proto::session::{Session, Told};
use hermes_types::{Method, RequestId, Revision};

#[expect(clippy::disallowed_methods, reason = "a model's time has to begin somewhere; it only adds to this")]
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// How often each thing may happen, and what kind of session it is.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub revision: Revision,
    /// Whether the bodies of POSTs are batches of two requests.
    pub batches: bool,
    /// In which ways a POST may be answered: as events, or as one JSON text only.
    pub events: &'static [bool],
    pub posts: usize,
    pub conns: usize,
    pub notes: u8,
    pub asks: u8,
    pub hints: u8,
    pub gets: u8,
    pub cuts: u8,
    pub polls: u8,
    pub cancels: u8,
    pub expiries: u8,
    pub closes: bool,
    /// How many responses are kept that were read to the end.
    pub kept: usize,
}

/// What the driver of a session may get wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Whoever asked is not told what expired.
    Deaf,
    /// The late end of a connection ends the newest one of its stream.
    EndsNewest,
    /// Nobody forgets a closed session.
    NeverForgets,
    /// Nothing.
    Sound,
}

/// What happens next. Numbers are places in the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Answer(usize),
    Ask(usize),
    Cancel(usize),
    Close,
    Cut(usize),
    Expire,
    Get,
    GiveUp(usize),
    HangUp(usize),
    Note(usize),
    Notice(usize),
    Post {
        id: u8,
        events: bool,
    },
    Read(usize),
    /// With the newest cursor that the client has from a connection, or with the one before all.
    Resume {
        conn: usize,
        newest: bool,
    },
    Settle(usize),
    /// The whole answer goes out as one JSON text.
    Take(usize),
    Tell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Outcome {
    Cancelled,
    None,
    Responded,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) call: CallId,
    pub(super) id: u8,
    pub(super) post: usize,
    pub(super) outcome: Outcome,
    /// What the response has to contain.
    pub(super) text: String,
}

/// The stream of a POST.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Post {
    pub(super) stream: StreamId,
    pub(super) events: bool,
    /// The id under which the client has the response; `None` within means as JSON.
    pub(super) got: Option<Option<EventId>>,
    /// Some reader took the response.
    pub(super) sent: bool,
    /// Some reader was told of the end.
    pub(super) read_out: bool,
    pub(super) given_up: bool,
    /// The client has shown that it has the response.
    pub(super) confirmed: bool,
    /// Some member of its batch was refused, so that there is a response even if the others are cancelled.
    pub(super) refused: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Conn {
    pub(super) lease: Lease,
    pub(super) post: Option<usize>,
    /// The client can hear it.
    pub(super) alive: bool,
    /// The server has not detached it.
    pub(super) held: bool,
    pub(super) written: EventId,
    /// The newest cursor of the client.
    pub(super) cursor: Option<EventId>,
    pub(super) begun: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) id: RequestId,
    pub(super) call: usize,
    pub(super) arrived: bool,
    /// The event that it is.
    at: Option<EventId>,
    /// The client has shown that it has it, so that its stream holds it no more.
    shown: bool,
    pub(super) outcomes: u8,
    /// Its call was cancelled, so that nobody is left who wants an outcome.
    pub(super) excused: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    pub(super) session: Session<usize>,
    pub(super) variant: Variant,
    pub(super) calls: Vec<Call>,
    pub(super) posts: Vec<Post>,
    pub(super) conns: Vec<Conn>,
    pub(super) questions: Vec<Question>,
    pub(super) closed: bool,
    pub(super) forgotten: bool,
    /// What was accepted less what has left.
    pub(super) balance: u64,
    pub(super) seconds: u64,
    primes: bool,
    /// Notes, asks, hints, GETs, cuts, polls, cancellations, expiries so far.
    spent: [u8; 8],
    pub(super) flaw: Option<&'static str>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{self:?}").to_lowercase())
    }
}

impl World {
    pub fn new(model: &Model, variant: Variant) -> Self {
        let patience = Patience { grace: Duration::from_secs(10), retention: Duration::from_secs(25) };
        let budget = Budget { handed_responses: model.kept, ..Budget::default() };
        let channel = Channel::resumed(Limits::SERVER, 8, model.revision);
        Self {
            session: Session::new(channel, Outbox::new(patience, budget), *START),
            variant,
            calls: Vec::new(),
            posts: Vec::new(),
            conns: Vec::new(),
            questions: Vec::new(),
            closed: false,
            forgotten: false,
            balance: 0,
            seconds: 0,
            primes: model.revision == Revision::V2025_11_25,
            spent: [0; 8],
            flaw: None,
        }
    }

    pub(super) fn now(&self) -> Instant {
        *START + Duration::from_secs(self.seconds)
    }

    pub(super) fn check(&mut self, holds: bool, rule: &'static str) {
        if !holds {
            self.flaw = self.flaw.or(Some(rule));
        }
    }

    pub(super) fn is_running(&self, call: usize) -> bool {
        self.calls[call].outcome == Outcome::None
    }

    /// Everything that can happen next, within the bounds of the model.
    pub fn enabled(&self, model: &Model) -> Vec<Step> {
        let mut steps = Vec::new();
        let [notes, asks, hints, gets, cuts, polls, cancels, expiries] = self.spent;
        for call in (0..self.calls.len()).filter(|call| self.is_running(*call)) {
            steps.push(Step::Settle(call));
            steps.extend((notes < model.notes).then_some(Step::Note(call)));
            steps.extend((asks < model.asks).then_some(Step::Ask(call)));
            steps.extend((cancels < model.cancels).then_some(Step::Cancel(call)));
            steps.extend((polls < model.polls).then_some(Step::HangUp(call)));
        }
        for (at, question) in self.questions.iter().enumerate().filter(|(_, one)| one.outcomes == 0) {
            steps.extend(question.arrived.then_some(Step::Answer(at)));
            steps.extend((model.cancels > 0).then_some(Step::GiveUp(at)));
        }
        for (at, conn) in self.conns.iter().enumerate() {
            if conn.held {
                steps.push(self.reads(at));
                let post = conn.post.map(|post| &self.posts[post]);
                if !conn.begun && post.is_some_and(|post| post.events) {
                    steps.push(Step::Take(at));
                }
            }
            steps.extend((conn.alive && cuts < model.cuts).then_some(Step::Cut(at)));
            steps.extend((!conn.alive && conn.held).then_some(Step::Notice(at)));
        }
        if self.conns.len() < model.conns {
            if self.posts.len() < model.posts {
                for events in model.events {
                    steps.extend([1, 2].map(|id| Step::Post { id, events: *events }));
                }
            }
            steps.extend((gets < model.gets).then_some(Step::Get));
            for (conn, one) in self.conns.iter().enumerate().filter(|(_, one)| one.cursor.is_some()) {
                steps.push(Step::Resume { conn, newest: true });
                let moved = one.cursor != Some(one.lease.start());
                steps.extend(moved.then_some(Step::Resume { conn, newest: false }));
            }
        }
        steps.extend((hints < model.hints).then_some(Step::Tell));
        steps
            .extend((expiries < model.expiries && self.session.deadline().is_some()).then_some(Step::Expire));
        steps.extend((model.closes && !self.closed).then_some(Step::Close));
        steps
    }

    /// How the server goes on with a connection.
    pub(super) fn reads(&self, conn: usize) -> Step {
        match self.conns[conn].post {
            Some(post) if !self.posts[post].events => Step::Take(conn),
            _ => Step::Read(conn),
        }
    }

    /// The state after a step, with every rule looked at.
    pub fn after(&self, model: &Model, step: Step) -> Self {
        let mut world = self.clone();
        world.take(model, step);
        world.balance_books();
        world.look();
        world
    }

    pub(super) fn balance_books(&mut self) {
        let counters = self.session.take_counters();
        let held = (self.balance + counters.accepted).checked_sub(counters.left());
        self.check(held.is_some(), "no more leaves than was accepted");
        self.balance = held.unwrap_or_default();
    }

    pub(super) fn take(&mut self, model: &Model, step: Step) {
        let spent = match step {
            Step::Note(_) => Some(0),
            Step::Ask(_) => Some(1),
            Step::Tell => Some(2),
            Step::Get => Some(3),
            Step::Cut(_) => Some(4),
            Step::HangUp(_) => Some(5),
            Step::Cancel(_) => Some(6),
            Step::Expire => Some(7),
            _ => None,
        };
        if let Some(spent) = spent {
            self.spent[spent] = self.spent[spent].saturating_add(1);
        }
        let now = self.now();
        match step {
            Step::Post { id, events } => self.post(model, id, events),
            Step::Settle(call) => self.settle(call),
            Step::Note(call) => {
                let (events, stream) = self.way(call);
                let woken = self.session.note(self.calls[call].call, Encoded::from(*b"n"), now);
                self.check(
                    woken == events.then_some(stream),
                    "a note goes on the stream of its call or nowhere",
                );
            }
            Step::Ask(call) => self.ask(call),
            Step::Answer(question) => {
                let answer =
                    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, self.questions[question].id);
                let callers: Vec<usize> =
                    self.session.receive(&answer, true, now).0.iter().filter_map(settled).collect();
                let expected = if self.closed { vec![] } else { vec![question] };
                self.check(callers == expected, "an answer finds whoever asked, once");
                callers.into_iter().for_each(|caller| self.questions[caller].outcomes += 1);
            }
            Step::GiveUp(question) => {
                let Question { id, call, .. } = self.questions[question].clone();
                let call = self.calls[call].call;
                let _ = self.session.give_up(&id, call, || Some(Encoded::from(*b"x")), now);
                self.questions[question].outcomes += 1;
            }
            Step::Cancel(call) => self.cancel(call),
            Step::HangUp(call) => {
                let read = self.posts[self.calls[call].post].clone();
                let reader = self.current(read.stream).is_some();
                let woken = self.session.hang_up(self.calls[call].call);
                self.check(woken.is_some() == (reader && read.events), "only a reader of events can hang up");
            }
            Step::Get => {
                let lease = self.session.attach(now);
                self.check(lease.is_none() == self.closed, "a session listens until it closes");
                if let Some(lease) = lease {
                    self.connect(lease, None);
                }
            }
            Step::Resume { conn, newest } => self.resume(conn, newest),
            Step::Read(conn) => self.read(conn),
            Step::Take(conn) => self.take_json(conn),
            Step::Cut(conn) => self.conns[conn].alive = false,
            Step::Notice(conn) => self.detach(conn),
            Step::Tell => drop(self.session.tell(Encoded::from(*b"h"))),
            Step::Expire => {
                let Some(due) = self.session.deadline() else { return };
                self.seconds = due.saturating_duration_since(*START).as_secs();
                let told = self.session.expire(due);
                self.told(&told);
                self.check(self.session.deadline().is_none_or(|next| next > due), "what is due is done");
            }
            Step::Close => self.close(),
        }
    }

    fn way(&self, call: usize) -> (bool, StreamId) {
        let post = &self.posts[self.calls[call].post];
        (post.events, post.stream)
    }

    fn post(&mut self, model: &Model, id: u8, events: bool) {
        let request = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#);
        let (body, ids) = if model.batches {
            (format!("[{},{}]", request(id), request(id + 1)), vec![id, id + 1])
        } else {
            (request(id), vec![id])
        };
        let now = self.now();
        let fresh: Vec<u8> = ids
            .into_iter()
            .filter(|id| !self.calls.iter().any(|call| call.id == *id && call.outcome == Outcome::None))
            .filter(|_| !self.closed)
            .collect();
        let (verdicts, lease) = self.session.receive(&body, events, now);
        let accepted: Vec<CallId> = verdicts.iter().filter_map(run).collect();
        self.check(lease.is_some() != accepted.is_empty(), "there is a stream just for what runs");
        self.check(
            accepted.len() == fresh.len(),
            "a request runs unless its id is in flight or the session is over",
        );
        let Some(lease) = lease else { return };
        let refused = accepted.len() < if model.batches { 2 } else { 1 };
        for (call, id) in accepted.iter().zip(fresh) {
            let text = format!("r{};", self.calls.len());
            let post = self.posts.len();
            self.calls.push(Call { call: *call, id, post, outcome: Outcome::None, text });
        }
        let stream = lease.stream();
        self.posts.push(Post {
            stream,
            events,
            got: None,
            sent: false,
            read_out: false,
            given_up: false,
            confirmed: false,
            refused,
        });
        self.connect(lease, Some(self.posts.len() - 1));
    }

    fn connect(&mut self, lease: Lease, post: Option<usize>) {
        let events = post.is_none_or(|post| self.posts[post].events);
        let (start, primes) = (lease.start(), self.primes && events);
        let cursor = primes.then_some(start);
        self.conns.push(Conn { lease, post, alive: true, held: true, written: start, cursor, begun: false });
    }

    fn settle(&mut self, call: usize) {
        let (post, text) = (self.calls[call].post, self.calls[call].text.clone());
        self.calls[call].outcome = Outcome::Responded;
        let last = !self.calls.iter().any(|one| one.post == post && one.outcome == Outcome::None);
        let now = self.now();
        let woken = self.session.settle(self.calls[call].call, text.into_bytes(), now);
        self.check(
            woken == last.then_some(self.posts[post].stream),
            "a response goes on the stream of its call",
        );
        let again = self.session.settle(self.calls[call].call, b"again".to_vec(), now);
        self.check(again.is_none(), "one request has one outcome");
    }

    fn ask(&mut self, call: usize) {
        let (events, _) = self.way(call);
        let expected = events || self.session.taker().is_some();
        let (number, now) = (self.questions.len(), self.now());
        let encode = |_: &RequestId| format!("q{number}").into_bytes();
        let asked = self.session.ask(self.calls[call].call, Method::RootsList, number, encode, now);
        self.check(asked.is_ok() == expected, "a question is asked if anybody can hear it");
        if let Ok(asked) = asked {
            self.questions.push(Question {
                id: asked.id,
                call,
                arrived: false,
                at: None,
                shown: false,
                outcomes: 0,
                excused: false,
            });
        }
    }

    fn cancel(&mut self, call: usize) {
        let id = self.calls[call].id;
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        );
        let now = self.now();
        let cancelled =
            matches!(self.session.receive(&text, true, now).0.as_slice(), [Verdict::Cancel { .. }]);
        self.check(cancelled, "a running call can be cancelled");
        self.calls[call].outcome = Outcome::Cancelled;
        let late = self.session.settle(self.calls[call].call, b"late".to_vec(), now);
        self.check(late.is_none(), "a cancelled call has no other outcome");
        let post = self.calls[call].post;
        let ended = !self.posts[post].refused
            && !self.calls.iter().any(|one| one.post == post && one.outcome != Outcome::Cancelled);
        for question in 0..self.questions.len() {
            let one = &self.questions[question];
            // Whoever asked within a call learns by its end that the stream is gone, and the question with it.
            let lost = ended && self.calls[one.call].post == post && self.posts[post].events && !one.shown;
            let one = &mut self.questions[question];
            one.excused |= one.call == call;
            one.outcomes += u8::from(lost && one.outcomes == 0);
        }
    }

    fn resume(&mut self, conn: usize, newest: bool) {
        let Conn { cursor: Some(cursor), post, lease, .. } = self.conns[conn].clone() else { return };
        let cursor = if newest { cursor } else { lease.start() };
        match self.session.resume(cursor, self.now()) {
            Ok(lease) => {
                self.check(!self.closed, "nothing is taken up again after the end");
                self.check(lease.start() == cursor, "a lease starts where its cursor says");
                if let Some(post) = post {
                    self.posts[post].read_out = false;
                }
                self.connect(lease, post);
                // The client has this cursor, whether or not it is sent again, and comes for events.
                let conn = self.conns.last_mut().expect("just made");
                (conn.cursor, conn.begun) = (Some(cursor), true);
                let has = |one: &&mut Question| {
                    one.at.is_some_and(|at| at.stream() == cursor.stream() && at.seq() <= cursor.seq())
                };
                self.questions.iter_mut().filter(has).for_each(|one| one.shown = true);
            }
            Err(ResumeError::Finished) => {
                let got = post.is_some_and(|post| {
                    self.posts[post].confirmed = true;
                    self.posts[post].got.is_some()
                });
                self.check(got, "a stream is finished when the client has its response");
            }
            Err(ResumeError::Gone | ResumeError::Behind) => {}
            Err(ResumeError::Ahead | ResumeError::Unknown) => self.check(false, "an honest cursor is known"),
        }
    }

    fn read(&mut self, conn: usize) {
        let lease = self.conns[conn].lease.clone();
        let newest = self.current(lease.stream()) == Some(conn);
        self.conns[conn].begun = true;
        match self.session.next(&lease) {
            Next::Event(event) => {
                let Conn { written, post, alive, .. } = self.conns[conn].clone();
                self.check(newest, "a stale lease reads nothing");
                let rises = event.id.stream() == lease.stream() && event.id > written;
                self.check(rises, "numbers rise on a lease, and are those of its stream");
                self.conns[conn].written = event.id;
                let text = String::from_utf8_lossy(event.message.as_bytes()).into_owned();
                if alive {
                    self.conns[conn].cursor = Some(event.id);
                }
                self.arrive(&text, post, Some(event.id), alive);
            }
            Next::Idle | Next::Gap(_) => {}
            next @ (Next::Ended | Next::HangUp | Next::Stale) => {
                let post = self.conns[conn].post;
                if let (Next::Ended, Some(post)) = (&next, post) {
                    self.posts[post].read_out = true;
                    let waits =
                        self.calls.iter().any(|call| call.post == post && call.outcome == Outcome::None);
                    self.check(!waits, "a stream ends after its calls");
                }
                self.check(
                    next == Next::Stale || newest || self.closed,
                    "a stale lease learns that it is stale",
                );
                let over = self.forgotten || post.is_some_and(|post| self.posts[post].confirmed);
                self.check(next != Next::Stale || !newest || over, "the newest lease is not stale");
                self.conns[conn].alive = false;
                self.detach(conn);
            }
        }
    }

    fn take_json(&mut self, conn: usize) {
        let Conn { lease, post: Some(post), alive, .. } = self.conns[conn].clone() else { return };
        if let Some(text) = self.session.take_response(&lease) {
            self.arrive(&String::from_utf8_lossy(text.as_bytes()), Some(post), None, alive);
            // Without an id nobody can come back for it.
            self.posts[post].given_up |= !alive;
        } else if !self.session.is_over(&lease) || self.posts[post].events {
            return;
        }
        self.conns[conn].alive = false;
        self.conns[conn].cursor = None;
        self.detach(conn);
    }

    fn arrive(&mut self, text: &str, post: Option<usize>, id: Option<EventId>, alive: bool) {
        if let Some(number) = text.strip_prefix('q').and_then(|number| number.parse::<usize>().ok()) {
            self.questions[number].arrived |= alive;
            self.questions[number].at = id;
            let own = post.is_none_or(|post| self.calls[self.questions[number].call].post == post);
            self.check(own, "a question travels on the stream of its call, or on none");
            return;
        }
        if matches!(text, "n" | "h" | "x") {
            self.check((text == "h") <= post.is_none(), "a hint travels on a standalone stream");
            return;
        }
        let Some(post) = post else {
            return self.check(false, "a response travels on the stream of its call");
        };
        for call in self.calls.clone() {
            let due = call.post == post && call.outcome == Outcome::Responded;
            self.check(text.contains(&call.text) == due, "a response is that of its own call");
        }
        self.posts[post].sent = true;
        if alive {
            let again = self.posts[post].got.is_some_and(|got| got != id);
            self.check(!again, "a response comes once, under one id");
            self.posts[post].got = Some(id);
        }
    }

    pub(super) fn detach(&mut self, conn: usize) {
        self.conns[conn].held = false;
        let lease = match self.current(self.conns[conn].lease.stream()) {
            Some(newest) if self.variant == Variant::EndsNewest => self.conns[newest].lease.clone(),
            _ => self.conns[conn].lease.clone(),
        };
        let left = self.session.detach(&lease, self.now());
        for (stream, _) in &left.told.responses {
            let early = self.posts.iter().any(|post| post.stream == *stream && post.read_out);
            self.check(early, "only a response that was read to its end leaves early");
        }
        self.told(&left.told);
        if self.closed && !self.session.has_readers() && self.variant != Variant::NeverForgets {
            self.forget();
        }
    }

    fn close(&mut self) {
        self.closed = true;
        let now = self.now();
        let (stopped, told) = self.session.close(|id, _| format!("c{id};").into_bytes(), now);
        let running = (0..self.calls.len()).filter(|call| self.is_running(*call)).collect::<Vec<_>>();
        let expected: Vec<CallId> = running.iter().map(|call| self.calls[*call].call).collect();
        self.check(stopped == expected, "whatever runs is stopped at the end");
        for call in running {
            self.calls[call].outcome = Outcome::Responded;
            self.calls[call].text = format!("c{};", self.calls[call].id);
        }
        self.told(&told);
        if !self.session.has_readers() && self.variant != Variant::NeverForgets {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.forgotten = true;
        let told = self.session.forget();
        self.told(&told);
    }

    fn told(&mut self, told: &Told<usize>) {
        for (caller, delivery) in &told.callers {
            let question = &mut self.questions[*caller];
            let lies = question.arrived && *delivery == Delivery::NotSent;
            if self.variant != Variant::Deaf {
                question.outcomes += 1;
            }
            self.check(!lies, "what was not sent has not arrived");
        }
        for (stream, delivery) in &told.responses {
            let Some(post) = self.posts.iter_mut().find(|post| post.stream == *stream) else { continue };
            let twice = std::mem::replace(&mut post.given_up, true);
            let lies = post.sent && *delivery == Delivery::NotSent;
            self.check(!twice && !lies, "a response is given up once, and it is said whether it was sent");
        }
    }

    /// The connection that may read a stream.
    pub(super) fn current(&self, stream: StreamId) -> Option<usize> {
        let newest = self.conns.iter().rposition(|conn| conn.lease.stream() == stream)?;
        self.conns[newest].held.then_some(newest)
    }
}

fn settled(verdict: &Verdict<'_, usize>) -> Option<usize> {
    if let Verdict::Settle { caller, .. } = verdict { Some(*caller) } else { None }
}

fn run(verdict: &Verdict<'_, usize>) -> Option<CallId> {
    if let Verdict::Run(call) = verdict { Some(call.call) } else { None }
}
