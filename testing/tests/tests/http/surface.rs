//! The surface of HTTP beyond the reports of others: methods, limits, clients of other manners.

use hermes::types::Revision;
use hermes_testkit::raw::{Connection, Frame, RawError, Session};
use serde_json::json;

use crate::{LATEST, LEGACY, MODERN, demo, demo_with, refused, text};

/// The bytes of a bodiless request by another method than DELETE, otherwise the same.
fn by_method(session: &Session, method: &str) -> Vec<u8> {
    let bytes = String::from_utf8(session.delete_bytes(&[])).expect("a text");
    bytes.replacen("DELETE", method, 1).into_bytes()
}

#[tokio::test]
async fn a_method_that_is_not_served_is_405_and_told_which_are() -> Result<(), RawError> {
    let (sessions, alone) = (demo(), demo_with(&["--stateless"]));
    for (demo, methods, allowed) in [
        (&sessions, ["PUT", "PATCH", "OPTIONS"].as_slice(), "GET, POST, DELETE"),
        (&alone, &["PUT", "PATCH", "OPTIONS", "GET", "DELETE"], "POST"),
    ] {
        let session = Session::stranger(demo.target(), LATEST);
        for method in methods {
            let answer = session.exchange(&by_method(&session, method)).await?;
            assert_eq!(answer.head.header("allow"), Some(allowed), "{method}: {:?}", answer.head);
            refused(answer, 405).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn heads_that_are_too_long_are_431_and_what_is_no_http_is_400() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let long = "a".repeat(1_000_000);
    for (bytes, status) in [
        (session.get_bytes(None, &[("X-Long", Some(&long))]), 431),
        (by_method(&Session::stranger(&demo.target().with_path(&format!("/{long}")), LATEST), "GET"), 431),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), 400),
    ] {
        let mut connection = Connection::open(demo.target().address).await?;
        // The server may have seen enough before all of it is sent.
        let _ = connection.send(&bytes).await;
        assert_eq!(connection.head().await?.status, status);
    }
    session.ask(&session.request(1, "ping", json!({}))).await?;
    Ok(())
}

#[tokio::test]
async fn a_client_of_the_oldest_revision_that_speaks_this_transport_is_served() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), Revision::V2024_11_05).await?;
    assert_eq!(text(&session.ask(&session.call(1, "echo", json!({ "text": "x" }))).await?), "x");
    let call = session.call_with_progress(2, "progress", json!({ "n": 3, "interval_ms": 1 }), "p");
    let outcome = session.post(&call).await?.outcome().await?;
    assert_eq!((outcome.before.len(), text(&outcome.response)), (3, "done"));
    session.delete().await?.body().await?;
    refused(session.post(&call).await?, 404).await?;
    Ok(())
}

#[tokio::test]
async fn without_sessions_every_request_stands_for_itself() -> Result<(), RawError> {
    let demo = demo_with(&["--stateless"]);
    let initialize = |session: &Session| {
        session.request(
            1,
            "initialize",
            json!({ "protocolVersion": session.revision().as_str(), "capabilities": {},
            "clientInfo": { "name": "t", "version": "0" } }),
        )
    };
    for revision in LEGACY {
        let session = Session::stranger(demo.target(), revision);
        let mut answer = session.post(&initialize(&session)).await?;
        assert_eq!((answer.status(), answer.head.header("mcp-session-id")), (200, None));
        assert_eq!(answer.outcome().await?.response["result"]["protocolVersion"], revision.as_str());
        session.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        // An id that a client makes up, or brings along, is nobody's.
        let made_up = session.with_id(Some("made up"));
        for session in [&session, &made_up] {
            let call = session.call_with_progress(2, "progress", json!({ "n": 3, "interval_ms": 1 }), "p");
            let outcome = session.post(&call).await?.outcome().await?;
            assert_eq!((outcome.before.len(), text(&outcome.response)), (3, "done"), "{revision}");
            assert_eq!(outcome.ids, Vec::<String>::new(), "there is nothing to resume");
        }
    }
    let modern = Session::open(demo.target(), MODERN).await?;
    assert_eq!(text(&modern.ask(&modern.call(1, "echo", json!({ "text": "x" }))).await?), "x");
    Ok(())
}

// spec: R135
#[tokio::test]
async fn of_two_resumes_of_one_stream_the_newer_one_gets_the_answer() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open_with(demo.target(), LATEST, json!({ "elicitation": {} })).await?;
    let mut answer = session.post(&session.call(1, "ask", json!({ "message": "Who?" }))).await?;
    let question = answer.message().await?.expect("a question");
    let cursor = answer.last_event_id().expect("it has an id").to_owned();
    let older = session.get(Some(&cursor)).await?;
    let mut newer = session.get(Some(&cursor)).await?;
    let declined = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    session.tell(&declined).await?;
    assert_eq!(text(&newer.outcome().await?.response), "declined");
    for mut stream in [answer, older] {
        loop {
            match stream.frame().await {
                Ok(Frame::Comment(_)) => {}
                Ok(Frame::Event(event)) => assert_eq!(event.message()?, None, "it went to the newer one"),
                Ok(Frame::End) => break,
                Err(error) => panic!("a superseded stream ends as streams do: {error}"),
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_response_that_answers_nothing_changes_nothing() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        for id in [json!(999), json!("zz")] {
            session.tell(&json!({ "jsonrpc": "2.0", "id": id, "result": {} })).await?;
        }
        session.ask(&session.request(1, "ping", json!({}))).await?;
    }
    Ok(())
}
