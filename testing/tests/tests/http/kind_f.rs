//! Faults that others have met, of kind F: keep-alive, reconnection, resumption. The names are those of the
//! collection they stand in.

use std::time::Duration;

use hermes_testkit::raw::{Answer, Connection, Frame, RawError, Session};
use hermes_testkit::relay::{Fate, Relay, Strike};
use serde_json::json;

use crate::{
    LATEST, LEGACY, MODERN, demo, demo_with, list_changed, refused, struck_get, text, toggle, within,
};

/// Waits for so many comments, with nothing else between them.
async fn comments(stream: &mut Answer, wanted: usize) -> Result<(), RawError> {
    let mut heard = 0;
    while heard < wanted {
        match stream.frame().await? {
            Frame::Comment(_) => heard += 1,
            Frame::Event(event) => assert_eq!(event.message()?, None, "after {heard} comments"),
            Frame::End => panic!("the stream ended after {heard} comments"),
        }
    }
    Ok(())
}

#[tokio::test]
async fn b047_a_quiet_stream_of_any_kind_is_kept_alive() -> Result<(), RawError> {
    let demo = demo_with(&["--keep-alive", "200ms"]);
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let mut call = session.post(&session.call(1, "sleep", json!({ "ms": 1500 }))).await?;
        comments(&mut call, 4).await?;
        let response = call.outcome().await?.response;
        assert_eq!(text(&response), "done");
        let mut quiet = if revision.is_modern() {
            let listen = session.request(
                2,
                "subscriptions/listen",
                json!({ "notifications": { "toolsListChanged": true } }),
            );
            let mut listening = session.post(&listen).await?;
            let first = listening.message().await?.expect("an acknowledgement");
            assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
            listening
        } else {
            session.get(None).await?
        };
        comments(&mut quiet, 4).await?;
    }
    Ok(())
}

#[tokio::test]
async fn b047_a_silent_call_completes_behind_a_proxy_that_is_less_patient_than_it_lasts()
-> Result<(), RawError> {
    let demo = demo_with(&["--keep-alive", "500ms"]);
    let relay = Relay::start(demo.target().address).await?;
    for revision in [LATEST, MODERN] {
        let session = Session::open(demo.target(), revision).await?;
        let (stream, _) = relay.connect(Fate::pass().impatient(Duration::from_secs(2))).await?;
        let call = session.call(1, "sleep", json!({ "ms": 5_000 }));
        let mut answer = session.post_on(Connection::over(stream), &call, &[]).await?;
        assert_eq!(text(&answer.outcome().await?.response), "done", "{revision}");
    }
    Ok(())
}

// spec: R128, R135
#[tokio::test]
async fn b048_a_new_listener_is_never_refused_for_an_old_one() -> Result<(), RawError> {
    let demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let _blackholed = struck_get(&session, &relay, Strike::Swallow).await?;
        let mut new = session.get(None).await?;
        assert_eq!(new.status(), 200);
        toggle(&session).await?;
        list_changed(&mut new).await?;
        drop(new);
        let mut next = session.get(None).await?;
        toggle(&session).await?;
        list_changed(&mut next).await?;
    }
    Ok(())
}

#[tokio::test]
async fn b049_there_is_nothing_to_resume_behind_a_result_which_is_said_and_later_posts_work()
-> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call(1, "no such tool", json!({}));
        let mut answer = session.post_with(&call, &[("Accept", Some("text/event-stream"))]).await?;
        let outcome = answer.outcome().await?;
        assert_eq!(outcome.response["error"]["code"], -32602, "{outcome:?}");
        let last = outcome.ids.last().expect("the error has an id");
        let resumed = within(Duration::from_secs(5), "a word", session.get(Some(last))).await?;
        refused(resumed, 400).await?;
        session.ask(&session.call(2, "echo", json!({ "text": "x" }))).await?;
    }
    Ok(())
}

// spec: R143, R145
#[tokio::test]
async fn b053_from_the_kth_event_of_any_stream_exactly_the_rest_of_it_is_replayed() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let mut streams = Vec::new();
        for id in 0..3 {
            let arguments = json!({ "n": 50, "interval_ms": 0 });
            let call = session.call_with_progress(id, "progress", arguments, id);
            streams.push(session.post(&call).await?.outcome().await?.ids);
        }
        let mut all: Vec<_> = streams.iter().flatten().collect();
        let events = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), events, "{revision}");
        for ids in &streams {
            assert!(ids.len() >= 51, "{revision}: {ids:?}");
            for (at, cursor) in ids.iter().enumerate().take(ids.len() - 1) {
                let replayed = session.get(Some(cursor)).await?.outcome().await?.ids;
                assert_eq!(replayed, ids[at + 1..], "{revision}: after {cursor}");
            }
        }
    }
    Ok(())
}

// spec: R145, R195
#[tokio::test]
async fn b054_a_cursor_that_was_never_given_out_replays_nothing() -> Result<(), RawError> {
    let demo = demo();
    let long = "9".repeat(5000);
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call_with_progress(1, "progress", json!({ "n": 3, "interval_ms": 1 }), "p");
        session.post(&call).await?.outcome().await?;
        for cursor in ["nope", &long, "a\tb", "-1", "99999999999999999999999999999999-1"] {
            refused(session.get(Some(cursor)).await?, 400).await?;
        }
        session.ask(&session.request(2, "ping", json!({}))).await?;
    }
    // The modern era has no cursors: the header says nothing.
    let session = Session::open(demo.target(), MODERN).await?;
    let call = session.call(1, "echo", json!({ "text": "x" }));
    let mut answer = session.post_with(&call, &[("Last-Event-ID", Some("nope"))]).await?;
    assert_eq!(text(&answer.outcome().await?.response), "x");
    Ok(())
}
