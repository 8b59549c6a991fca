//! Conversations with an outbox. `Talk` writes what a reader finds as text: `s1-2 b`, `idle`, `ended`, `stale`.

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
        assert!(self.outbox.detach(lease, self.now), "the lease is current");
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

// R1: late binding.

#[test]
fn what_is_said_before_anyone_listens_is_read_by_the_first_who_does() {
    let mut talk = Talk::new();
    talk.note("a");
    talk.ask(1, "b");
    let get = talk.outbox.attach();
    assert_eq!(talk.read_all(&get), ["s1-1 a", "s1-2 b", "idle"]);
}

#[test]
fn an_event_is_on_no_stream_until_a_reader_takes_it() {
    let mut talk = Talk::new();
    let dead = talk.outbox.attach();
    talk.note("a");
    assert_eq!(talk.held(), (1, 0), "a connected stream has taken nothing by being there");
    talk.lose(&dead);
    let get = talk.outbox.attach();
    assert_eq!(talk.read(&get), "s2-1 a");
    assert_eq!(talk.held(), (0, 1));
}

// spec: R135, R143
#[test]
fn b053_event_ids_advance_and_are_unique_over_all_streams() {
    let mut talk = Talk::new();
    let leases = [talk.outbox.open(), talk.outbox.open(), talk.outbox.open(), talk.outbox.attach()];
    let mut ids = Vec::new();
    for round in 1..=50 {
        talk.note("n");
        for lease in &leases[..3] {
            talk.append(lease.stream(), Related::Note, "p");
        }
        for (stream, lease) in leases.iter().enumerate() {
            let found = talk.read(lease);
            let id = found.split(' ').next().map(str::to_owned);
            assert_eq!(id, Some(format!("s{}-{round}", stream + 1)));
            ids.extend(id);
        }
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 200);
    for (stream, lease) in leases.iter().enumerate() {
        talk.lose(lease);
        let again = talk.resume(&format!("s{}-20", stream + 1)).expect("the stream is open");
        let found = talk.read_all(&again);
        assert_eq!(found.len(), 31, "30 events after the 20th, then nothing");
        assert!(found[0].starts_with(&format!("s{}-21 ", stream + 1)), "{found:?}");
    }
}

#[test]
fn equal_hints_that_wait_become_one() {
    let mut talk = Talk::new();
    assert_eq!(talk.offer_hint("tools"), Enqueued::Queued);
    assert_eq!(talk.offer_hint("prompts"), Enqueued::Queued);
    assert_eq!(talk.offer_hint("tools"), Enqueued::Coalesced);
    talk.note("tools");
    let get = talk.outbox.attach();
    assert_eq!(
        talk.read_all(&get),
        ["s1-1 tools", "s1-2 prompts", "s1-3 tools", "idle"],
        "a note is no hint"
    );
    assert_eq!(talk.offer_hint("tools"), Enqueued::Queued, "what was read no longer waits");
    assert_eq!(talk.outbox.take_counters().coalesced, 1);
}

// R2: leases.

#[test]
fn a_late_detach_of_the_old_connection_leaves_the_new_one_alone() {
    let mut talk = Talk::new();
    let old = talk.outbox.attach();
    let new = talk.outbox.attach();
    talk.lose(&old);
    assert!(!talk.outbox.detach(&old, talk.now), "once is enough");
    talk.note("a");
    assert_eq!(talk.read(&new), "s2-1 a");
}

// spec: R135
#[test]
fn b048_a_new_listener_takes_over_from_a_half_open_one_and_the_event_comes_once() {
    let mut talk = Talk::new();
    let blackholed = talk.outbox.attach();
    let get = talk.outbox.attach();
    talk.hint("changed");
    assert_eq!(talk.read(&blackholed), "idle", "it stays open and silent");
    assert_eq!(talk.read_all(&get), ["s2-1 changed", "idle"]);
    assert_eq!(talk.read(&blackholed), "idle");
}

#[test]
fn the_newest_of_the_older_streams_takes_over_when_the_taker_ends() {
    let mut talk = Talk::new();
    let streams = [talk.outbox.attach(), talk.outbox.attach(), talk.outbox.attach()];
    for lease in streams.iter().rev() {
        assert_eq!(talk.outbox.taker(), Some(lease.stream()));
        talk.note("n");
        assert_eq!(talk.read(lease), format!("{}-1 n", lease.stream()));
        talk.lose(lease);
    }
    assert_eq!(talk.outbox.taker(), None);
}

