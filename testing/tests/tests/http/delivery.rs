//! Faults that were measured in servers of today, none of which may be here.

use std::sync::Arc;
use std::time::Duration;

use hermes_testkit::raw::{Connection, Frame, PATIENCE, RawError, Session};
use hermes_testkit::relay::{Relay, Strike};
use hermes_testkit::torture::{CallPlan, Cut, Kill, Work, follow};
use serde_json::{Value, json};

use crate::{
    LATEST, LEGACY, MODERN, Sleeps, demo, first_id, list_changed, refused, struck_get, text, toggle, within,
};

/// Long enough for everything that happens at once, and far below any call that sleeps.
const AT_ONCE: Duration = Duration::from_secs(5);

// spec: R136, R140
#[tokio::test]
async fn a_result_that_was_complete_while_the_client_was_away_is_there() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    for (number, cut) in [Cut::Close, Cut::Reset, Cut::Abandon].into_iter().enumerate() {
        let mut answer = session.post(&session.call(7, "sleep", json!({ "ms": 100 }))).await?;
        let cursor = first_id(&mut answer).await?;
        let kept = match cut {
            Cut::Abandon => Some(answer),
            Cut::Close => None,
            Cut::Reset => answer.reset().map(|()| None)?,
        };
        let all = number as u64 + 1;
        Sleeps::until(&session, Sleeps { started: all, done: all, cancelled: 0 }).await?;
        for _ in 0..2 {
            // As often as it is asked for: the first resume may have been cut as well.
            let outcome = session.get(Some(&cursor)).await?.outcome().await?;
            assert_eq!((&outcome.response["id"], text(&outcome.response)), (&json!(7), "done"));
        }
        drop(kept);
    }
    Ok(())
}

#[tokio::test]
async fn a_long_result_that_was_cut_in_the_middle_comes_whole_on_its_resume() -> Result<(), RawError> {
    let demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    let session = Session::open(demo.target(), LATEST).await?;
    let work = Work::Progress { notes: 1, interval_ms: 1 };
    let plan = CallPlan { session: 0, id: 1, work, kills: vec![Kill::Events(1, Cut::Reset)] };
    let ended = follow(&session, &relay, &plan, PATIENCE).await;
    assert_eq!((ended.findings, ended.count.resumes), (Vec::<String>::new(), 1));
    let plan = CallPlan { session: 0, id: 2, work: Work::Big { bytes: 20_000_000 }, kills: Vec::new() };
    let ended = follow(&session, &relay, &plan, PATIENCE).await;
    assert_eq!(ended.findings, Vec::<String>::new(), "20 MB fit");
    Ok(())
}

// spec: R145
#[tokio::test]
async fn a_resume_neither_repeats_nor_skips_what_is_said_while_it_is_made() -> Result<(), RawError> {
    let demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        for cut in [Cut::Close, Cut::Reset, Cut::Abandon] {
            let work = Work::Progress { notes: 200, interval_ms: 1 };
            let kills = (0..40).map(|at| Kill::Events(1 + at % 4, cut)).collect();
            let ended =
                follow(&session, &relay, &CallPlan { session: 0, id: 9, work, kills }, PATIENCE).await;
            assert!(ended.findings.is_empty(), "{revision}: {}", ended.findings.join("\n"));
            assert_eq!((ended.count.cuts, ended.count.resumes), (40, 40));
        }
    }
    Ok(())
}

// spec: R145
#[tokio::test]
async fn a_cursor_never_brings_the_result_of_another_session() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let mut marked = Vec::new();
        for mark in ["ada", "bob"] {
            let session = Session::open(demo.target(), revision).await?;
            let call = session.call_with_progress(7, "progress", json!({ "n": 2, "interval_ms": 1 }), mark);
            let mut answer = session.post(&call).await?;
            let cursor = first_id(&mut answer).await?;
            answer.outcome().await?;
            marked.push((session, mark, cursor));
        }
        for ((session, own, _), (_, other, cursor)) in [(&marked[0], &marked[1]), (&marked[1], &marked[0])] {
            let mut answer = session.get(Some(cursor)).await?;
            let body = within(AT_ONCE, "an answer", answer.body()).await?;
            let body = String::from_utf8_lossy(&body).into_owned();
            assert!(!body.contains(other), "{own} hears what {other} was told: {body}");
        }
    }
    Ok(())
}

