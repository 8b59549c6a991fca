//! One session: the script of what is said, the network, and the client.

use super::policy::{Flaw, Frame, Kind, Msg, Policy, Pushed, Read, Step, Told};
use hermes_proto::outbox::Delivery;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// How a client behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// K1: one listening connection at a time, resumed with its cursor.
    Sequential,
    /// K2: one at a time, and never a cursor.
    Forgetful,
    /// K3: up to two listening connections at once, each resumed with its own cursor.
    Concurrent,
}

/// Which connections the server closes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    Never,
    /// Any, with what it was still to write.
    AtOnce,
    /// Any, after it has written what was due.
    AfterReading,
}

/// The bounds of a search, and who takes part.
#[derive(Clone, Debug)]
pub struct Model {
    pub client: Client,
    /// What the server says that belongs to no call, in this order.
    pub unrelated: &'static [Kind],
    /// What the call says before its response, in this order. `None`: there is no call.
    pub call: Option<&'static [Kind]>,
    /// How many connections there may be, one after the other or at once.
    pub conns: usize,
    pub closing: Closing,
    /// Whether the client may cancel its call.
    pub cancels: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Conn<Id> {
    alive: bool,
    /// Closed by the server; the client sees it when nothing is in flight any more.
    ended: bool,
    /// Whether it serves the call.
    post: bool,
    replaced: bool,
    fly: VecDeque<Frame<Id>>,
    /// The last event id the client has seen here, or on the connections that this one replaced.
    cursor: Option<Id>,
    /// The last id that the server wrote here.
    written: Option<Id>,
    /// The last message that arrived here, hints apart: they say that something is different, not when.
    last: Option<Msg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Call {
    Answered,
    Cancelled,
    Running,
    Unposted,
}

/// What is known of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fate<Id> {
    /// It arrived, and with which id.
    got: Option<Option<Id>>,
    /// A hint: nothing has arrived since it was said last.
    due: bool,
    /// A request: the client has answered.
    answered: bool,
    /// A request: its caller was told of a failure.
    failed: bool,
    /// If it is lost, then because of this.
    cause: Option<Flaw>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World<P: Policy> {
    policy: P,
    conns: Vec<Conn<P::Id>>,
    said: usize,
    related: usize,
    call: Call,
    runs: u8,
    fates: Vec<Fate<P::Id>>,
    /// What each id stands for.
    bound: BTreeMap<P::Id, Msg>,
    /// Hints that may get another id.
    raised: u8,
    notes_given_up: u8,
    response_given_up: bool,
    /// How many notes the client was told that its call's stream misses.
    gaps: u8,
    flaw: Option<Flaw>,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |kinds: &[Kind]| kinds.iter().map(Kind::to_string).collect::<Vec<_>>().join("+");
        let call =
            self.call.map_or_else(|| "-".to_owned(), |related| words(&[related, &[Kind::Response]].concat()));
        let unrelated = if self.unrelated.is_empty() { "-".to_owned() } else { words(self.unrelated) };
        let closing = match self.closing {
            Closing::Never => "",
            Closing::AtOnce => "hangs up",
            Closing::AfterReading => "polls",
        };
        let cancels = if self.cancels { "cancels" } else { "" };
        let (client, conns) = (format!("{:?}", self.client), self.conns);
        write!(f, "{client:<10} | {unrelated:<22} | {call:<26} | {conns} conns {closing:<8} {cancels:<7}")
    }
}

impl Model {
    fn messages(&self) -> usize {
        self.unrelated.len() + self.call.map_or(0, |related| related.len() + 1)
    }

    /// The first message that says the same: two hints about one thing are no two messages.
    fn first_like(&self, msg: Msg) -> Msg {
        let kind = self.kind(msg);
        (0..msg).find(|earlier| matches!(kind, Kind::Hint(_)) && self.kind(*earlier) == kind).unwrap_or(msg)
    }

