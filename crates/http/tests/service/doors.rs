//! What is refused before anything runs, and what pages of other origins are told.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body::Frame;
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::{Answer, BOTH, Client, LEGACY, MODERN};
use crate::stage::Stage;

const PAGE: &str = "https://app.example";

/// A body that comes in pieces, and then ends or stalls.
struct Pieces {
    left: VecDeque<Bytes>,
    stalls: bool,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.left.pop_front() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.stalls => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

fn pieces(client: &Client, left: Vec<Bytes>, stalls: bool) -> Request<Pieces> {
    let (parts, _) = client.posted(&client.call(1, "echo", json!({ "text": "x" }))).into_parts();
    Request::from_parts(parts, Pieces { left: left.into(), stalls })
}

fn empty(client: &Client, method: Method) -> http::request::Builder {
    client.head(method).header("accept", BOTH)
}

async fn send(client: &Client, head: http::request::Builder) -> Answer {
    client.send(head.body(Full::<Bytes>::default()).expect("a request")).await
}

#[tokio::test(start_paused = true)]
async fn a_body_beyond_the_limit_is_413_by_its_announced_length_and_by_its_pieces() {
    let service = Stage::new().http().max_body_bytes(1000).service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let mut call = client.posted(&client.call(1, "echo", json!({ "text": "x".repeat(2000) })));
        let error = client.send(call.clone()).await.refusal(413).await;
        assert!(error["error"]["message"].as_str().is_some_and(|it| it.contains("1000")), "{error}");
        call.headers_mut().insert("content-length", "2000".parse().expect("a value"));
        client.send(call).await.refusal(413).await;
        let piece = Bytes::from(" ".repeat(300));
        client.send(pieces(&client, vec![piece; 4], false)).await.refusal(413).await;
    }
    assert_eq!(service.endpoint().metrics().running, 0);
}

#[tokio::test(start_paused = true)]
async fn a_body_may_come_in_any_number_of_pieces() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, MODERN).await;
    let text = client.call(1, "echo", json!({ "text": "x" })).to_string();
    let left = text.bytes().map(|byte| Bytes::from(vec![byte])).collect();
    let answer = client.send(pieces(&client, left, false)).await;
    let body: Value = serde_json::from_str(&answer.text().await).expect("JSON");
    assert_eq!(body["result"]["content"][0]["text"], "x");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_coming_is_408_after_half_a_minute() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, MODERN).await;
    let began = Instant::now();
    client.send(pieces(&client, vec![Bytes::from("{")], true)).await.refusal(408).await;
    assert!(
        began.elapsed().abs_diff(Duration::from_secs(30)) < Duration::from_millis(10),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn forms_and_methods_that_are_not_served_are_415_406_and_405_with_allow() {
    let service = Stage::new().http().service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let call = client.call(1, "echo", json!({ "text": "x" }));
        for (name, value, status) in [
            ("content-type", "text/plain", 415),
            ("content-encoding", "gzip", 415),
            ("accept", "text/html", 406),
        ] {
            client.post_with(&call, &[(name, value)]).await.refusal(status).await;
        }
        for method in [Method::PUT, Method::PATCH, Method::HEAD, Method::OPTIONS] {
            let answer = send(&client, empty(&client, method)).await;
            assert_eq!(answer.header("allow"), Some("GET, POST, DELETE"));
            answer.refusal(405).await;
        }
    }
    let client = Client::open(&service, LEGACY[0]).await;
    let get = client.head(Method::GET).header("accept", "application/json");
    send(&client, get).await.refusal(406).await;
}

