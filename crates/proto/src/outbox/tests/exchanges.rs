//! Exchanges, and that requests have one outcome.

use super::*;

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
