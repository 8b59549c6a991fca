//! Faults that others have met, of kind E: event streams and their encoding. The names are those of the collection
//! they stand in.

use hermes_testkit::raw::{Connection, Event, Frame, RawError, Session};
use serde_json::json;

use crate::{LATEST, LEGACY, MODERN, demo, text};

/// The events of a call that reports progress, with its revision's manner.
async fn events(session: &Session) -> Result<Vec<Event>, RawError> {
    let call = session.call_with_progress(1, "progress", json!({ "n": 3, "interval_ms": 50 }), "p");
    let mut answer = session.post(&call).await?;
    let mut events = Vec::new();
    loop {
        match answer.frame().await? {
            Frame::Comment(_) => {}
            Frame::End => return Ok(events),
            Frame::Event(event) => events.push(event),
        }
    }
}

// spec: R146
#[tokio::test]
async fn b042_a_priming_event_is_for_revisions_that_know_it() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let events = events(&session).await?;
        let empty = |event: &Event| event.data.as_deref().is_none_or(str::is_empty);
        if revision == LATEST {
            assert!(empty(&events[0]) && events[0].id.is_some(), "{events:?}");
            assert!(!events[1..].iter().any(empty), "{events:?}");
        } else {
            assert!(!events.iter().any(empty), "{revision}: {events:?}");
        }
        if revision.is_modern() {
            assert!(events.iter().all(|event| event.id.is_none() && event.retry.is_none()), "{events:?}");
        } else {
            assert!(events.iter().all(|event| event.id.is_some()), "{revision}: {events:?}");
        }
        assert!(events.iter().all(|event| event.name == "message"), "{events:?}");
    }
    Ok(())
}

#[tokio::test]
async fn b044_characters_cut_between_two_reads_stay_whole() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call(1, "echo", json!({ "text": "日本🦀é" }));
        for accept in ["application/json", "text/event-stream"] {
            session.note(&call);
            let mut connection = Connection::open(demo.target().address).await?;
            let bytes = session.post_bytes(&call, &[("Accept", Some(accept))]);
            connection.send_in_pieces(&bytes, 1).await?;
            let response = session.answer_on(connection).await?.outcome().await?.response;
            assert_eq!(text(&response), "日本🦀é");
        }
    }
    Ok(())
}

#[tokio::test]
async fn b044_what_is_no_utf8_is_refused_and_not_replaced() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let call = session.call(1, "echo", json!({ "text": "@" }));
    let mut bytes = session.post_bytes(&call, &[]);
    for byte in &mut bytes {
        if *byte == b'@' {
            *byte = 0xFF;
        }
    }
    let error = crate::refused(session.exchange(&bytes).await?, 400).await?;
    assert_eq!(error["error"]["code"], -32700, "{error}");
    Ok(())
}

// spec: R178
#[tokio::test]
async fn b046_nobody_compresses_or_holds_back_an_event_stream() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call_with_progress(1, "progress", json!({ "n": 5, "interval_ms": 50 }), "p");
        let mut answer = session.post_with(&call, &[("Accept-Encoding", Some("gzip, br"))]).await?;
        assert_eq!(answer.head.header("content-encoding"), None);
        assert_eq!(answer.head.header("x-accel-buffering"), Some("no"));
        let first = answer.message().await?.expect("a note");
        assert_eq!(first["params"]["progress"], 1.0, "{first}");
        // It came before the call was over: the connection goes on.
        let outcome = answer.outcome().await?;
        assert_eq!((outcome.before.len(), text(&outcome.response)), (4, "done"));
    }
    Ok(())
}
