//! Other ends of streams, the end of the session, and the accounts.

use super::*;

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
