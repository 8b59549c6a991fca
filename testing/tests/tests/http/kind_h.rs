//! Faults that others have met, of kind H: the surface of HTTP. The names are those of the collection they stand in.

use hermes_testkit::raw::{Answer, Connection, RawError, Session};
use serde_json::{Value, json};

use crate::{LATEST, LEGACY, MODERN, demo, refused, text};

// spec: R126, R174
#[tokio::test]
async fn b061_every_way_to_accept_json_or_events_is_understood() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let list = session.request(1, "tools/list", json!({}));
        for (accept, media_type) in [
            (Some("application/json, text/event-stream"), None),
            (Some("*/*"), None),
            (Some("text/event-stream;q=0.9, application/json"), None),
            (Some("application/*"), Some("application/json")),
            (None, None),
            (Some("application/json"), Some("application/json")),
            (Some("text/event-stream"), Some("text/event-stream")),
            (Some("APPLICATION/JSON"), Some("application/json")),
            (Some("application/json;q=0, text/event-stream"), Some("text/event-stream")),
        ] {
            let mut answer = session.post_with(&list, &[("Accept", accept)]).await?;
            assert_eq!(answer.status(), 200, "{accept:?}");
            if let Some(expected) = media_type {
                assert_eq!(answer.head.media_type(), Some(expected), "{accept:?}");
            }
            let response = answer.outcome().await?.response;
            assert!(response["result"]["tools"].is_array(), "{accept:?}: {response}");
        }
        refused(session.post_with(&list, &[("Accept", Some("text/html"))]).await?, 406).await?;
    }
    Ok(())
}

#[tokio::test]
async fn b062_odd_accept_headers_are_no_servers_fault() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call_with_progress(1, "progress", json!({ "n": 3, "interval_ms": 1 }), "p");
        let semicolon = [("Accept", Some("application/json; text/event-stream"))];
        let mut answer = session.post_with(&call, &semicolon).await?;
        assert_eq!((answer.status(), answer.is_events()), (200, false));
        assert_eq!(text(&answer.json().await?), "done");
        refused(session.post_with(&call, &[("Accept", Some("garbage"))]).await?, 406).await?;
        let two = [("Accept", Some("application/json")), ("Accept", Some("text/event-stream"))];
        let mut answer = session.post_with(&call, &two).await?;
        assert_eq!(text(&answer.outcome().await?.response), "done");
    }
    Ok(())
}

#[tokio::test]
async fn b063_what_is_not_json_by_its_type_is_not_run() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let touch = session.call(1, "touch", json!({}));
        for kind in [
            Some("text/plain"),
            Some("application/x-www-form-urlencoded"),
            Some("multipart/form-data; boundary=x"),
            Some("application/jsonp"),
            None,
        ] {
            let error = refused(session.post_with(&touch, &[("Content-Type", kind)]).await?, 415).await?;
            assert_eq!(error.get("id"), None, "{kind:?}: {error}");
        }
    }
    let session = Session::open(demo.target(), LATEST).await?;
    let kind = [("Content-Type", Some("Application/JSON; charset=utf-8"))];
    let response =
        session.post_with(&session.call(1, "touch", json!({})), &kind).await?.outcome().await?.response;
    assert_eq!(text(&response), "1", "nothing was run before");
    Ok(())
}

// spec: R124, R172
#[tokio::test]
async fn b064_a_notification_is_answered_with_202_and_nothing_else() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        for method in
            ["notifications/initialized", "notifications/roots/list_changed", "notifications/x-unknown"]
        {
            let mut answer = session.post(&json!({ "jsonrpc": "2.0", "method": method })).await?;
            let body = answer.body().await?;
            assert_eq!((answer.status(), body), (202, Vec::new()), "{revision} {method}");
            assert_eq!(answer.head.header("content-type"), None);
            assert_eq!(answer.head.header("content-length"), Some("0"));
        }
    }
    Ok(())
}

// spec: R119, R168
#[tokio::test]
async fn b067_the_endpoint_is_served_with_and_without_a_slash_at_its_end() -> Result<(), RawError> {
    let demo = demo();
    for path in ["/mcp", "/mcp/"] {
        for revision in LEGACY.into_iter().chain([MODERN]) {
            let session = Session::open(&demo.target().with_path(path), revision).await?;
            let response = session.ask(&session.call(1, "echo", json!({ "text": path }))).await?;
            assert_eq!(text(&response), path);
        }
    }
    let elsewhere = Session::stranger(&demo.target().with_path("/elsewhere"), MODERN);
    let mut answer = elsewhere.post(&elsewhere.call(1, "echo", json!({ "text": "x" }))).await?;
    answer.body().await?;
    assert_eq!(answer.status(), 404);
    Ok(())
}

/// The bytes of a POST whose body comes in chunks.
fn chunked(session: &Session, message: &Value, body: &str) -> Vec<u8> {
    let changes = [("Content-Length", None), ("Transfer-Encoding", Some("chunked"))];
    let mut bytes = session.post_text(message, "", &changes);
    for chunk in body.as_bytes().chunks(65_536) {
        bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        bytes.extend(chunk);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

/// The answer to bytes of which the server may not want to read all.
async fn answer_to(session: &Session, bytes: &[u8]) -> Result<Answer, RawError> {
    let mut connection = Connection::open(session.target().address).await?;
    connection.send(bytes).await?;
    session.answer_on(connection).await
}

#[tokio::test]
async fn b068_a_body_above_the_limit_is_413_with_and_without_a_length() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let long = session.call(1, "echo", json!({ "text": "x".repeat(5 * 1024 * 1024) }));
        refused(answer_to(&session, &session.post_bytes(&long, &[])).await?, 413).await?;
        let body = long.to_string();
        refused(answer_to(&session, &chunked(&session, &long, &body)).await?, 413).await?;
        // A length is believed before the body comes.
        let claim = session.post_text(
            &long,
            "",
            &[("Content-Length", Some("5242880")), ("Expect", Some("100-continue"))],
        );
        refused(answer_to(&session, &claim).await?, 413).await?;
        let fits = session.call(2, "echo", json!({ "text": "x".repeat(3 * 1024 * 1024) }));
        session.note(&fits);
        let response = answer_to(&session, &chunked(&session, &fits, &fits.to_string()))
            .await?
            .outcome()
            .await?
            .response;
        assert_eq!(text(&response).len(), 3 * 1024 * 1024);
    }
    Ok(())
}

#[tokio::test]
async fn b068_compressed_and_deeply_nested_bodies_are_refused() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let touch = session.call(1, "touch", json!({}));
        refused(session.post_with(&touch, &[("Content-Encoding", Some("gzip"))]).await?, 415).await?;
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let body = touch.to_string().replace("{}", &format!("{{\"x\":{deep}}}"));
        let error = refused(session.exchange(&session.post_text(&touch, &body, &[])).await?, 400).await?;
        assert_eq!(error["error"]["code"], -32600, "{error}");
        assert_eq!(error["id"], 1, "{error}");
        let many: serde_json::Map<String, Value> =
            (0..100_000).map(|at| (format!("k{at}"), json!(0))).collect();
        let call = session.call(2, "echo", Value::Object(many));
        let response = session.ask(&call).await?;
        assert_eq!(response["result"]["isError"], true, "{response:.200}");
    }
    Ok(())
}