#[test]
fn resuming_an_older_stream_makes_it_the_taker() {
    let mut talk = Talk::new();
    let first = talk.outbox.attach();
    let second = talk.outbox.attach();
    let first_again = talk.outbox.resume(first.start()).expect("the stream is open");
    talk.note("a");
    assert_eq!(talk.read(&second), "idle");
    assert_eq!(talk.read(&first_again), "s1-1 a");
}

#[test]
fn a_lease_that_was_taken_over_can_neither_read_nor_detach() {
    let mut talk = Talk::new();
    let old = talk.outbox.open();
    talk.append(old.stream(), Related::Note, "a");
    let new = talk.outbox.resume(old.start()).expect("a half-open stream can be taken over");
    let before = talk.outbox.clone();
    assert_eq!(talk.read(&old), "stale");
    assert!(!talk.outbox.detach(&old, talk.now));
    assert_eq!(talk.outbox, before, "a stale lease changes nothing");
    assert_eq!(talk.read(&new), "s1-1 a");
}

#[test]
fn b003_losing_the_listener_ends_nothing_else() {
    let mut talk = Talk::new();
    let get = talk.outbox.attach();
    talk.lose(&get);
    assert_eq!(talk.wait(GRACE), []);
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Response, "r");
    assert_eq!(talk.read_all(&post), ["s2-1 r", "ended"]);
}

// R3: cursors.

// spec: R145
#[test]
fn a_cursor_continues_its_own_stream_and_no_other() {
    let mut talk = Talk::new();
    let first = talk.outbox.attach();
    talk.note("a");
    talk.note("b");
    assert_eq!(talk.read_all(&first), ["s1-1 a", "s1-2 b", "idle"]);
    let second = talk.outbox.attach();
    talk.note("c");
    assert_eq!(talk.read_all(&second), ["s2-1 c", "idle"]);
    talk.lose(&first);
    let again = talk.resume("s1-1").expect("the stream is open");
    assert_eq!(talk.read_all(&again), ["s1-2 b", "idle"], "and not c");
    assert_eq!(talk.outbox.take_counters().replayed, 1);
}

#[test]
fn asking_is_not_receiving() {
    let mut talk = Talk::new();
    talk.note("a");
    talk.note("b");
    let get = talk.outbox.attach();
    assert_eq!(talk.read(&get), "s1-1 a");
    assert_eq!(talk.read(&get), "s1-2 b", "a reader on a dead connection asks for the next one all the same");
    talk.lose(&get);
    let again = talk.outbox.resume(get.start()).expect("the stream is open");
    assert_eq!(talk.read_all(&again), ["s1-1 a", "s1-2 b", "idle"]);
}

#[test]
fn a_reader_that_resumes_finds_the_log_before_the_queue() {
    let mut talk = Talk::new();
    let get = talk.outbox.attach();
    talk.note("a");
    assert_eq!(talk.read(&get), "s1-1 a");
    talk.lose(&get);
    talk.note("b");
    let again = talk.outbox.resume(get.start()).expect("the stream is open");
    assert_eq!(talk.read(&again), "s1-1 a");
    assert_eq!(talk.held(), (1, 1), "nothing is taken as long as the log is not read");
    assert_eq!(talk.read_all(&again), ["s1-2 b", "idle"]);
}

#[test]
fn b054_a_cursor_that_this_client_cannot_have_is_refused_and_changes_nothing() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Note, "a");
    talk.append(post.stream(), Related::Note, "b");
    talk.append(post.stream(), Related::Note, "c");
    assert_eq!([talk.read(&post), talk.read(&post)], ["s1-1 a", "s1-2 b"]);
    let post = talk.resume("s1-1").expect("the stream is open");
    let before = talk.outbox.clone();
    for (cursor, error) in [
        ("s1-3", ResumeError::Ahead),
        ("s1-99", ResumeError::Ahead),
        ("s1-0", ResumeError::Behind),
        ("s2-0", ResumeError::Unknown),
        ("s0-0", ResumeError::Unknown),
        ("s18446744073709551615-18446744073709551615", ResumeError::Unknown),
    ] {
        assert_eq!(talk.resume(cursor), Err(error), "{cursor}");
    }
    assert_eq!(talk.outbox, before);
    assert_eq!(talk.read_all(&post), ["s1-2 b", "s1-3 c", "idle"]);
}

