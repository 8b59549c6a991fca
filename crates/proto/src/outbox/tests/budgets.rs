//! R5, budgets.

use super::*;

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

/// Exchanges whose response is one byte, each read to its end on a connection that is closed then.
fn read_out(talk: &mut Talk, count: usize) -> Vec<(EventId, Vec<Expired>)> {
    let exchange = |_| {
        let post = talk.outbox.open();
        let _ = talk.append(post.stream(), Related::Response, "r");
        assert_eq!(talk.read_all(&post).last().map(String::as_str), Some("ended"));
        (post.start(), talk.outbox.detach(&post, talk.now).expired)
    };
    (0..count).map(exchange).collect()
}

fn handed(handed_responses: usize, handed_bytes: usize) -> Budget {
    Budget { handed_bytes, handed_responses, ..Budget::default() }
}

fn response(at: EventId) -> Expired {
    Expired::Response { stream: at.stream(), delivery: Delivery::Unknown }
}

#[test]
fn b039_a_client_that_never_shows_a_cursor_leaves_no_more_responses_than_the_budget_keeps() {
    for (budget, kept) in [(handed(2, 100), 2), (handed(100, 3), 3), (handed(0, 100), 0), (handed(9, 0), 1)] {
        let mut talk = Talk::within(budget);
        let read = read_out(&mut talk, 9);
        let told: Vec<Expired> = read.iter().flat_map(|(_, told)| told.clone()).collect();
        let first_ones: Vec<Expired> = read.iter().take(9 - kept).map(|(at, _)| response(*at)).collect();
        assert_eq!(told, first_ones, "the first ones go, and each is told");
        assert_eq!(talk.outbox.held().responses, kept);
        assert_eq!(talk.outbox.take_counters().expired_unconfirmed, 9 - kept as u64);
        for (index, (at, _)) in read.iter().enumerate() {
            let gone = talk.outbox.resume(*at).err();
            assert_eq!(gone, (index < 9 - kept).then_some(ResumeError::Gone), "{index}");
        }
    }
}

#[test]
fn a_response_that_no_reader_took_to_the_end_never_makes_room_for_others() {
    let mut talk = Talk::within(handed(1, 1));
    let posts: Vec<Lease> = (0..3).map(|_| talk.outbox.open()).collect();
    for post in &posts {
        let _ = talk.append(post.stream(), Related::Response, "result");
    }
    // One was never read; one was read, but its reader never came to the end; one has a reader.
    talk.lose(&posts[0]);
    assert_eq!(talk.read(&posts[1]), "s2-1 result");
    talk.lose(&posts[1]);
    assert_eq!(talk.read_all(&posts[2]), ["s3-1 result", "ended"]);
    let gone = read_out(&mut talk, 5);
    assert_eq!(gone.iter().map(|(_, told)| told.len()).sum::<usize>(), 4);
    for cursor in ["s1-0", "s2-0", "s3-0"] {
        let again = talk.resume(cursor).expect("it waits");
        assert!(talk.read(&again).ends_with("result"));
    }
}

#[test]
fn whoever_comes_back_for_a_response_keeps_it_from_making_room() {
    let mut talk = Talk::within(handed(1, 100));
    let first = read_out(&mut talk, 1)[0].0;
    let again = talk.outbox.resume(first).expect("it is kept");
    assert!(read_out(&mut talk, 2).iter().any(|(_, told)| !told.is_empty()));
    assert_eq!(talk.read_all(&again), ["s1-1 r", "ended"]);
    // Read to the end once more, it is the one that was read last.
    let gone = talk.outbox.detach(&again, talk.now).expired;
    assert_eq!(gone.len(), 1);
    assert!(talk.outbox.resume(first).is_ok());
}

#[test]
fn a_question_on_the_stream_of_a_response_that_makes_room_fails_for_its_caller() {
    let mut talk = Talk::within(handed(0, 0));
    let post = talk.outbox.open();
    let _ = talk.append(post.stream(), Related::Request(CallId::new(7)), "q");
    let _ = talk.append(post.stream(), Related::Response, "r");
    assert_eq!(talk.read_all(&post), ["s1-1 q", "s1-2 r", "ended"]);
    let told = talk.outbox.detach(&post, talk.now).expired;
    assert_eq!(told, [request(7, Delivery::Unknown), response(post.start())]);
    assert_eq!((talk.held(), talk.outbox.deadline()), ((0, 0), None));
}