// spec: R143
#[tokio::test]
async fn every_event_of_a_session_has_an_id_of_its_own() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let mut get = session.get(None).await?;
        let mut ids = Vec::new();
        for id in 0..5 {
            let call = session.call_with_progress(id, "progress", json!({ "n": 5, "interval_ms": 1 }), id);
            ids.extend(session.post(&call).await?.outcome().await?.ids);
            toggle(&session).await?;
            loop {
                let Frame::Event(event) = get.frame().await? else { continue };
                let message = event.message()?;
                ids.extend(event.id);
                if message.is_some() {
                    break;
                }
            }
        }
        let all = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), all, "{revision}");
        assert!(all >= 5 * 7, "five notes, an answer and a change each time: {all}");
    }
    Ok(())
}

// spec: R146
#[tokio::test]
async fn a_priming_event_and_the_first_message_have_ids_of_their_own() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let mut answer = session.post(&session.call(1, "sleep", json!({ "ms": 10 }))).await?;
    let Frame::Event(priming) = answer.frame().await? else { panic!("a priming event comes first") };
    assert_eq!(priming.data.as_deref(), Some(""));
    let outcome = answer.outcome().await?;
    let [of_the_answer] = outcome.ids.as_slice() else { panic!("one event: {outcome:?}") };
    assert_ne!(Some(of_the_answer), priming.id.as_ref());
    Ok(())
}

// spec: R139
#[tokio::test]
async fn a_resumed_stream_ends_behind_its_result_and_does_not_pretend_that_there_is_more()
-> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call_with_progress(1, "progress", json!({ "n": 1, "interval_ms": 1 }), "p");
        let outcome = session.post(&call).await?.outcome().await?;
        let [.., before, last] = outcome.ids.as_slice() else { panic!("two events: {outcome:?}") };
        let again = session.get(Some(before)).await?.outcome().await?;
        assert_eq!((again.response, again.ids.len()), (outcome.response, 1));
        // Whoever has all of it is told so; a stream that says nothing would be waited on.
        refused(within(AT_ONCE, "a word", session.get(Some(last))).await?, 400).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_get_that_supersedes_a_half_open_one_hears_and_is_never_refused() -> Result<(), RawError> {
    let demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        for strike in [Strike::Swallow, Strike::Stall] {
            let mut old = Vec::new();
            for _ in 0..5 {
                old.push(struck_get(&session, &relay, strike).await?);
            }
            let mut new = session.get(None).await?;
            assert_eq!(new.status(), 200);
            toggle(&session).await?;
            within(AT_ONCE, "the change", list_changed(&mut new)).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_reader_that_never_reads_does_not_hold_up_its_session() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let mut deaf = Connection::open_narrow(demo.target().address, 2048).await?;
        deaf.send(&session.get_bytes(None, &[])).await?;
        let mut unread = Vec::new();
        for (id, tool, arguments) in [
            (1, "big", json!({ "bytes": 8_000_000 })),
            (2, "progress", json!({ "n": 20_000, "interval_ms": 0 })),
        ] {
            let mut connection = Connection::open_narrow(demo.target().address, 2048).await?;
            let call = session.call_with_progress(id, tool, arguments, "unread");
            session.note(&call);
            connection.send(&session.post_bytes(&call, &[])).await?;
            unread.push(connection);
        }
        for id in 10..30 {
            toggle(&session).await?;
            let call = session.call(id, "echo", json!({ "text": "still quick" }));
            let response = within(AT_ONCE, "a call beside", session.ask(&call)).await?;
            assert_eq!(text(&response), "still quick");
        }
        let ping = session.request(99, "ping", json!({}));
        within(AT_ONCE, "a ping", session.ask(&ping)).await?;
        // What nobody read is still there, for whoever reads at last.
        let big = unread.swap_remove(0);
        let response = session.answer_on(big).await?.outcome().await?.response;
        assert_eq!(text(&response).len(), 8_000_000);
        drop(deaf);
    }
    Ok(())
}