#[test]
fn a_delayed_request_with_an_older_cursor_does_not_take_the_stream_away() {
    let mut talk = Talk::new();
    talk.note("a");
    let get = talk.outbox.attach();
    assert_eq!(talk.read(&get), "s1-1 a");
    let live = talk.resume("s1-1").expect("the stream is open");
    assert_eq!(talk.resume("s1-0"), Err(ResumeError::Behind));
    talk.note("b");
    assert_eq!(talk.read(&live), "s1-2 b");
}

#[test]
fn a_cursor_frees_what_it_acknowledges_and_nothing_else_does() {
    let mut talk = Talk::new();
    for text in ["one", "three", "seven"] {
        talk.note(text);
    }
    let get = talk.outbox.attach();
    talk.read_all(&get);
    assert_eq!(talk.outbox.held(), Held { queued: 0, logged: 3, responses: 0, bytes: 13 });
    talk.resume("s1-2").expect("the stream is open");
    assert_eq!(talk.outbox.held(), Held { queued: 0, logged: 1, responses: 0, bytes: 5 });
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.accepted, counters.handed, counters.acknowledged), (3, 3, 2));
}

// R4: grace.

#[test]
fn after_grace_hints_come_again_requests_fail_and_notes_are_counted() {
    let mut talk = Talk::new();
    talk.hint("h");
    talk.ask(1, "q");
    talk.note("n");
    let get = talk.outbox.attach();
    talk.read_all(&get);
    talk.lose(&get);
    assert_eq!(talk.wait(GRACE - Duration::from_nanos(1)), [], "not yet");
    assert_eq!(talk.stage(&get), Stage::StandaloneWaiting);
    assert_eq!(talk.wait(Duration::from_nanos(1)), [request(1, Delivery::Unknown)]);
    assert_eq!(talk.stage(&get), Stage::Closed);
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.reraised, counters.failed, counters.expired_unconfirmed), (1, 1, 1));
    assert_eq!(talk.outbox.resume(get.start()), Err(ResumeError::Gone));
    let next = talk.outbox.attach();
    assert_eq!(talk.read_all(&next), ["s2-1 h", "idle"], "a new event, on a stream of its own");
}

#[test]
fn what_the_client_showed_is_neither_raised_again_nor_failed() {
    let mut talk = Talk::new();
    talk.hint("h");
    talk.ask(1, "q");
    talk.ask(2, "r");
    let get = talk.outbox.attach();
    talk.read_all(&get);
    let get = talk.resume("s1-2").expect("the stream is open");
    talk.lose(&get);
    assert_eq!(talk.wait(GRACE), [request(2, Delivery::Unknown)]);
    assert_eq!(talk.held(), (0, 0));
}

#[test]
fn raised_hints_come_before_what_waits_in_their_old_order() {
    let mut talk = Talk::new();
    talk.hint("a");
    talk.hint("b");
    talk.hint("c");
    let get = talk.outbox.attach();
    talk.read_all(&get);
    talk.note("n");
    talk.hint("b");
    talk.lose(&get);
    assert_eq!(talk.wait(GRACE), []);
    let next = talk.outbox.attach();
    assert_eq!(talk.read_all(&next), ["s2-1 a", "s2-2 c", "s2-3 n", "s2-4 b", "idle"]);
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.reraised, counters.coalesced), (3, 1));
}

#[test]
fn hints_of_two_streams_that_run_out_together_come_again_in_the_order_of_the_streams() {
    let mut talk = Talk::new();
    for text in ["a", "b"] {
        talk.hint(text);
        let get = talk.outbox.attach();
        talk.read_all(&get);
        talk.lose(&get);
    }
    assert_eq!(talk.wait(GRACE), []);
    let next = talk.outbox.attach();
    assert_eq!(talk.read_all(&next), ["s3-1 a", "s3-2 b", "idle"]);
}

#[test]
fn coming_back_in_time_stops_the_clock() {
    let mut talk = Talk::new();
    talk.ask(1, "q");
    let get = talk.outbox.attach();
    assert_eq!(talk.read(&get), "s1-1 q");
    talk.lose(&get);
    assert_eq!(talk.outbox.deadline(), Some(talk.now + GRACE));
    let again = talk.outbox.resume(get.start()).expect("the stream is open");
    assert_eq!(talk.outbox.deadline(), None);
    assert_eq!(talk.wait(GRACE * 10), []);
    assert_eq!(talk.read(&again), "s1-1 q");
}