    fn kind(&self, msg: Msg) -> Kind {
        let related = self.call.unwrap_or_default();
        let all = self.unrelated.iter().chain(related).copied();
        all.chain([Kind::Response]).nth(usize::from(msg)).expect("a message of the script")
    }
}

impl<P: Policy> World<P> {
    pub fn new(model: &Model, policy: P) -> Self {
        let fate = Fate { got: None, due: false, answered: false, failed: false, cause: None };
        Self {
            policy,
            conns: Vec::new(),
            said: 0,
            related: 0,
            call: Call::Unposted,
            runs: 0,
            fates: vec![fate; model.messages()],
            bound: BTreeMap::new(),
            raised: 0,
            notes_given_up: 0,
            response_given_up: false,
            gaps: 0,
            flaw: None,
        }
    }

    pub fn within(&self, model: &Model) -> bool {
        self.conns.len() <= model.conns
    }

    /// What is wrong in this state already.
    pub fn flaw(&self) -> Option<Flaw> {
        self.flaw.or_else(|| self.policy.broken().map(Flaw::Broken))
    }

    /// Everything that can happen next.
    pub fn enabled(&self, model: &Model) -> Vec<Step> {
        if self.flaw.is_some() {
            return Vec::new();
        }
        let mut steps = Vec::new();
        if self.said < model.unrelated.len() {
            steps.push(Step::Append);
        }
        if self.call == Call::Running {
            if self.related < model.call.unwrap_or_default().len() {
                steps.push(Step::Relate);
            }
            steps.push(Step::Respond);
            if model.cancels {
                steps.push(Step::Cancel);
            }
        }
        if self.conns.len() < model.conns {
            self.opens(model, true, &mut steps);
            if model.call.is_some() && self.call == Call::Unposted {
                steps.push(Step::Post(self.conns.len()));
            }
        }
        for (index, conn) in self.conns.iter().enumerate() {
            if conn.alive {
                steps.push(Step::Drop(index));
                match model.closing {
                    Closing::AtOnce if self.policy.closing(index).is_some() => {
                        steps.push(Step::HangUp(index));
                    }
                    Closing::AfterReading if self.policy.can_hang_up(index) => steps.push(Step::Poll(index)),
                    Closing::Never | Closing::AtOnce | Closing::AfterReading => {}
                }
            }
        }
        self.deeds(model, &mut steps);
        if self.policy.can_expire() {
            steps.push(Step::Expire);
        }
        steps
    }

    /// What happens next if nothing goes wrong any more, whether or not it stays within the bounds.
    pub fn friendly(&self, model: &Model) -> Option<Step> {
        if self.flaw.is_some() {
            return None;
        }
        let mut steps = Vec::new();
        self.deeds(model, &mut steps);
        if self.call == Call::Running {
            steps.push(Step::Respond);
        }
        self.opens(model, false, &mut steps);
        if self.policy.can_expire() {
            steps.push(Step::Expire);
        }
        steps.first().copied()
    }

    /// What the parties owe each other: noticing, delivering, writing, answering.
    fn deeds(&self, model: &Model, steps: &mut Vec<Step>) {
        for (index, conn) in self.conns.iter().enumerate() {
            if !conn.alive {
                steps.extend(self.policy.closing(index));
            } else if !conn.fly.is_empty() {
                steps.push(Step::Deliver(index));
            }
        }
        for index in 0..self.conns.len() {
            if self.policy.readable(index) {
                steps.push(Step::Read(index));
            }
        }
        for (msg, fate) in (0..).zip(&self.fates) {
            if model.kind(msg) == Kind::Request && fate.got.is_some() && !fate.answered {
                steps.push(Step::Answer(msg));
            }
        }
    }