/// A call of `ask` whose question has come, on the call's own stream.
async fn asked(session: &Session) -> Result<(hermes_testkit::raw::Answer, Vec<String>, Value), RawError> {
    let mut answer = session.post(&session.call(5, "ask", json!({ "message": "Who?" }))).await?;
    let mut ids = Vec::new();
    loop {
        let Frame::Event(event) = within(AT_ONCE, "the question", answer.frame()).await? else { continue };
        let message = event.message()?;
        ids.extend(event.id);
        if let Some(question) = message {
            assert_eq!(question["method"], "elicitation/create", "{question}");
            return Ok((answer, ids, question));
        }
    }
}

fn ada(question: &Value) -> Value {
    let result = json!({ "action": "accept", "content": { "name": "Ada" } });
    json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })
}

// spec: R137, R141
#[tokio::test]
async fn a_question_needs_no_get_stream_and_comes_on_its_calls_own() -> Result<(), RawError> {
    let demo = demo();
    for revision in &LEGACY[1..] {
        let session = Session::open_with(demo.target(), *revision, json!({ "elicitation": {} })).await?;
        let (mut answer, _, question) = asked(&session).await?;
        session.tell(&ada(&question)).await?;
        assert_eq!(text(&answer.outcome().await?.response), "Hello, Ada");
        // Nor is it put on a GET stream that is there.
        let mut get = session.get(None).await?;
        let (mut answer, _, question) = asked(&session).await?;
        session.tell(&ada(&question)).await?;
        assert_eq!(text(&answer.outcome().await?.response), "Hello, Ada");
        toggle(&session).await?;
        list_changed(&mut get).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_question_is_not_asked_twice_after_a_cut() -> Result<(), RawError> {
    let demo = demo();
    for revision in &LEGACY[1..] {
        let session = Session::open_with(demo.target(), *revision, json!({ "elicitation": {} })).await?;
        let (answer, ids, question) = asked(&session).await?;
        answer.reset()?;
        let last = ids.last().expect("the question has an id");
        let mut resumed = session.get(Some(last)).await?;
        session.tell(&ada(&question)).await?;
        let outcome = resumed.outcome().await?;
        assert_eq!((outcome.before, text(&outcome.response)), (Vec::new(), "Hello, Ada"));
        // Whoever has not seen it is asked, once, under the same id.
        let (answer, ids, question) = asked(&session).await?;
        answer.reset()?;
        if let [priming, _] = ids.as_slice() {
            let mut resumed = session.get(Some(priming)).await?;
            let again = resumed.message().await?.expect("the question");
            assert_eq!(again, question);
            session.tell(&ada(&question)).await?;
            assert_eq!(text(&resumed.outcome().await?.response), "Hello, Ada");
        }
    }
    Ok(())
}

// spec: R004
#[tokio::test]
async fn two_requests_in_flight_with_one_id_neither_cross_nor_hang() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open_with(demo.target(), revision, json!({ "roots": {} })).await?;
        // It is in flight for as long as its question has no answer.
        let mut first = session.post(&session.call(1, "roots", json!({}))).await?;
        let question = first.message().await?.expect("a question");
        for _ in 0..12 {
            let second = session.call(1, "touch", json!({}));
            let error = session.ask(&second).await?;
            assert_eq!(error["error"]["code"], -32600, "{error}");
        }
        let roots = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } });
        session.tell(&roots).await?;
        assert_eq!(text(&first.outcome().await?.response), "no roots");
        let free = session.ask(&session.call(1, "echo", json!({ "text": "free again" }))).await?;
        assert_eq!(text(&free), "free again");
    }
    // There is no session in which ids could meet.
    let session = Session::open(demo.target(), MODERN).await?;
    let mut first = session.post(&session.call(1, "sleep", json!({ "ms": 400 }))).await?;
    let second = session.ask(&session.call(1, "echo", json!({ "text": "B" }))).await?;
    assert_eq!(text(&second), "B");
    assert_eq!(text(&first.outcome().await?.response), "done");
    let counter = session.ask(&session.call(2, "touch", json!({}))).await?;
    assert_eq!(text(&counter), "1", "no second request was run");
    Ok(())
}