#[test]
fn the_deadline_is_the_earliest_of_all_streams() {
    let mut talk = Talk::new();
    let (first, second) = (talk.outbox.attach(), talk.outbox.attach());
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Response, "r");
    let start = talk.now;
    talk.lose(&post);
    assert_eq!(talk.outbox.deadline(), Some(start + RETENTION));
    talk.lose(&second);
    talk.now += Duration::from_secs(1);
    talk.lose(&first);
    assert_eq!(talk.outbox.deadline(), Some(start + GRACE));
    let _ = talk.outbox.expire(start + GRACE);
    assert_eq!(talk.outbox.deadline(), Some(start + Duration::from_secs(1) + GRACE));
}

// Exchanges.

// spec: R136, R137, R139
#[test]
fn an_exchange_carries_its_notes_its_requests_and_its_response_and_then_ends() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    assert_eq!(talk.read(&post), "idle");
    talk.append(post.stream(), Related::Note, "progress");
    talk.append(post.stream(), Related::Request(CallId::new(1)), "question");
    assert_eq!(talk.append(post.stream(), Related::Response, "result"), "s1-3");
    assert_eq!(talk.read_all(&post), ["s1-1 progress", "s1-2 question", "s1-3 result", "ended"]);
    assert_eq!(talk.read(&post), "ended", "as often as it asks");
}

// spec: R142
#[test]
fn b001_a_response_never_goes_to_a_listener_dead_or_alive() {
    let mut talk = Talk::new();
    let get = talk.outbox.attach();
    let post = talk.outbox.open();
    assert_eq!(talk.append(get.stream(), Related::Response, "r"), "no such stream");
    assert_eq!(talk.append(post.stream(), Related::Response, "r"), "s2-1");
    assert_eq!(talk.read(&get), "idle");
    assert_eq!(talk.read_all(&post), ["s2-1 r", "ended"]);
}

#[test]
fn b002_two_exchanges_never_swap_their_results() {
    let mut talk = Talk::new();
    let (slow, fast) = (talk.outbox.open(), talk.outbox.open());
    talk.append(fast.stream(), Related::Response, "fast");
    talk.append(slow.stream(), Related::Response, "slow");
    assert_eq!(talk.read_all(&slow), ["s1-1 slow", "ended"]);
    assert_eq!(talk.read_all(&fast), ["s2-1 fast", "ended"]);
}

// spec: R140, R142
#[test]
fn b004_a_result_that_came_while_the_client_was_away_is_there_when_it_resumes() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.lose(&post);
    assert_eq!(talk.wait(GRACE * 2), [], "a call may take its time");
    assert_eq!(talk.append(post.stream(), Related::Response, "r"), "s1-1");
    assert_eq!(talk.wait(RETENTION - Duration::from_secs(1)), []);
    let get = talk.outbox.resume(post.start()).expect("the result is kept");
    assert_eq!(talk.read_all(&get), ["s1-1 r", "ended"]);
}

#[test]
fn b006_a_nested_request_travels_on_the_stream_of_its_call() {
    let mut talk = Talk::new();
    let get = talk.outbox.attach();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Request(CallId::new(1)), "name?");
    assert_eq!(talk.read(&get), "idle");
    assert_eq!(talk.read(&post), "s2-1 name?");
    assert_eq!(talk.outbox.settle(CallId::new(1)), Some(Delivery::Unknown));
    talk.append(post.stream(), Related::Response, "hello");
    assert_eq!(talk.read_all(&post), ["s2-2 hello", "ended"]);
}

#[test]
fn an_exchange_has_one_response_and_nothing_after_it() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Response, "first");
    let before = talk.outbox.clone();
    for class in [Related::Note, Related::Request(CallId::new(1)), Related::Response] {
        assert_eq!(talk.append(post.stream(), class, "second"), "ended");
    }
    assert_eq!(talk.outbox, before);
}

