//! R1, late binding, and R2, leases.

use super::*;

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
    assert!(!talk.outbox.detach(&old, talk.now).current, "once is enough");
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
    assert!(!talk.outbox.detach(&old, talk.now).current);
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
