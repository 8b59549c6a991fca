//! The tables of the channel, and an exploration of every short conversation about two ids.

use std::collections::{BTreeMap, BTreeSet};

use hermes_types::{Method, RequestId, Revision};

use super::{
    CallId, Change, Channel, Filter, Ignored, MAX_SUBSCRIBED, Notified, Settled, TooManySubscriptions,
    Verdict,
};
use crate::correlate::Orphan;
use crate::framing::{Head, Line};
use crate::limits::Limits;

const MODERN: &str = r#""params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;

fn channel() -> Channel<&'static str> {
    Channel::new(Limits::SERVER, 4)
}

fn in_session(revision: Revision) -> Channel<&'static str> {
    let mut channel = channel();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{revision}"}}}}"#
    );
    let Some(Verdict::Handshake { call, agreed, .. }) = channel.handle(Line::Text(&line)).next() else {
        panic!("no handshake");
    };
    assert_eq!(agreed.revision, revision);
    assert_eq!(channel.settle(call, b"{}".to_vec()), Settled::Send(b"{}".to_vec()));
    channel
}

/// The verdicts on a line, each in a few words.
fn says<C>(channel: &mut Channel<C>, line: &str) -> Vec<String> {
    channel
        .handle(Line::Text(line))
        .map(|verdict| match verdict {
            Verdict::Cancel { released: None, .. } => "cancel".to_owned(),
            Verdict::Cancel { released: Some(array), .. } => {
                format!("cancel, {}", String::from_utf8(array).expect("UTF-8"))
            }
            Verdict::Handshake { agreed, .. } => format!("handshake {}", agreed.revision),
            Verdict::Ignore(why) => format!("ignore: {why}"),
            Verdict::Notify(Notified::Initialized) => "initialized".to_owned(),
            Verdict::Notify(Notified::Progress(_)) => "progress".to_owned(),
            Verdict::Notify(Notified::RootsChanged) => "roots changed".to_owned(),
            Verdict::Refuse { response: text, .. } | Verdict::Reply(text) => {
                String::from_utf8(text).expect("UTF-8")
            }
            Verdict::Run(call) => format!("run {} {} {}", call.request_id, call.method, call.revision),
            Verdict::Settle { outcome, .. } => format!("settle {}", outcome.is_ok()),
        })
        .collect()
}

fn run<C>(channel: &mut Channel<C>, line: &str) -> CallId {
    match channel.handle(Line::Text(line)).next() {
        Some(Verdict::Run(call)) => call.call,
        _ => panic!("not run: {line}"),
    }
}

fn error(id: &str, code: i64, message: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
    format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":"{message}"}}}}"#)
}