#[test]
fn a_response_read_to_its_end_is_kept_until_a_cursor_confirms_it() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Note, "p");
    talk.append(post.stream(), Related::Response, "r");
    assert_eq!(talk.read_all(&post), ["s1-1 p", "s1-2 r", "ended"]);
    talk.lose(&post);
    let get = talk.resume("s1-1").expect("the end may have been cut off on the way");
    assert_eq!(talk.read_all(&get), ["s1-2 r", "ended"]);
    assert_eq!(talk.resume("s1-2"), Err(ResumeError::Finished), "the client has it");
    assert_eq!(talk.held(), (0, 0));
    assert_eq!(talk.resume("s1-2"), Err(ResumeError::Gone));
    assert_eq!(talk.read(&get), "stale");
}

#[test]
fn a_response_nobody_fetched_is_reported_when_its_retention_ends() {
    let mut talk = Talk::new();
    let (unread, unconfirmed) = (talk.outbox.open(), talk.outbox.open());
    talk.lose(&unread);
    talk.append(unread.stream(), Related::Response, "r");
    talk.append(unconfirmed.stream(), Related::Response, "r");
    talk.read_all(&unconfirmed);
    talk.lose(&unconfirmed);
    assert_eq!(
        talk.wait(RETENTION),
        [
            Expired::Response { stream: unread.stream(), delivery: Delivery::NotSent },
            Expired::Response { stream: unconfirmed.stream(), delivery: Delivery::Unknown },
        ]
    );
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.expired_unsent, counters.expired_unconfirmed), (1, 1));
    assert_eq!(talk.held(), (0, 0));
}

#[test]
fn retention_runs_from_the_later_of_response_and_loss() {
    let mut talk = Talk::new();
    let (early, late) = (talk.outbox.open(), talk.outbox.open());
    let start = talk.now;
    talk.append(early.stream(), Related::Response, "r");
    talk.lose(&late);
    talk.now += Duration::from_secs(5);
    talk.lose(&early);
    assert_eq!(talk.outbox.deadline(), Some(start + Duration::from_secs(5) + RETENTION));
    talk.now += Duration::from_secs(5);
    talk.append(late.stream(), Related::Response, "r");
    let _ = talk.outbox.expire(start + Duration::from_secs(5) + RETENTION);
    assert_eq!(talk.outbox.deadline(), Some(start + Duration::from_secs(10) + RETENTION));
}

#[test]
fn a_nested_request_without_a_reader_fails_after_grace_and_the_exchange_goes_on() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Request(CallId::new(1)), "seen");
    talk.append(post.stream(), Related::Request(CallId::new(2)), "unseen");
    talk.append(post.stream(), Related::Note, "n");
    assert_eq!(talk.read(&post), "s1-1 seen");
    talk.lose(&post);
    assert_eq!(talk.wait(GRACE), [request(1, Delivery::Unknown), request(2, Delivery::NotSent)]);
    assert_eq!(talk.stage(&post), Stage::RunningWaiting);
    talk.append(post.stream(), Related::Response, "r");
    let get = talk.outbox.resume(post.start()).expect("the stream is open");
    assert_eq!(talk.read_all(&get), ["s1-3 n", "s1-4 r", "ended"], "nobody is asked in vain");
}

#[test]
fn a_request_that_comes_up_while_nobody_reads_gets_a_grace_period_too() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.lose(&post);
    assert_eq!(talk.wait(GRACE * 2), []);
    talk.append(post.stream(), Related::Request(CallId::new(1)), "q");
    assert_eq!(talk.outbox.deadline(), Some(talk.now + GRACE));
    assert_eq!(talk.wait(GRACE), [request(1, Delivery::NotSent)]);
    assert_eq!(talk.outbox.deadline(), None);
}

// Requests have one outcome.

#[test]
fn a_settled_request_is_asked_no_more_and_fails_no_more() {
    let mut talk = Talk::new();
    talk.ask(1, "read");
    let get = talk.outbox.attach();
    assert_eq!(talk.read(&get), "s1-1 read");
    talk.ask(2, "waiting");
    assert_eq!(talk.outbox.settle(CallId::new(1)), Some(Delivery::Unknown));
    assert_eq!(talk.outbox.settle(CallId::new(2)), Some(Delivery::NotSent));
    assert_eq!(talk.outbox.settle(CallId::new(2)), None, "once");
    assert_eq!(talk.read(&get), "idle");
    talk.lose(&get);
    let get = talk.outbox.resume(get.start()).expect("the stream is open");
    assert_eq!(talk.read(&get), "idle");
    talk.lose(&get);
    assert_eq!(talk.wait(GRACE), []);
}