// spec: R120, R121, R169
#[tokio::test(start_paused = true)]
async fn foreign_hosts_and_origins_are_403_on_every_method_and_those_that_stand_twice_are_400() {
    let service = Stage::new().http().allow_origin(PAGE).allow_host("mcp.example").service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let call = client.call(1, "echo", json!({ "text": "x" }));
        for method in [Method::POST, Method::GET, Method::DELETE, Method::OPTIONS, Method::PUT] {
            let refused = |name: &'static str, value: &str, status| {
                let mut request = client.posted(&call);
                *request.method_mut() = method.clone();
                if status == 400 {
                    request.headers_mut().append(name, value.parse().expect("a value"));
                }
                if name == "origin" || status == 403 {
                    request.headers_mut().append("origin", PAGE.parse().expect("a value"));
                }
                if status == 403 {
                    request.headers_mut().insert(name, value.parse().expect("a value"));
                }
                let client = client.clone();
                async move {
                    let answer = client.send(request).await;
                    assert_eq!(answer.header("access-control-allow-origin"), None);
                    answer.refusal(status).await;
                }
            };
            refused("host", "evil.example", 403).await;
            refused("origin", "https://evil.example", 403).await;
            refused("origin", "null", 403).await;
            refused("host", "localhost:8000", 400).await;
            refused("origin", PAGE, 400).await;
        }
        for host in ["localhost", "127.0.0.1:9", "[::1]", "mcp.example", "MCP.example:8443"] {
            for origin in [PAGE, "http://localhost:8000"] {
                let port = host == "localhost" || origin == PAGE;
                let host = if port && origin != PAGE { "localhost:8000" } else { host };
                let answer = client.post_with(&call, &[("host", host), ("origin", origin)]).await;
                if port {
                    assert_eq!(answer.status(), 200, "{host} {origin}");
                }
                answer.text().await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_may_call_is_told_what_it_may_send_and_read() {
    let service = Stage::new().http().allow_origin(PAGE).service();
    let client = Client::stranger(&service, MODERN);
    let asked = "content-type, mcp-param-region, x-other";
    let head = client.head(Method::OPTIONS).header("origin", PAGE);
    let head =
        head.header("access-control-request-method", "POST").header("access-control-request-headers", asked);
    let answer = send(&client, head).await;
    assert_eq!((answer.status(), answer.header("access-control-allow-origin")), (204, Some(PAGE)));
    let methods = answer.header("access-control-allow-methods").unwrap_or_default();
    assert_eq!(methods, "GET, POST, DELETE");
    let allowed: Vec<_> =
        answer.header("access-control-allow-headers").unwrap_or_default().split(", ").collect();
    for name in [
        "authorization",
        "content-type",
        "last-event-id",
        "mcp-session-id",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-param-region",
    ] {
        assert!(allowed.contains(&name), "{name} in {allowed:?}");
    }
    assert!(!allowed.contains(&"x-other"), "{allowed:?}");
}

#[tokio::test(start_paused = true)]
async fn errors_and_streams_can_be_read_by_such_a_page_too() {
    let service = Stage::new().http().allow_origin(PAGE).service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let from_page = ("origin", PAGE);
        let wait = client.call(1, "wait", json!({ "ms": 1_000 }));
        let echo = client.call(2, "echo", json!({ "text": "x" }));
        let mut answers = vec![
            client.post_with(&wait, &[from_page]).await,
            client.post_with(&echo, &[from_page]).await,
            client.post_with(&echo, &[from_page, ("content-type", "text/plain")]).await,
            client.post_with(&echo, &[from_page, ("mcp-protocol-version", "1999-01-01")]).await,
        ];
        if revision != MODERN {
            answers.push(client.post_with(&echo, &[from_page, ("mcp-session-id", "nobody")]).await);
        }
        let statuses: Vec<_> = answers.iter().map(Answer::status).collect();
        assert_eq!(statuses, [200, 200, 415, 400, 404][..answers.len()], "{revision}");
        assert!(answers[0].is_events());
        for answer in answers {
            assert_eq!(answer.header("access-control-allow-origin"), Some(PAGE));
            let exposed = answer.header("access-control-expose-headers").unwrap_or_default();
            assert!(
                ["mcp-session-id", "www-authenticate"].iter().all(|it| exposed.contains(it)),
                "{exposed}"
            );
            assert_eq!(answer.header("vary"), Some("origin"));
        }
    }
}
