//! Conversations of a session with its client, and of a roster with its server.

use std::time::{Duration, Instant};

use super::{AtCapacity, Roster, Session, SessionId};
use crate::admit::Gone;
use crate::channel::{CallId, Channel, Verdict};
use crate::limits::Limits;
use crate::outbox::{Budget, Encoded, Lease, Next, Outbox, Patience};
use hermes_types::{Method, Revision};

const PATIENCE: Patience = Patience { grace: Duration::from_secs(30), retention: Duration::from_secs(300) };

#[expect(clippy::disallowed_methods, reason = "a test has to begin somewhere; it only adds to this")]
fn start() -> Instant {
    Instant::now()
}

fn session(now: Instant) -> Session<&'static str> {
    let channel = Channel::resumed(Limits::SERVER, 8, Revision::V2025_11_25);
    Session::new(channel, Outbox::new(PATIENCE, Budget::default()), now)
}

fn request(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#)
}

fn cancel(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// A POST with one request, and the stream that answers it.
fn post(session: &mut Session<&'static str>, id: u32, events: bool, now: Instant) -> (CallId, Lease) {
    let body = request(id);
    match session.receive(&body, events, now) {
        (verdicts, Some(lease)) => match verdicts.as_slice() {
            [Verdict::Run(call)] => (call.call, lease),
            other => panic!("not run: {other:?}"),
        },
        (verdicts, None) => panic!("no stream: {verdicts:?}"),
    }
}

fn read(session: &mut Session<&'static str>, lease: &Lease) -> String {
    match session.next(lease) {
        Next::Event(event) => {
            format!("{} {}", event.id, String::from_utf8_lossy(event.message.as_bytes()))
        }
        other => format!("{other:?}"),
    }
}

// spec: R135, R136, R137, R139, R142
#[test]
fn a_call_answers_on_its_own_stream_and_ends_it() {
    let now = start();
    let mut session = session(now);
    let get = session.attach(now).expect("open");
    let (a, on_a) = post(&mut session, 1, true, now);
    let (b, on_b) = post(&mut session, 2, true, now);
    assert_eq!(session.note(a, Encoded::from(*b"half"), now), Some(on_a.stream()));
    assert_eq!(session.settle(b, b"B".to_vec(), now), Some(on_b.stream()));
    assert_eq!(session.settle(a, b"A".to_vec(), now), Some(on_a.stream()));
    assert_eq!(session.settle(a, b"A again".to_vec(), now), None, "one outcome");
    assert_eq!(session.note(a, Encoded::from(*b"late"), now), None, "nothing after the response");
    assert_eq!([read(&mut session, &on_b), read(&mut session, &on_b)], ["s3-1 B", "Ended"]);
    let on_a = [(); 3].map(|()| read(&mut session, &on_a));
    assert_eq!(on_a, ["s2-1 half", "s2-2 A", "Ended"]);
    assert_eq!(read(&mut session, &get), "Idle");
}

#[test]
fn b033_the_stream_of_a_cancelled_call_closes() {
    let now = start();
    let mut session = session(now);
    let (call, lease) = post(&mut session, 1, true, now);
    let _ = session.note(call, Encoded::from(*b"half"), now);
    let cancel = cancel(1);
    let verdicts = session.receive(&cancel, true, now).0;
    assert!(matches!(verdicts.as_slice(), [Verdict::Cancel { .. }]), "{verdicts:?}");
    assert_eq!(read(&mut session, &lease), "Ended");
    assert_eq!(session.settle(call, b"A".to_vec(), now), None);
}

#[test]
fn a_closing_session_takes_no_news() {
    let now = start();
    let mut session = session(now);
    let get = session.attach(now).expect("open");
    let _ = session.close(|_, _| Vec::new(), now);
    assert_eq!(session.tell(Encoded::from(*b"news")), None);
    assert_eq!(read(&mut session, &get), "Ended");
}

#[test]
fn a_batch_is_answered_on_its_own_stream_although_another_post_completes_it() {
    let now = start();
    let channel = Channel::resumed(Limits::SERVER, 8, Revision::V2025_03_26);
    let mut session = Session::<&'static str>::new(channel, Outbox::new(PATIENCE, Budget::default()), now);
    let body = format!("[{},{}]", request(1), request(2));
    let (verdicts, lease) = session.receive(&body, true, now);
    let lease = lease.expect("a stream");
    let calls: Vec<_> = verdicts
        .into_iter()
        .map(|verdict| match verdict {
            Verdict::Run(call) => call.call,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(session.settle(calls[0], b"A".to_vec(), now), None, "its batch is not complete");
    let _ = session.receive(&cancel(2), true, now);
    assert_eq!([read(&mut session, &lease), read(&mut session, &lease)], ["s1-1 [A]", "Ended"]);
}

#[test]
fn b021_a_duplicate_id_is_refused_and_the_first_call_is_untouched() {
    let now = start();
    let mut session = session(now);
    let (call, lease) = post(&mut session, 1, true, now);
    let again = request(1);
    assert!(matches!(session.receive(&again, true, now).0.as_slice(), [Verdict::Refuse { .. }]));
    assert_eq!(session.settle(call, b"A".to_vec(), now), Some(lease.stream()));
    assert_eq!(read(&mut session, &lease), "s1-1 A");
}

#[test]
fn a_question_goes_to_its_own_call_and_is_answered_once() {
    let now = start();
    let mut session = session(now);
    let (call, lease) = post(&mut session, 1, true, now);
    let asked = session.ask(call, Method::RootsList, "caller", |id| id.to_string().into(), now);
    assert_eq!(asked.map(|asked| asked.wake), Ok(Some(lease.stream())));
    assert_eq!(read(&mut session, &lease), "s1-1 1");
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    let settled = session.receive(answer, true, now).0;
    assert!(matches!(settled.as_slice(), [Verdict::Settle { caller: "caller", outcome: Ok(_), .. }]));
    let resumed = session.resume(lease.start(), now).expect("resumes");
    assert_eq!(read(&mut session, &resumed), "Idle", "it is not asked again after a cut");
}

#[test]
fn a_client_that_reads_no_events_is_asked_on_a_standalone_stream_or_not_at_all() {
    let now = start();
    let mut session = session(now);
    let (call, _lease) = post(&mut session, 1, false, now);
    let ask = |session: &mut Session<&'static str>| {
        session.ask(call, Method::RootsList, "caller", |id| id.to_string().into(), now)
    };
    assert_eq!(ask(&mut session), Err("caller"), "nobody would ever answer");
    let get = session.attach(now).expect("open");
    assert_eq!(ask(&mut session).map(|asked| asked.wake), Ok(Some(get.stream())));
    assert_eq!(read(&mut session, &get), "s2-1 2");
}

#[test]
fn a_question_that_nobody_took_fails_for_its_caller_when_the_grace_is_over() {
    let now = start();
    let mut session = session(now);
    let (call, lease) = post(&mut session, 1, true, now);
    let _ = session.detach(&lease, now);
    let asked = session.ask(call, Method::RootsList, "caller", |id| id.to_string().into(), now);
    assert!(asked.is_ok());
    let due = session.deadline().expect("grace");
    assert_eq!(session.expire(due).callers, [("caller", crate::outbox::Delivery::NotSent)]);
    assert_eq!(session.settle(call, b"A".to_vec(), due), Some(lease.stream()), "the call goes on");
}

#[test]
fn a_closing_session_answers_its_calls_and_then_ends_every_stream() {
    let now = start();
    let mut session = session(now);
    let get = session.attach(now).expect("open");
    let (call, post) = post(&mut session, 7, true, now);
    let (stopped, told) = session.close(|id, _| format!("closed {id}").into(), now);
    assert_eq!((stopped, told.callers), (vec![call], vec![]));
    assert_eq!([read(&mut session, &post), read(&mut session, &post)], ["s2-1 closed 7", "Ended"]);
    assert_eq!(read(&mut session, &get), "Ended");
    assert!(session.attach(now).is_none());
    assert!(session.receive(&request(8), true, now).0.is_empty());
    assert_eq!(session.settle(call, b"late".to_vec(), now), None);
}

#[test]
fn a_session_is_idle_when_no_call_runs_and_no_connection_is_open() {
    let start = start();
    let later = |seconds| start + Duration::from_secs(seconds);
    let mut session = session(start);
    assert_eq!(session.idle_since(), Some(start));
    let get = session.attach(later(1)).expect("open");
    assert_eq!(session.idle_since(), None, "a connection is open");
    let _ = session.detach(&get, later(2));
    assert_eq!(session.idle_since(), Some(later(2)));
    let (call, lease) = post(&mut session, 1, true, later(3));
    let _ = session.detach(&lease, later(4));
    assert_eq!(session.idle_since(), None, "a call runs");
    session.settle(call, b"A".to_vec(), later(5));
    assert_eq!(session.idle_since(), Some(later(5)));
}

fn id(number: u8) -> SessionId {
    SessionId::from_bytes([number; 16])
}

#[test]
fn sessions_that_were_never_used_make_room_the_idlest_first() {
    let start = start();
    let mut roster = Roster::new(2);
    for number in [1, 2] {
        let admitted = roster.admit(id(number), number, start + Duration::from_secs(number.into()));
        assert_eq!(admitted.map(|admitted| admitted.evicted), Ok(None));
    }
    assert_eq!(roster.find(id(1)), Ok(1));
    let admitted = roster.admit(id(3), 3, start + Duration::from_secs(3));
    assert_eq!(admitted.map(|admitted| admitted.evicted), Ok(Some((id(2), 2))), "1 is in use");
    assert_eq!(roster.find(id(2)), Err(Gone::Expired));
    assert_eq!(roster.find(id(3)), Ok(3));
    let full = roster.admit(id(4), 4, start + Duration::from_secs(4));
    assert_eq!(full.map(|admitted| admitted.evicted), Err(AtCapacity), "all are in use");
    assert_eq!(roster.find(id(4)), Err(Gone::Unknown));
    assert_eq!(roster.remove(id(1), Gone::Terminated), Some(1));
    assert_eq!(roster.find(id(1)), Err(Gone::Terminated));
    assert_eq!(roster.remove(id(1), Gone::Expired), None);
    assert_eq!(roster.find(id(1)), Err(Gone::Terminated), "the first reason stays");
    assert_eq!(roster.len(), 1);
}

#[test]
fn ended_sessions_are_forgotten_in_the_end() {
    let now = start();
    let mut roster = Roster::new(1);
    let nth = |n: u32| SessionId::from_bytes(u128::from(n).to_be_bytes());
    for n in 0..=10_001 {
        assert!(roster.admit(nth(n), n, now).is_ok());
    }
    let known = [0, 1, 10_000, 10_001].map(|n| roster.find(nth(n)));
    assert_eq!(known, [Err(Gone::Unknown), Err(Gone::Expired), Err(Gone::Expired), Ok(10_001)]);
    assert_eq!(roster.len(), 1);
}

#[test]
fn a_session_is_looked_after_at_its_earliest_time() {
    let start = start();
    let later = |seconds| start + Duration::from_secs(seconds);
    let mut roster = Roster::new(9);
    for number in [1, 2, 3] {
        assert!(roster.admit(id(number), number, start).is_ok());
    }
    assert!(roster.watch(id(1), later(9)));
    assert!(!roster.watch(id(2), later(10)), "not the first");
    assert!(roster.watch(id(2), later(5)), "now it is");
    assert!(!roster.watch(id(2), later(7)), "it is looked after earlier anyway");
    assert!(!roster.watch(id(4), later(1)), "there is none");
    assert_eq!(roster.next_due(), Some(later(5)));
    assert_eq!(roster.take_due(later(4)), None);
    assert_eq!(roster.take_due(later(9)), Some((id(2), 2)));
    assert_eq!(roster.take_due(later(9)), Some((id(1), 1)));
    assert_eq!(roster.take_due(later(9)), None);
    assert!(roster.watch(id(3), later(20)));
    assert_eq!(roster.remove(id(3), Gone::Expired), Some(3));
    assert_eq!(roster.next_due(), None);
}

#[test]
fn a_batch_that_cancels_its_own_calls_runs_none_of_them_and_comes_to_its_end() {
    let now = start();
    let channel = Channel::resumed(Limits::SERVER, 8, Revision::V2025_03_26);
    let mut session = Session::<&'static str>::new(channel, Outbox::new(PATIENCE, Budget::default()), now);
    let body = format!("[{},{}]", request(1), cancel(1));
    let (verdicts, lease) = session.receive(&body, true, now);
    assert!(matches!(verdicts.as_slice(), [Verdict::Cancel { .. }]), "{verdicts:?}");
    assert!(lease.is_none(), "there is nothing to answer");
    assert_eq!(session.idle_since(), Some(now));

    let body = format!("[{},{},{}]", request(2), request(3), cancel(3));
    let (verdicts, lease) = session.receive(&body, true, now);
    let (call, lease) = match (verdicts.as_slice(), lease) {
        ([Verdict::Run(call), Verdict::Cancel { .. }], Some(lease)) => (call.call, lease),
        other => panic!("{other:?}"),
    };
    assert_eq!(session.settle(call, b"B".to_vec(), now), Some(lease.stream()));
    assert_eq!([read(&mut session, &lease), read(&mut session, &lease)], ["s1-1 [B]", "Ended"]);
}