#[test]
fn an_answer_after_the_failure_settles_nothing() {
    let mut talk = Talk::new();
    talk.ask(1, "q");
    let get = talk.outbox.attach();
    assert_eq!(talk.read(&get), "s1-1 q");
    talk.lose(&get);
    assert_eq!(talk.wait(GRACE), [request(1, Delivery::Unknown)]);
    assert_eq!(talk.outbox.settle(CallId::new(1)), None);
}

// Budgets.

/// So many messages for each stream and for all of them, of any size.
fn events(stream_events: usize, session_events: usize) -> Budget {
    Budget { stream_events, session_events, ..Budget::default() }
}

#[test]
fn the_oldest_notes_give_way_and_the_reader_is_told_how_many_once() {
    let mut talk = Talk::within(events(2, 9));
    let post = talk.outbox.open();
    let logged = ["a", "b", "c", "d"].map(|text| talk.append(post.stream(), Related::Note, text));
    assert_eq!(logged, ["s1-1", "s1-2", "s1-3", "s1-4"], "numbers rise, whoever gives way");
    assert_eq!(talk.read_all(&post), ["gap 2", "s1-3 c", "s1-4 d", "idle"]);
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.dropped_unsent, counters.dropped_unconfirmed), (2, 0));
}

#[test]
fn what_was_read_gives_way_first_and_leaves_a_gap_only_for_who_comes_back_from_before_it() {
    let mut talk = Talk::within(events(2, 9));
    let post = talk.outbox.open();
    for text in ["a", "b", "c", "d"] {
        talk.append(post.stream(), Related::Note, text);
        assert!(talk.read(&post).ends_with(text), "a reader that keeps up misses nothing");
    }
    assert_eq!(talk.outbox.take_counters().dropped_unconfirmed, 2);
    let post = talk.resume("s1-1").expect("a cursor may name what gave way");
    assert_eq!(talk.read_all(&post), ["gap 1", "s1-3 c", "s1-4 d", "idle"]);
    let post = talk.resume("s1-2").expect("the last that gave way");
    assert_eq!(talk.read_all(&post), ["s1-3 c", "s1-4 d", "idle"]);
}

#[test]
fn a_result_always_fits_whatever_its_size_and_takes_no_room() {
    let mut talk = Talk::within(Budget { stream_bytes: 4, session_bytes: 4, ..Budget::default() });
    let (post, other) = (talk.outbox.open(), talk.outbox.open());
    talk.append(other.stream(), Related::Note, "note");
    assert_eq!(talk.append(post.stream(), Related::Response, &"r".repeat(9_000)), "s1-1");
    assert_eq!(talk.outbox.bytes_held(), 9_004);
    assert_eq!(talk.read_all(&other), ["s2-1 note", "idle"]);
    assert_eq!(talk.read_all(&post).len(), 2);
}

#[test]
fn a_note_that_can_never_fit_takes_nothing_else_away() {
    let mut talk = Talk::within(Budget { stream_bytes: 4, ..Budget::default() });
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Note, "a");
    assert_eq!(talk.append(post.stream(), Related::Note, "too long"), "dropped");
    assert_eq!(talk.append(post.stream(), Related::Note, "b"), "s1-3");
    assert_eq!(talk.read_all(&post), ["gap 1", "s1-1 a", "s1-3 b", "idle"]);
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.accepted, counters.dropped_unsent), (3, 1));
}

#[test]
fn a_request_that_does_not_fit_is_refused_to_its_caller() {
    let mut talk = Talk::within(events(2, 3));
    let post = talk.outbox.open();
    let asked = [1, 2, 3].map(|call| talk.append(post.stream(), Related::Request(CallId::new(call)), "q"));
    assert_eq!(asked, ["s1-1", "s1-2", "full"]);
    talk.ask(4, "q");
    let refused = talk.outbox.enqueue(Unrelated::Request(CallId::new(5)), encoded("q"));
    assert_eq!(refused, Enqueued::Full, "the session is full");
    assert_eq!(talk.outbox.settle(CallId::new(1)), Some(Delivery::NotSent));
    talk.ask(5, "q");
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.accepted, counters.refused, counters.settled), (4, 2, 1));
}