#[tokio::test]
async fn a_panic_leaves_nobody_waiting_also_behind_an_event_stream() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call_with_progress(1, "panic", json!({}), "p");
        for accept in ["application/json, text/event-stream", "application/json", "text/event-stream"] {
            let answer = session.post_with(&call, &[("Accept", Some(accept))]).await?;
            let mut answer = within(AT_ONCE, "the head", async { Ok::<_, RawError>(answer) }).await?;
            let error = within(AT_ONCE, "the error", answer.outcome()).await?.response;
            assert_eq!((&error["id"], &error["error"]["code"]), (&json!(1), &json!(-32603)), "{accept}");
        }
    }
    Ok(())
}

// spec: R132
#[tokio::test]
async fn the_error_for_a_dead_session_has_the_requests_id_whatever_its_type() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::stranger(demo.target(), revision).with_id(Some("gone"));
        for id in [json!(0), json!(-7), json!(9_007_199_254_740_993_u64), json!("1"), json!("日本")] {
            let error =
                refused(session.post(&session.call(id.clone(), "echo", json!({}))).await?, 404).await?;
            assert_eq!((&error["id"], &error["error"]["data"]["reason"]), (&id, &json!("unknown")));
            let message = "Session expired or not initialized. Please reconnect.";
            assert_eq!(error["error"]["message"], message);
        }
    }
    Ok(())
}

#[tokio::test]
async fn deleting_a_session_that_never_was_is_404() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::stranger(demo.target(), revision).with_id(Some("gone"));
        refused(session.delete().await?, 404).await?;
        refused(session.with_id(None).delete().await?, 400).await?;
    }
    Ok(())
}

// spec: R174, R179, R180
#[tokio::test]
async fn in_the_modern_era_the_head_goes_out_long_before_the_handler_ends() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), MODERN).await?;
    let call = session.call(1, "sleep", json!({ "ms": 60_000 }));
    let answer = within(AT_ONCE, "the head", session.post(&call)).await?;
    assert!(answer.is_events(), "{:?}", answer.head);
    Sleeps::until(&session, Sleeps { started: 1, done: 0, cancelled: 0 }).await?;
    // Closing the stream is how its call is cancelled.
    drop(answer);
    Sleeps::until(&session, Sleeps { started: 1, done: 0, cancelled: 1 }).await?;
    Ok(())
}

// spec: R126, R174
#[tokio::test]
async fn whoever_takes_json_only_gets_an_outcome_for_every_call() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        for (id, tool, arguments) in [
            (1, "sleep", json!({ "ms": 300 })),
            (2, "progress", json!({ "n": 3, "interval_ms": 50 })),
            (3, "fail", json!({ "message": "no" })),
            (4, "echo", json!({ "text": "x" })),
        ] {
            let call = session.call_with_progress(id, tool, arguments, "p");
            let mut answer = session.post_with(&call, &[("Accept", Some("application/json"))]).await?;
            assert!(!answer.is_events());
            let response = answer.json().await?;
            assert_eq!(response["id"], id, "{response}");
            assert!(response.get("result").is_some(), "{response}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_call_is_never_cancelled_by_a_cut_and_what_a_cancelled_one_says_is_nothing() -> Result<(), RawError>
{
    let demo = demo();
    let relay = Arc::new(Relay::start(demo.target().address).await?);
    let session = Session::open(demo.target(), LATEST).await?;
    for (id, cut) in [(1, Cut::Close), (2, Cut::Reset), (3, Cut::Abandon)] {
        let plan =
            CallPlan { session: 0, id, work: Work::Sleep { ms: 50 }, kills: vec![Kill::Events(1, cut)] };
        let ended = follow(&session, &relay, &plan, PATIENCE).await;
        assert_eq!((ended.findings, ended.count.resumes), (Vec::<String>::new(), 1));
    }
    assert_eq!(Sleeps::of(&session).await?, Sleeps { started: 3, done: 3, cancelled: 0 });
    Ok(())
}