    /// The connections that the client may open now. The third kind of client needs no second one while the first
    /// lives, but may want it.
    fn opens(&self, model: &Model, greedy: bool, steps: &mut Vec<Step>) {
        let new = self.conns.len();
        let resumes = model.client != Client::Forgetful;
        let response = self.fates.last().filter(|_| model.call.is_some());
        let live = self.conns.iter().filter(|conn| conn.alive && !conn.post).count();
        let mut lone = None;
        for (old, conn) in self.conns.iter().enumerate().filter(|(_, conn)| !conn.alive && !conn.replaced) {
            let with_cursor = resumes && conn.cursor.is_some();
            let step = if with_cursor { Step::Resume(old, new) } else { Step::Open(new) };
            match (conn.post, model.client) {
                (true, _) => {
                    if with_cursor && response.is_some_and(|fate| fate.got.is_none()) {
                        steps.push(step);
                    }
                }
                (false, Client::Concurrent) => {
                    if with_cursor {
                        steps.push(step);
                    }
                }
                (false, Client::Sequential | Client::Forgetful) => lone = Some(step),
            }
        }
        if model.unrelated.is_empty() {
            return;
        }
        let may_add = match model.client {
            Client::Concurrent => live == 0 || greedy && live < 2,
            Client::Sequential | Client::Forgetful => live == 0,
        };
        if may_add {
            steps.push(lone.unwrap_or(Step::Open(new)));
        }
    }

    /// The state after a step.
    pub fn after(&self, model: &Model, step: Step) -> Self {
        let mut world = self.clone();
        world.take(model, step);
        for told in world.policy.told() {
            world.tell(model, told);
        }
        world.forget();
        world
    }

    fn take(&mut self, model: &Model, step: Step) {
        match step {
            Step::Append => {
                let msg = model.first_like(message(self.said));
                // What went out before may go out once more. In any case the client has to hear of it from now on.
                self.raised += u8::from(self.bound.values().any(|bound| *bound == msg));
                self.fates[usize::from(msg)].due = true;
                self.said += 1;
                let pushed = self.policy.append(model.kind(msg), msg);
                self.push(model, msg, pushed);
            }
            Step::Relate => {
                let msg = message(model.unrelated.len() + self.related);
                self.related += 1;
                let pushed = self.policy.relate(model.kind(msg), msg);
                self.push(model, msg, pushed);
            }
            Step::Respond => {
                let msg = message(self.fates.len() - 1);
                self.call = Call::Answered;
                let (pushed, again) = self.policy.respond(msg);
                self.runs += u8::from(again);
                self.flaw = (self.runs > 1).then_some(Flaw::DoubleRun);
                self.push(model, msg, pushed);
            }
            Step::Cancel => {
                self.call = Call::Cancelled;
                self.policy.cancel();
            }
            Step::Post(new) => {
                self.call = Call::Running;
                self.runs += 1;
                let fly = self.policy.post(new).into();
                self.conns.push(Conn { fly, ..Conn::new(true, None) });
            }
            Step::Open(new) => self.open(model, new, None),
            Step::Resume(old, new) => self.open(model, new, Some(old)),
            Step::Drop(conn) => self.conns[conn].die(),
            Step::HangUp(conn) => self.end(conn),
            Step::Poll(conn) => self.policy.hang_up(conn),
            Step::Exit(conn) | Step::Notice(conn) => self.policy.close(conn),
            Step::Read(conn) => match self.policy.read(conn) {
                Read::Frame(frame) => self.write(model, conn, frame),
                Read::Idle => {}
                Read::Ended => self.end(conn),
            },
            Step::Deliver(conn) => self.deliver(model, conn),
            Step::Answer(msg) => {
                self.fates[usize::from(msg)].answered = true;
                self.policy.settle(msg);
            }
            Step::Expire => {
                for told in self.policy.expire() {
                    self.tell(model, told);
                }
            }
        }
    }

    fn open(&mut self, model: &Model, new: usize, old: Option<usize>) {
        // Without a cursor it replaces every dead listener that has none to show, with one only its own.
        let (post, cursor) = old.map_or((false, None), |old| (self.conns[old].post, self.conns[old].cursor));
        for (index, conn) in self.conns.iter_mut().enumerate() {
            let nothing_to_show = model.client == Client::Forgetful || conn.cursor.is_none();
            let own = old == Some(index) || old.is_none() && !conn.post && nothing_to_show;
            conn.replaced |= !conn.alive && own;
        }
        let mut conn = Conn::new(post, cursor);
        match self.policy.get(new, cursor) {
            Some(frames) => conn.fly = frames.into(),
            // A listener starts afresh; a call that cannot be resumed is over for the client.
            None if post => {
                conn.die();
                conn.replaced = true;
            }
            None => conn.fly = self.policy.get(new, None).expect("without a cursor").into(),
        }
        self.conns.push(conn);
    }