#[test]
fn a_listener_that_stays_for_weeks_keeps_no_more_than_its_budget() {
    let mut talk = Talk::within(events(8, 9));
    let get = talk.outbox.attach();
    for round in 0..1_000 {
        talk.note(&round.to_string());
        talk.hint("tools");
        assert_eq!([talk.read(&get), talk.read(&get)].map(|found| found.starts_with("s1-")), [true, true]);
    }
    assert_eq!(talk.held(), (0, 7), "its budget, less the hint whose place the last one took");
    assert!(!talk.outbox.take_hint_loss(), "the newest of equal hints is enough");
}

#[test]
fn notes_in_the_queue_give_way_and_the_taker_is_told() {
    let mut talk = Talk::within(events(2, 9));
    for text in ["a", "b", "c"] {
        talk.note(text);
    }
    let get = talk.outbox.attach();
    assert_eq!(talk.read_all(&get), ["gap 1", "s1-1 b", "s1-2 c", "idle"]);
}

#[test]
fn hints_give_way_last_and_it_is_said_when_the_client_may_have_missed_one() {
    let mut talk = Talk::within(events(2, 9));
    talk.hint("a");
    talk.note("n");
    talk.hint("b");
    assert!(!talk.outbox.take_hint_loss(), "the note gave way");
    talk.hint("c");
    assert!(talk.outbox.take_hint_loss(), "nobody has read a");
    assert!(!talk.outbox.take_hint_loss(), "it is said once");
    let get = talk.outbox.attach();
    assert_eq!(talk.read_all(&get), ["gap 1", "s1-1 b", "s1-2 c", "idle"]);
    talk.hint("d");
    assert!(!talk.outbox.take_hint_loss(), "b was read");
    talk.resume("s1-1").expect("the client has b");
    assert!(!talk.outbox.take_hint_loss());
}

#[test]
fn a_hint_that_gave_way_behind_its_reader_is_missed_when_the_client_comes_back_from_before_it() {
    for comes_back in [false, true] {
        let mut talk = Talk::within(events(1, 9));
        let get = talk.outbox.attach();
        for text in ["a", "b"] {
            talk.hint(text);
            talk.read(&get);
        }
        assert!(!talk.outbox.take_hint_loss(), "a was read");
        if comes_back {
            talk.resume("s1-0").expect("the stream is open");
        } else {
            talk.lose(&get);
            assert_eq!(talk.wait(GRACE), []);
        }
        assert!(talk.outbox.take_hint_loss());
    }
}

#[test]
fn shedding_frees_what_is_asked_for_as_far_as_notes_can() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    for text in ["four", "more", "last"] {
        talk.append(post.stream(), Related::Note, text);
    }
    talk.append(post.stream(), Related::Response, "result");
    assert_eq!(talk.outbox.shed(5), 8);
    assert_eq!(talk.outbox.shed(100), 4, "and not the result");
    assert_eq!(talk.outbox.shed(1), 0);
    assert_eq!(talk.read_all(&post), ["gap 3", "s1-4 result", "ended"]);
}

// Other ends.

#[test]
fn a_response_sent_as_one_body_is_finished_with() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    assert!(!talk.outbox.only_response(&post), "there is none yet");
    talk.append(post.stream(), Related::Response, "r");
    assert!(talk.outbox.only_response(&post));
    assert_eq!(talk.read_all(&post), ["s1-1 r", "ended"]);
    assert!(talk.outbox.finish(&post));
    assert_eq!((talk.stage(&post), talk.held()), (Stage::Closed, (0, 0)));
    assert!(!talk.outbox.finish(&post), "once");
    assert_eq!(talk.outbox.take_counters().finished, 1);
}

#[test]
fn a_response_after_anything_else_needs_a_stream() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Note, "n");
    talk.append(post.stream(), Related::Response, "r");
    let before = talk.outbox.clone();
    assert_eq!((talk.outbox.only_response(&post), talk.outbox.finish(&post)), (false, false));
    assert_eq!(talk.outbox, before);
}

#[test]
fn b033_the_stream_of_a_cancelled_call_ends_and_its_requests_fail() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Request(CallId::new(1)), "seen");
    talk.append(post.stream(), Related::Request(CallId::new(2)), "unseen");
    talk.append(post.stream(), Related::Note, "n");
    assert_eq!(talk.read(&post), "s1-1 seen");
    let told = talk.outbox.abandon(post.stream());
    assert_eq!(told, [request(1, Delivery::Unknown), request(2, Delivery::NotSent)]);
    assert_eq!(talk.append(post.stream(), Related::Response, "late"), "no such stream");
    assert_eq!(talk.resume("s1-1"), Err(ResumeError::Gone));
    assert_eq!(talk.read(&post), "ended");
    talk.lose(&post);
    assert_eq!(talk.read(&post), "stale");
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.abandoned, counters.failed, talk.outbox.deadline()), (1, 2, None));
}

