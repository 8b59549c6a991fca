//! Conversations with an outbox. `Talk` writes what a reader finds as text: `s1-2 b`, `idle`, `ended`, `stale`.

mod budgets;
mod cursors;
mod endings;
mod exchanges;
mod leases;

use super::*;
use std::time::{Duration, Instant};

const GRACE: Duration = Duration::from_secs(30);
const RETENTION: Duration = Duration::from_secs(300);

struct Talk {
    outbox: Outbox,
    now: Instant,
}

impl Talk {
    #[expect(clippy::disallowed_methods, reason = "a test has to begin somewhere; it only adds to this")]
    fn new() -> Self {
        Self {
            outbox: Outbox::new(Patience { grace: GRACE, retention: RETENTION }, Budget::default()),
            now: Instant::now(),
        }
    }

    fn within(budget: Budget) -> Self {
        let mut talk = Self::new();
        talk.outbox = Outbox::new(Patience { grace: GRACE, retention: RETENTION }, budget);
        talk
    }

    fn hint(&mut self, text: &str) {
        let enqueued = self.offer_hint(text);
        assert!(matches!(enqueued, Enqueued::Coalesced | Enqueued::Queued), "{enqueued:?}");
    }

    fn offer_hint(&mut self, text: &str) -> Enqueued {
        self.outbox.enqueue(Unrelated::Hint, encoded(text))
    }

    fn note(&mut self, text: &str) {
        assert_eq!(self.outbox.enqueue(Unrelated::Note, encoded(text)), Enqueued::Queued);
    }

    fn ask(&mut self, call: u64, text: &str) {
        let queued = self.outbox.enqueue(Unrelated::Request(CallId::new(call)), encoded(text));
        assert_eq!(queued, Enqueued::Queued);
    }

    /// Appends to an exchange; the id it was logged under, or why it was not.
    fn append(&mut self, stream: StreamId, class: Related, text: &str) -> String {
        match self.outbox.append(stream, class, encoded(text), self.now) {
            Appended::Dropped => "dropped".into(),
            Appended::Ended => "ended".into(),
            Appended::Full => "full".into(),
            Appended::Logged(id) => id.to_string(),
            Appended::NoSuchStream => "no such stream".into(),
        }
    }

    fn read(&mut self, lease: &Lease) -> String {
        match self.outbox.next(lease) {
            Next::Event(Event { id, message }) => {
                format!("{id} {}", String::from_utf8_lossy(message.as_bytes()))
            }
            Next::Gap(count) => format!("gap {count}"),
            Next::HangUp => "hang-up".into(),
            Next::Idle => "idle".into(),
            Next::Ended => "ended".into(),
            Next::Stale => "stale".into(),
        }
    }

    /// Everything that a reader finds before it has to wait or stop, and what it finds then.
    fn read_all(&mut self, lease: &Lease) -> Vec<String> {
        let mut found = vec![self.read(lease)];
        while found.last().is_some_and(|last| last.contains(' ')) {
            found.push(self.read(lease));
        }
        found
    }

    fn resume(&mut self, cursor: &str) -> Result<Lease, ResumeError> {
        self.outbox.resume(cursor.parse().expect("a cursor of this test"))
    }

    fn lose(&mut self, lease: &Lease) {
        assert!(self.outbox.detach(lease, self.now).current, "the lease is current");
    }

    fn wait(&mut self, time: Duration) -> Vec<Expired> {
        self.now += time;
        self.outbox.expire(self.now)
    }

    fn stage(&self, lease: &Lease) -> Stage {
        self.outbox.stage(lease.stream())
    }

    fn held(&self) -> (usize, usize) {
        let Held { queued, logged, .. } = self.outbox.held();
        (queued, logged)
    }
}

fn encoded(text: &str) -> Encoded {
    text.as_bytes().to_vec().into()
}

fn request(call: u64, delivery: Delivery) -> Expired {
    Expired::Request { call: CallId::new(call), delivery }
}
