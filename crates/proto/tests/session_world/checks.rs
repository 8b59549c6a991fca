//! What has to hold in every state, and in the end.

use super::world::{Model, Outcome, Step, World};
use hermes_proto::outbox::Next;

impl World {
    /// What is wrong in this state already.
    pub fn flaw(&self) -> Option<&'static str> {
        self.flaw
    }

    /// What holds after every step.
    pub(super) fn look(&mut self) {
        for conn in 0..self.conns.len() {
            let lease = &self.conns[conn].lease;
            if self.current(lease.stream()) == Some(conn) {
                continue;
            }
            let mut session = self.session.clone();
            let found = session.next(lease);
            let harmless = session == self.session && matches!(found, Next::Stale | Next::Ended);
            self.check(harmless, "a stale lease changes nothing");
        }
        let once = self.questions.iter().all(|question| question.outcomes <= 1);
        self.check(once, "a question has one outcome");
        let running = self.calls.iter().any(|call| call.outcome == Outcome::None);
        let read = self.conns.iter().any(|conn| conn.held);
        let idle = self.session.idle_since().is_some();
        self.check(
            idle != (running || read),
            "a session is in use while a call runs or a connection is open",
        );
    }

    /// What is wrong once nothing goes wrong any more: calls end, clients come back, time passes, the session closes.
    pub fn settle_down(mut self, model: &Model) -> Option<&'static str> {
        self.rest(model);
        let streams_end = !self.conns.iter().any(|conn| conn.alive && conn.post.is_some());
        self.check(streams_end, "the stream of every accepted request ends");
        self.results_arrive();
        for conn in 0..self.conns.len() {
            self.conns[conn].alive = false;
            if self.conns[conn].held {
                self.detach(conn);
            }
        }
        self.check(self.session.idle_since().is_some(), "a session where nothing happens is idle");
        while self.session.deadline().is_some() && self.flaw.is_none() {
            self.take(model, Step::Expire);
        }
        if !self.closed {
            self.take(model, Step::Get);
            self.take(model, Step::Close);
        }
        self.rest(model);
        self.balance_books();
        self.check(!self.conns.iter().any(|conn| conn.held), "every reader ends when the session does");
        self.check(self.balance == 0, "what was accepted has left in one way");
        let asked = self.questions.iter().all(|question| question.excused || question.outcomes == 1);
        self.check(asked, "every caller of a question is told");
        for step in [Step::Post { id: 9, events: true }, Step::Get, Step::Tell] {
            self.take(model, step);
        }
        self.balance_books();
        self.check(self.balance == 0, "nothing is accepted after the end");
        self.flaw
    }

    /// Lets everybody do what is due until nothing is left.
    fn rest(&mut self, model: &Model) {
        for _ in 0..40 {
            let before = self.clone();
            for call in (0..self.calls.len()).rev() {
                if self.is_running(call) {
                    self.take(model, Step::Settle(call));
                }
            }
            for conn in 0..self.conns.len() {
                if self.conns[conn].held {
                    let step = if self.conns[conn].alive { self.reads(conn) } else { Step::Notice(conn) };
                    self.take(model, step);
                }
            }
            for question in 0..self.questions.len() {
                let one = &self.questions[question];
                if one.arrived && one.outcomes == 0 && !self.closed {
                    self.take(model, Step::Answer(question));
                }
            }
            self.come_back(model);
            if self.flaw.is_some() || *self == before {
                return;
            }
        }
        self.check(false, "it comes to rest");
    }

    /// The client resumes every stream whose response it misses.
    fn come_back(&mut self, model: &Model) {
        for post in 0..self.posts.len() {
            let of_post = |conn: &super::world::Conn| conn.post == Some(post);
            let reading = self.conns.iter().any(|conn| of_post(conn) && conn.alive);
            let missing = self.posts[post].got.is_none() && !self.posts[post].given_up && !self.closed;
            let cancelled = self
                .calls
                .iter()
                .filter(|call| call.post == post)
                .all(|call| call.outcome == Outcome::Cancelled);
            let newest = (0..self.conns.len())
                .filter(|conn| of_post(&self.conns[*conn]) && self.conns[*conn].cursor.is_some())
                .max_by_key(|conn| self.conns[*conn].cursor);
            if let Some(conn) = newest.filter(|_| missing && !reading && !cancelled) {
                let before = self.conns.len();
                self.take(model, Step::Resume { conn, newest: true });
                self.check(self.conns.len() > before, "a response waits for its client, or it is told");
            }
        }
    }

    fn results_arrive(&mut self) {
        for number in 0..self.posts.len() {
            let post = self.posts[number].clone();
            let due = self.calls.iter().any(|call| call.post == number && call.outcome == Outcome::Responded);
            // Who lost the connection and has no cursor cannot come back.
            let cut = !self.conns.iter().any(|conn| conn.post == Some(number) && conn.cursor.is_some());
            let fine = !due || post.got.is_some() || post.given_up || cut || self.closed;
            self.check(fine, "every result arrives or is told to be given up");
        }
    }
}