#[test]
fn a_cancellation_that_comes_after_the_response_takes_nothing_away() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.append(post.stream(), Related::Response, "r");
    assert_eq!(talk.outbox.abandon(post.stream()), []);
    assert_eq!(talk.read_all(&post), ["s1-1 r", "ended"]);
}

#[test]
fn a_reader_that_is_asked_to_hang_up_reads_its_log_first_and_leaves_the_queue_to_others() {
    let mut talk = Talk::new();
    let (get, post) = (talk.outbox.attach(), talk.outbox.open());
    talk.append(post.stream(), Related::Note, "p");
    talk.note("n");
    assert_eq!([&get, &post].map(|lease| talk.outbox.hang_up(lease.stream())), [true, true]);
    assert_eq!(talk.read_all(&post), ["s2-1 p", "hang-up"]);
    assert_eq!(talk.read_all(&get), ["hang-up"]);
    assert_eq!(talk.outbox.taker(), None);
    talk.lose(&post);
    assert!(!talk.outbox.hang_up(post.stream()), "nobody reads it");
    talk.append(post.stream(), Related::Response, "r");
    let post = talk.resume("s2-1").expect("the client polls");
    assert_eq!(talk.read_all(&post), ["s2-2 r", "ended"]);
}

#[test]
fn an_outbox_without_streams_owns_nothing_on_the_heap() {
    let mut talk = Talk::new();
    let post = talk.outbox.open();
    talk.note("n");
    let get = talk.outbox.attach();
    talk.read_all(&get);
    talk.append(post.stream(), Related::Response, "r");
    assert!(talk.outbox.finish(&post));
    talk.lose(&get);
    assert_eq!(talk.wait(GRACE), []);
    assert_eq!((talk.outbox.streams.capacity(), talk.outbox.queue.capacity()), (0, 0));
}

// The end of the session.

#[test]
fn closing_ends_every_reader_and_says_who_has_to_be_told() {
    let mut talk = Talk::new();
    let (get, post) = (talk.outbox.attach(), talk.outbox.open());
    talk.ask(1, "taken");
    assert_eq!(talk.read(&get), "s1-1 taken");
    talk.ask(2, "waiting");
    talk.hint("h");
    talk.append(post.stream(), Related::Response, "r");
    assert_eq!(
        talk.outbox.close_all(),
        [
            request(1, Delivery::Unknown),
            Expired::Response { stream: post.stream(), delivery: Delivery::NotSent },
            request(2, Delivery::NotSent),
        ]
    );
    assert_eq!([talk.read(&get), talk.read(&post)], ["ended", "ended"]);
    assert_eq!(talk.append(post.stream(), Related::Note, "late"), "no such stream");
    assert_eq!(talk.offer_hint("late"), Enqueued::Closed);
    let late = talk.outbox.attach();
    assert_eq!(talk.read(&late), "ended");
    assert_eq!(talk.resume("s1-1"), Err(ResumeError::Gone));
    assert_eq!((talk.outbox.held(), talk.outbox.deadline()), (Held::default(), None));
    assert_eq!(talk.outbox.close_all(), [], "once");
}

#[test]
fn what_was_accepted_is_held_or_has_left_in_one_way() {
    let mut talk = Talk::new();
    talk.hint("h");
    talk.hint("h");
    talk.ask(1, "settled");
    talk.ask(2, "failed");
    talk.note("confirmed");
    talk.note("unconfirmed");
    let get = talk.outbox.attach();
    assert_eq!(talk.read_all(&get).len(), 6);
    talk.outbox.settle(CallId::new(1));
    talk.lose(&get);
    let _ = talk.wait(GRACE);
    talk.note("still queued");
    let counters = talk.outbox.take_counters();
    assert_eq!((counters.accepted, counters.left()), (7, 5));
    assert_eq!(talk.held(), (2, 0), "the raised hint and the new note");
    assert_eq!(talk.outbox.take_counters(), Counters::default(), "counted once");
}

#[test]
fn logs_show_the_size_of_a_message_and_not_its_text() {
    assert_eq!(format!("{:?}", encoded("secret")), "Encoded(6 bytes)");
}