// spec: R006, R009
#[test]
fn b026_broken_lines_are_answered_with_their_own_id_or_none() {
    let mut channel = in_session(Revision::V2025_11_25);
    for (line, id, code) in [
        ("{", "", -32700),
        (r#"{"jsonrpc":"2.0","id":"#, "", -32700),
        ("hello", "", -32700),
        ("5", "", -32600),
        ("{}", "", -32600),
        ("[]", "", -32600),
        (r#"{"jsonrpc":"2.0","id":4}"#, "4", -32600),
        (r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, "5", -32600),
        (r#"{"id":"6","method":"ping"}"#, "\"6\"", -32600),
        (r#"{"jsonrpc":"2.0","id":7,"method":1}"#, "7", -32600),
        (r#"{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}"#, "8", -32602),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "", -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "", -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "", -32600),
    ] {
        let said = says(&mut channel, line);
        let [reply] = said.as_slice() else { panic!("{line}: {said:?}") };
        let id = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
        let start = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"#);
        assert!(reply.starts_with(&start), "{line}: {reply}");
    }
    assert_eq!(says(&mut channel, r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#), ["run 9 ping 2025-11-25"]);
}

// spec: R012, R013
#[test]
fn b027_notifications_are_never_answered() {
    let mut channel = in_session(Revision::V2025_11_25);
    for (line, said) in [
        (r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#, "roots changed"),
        (r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#, "progress"),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/x-unknown","params":{"a":1}}"#,
            "ignore: a notification without a meaning here",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}"#,
            "ignore: a notification without a meaning here",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/x","params":[1]}"#,
            "ignore: a broken notification or response",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            "ignore: a response to a request that was never sent",
        ),
    ] {
        assert_eq!(says(&mut channel, line), [said], "{line}");
    }
}

// spec: R004, R005
#[test]
fn b021_a_duplicate_id_is_refused_and_the_first_call_is_untouched() {
    let mut channel = in_session(Revision::V2025_11_25);
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
    let first = run(&mut channel, line);
    let refused = error("1", -32600, "a request with this id is in flight");
    assert_eq!(says(&mut channel, line), std::slice::from_ref(&refused));
    let modern = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list",{MODERN}}}"#);
    assert_eq!(says(&mut channel, &modern), [refused]);
    assert_eq!(
        says(&mut channel, r#"{"jsonrpc":"2.0","id":"1","method":"tools/list"}"#),
        ["run \"1\" tools/list 2025-11-25"],
        "a string is another id"
    );
    assert_eq!(channel.settle(first, b"a".to_vec()), Settled::Send(b"a".to_vec()));
    assert_eq!(channel.settle(first, b"b".to_vec()), Settled::Late);
    let second = run(&mut channel, line);
    assert_ne!(first, second, "the id is free again, and stands for another call");
}

#[test]
fn as_many_calls_as_allowed_are_accepted_and_the_next_is_told_to_wait() {
    let mut channel = in_session(Revision::V2025_11_25);
    for id in 0..4 {
        run(&mut channel, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#));
    }
    assert_eq!(
        says(&mut channel, r#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#),
        [error("4", -32000, "too many requests in flight")]
    );
}

// spec: R223, R224
#[test]
fn b036_a_cancelled_call_is_over_and_other_cancellations_do_nothing() {
    let mut channel = in_session(Revision::V2025_11_25);
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4,"reason":"r"}}"#;
    let call = run(&mut channel, r#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#);
    assert!(channel.running().contains(call));
    assert_eq!(says(&mut channel, cancel), ["cancel"]);
    assert!(!channel.running().contains(call));
    assert_eq!(channel.settle(call, b"late".to_vec()), Settled::Late);
    for line in [
        cancel,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"4"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    ] {
        assert_eq!(says(&mut channel, line), ["ignore: a cancellation of nothing that runs"], "{line}");
    }
}

// spec: R031, R032
#[test]
fn both_eras_share_the_channel_and_modern_requests_leave_the_session_alone() {
    let mut channel = channel();
    let modern = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list",{MODERN}}}"#);
    assert_eq!(says(&mut channel, &modern), ["run 1 tools/list 2026-07-28"]);
    assert_eq!(channel.session(), None);
    let initialize =
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
    assert_eq!(says(&mut channel, initialize), ["handshake 2025-06-18"]);
    let modern = format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/list",{MODERN}}}"#);
    assert_eq!(says(&mut channel, &modern), ["run 3 tools/list 2026-07-28"]);
    let legacy = r#"{"jsonrpc":"2.0","id":4,"method":"tools/list"}"#;
    assert_eq!(says(&mut channel, legacy), ["run 4 tools/list 2025-06-18"]);
}

// spec: R064
#[test]
fn a_second_initialize_is_refused_and_the_session_goes_on() {
    let mut channel = in_session(Revision::V2025_06_18);
    let again = r#"{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    assert_eq!(says(&mut channel, again), [error("9", -32600, "the session is initialized already")]);
    assert_eq!(channel.session(), Some(Revision::V2025_06_18));
}

#[test]
fn b015_a_request_that_overtakes_the_initialized_notification_is_served() {
    let mut channel = in_session(Revision::V2025_11_25);
    assert!(!channel.is_ready());
    assert_eq!(
        says(&mut channel, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#),
        ["run 2 tools/list 2025-11-25"]
    );
    assert_eq!(
        says(&mut channel, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        ["initialized"]
    );
    assert!(channel.is_ready());
}

// spec: R014, R015
#[test]
fn b032_batches_run_in_2025_03_26_and_nowhere_else() {
    let batch =
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#;
    for revision in [Revision::V2024_11_05, Revision::V2025_06_18, Revision::V2025_11_25] {
        let mut channel = in_session(revision);
        assert_eq!(
            says(&mut channel, batch),
            [error("", -32600, "a batch where a single message is expected")],
            "{revision}"
        );
        assert!(channel.running().is_empty());
    }
    let mut channel = in_session(Revision::V2025_03_26);
    assert_eq!(says(&mut channel, batch), ["run 1 ping 2025-03-26", "run 2 tools/list 2025-03-26"]);
    let calls: Vec<_> = channel.running().calls().map(|(call, _)| call).collect();
    assert_eq!(channel.settle(calls[1], b"B".to_vec()), Settled::Held);
    assert_eq!(channel.settle(calls[0], b"A".to_vec()), Settled::Send(b"[B,A]".to_vec()));
}

// spec: R076
#[test]
fn a_batch_collects_refusals_and_keeps_silent_about_notifications() {
    let mut channel = in_session(Revision::V2025_03_26);
    let modern = format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/list",{MODERN}}}"#);
    let initialize =
        r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;
    let said = says(&mut channel, &format!(r#"[1,{modern},{initialize},[]]"#));
    assert_eq!(
        said,
        [format!(
            "[{},{},{},{}]",
            error("", -32600, "not a request, a notification or a response"),
            error("3", -32600, "this revision has no batches"),
            error("4", -32600, "the session is initialized already"),
            error("", -32600, "a batch where a single message is expected"),
        )]
    );
    assert_eq!(
        says(&mut channel, r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#),
        ["initialized"]
    );
    assert_eq!(says(&mut channel, "[]"), [error("", -32600, "not a request, a notification or a response")]);
    assert_eq!(
        says(&mut channel, "[1,2,3,4,5]"),
        [error("", -32600, "the batch has 5 messages, and 4 are allowed")]
    );
}

#[test]
fn cancelling_the_last_call_of_a_batch_sends_what_is_there() {
    let mut channel = in_session(Revision::V2025_03_26);
    let batch =
        r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call"},{"jsonrpc":"2.0","id":2,"method":"tools/call"}]"#;
    says(&mut channel, batch);
    let first = channel.running().find(&1.into()).expect("runs");
    assert_eq!(channel.settle(first, b"A".to_vec()), Settled::Held);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    assert_eq!(says(&mut channel, cancel), ["cancel, [A]"]);
    assert_eq!(
        says(&mut channel, r#"[{"jsonrpc":"2.0","id":5,"method":"tools/call"}]"#),
        ["run 5 tools/call 2025-03-26"]
    );
    let cancel = r#"[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}]"#;
    assert_eq!(says(&mut channel, cancel), ["cancel"], "no response at all gives no array");
}

#[test]
fn a_batch_that_cancels_does_not_take_in_the_responses_of_the_other() {
    let mut channel = in_session(Revision::V2025_03_26);
    let call = |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#);
    says(&mut channel, &format!("[{},{}]", call(1), call(2)));
    let first = channel.running().find(&1.into()).expect("runs");
    assert_eq!(channel.settle(first, b"A".to_vec()), Settled::Held);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    let said = says(&mut channel, &format!("[{cancel},{}]", call(3)));
    assert_eq!(said, ["cancel, [A]", "run 3 tools/call 2025-03-26"]);
    let third = channel.running().find(&3.into()).expect("runs");
    assert_eq!(channel.settle(third, b"C".to_vec()), Settled::Send(b"[C]".to_vec()));
}

// spec: R016
#[test]
fn lines_that_cannot_be_read_are_refused_by_what_they_were() {
    let mut channel = in_session(Revision::V2025_11_25);
    let too_long = |head| Line::TooLong { head, bytes: 20_000_000 };
    let reply = |channel: &mut Channel<&'static str>, line: Line<'_>| match channel.handle(line).next() {
        Some(Verdict::Refuse { response: text, .. } | Verdict::Reply(text)) => {
            String::from_utf8(text).expect("UTF-8")
        }
        Some(Verdict::Ignore(Ignored::Malformed)) => "ignored".to_owned(),
        other => panic!("{other:?}"),
    };
    let message = "the line has 20000000 bytes, and 16777216 are allowed";
    assert_eq!(reply(&mut channel, too_long(Head::Request("a".into()))), error("\"a\"", -32600, message));
    assert_eq!(reply(&mut channel, too_long(Head::Unknown)), error("", -32600, message));
    assert_eq!(reply(&mut channel, too_long(Head::Notification)), "ignored");
    assert_eq!(
        reply(&mut channel, Line::NotUtf8 { head: Head::Request(3.into()) }),
        error("3", -32700, "the line is not UTF-8")
    );
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"a":{}{}}}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    assert_eq!(
        reply(&mut channel, Line::Text(&deep)),
        error("7", -32600, "the message is nested deeper than 128 levels")
    );
}

#[test]
fn b028_a_response_settles_whoever_asked_once() {
    let mut channel = in_session(Revision::V2025_11_25);
    let id = channel.ask(Method::RootsList, "the caller");
    assert_eq!(id, RequestId::from(1));
    for (line, why) in [
        (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, Ignored::Response(Orphan::Unknown)),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#, Ignored::ErrorWithoutId),
    ] {
        let verdict = channel.handle(Line::Text(line)).next();
        assert!(matches!(verdict, Some(Verdict::Ignore(is)) if is == why), "{line}");
    }
    let answer = Line::Text(r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#);
    let Some(Verdict::Settle { caller, outcome, .. }) = channel.handle(answer.clone()).next() else {
        panic!("not settled");
    };
    assert_eq!((caller, outcome.expect("a result").get()), ("the caller", r#"{"roots":[]}"#));
    let again = channel.handle(answer).next();
    assert!(matches!(again, Some(Verdict::Ignore(Ignored::Response(Orphan::Finished)))));
}

#[test]
fn an_answer_that_is_too_long_fails_the_request_it_answers() {
    let mut channel = in_session(Revision::V2025_11_25);
    let id = channel.ask(Method::SamplingCreateMessage, "the caller");
    let line = Line::TooLong { head: Head::Response(Some(id)), bytes: 20_000_000 };
    let Some(Verdict::Settle { caller, outcome: Err(error), .. }) = channel.handle(line).next() else {
        panic!("not settled");
    };
    assert_eq!((caller, error.code), ("the caller", -32600));
}

// spec: R408
#[test]
fn b083_a_change_is_told_to_those_who_asked_for_it() {
    let mut channel = in_session(Revision::V2025_11_25);
    let listen = |channel: &mut Channel<&'static str>, id: &str, filter: Filter| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen",{MODERN}}}"#);
        let call = run(channel, &line);
        assert_eq!(channel.listen(call, filter), Ok(()));
        call
    };
    let uris = BTreeSet::from(["res://a".to_owned()]);
    let a = listen(&mut channel, "\"L1\"", Filter { uris, ..Filter::default() });
    listen(&mut channel, "2", Filter { tools: true, ..Filter::default() });
    assert_eq!(channel.subscribe("res://b".to_owned()), Ok(()));
    assert_eq!(channel.subscribe("res://b".to_owned()), Ok(()));

    let told = |channel: &Channel<&'static str>, change: &Change| {
        let told = channel.tell(change);
        (told.session.is_some(), told.listeners)
    };
    let resource = |uri: &str| Change::Resource(uri.to_owned());
    assert_eq!(told(&channel, &Change::Tools), (true, vec![2.into()]));
    assert_eq!(told(&channel, &Change::Prompts), (true, vec![]));
    assert_eq!(told(&channel, &resource("res://a")), (false, vec!["L1".into()]));
    assert_eq!(told(&channel, &resource("res://b")), (true, vec![]));

    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L1"}}"#;
    assert_eq!(says(&mut channel, cancel), ["cancel"]);
    assert!(!channel.running().contains(a));
    assert_eq!(told(&channel, &resource("res://a")), (false, vec![]));
    channel.unsubscribe("res://b");
    channel.unsubscribe("res://never");
    assert_eq!(told(&channel, &resource("res://b")), (false, vec![]));
    assert_eq!(channel.listens().count(), 1);
}

#[test]
fn subscriptions_are_bounded_and_the_same_one_twice_counts_once() {
    let mut channel = in_session(Revision::V2025_11_25);
    for n in 0..MAX_SUBSCRIBED {
        assert_eq!(channel.subscribe(format!("res://{n}")), Ok(()));
    }
    assert_eq!(channel.subscribe("res://0".to_owned()), Ok(()));
    assert_eq!(channel.subscribe("res://more".to_owned()), Err(TooManySubscriptions));
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",{MODERN}}}"#);
    let call = run(&mut channel, &line);
    let filter = Filter { uris: BTreeSet::from(["res://a".to_owned()]), ..Filter::default() };
    assert_eq!(channel.listen(call, filter.clone()), Err(TooManySubscriptions));
    channel.unsubscribe("res://0");
    assert_eq!(channel.listen(call, filter), Ok(()));
}

/// A reference model in the plainest words: which call an id stands for, and what was sent for each call.
#[derive(Clone, Default)]
struct Model {
    in_flight: BTreeMap<&'static str, usize>,
    calls: Vec<CallId>,
    sent: Vec<u8>,
    cancelled: BTreeSet<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Request(&'static str),
    Cancel(&'static str),
    /// The n-th call that was accepted settles, be it running, cancelled or settled before.
    Settle(usize),
}

/// Two ids, every order of requests, duplicates, cancellations, settlements and late settlements.
///
/// After each step: what the channel says is what the model says; a call has at most one response; a
/// cancelled one has none; the calls in flight are the same.
#[test]
fn every_short_conversation_gives_each_request_one_outcome() {
    const DEPTH: usize = 6;
    let mut visited = 0_u64;
    explore(&in_session(Revision::V2025_11_25), &Model::default(), DEPTH, &mut visited);
    // 4 steps that are always possible, and one more for every call accepted so far: all of them, exactly.
    assert_eq!(visited, 17_987);
}

fn explore(channel: &Channel<&'static str>, model: &Model, depth: usize, visited: &mut u64) {
    *visited += 1;
    if depth == 0 {
        return;
    }
    let fixed = [Step::Request("a"), Step::Request("b"), Step::Cancel("a"), Step::Cancel("b")];
    for step in fixed.into_iter().chain((0..model.calls.len()).map(Step::Settle)) {
        let (mut channel, mut model) = (channel.clone(), model.clone());
        take(&mut channel, &mut model, step);
        let in_flight: Vec<_> = channel.running().calls().map(|(call, _)| call).collect();
        let expected: BTreeSet<_> = model.in_flight.values().map(|call| model.calls[*call]).collect();
        assert_eq!(in_flight, expected.into_iter().collect::<Vec<_>>(), "{step:?}");
        assert!(model.sent.iter().all(|count| *count <= 1), "{step:?}");
        assert!(model.cancelled.iter().all(|call| model.sent[*call] == 0), "{step:?}");
        explore(&channel, &model, depth - 1, visited);
    }
}

fn take(channel: &mut Channel<&'static str>, model: &mut Model, step: Step) {
    match step {
        Step::Request(id) => {
            let line = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call"}}"#);
            match (channel.handle(Line::Text(&line)).next(), model.in_flight.contains_key(id)) {
                (Some(Verdict::Run(call)), false) => {
                    assert!(!model.calls.contains(&call.call), "a call id is used twice");
                    model.in_flight.insert(id, model.calls.len());
                    model.calls.push(call.call);
                    model.sent.push(0);
                }
                (Some(Verdict::Refuse { response: text, .. } | Verdict::Reply(text)), true) => {
                    let refused = error(&format!("\"{id}\""), -32600, "a request with this id is in flight");
                    assert_eq!(text, refused.into_bytes());
                }
                (verdict, running) => panic!("{id} in flight: {running}, and yet {verdict:?}"),
            }
        }
        Step::Cancel(id) => {
            let line = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"{id}"}}}}"#
            );
            match (channel.handle(Line::Text(&line)).next(), model.in_flight.remove(id)) {
                (Some(Verdict::Cancel { call, .. }), Some(expected)) => {
                    assert_eq!(call, model.calls[expected]);
                    model.cancelled.insert(expected);
                }
                (Some(Verdict::Ignore(Ignored::CancelsNothing)), None) => {}
                (verdict, running) => panic!("{id} in flight: {running:?}, and yet {verdict:?}"),
            }
        }
        Step::Settle(call) => {
            let running = model.in_flight.iter().find(|(_, is)| **is == call).map(|(id, _)| *id);
            match (channel.settle(model.calls[call], b"x".to_vec()), running) {
                (Settled::Send(_), Some(id)) => {
                    model.in_flight.remove(id);
                    model.sent[call] += 1;
                }
                (Settled::Late, None) => {}
                (settled, running) => panic!("{call} runs: {running:?}, and yet {settled:?}"),
            }
        }
    }
}

// spec: R013
#[test]
fn a_broken_answer_is_never_answered_and_whoever_waits_is_told() {
    for answer in [
        r#"{"id":1,"result":{}}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#,
    ] {
        let mut channel = in_session(Revision::V2025_11_25);
        assert_eq!(channel.ask(Method::RootsList, "asker"), 1.into());
        assert_eq!(says(&mut channel, answer), ["settle false"], "{answer}");
    }
    let mut channel = in_session(Revision::V2025_11_25);
    let odd = r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#;
    assert!(matches!(says(&mut channel, odd).as_slice(), [said] if said.starts_with("ignore")), "{odd}");
}

// spec: R243
#[test]
fn a_ping_is_answered_even_when_nothing_else_has_room() {
    let mut channel = in_session(Revision::V2025_11_25);
    for id in 0..4 {
        let _ = run(&mut channel, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#));
    }
    let full = says(&mut channel, r#"{"jsonrpc":"2.0","id":5,"method":"tools/list"}"#);
    assert_eq!(full, [error("5", -32000, "too many requests in flight")]);
    let alive = says(&mut channel, r#"{"jsonrpc":"2.0","id":6,"method":"ping"}"#);
    assert_eq!(alive, [r#"{"jsonrpc":"2.0","id":6,"result":{}}"#]);
}

#[test]
fn b027_a_broken_notification_is_not_answered_either() {
    let mut channel = in_session(Revision::V2025_11_25);
    for line in [
        r#"{"jsonrpc":"1.0","method":"notifications/x"}"#,
        r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":5}"#,
    ] {
        assert_eq!(says(&mut channel, line), ["ignore: a broken notification or response"], "{line}");
    }
}

#[test]
fn a_bare_id_settles_the_question_that_has_it_and_never_answers_a_running_call() {
    let mut channel = Channel::<&'static str>::resumed(Limits::SERVER, 8, Revision::V2025_11_25);
    let call = run(&mut channel, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#);
    let bare = r#"{"jsonrpc":"2.0","id":1}"#;
    assert_eq!(says(&mut channel, bare), ["ignore: a broken notification or response"]);
    assert_eq!(channel.ask(Method::RootsList, "caller"), 1.into());
    assert_eq!(says(&mut channel, bare), ["settle false"], "whoever asked learns that the answer was lost");
    assert_eq!(channel.settle(call, b"A".to_vec()), Settled::Send(b"A".to_vec()));
    assert_eq!(says(&mut channel, bare).len(), 1, "now it is nobody's");
}