    /// The server closes a connection: what is in flight may still arrive.
    fn end(&mut self, conn: usize) {
        self.policy.close(conn);
        let conn = &mut self.conns[conn];
        conn.ended = true;
        if conn.fly.is_empty() {
            conn.die();
        }
    }

    fn push(&mut self, model: &Model, msg: Msg, pushed: Pushed<P::Id>) {
        if P::PUSHES {
            let own = usize::from(msg) >= model.unrelated.len();
            let open = self.conns.iter().any(|conn| conn.alive && conn.post == own);
            let target = pushed.first().map(|(conn, _)| self.conns[*conn].alive);
            self.fates[usize::from(msg)].cause = Some(match target {
                Some(true) => Flaw::LostInFlight,
                Some(false) if open => Flaw::HandedToDead,
                None if open => Flaw::Deaf,
                Some(false) | None => Flaw::Unheard,
            });
        }
        for (conn, frame) in pushed {
            self.write(model, conn, frame);
        }
    }

    /// An event goes out: numbers rise, an id always stands for the same message, and a message gets a second one
    /// only as a hint that is raised again.
    fn write(&mut self, model: &Model, index: usize, frame: Frame<P::Id>) {
        let conn = &mut self.conns[index];
        if frame.id.is_some() && conn.written >= frame.id {
            self.flaw = Some(Flaw::Broken("numbers rise strictly on a lease"));
        }
        conn.written = frame.id.or(conn.written);
        if let (Some(msg), Some(id)) = (frame.body, frame.id) {
            let has_one = self.bound.values().any(|bound| *bound == msg);
            let allowed = match self.bound.insert(id, msg) {
                Some(known) => known == msg,
                None if !has_one => true,
                None => {
                    let raised = matches!(model.kind(msg), Kind::Hint(_)) && self.raised > 0;
                    self.raised -= u8::from(raised);
                    raised
                }
            };
            if !allowed {
                self.flaw = Some(Flaw::Broken("an event is on at most one stream"));
            }
        }
        if conn.alive {
            conn.fly.push_back(frame);
        }
    }

    fn deliver(&mut self, model: &Model, index: usize) {
        let conn = &mut self.conns[index];
        let Some(Frame { id, body, gap }) = conn.fly.pop_front() else { return };
        if conn.post {
            self.gaps += gap;
        }
        conn.cursor = id.or(conn.cursor);
        if conn.ended && conn.fly.is_empty() {
            conn.die();
        }
        let Some(msg) = body else { return };
        let kind = model.kind(msg);
        let fate = &mut self.fates[usize::from(msg)];
        let own = conn.post == (usize::from(msg) >= model.unrelated.len());
        let raised_again = matches!(kind, Kind::Hint(_)) && fate.got != Some(id);
        if kind == Kind::Response && !own {
            self.flaw = Some(Flaw::Crossed);
        } else if fate.got.is_some() && !raised_again {
            self.flaw = Some(Flaw::Duplicate);
        } else if !matches!(kind, Kind::Hint(_)) {
            if conn.last > Some(msg) {
                self.flaw = Some(Flaw::Reordered);
            }
            conn.last = Some(msg);
        }
        fate.got = Some(id);
        // A hint sends the client to look. Whatever it was raised for before it arrived is seen then.
        fate.due = false;
    }

