//! R3, cursors, and R4, grace.

use super::*;

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
