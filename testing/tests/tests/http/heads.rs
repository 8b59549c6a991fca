//! The heads of answers: what proxies and browsers go by.

use hermes_testkit::raw::{Answer, Connection, RawError, Session};
use serde_json::json;

use crate::{LATEST, LEGACY, MODERN, demo, first_id, text};

// spec: R178
#[tokio::test]
async fn event_streams_ask_proxies_to_pass_them_on_at_once() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let mut streams = vec![session.post(&session.call(1, "sleep", json!({ "ms": 300 }))).await?];
        if revision.is_modern() {
            let listen = session.request(
                2,
                "subscriptions/listen",
                json!({ "notifications": { "toolsListChanged": true } }),
            );
            streams.push(session.post(&listen).await?);
        } else {
            streams.push(session.get(None).await?);
        }
        for stream in streams {
            let head = &stream.head;
            assert_eq!((stream.status(), head.media_type()), (200, Some("text/event-stream")), "{head:?}");
            assert_eq!(head.header("x-accel-buffering"), Some("no"), "{head:?}");
            assert!(head.header("cache-control").is_some_and(|value| value.contains("no-cache")), "{head:?}");
            assert_eq!((head.header("content-encoding"), head.header("content-length")), (None, None));
        }
    }
    Ok(())
}

// spec: R129, R130, R195
#[tokio::test]
async fn only_initialize_gives_a_session_id_and_it_is_long_and_visible() -> Result<(), RawError> {
    let demo = demo();
    let mut ids = Vec::new();
    for revision in LEGACY {
        for _ in 0..20 {
            let session = Session::open(demo.target(), revision).await?;
            let id = session.id().expect("a legacy session has an id").to_owned();
            assert!(id.len() >= 22 && id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
            let answer = session.post(&session.call(1, "echo", json!({ "text": "x" }))).await?;
            assert_eq!(answer.head.header("mcp-session-id"), None);
            ids.push(id);
        }
    }
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all, "no two are the same");
    // The modern era has none, whatever a client says.
    let session = Session::open(demo.target(), MODERN).await?.with_id(Some("made up"));
    let mut answer = session.post(&session.call(1, "echo", json!({ "text": "x" }))).await?;
    assert_eq!((answer.status(), answer.head.header("mcp-session-id")), (200, None));
    assert_eq!(text(&answer.json().await?), "x");
    Ok(())
}

#[tokio::test]
async fn a_connection_serves_many_requests_also_when_they_come_at_once() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let mut connection = Connection::open(demo.target().address).await?;
        let mut sent = Vec::new();
        for id in 0..20 {
            let call = session.call(id, "echo", json!({ "text": format!("number {id}") }));
            session.note(&call);
            sent.extend(session.post_bytes(&call, &[]));
        }
        connection.send(&sent).await?;
        for id in 0..20 {
            let mut answer = session.answer_on(connection).await?;
            let response = answer.outcome().await?.response;
            assert_eq!((&response["id"], text(&response)), (&json!(id), &*format!("number {id}")));
            connection = answer.into_connection()?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_request_may_come_byte_by_byte() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call(7, "echo", json!({ "text": "日本🦀é" }));
        for size in [1, 7, 64] {
            let mut connection = Connection::open(demo.target().address).await?;
            session.note(&call);
            connection.send_in_pieces(&session.post_bytes(&call, &[]), size).await?;
            let response = session.answer_on(connection).await?.outcome().await?.response;
            assert_eq!(text(&response), "日本🦀é");
        }
    }
    Ok(())
}

#[tokio::test]
async fn half_a_request_leaves_nothing_behind() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let call = session.call(7, "touch", json!({}));
    let bytes = session.post_bytes(&call, &[]);
    for cut in (1..bytes.len()).step_by(7) {
        let mut connection = Connection::open(demo.target().address).await?;
        connection.send(&bytes[..cut]).await?;
        connection.reset()?;
    }
    let counter = session.ask(&session.call(8, "touch", json!({}))).await?;
    assert_eq!(text(&counter), "1", "no half request had an effect");
    Ok(())
}

// spec: R146
#[tokio::test]
async fn the_head_of_a_silent_call_and_its_priming_event_come_at_once() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let mut answer: Answer = session.post(&session.call(1, "sleep", json!({ "ms": 60_000 }))).await?;
        assert!(answer.is_events(), "{:?}", answer.head);
        if revision == LATEST {
            first_id(&mut answer).await?;
        }
        session.delete().await?.body().await?;
    }
    Ok(())
}