    fn tell(&mut self, model: &Model, told: Told) {
        let claim = match told {
            Told::Failed(msg, delivery) => self.fates.get(usize::from(msg)).zip(Some(delivery)),
            Told::ResponseGivenUp(delivery) => self.fates.last().zip(Some(delivery)),
            Told::HintsLost | Told::NotesGivenUp(_) | Told::Raised(_) => None,
        };
        if claim.is_some_and(|(fate, delivery)| delivery == Delivery::NotSent && fate.got.is_some()) {
            self.flaw = Some(Flaw::Broken("what was not sent has not arrived"));
        }
        match told {
            Told::Failed(msg, _) => {
                let fate = &mut self.fates[usize::from(msg)];
                if fate.failed || fate.answered {
                    self.flaw = Some(Flaw::TwoOutcomes);
                }
                fate.failed = true;
            }
            // From now on the client is told to look at everything.
            Told::HintsLost => {
                for (msg, fate) in (0..).zip(&mut self.fates) {
                    fate.due &= !matches!(model.kind(msg), Kind::Hint(_));
                }
            }
            Told::NotesGivenUp(count) => self.notes_given_up += count,
            Told::Raised(count) => self.raised += count,
            Told::ResponseGivenUp(_) => self.response_given_up = true,
        }
    }

    /// Drops what can no longer matter, so that states which differ in it only are one.
    fn forget(&mut self) {
        for (index, conn) in self.conns.iter_mut().enumerate() {
            if !conn.alive {
                conn.last = None;
                if conn.replaced && !conn.post {
                    conn.cursor = None;
                }
                if self.policy.closing(index).is_none() {
                    conn.written = None;
                }
            }
        }
    }

    /// What is wrong when nothing is left to happen.
    pub fn verdict(&self, model: &Model) -> Vec<Flaw> {
        let mut flaws: Vec<Flaw> = self.flaw.into_iter().collect();
        if !flaws.is_empty() {
            return flaws;
        }
        if self.call == Call::Cancelled && self.conns.iter().any(|conn| conn.post && conn.alive) {
            return vec![Flaw::Broken("the stream of a cancelled call ends")];
        }
        if self.call == Call::Answered && self.misses_more_than_it_knows(model) {
            return vec![Flaw::Broken("whoever has the response knows how many notes are missing")];
        }
        let mut notes_missing = 0;
        for (index, fate) in self.fates.iter().enumerate() {
            let msg = message(index);
            let kind = model.kind(msg);
            let lost = match kind {
                _ if !self.was_said(model, index) => false,
                Kind::Hint(_) => fate.due,
                Kind::Note => {
                    notes_missing += u8::from(fate.got.is_none());
                    notes_missing > self.notes_given_up && fate.got.is_none()
                }
                Kind::Request => !fate.answered && !fate.failed,
                Kind::Response => fate.got.is_none() && !self.response_given_up,
            };
            if lost {
                let asked = kind == Kind::Response
                    && model.client != Client::Forgetful
                    && self.conns.iter().any(|conn| conn.post && conn.cursor.is_some());
                flaws.push(if asked { Flaw::Erased } else { fate.cause.unwrap_or(Flaw::Lost) });
            }
        }
        flaws
    }

    /// Whether the client has the response, and not all notes before it, and was not told of so many.
    fn misses_more_than_it_knows(&self, model: &Model) -> bool {
        let Some((response, fates)) = self.fates.split_last() else { return false };
        let related = fates.iter().enumerate().skip(model.unrelated.len()).take(self.related);
        let missing = related
            .filter(|(index, fate)| model.kind(message(*index)) == Kind::Note && fate.got.is_none())
            .count();
        response.got.is_some() && missing > usize::from(self.gaps)
    }

    fn was_said(&self, model: &Model, index: usize) -> bool {
        let related = index.checked_sub(model.unrelated.len());
        match related {
            None => index < self.said,
            Some(_) if index + 1 == self.fates.len() => self.call == Call::Answered,
            Some(related) => related < self.related,
        }
    }
}

impl<Id> Conn<Id> {
    const fn new(post: bool, cursor: Option<Id>) -> Self {
        let fly = VecDeque::new();
        Self { alive: true, ended: false, post, replaced: false, fly, cursor, written: None, last: None }
    }

    fn die(&mut self) {
        self.alive = false;
        self.fly.clear();
    }
}

fn message(index: usize) -> Msg {
    Msg::try_from(index).expect("a script of a few messages")
}
