//! However an exchange ends, its request is settled, at once and with what came.

use hermes_client::{Client, ClientError, HttpProblem, Noise};
use serde_json::json;

use crate::fake::{Asked, Fake, text};

/// Calls a tool of a client that talks to `fake`, which answers by `script`; gives the error.
async fn failing<F: Future<Output = ()>>(
    fake: &mut Fake,
    client: &Client,
    answer: impl FnOnce(Asked) -> F,
) -> ClientError {
    let script = async { answer(fake.expect("tools/call").await).await };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    assert_eq!(client.pending(), 0);
    outcome.expect_err("no answer")
}

/// The next call works.
async fn works(fake: &mut Fake, client: &Client) {
    let script = async { fake.expect("tools/call").await.result(text("fine")).await };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
}

// spec: R216
#[tokio::test]
async fn b005_a_stream_that_ends_without_the_response_settles_the_call_at_once() {
    let builder = Client::builder;
    for (mut fake, client) in [Fake::legacy(builder(), "2025-11-25").await, Fake::modern(builder()).await] {
        let ended = failing(&mut fake, &client, |asked| async { drop(asked.events().await) }).await;
        assert!(matches!(ended, ClientError::StreamEnded { source: None, .. }), "{ended:?}");
        assert!(ended.is_outcome_unknown() && !ended.is_timeout());

        let ended = failing(&mut fake, &client, |asked| async {
            asked.events().await.raw(": hi\n\n").await;
        })
        .await;
        assert!(matches!(ended, ClientError::StreamEnded { source: None, .. }), "{ended:?}");

        let broke = failing(&mut fake, &client, |asked| async { asked.events().await.reset() }).await;
        assert!(matches!(broke, ClientError::StreamEnded { source: Some(_), .. }), "{broke:?}");
        assert!(broke.is_transport());

        let broke = failing(&mut fake, &client, |asked| async { asked.reset() }).await;
        assert!(matches!(broke, ClientError::StreamEnded { source: Some(_), .. }), "{broke:?}");

        works(&mut fake, &client).await;
        assert!(broke.to_string().contains(&fake.url), "{broke}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_told_with_the_status_the_content_type_and_the_address() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let json = [("Content-Type", "application/json")];
    let html = [("Content-Type", "text/html; charset=utf-8")];
    let other = r#"{"jsonrpc":"2.0","id":9999,"result":{}}"#;
    let not_json = HttpProblem::Malformed(Noise::NotJson);
    for (status, headers, body, problem, words) in [
        (202, &[][..], "", HttpProblem::NoAnswer, "HTTP 202: a request needs an answer"),
        (204, &[], "", HttpProblem::NoAnswer, "HTTP 204"),
        (200, &json, "", HttpProblem::NoAnswer, "HTTP 200, application/json: a request needs"),
        (200, &json, other, HttpProblem::NotTheAnswer, "no answer to this request"),
        (200, &json, "{]", not_json, "the content is not JSON"),
        (200, &html, "<html>Welcome</html>", HttpProblem::ContentType, "text/html; charset=utf-8: neither"),
        (200, &[], "hello", HttpProblem::ContentType, "without a content type"),
        (404, &html, "<html>gone</html>", HttpProblem::Status, "HTTP 404, text/html"),
        (413, &[], "", HttpProblem::Status, "HTTP 413"),
        (500, &html, "<b>oops</b>", HttpProblem::Status, "the body begins with: <b>oops</b>"),
    ] {
        let error = failing(&mut fake, &client, |asked| asked.answer(status, headers, body)).await;
        let shown = error.to_string();
        let ClientError::Http(answer) = error else { panic!("{error:?}") };
        assert_eq!((answer.status, &answer.problem), (status, &problem), "{shown}");
        assert!(shown.contains(&fake.url) && shown.contains(words), "{shown}");
    }
    works(&mut fake, &client).await;
}

#[tokio::test]
async fn an_error_of_the_protocol_is_one_under_any_status_and_content_type() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    for (status, content_type) in
        [(200, "application/json"), (404, "application/json"), (400, "text/plain"), (500, "text/html")]
    {
        let error = failing(&mut fake, &client, |asked| async move {
            let error = json!({ "code": -32601, "message": "what?" });
            let body = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": error }).to_string();
            asked.answer(status, &[("Content-Type", content_type)], &body).await;
        })
        .await;
        assert_eq!(error.rpc().map(|error| error.code), Some(-32601), "{error:?}");
    }
}

#[tokio::test]
async fn an_error_without_an_id_is_for_the_request_in_whose_exchange_it_comes() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    for id in ["", r#""id":null,"#] {
        let body = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"m"}}}}"#);
        let json = [("Content-Type", "application/json")];
        let error = failing(&mut fake, &client, |asked| async move { asked.answer(400, &json, &body).await });
        assert_eq!(error.await.rpc().map(|error| error.code), Some(-32700));
    }
}

#[tokio::test]
async fn refused_credentials_are_told_with_their_challenge() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let challenge = [("WWW-Authenticate", "Bearer scope=\"files\""), ("Content-Type", "application/json")];
    for status in [401, 403] {
        let body = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no"}}"#;
        let error = failing(&mut fake, &client, |asked| asked.answer(status, &challenge, body)).await;
        assert!(error.to_string().contains("Bearer scope=\"files\""), "{error}");
        assert!(matches!(error, ClientError::Unauthorized { status: told, .. } if told == status));
    }
    works(&mut fake, &client).await;
}

#[tokio::test]
async fn b028_strange_responses_on_a_stream_are_put_up_with_and_the_right_one_counts_once() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async {
        let asked = fake.expect("tools/call").await;
        let request = asked.body.clone();
        let mut events = asked.events().await;
        events.message(&json!({ "jsonrpc": "2.0", "id": 999, "result": {} })).await;
        events
            .message(&json!({ "jsonrpc": "2.0", "id": "zz", "error": { "code": -1, "message": "m" } }))
            .await;
        events.raw("data: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"m\"}}\n\n").await;
        events.result(&request, &text("one")).await;
        events.result(&request, &text("two")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let one: String = outcome.expect("a result").read().expect("a text");
    assert_eq!(one, "one");
    works(&mut fake, &client).await;

    // One that comes alone is meant for the request whose stream it ends.
    let script = async {
        let mut events = fake.expect("tools/call").await.events().await;
        events.raw("data: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"m\"}}\n\n").await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    assert_eq!(outcome.expect_err("an error").rpc().map(|error| error.code), Some(-32700));
}

#[tokio::test]
async fn a_server_without_room_is_asked_again_after_the_time_it_names() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async {
        let first = fake.expect("tools/call").await;
        let request = first.body.clone();
        first.answer(503, &[("Retry-After", "0")], "").await;
        let second = fake.expect("tools/call").await;
        assert_eq!(second.body, request, "it was not accepted: it is the same request");
        second.result(text("now")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");

    let refused =
        failing(&mut fake, &client, |asked| asked.answer(503, &[("Retry-After", "86400")], "")).await;
    assert!(refused.to_string().contains("86400 s"), "{refused}");
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused_and_one_below_it_is_read() {
    let limits = hermes_client::Limits { line_bytes: 100_000, ..hermes_client::Limits::CLIENT };
    let (mut fake, client) = Fake::modern(Client::builder().limits(limits)).await;
    let large = "x".repeat(99_000);
    let script = async { fake.expect("tools/call").await.result(text(&large)).await };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let read: String = outcome.expect("a result").read().expect("a text");
    assert_eq!(read.len(), 99_000);

    for as_events in [false, true] {
        let error = failing(&mut fake, &client, |asked| async move {
            let larger = text(&"x".repeat(200_000));
            if as_events {
                let request = asked.body.clone();
                let mut events = asked.events().await;
                events.result(&request, &larger).await;
                events.hung_up().await;
            } else {
                asked.result(larger).await;
            }
        });
        let error = error.await;
        let ClientError::Http(answer) = &error else { panic!("{error:?}") };
        assert!(matches!(answer.problem, HttpProblem::Malformed(Noise::TooLong { .. })), "{error}");
    }
}

#[tokio::test]
async fn a_busy_server_is_not_waited_for_beyond_the_limit_of_the_call() {
    let builder = Client::builder;
    for (mut fake, client) in [Fake::legacy(builder(), "2025-11-25").await, Fake::modern(builder()).await] {
        let call = client.call("t", ()).timeout(std::time::Duration::from_secs(1));
        let script = async {
            fake.expect("tools/call").await.answer(503, &[("Retry-After", "2")], "").await;
        };
        let began = std::time::Instant::now();
        let (outcome, ()) = tokio::join!(call.into_future(), script);
        let error = outcome.expect_err("it is busy");
        assert!(matches!(&error, ClientError::Http(answer) if answer.status == 503), "{error:?}");
        assert!(began.elapsed() < std::time::Duration::from_millis(900), "{:?}", began.elapsed());
        // Nothing was begun that would have to be taken back.
        works(&mut fake, &client).await;
    }
}

#[tokio::test]
async fn a_refused_resume_waits_as_long_as_the_server_wants() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        let call = fake.expect("tools/call").await;
        let body = call.body.clone();
        call.events().await.raw("id: e1\ndata:\n\n").await;
        let refused = fake.expect_verb("GET").await;
        assert_eq!(refused.header("last-event-id"), Some("e1"));
        refused.answer(503, &[("Retry-After", "1")], "").await;
        let began = std::time::Instant::now();
        let again = fake.expect_verb("GET").await;
        assert!(began.elapsed() >= std::time::Duration::from_secs(1), "{:?}", began.elapsed());
        again.events().await.result(&body, &text("fine")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");

    // One who wants to be left alone for longer than that ends it.
    let script = async {
        fake.expect("tools/call").await.events().await.raw("id: e2\ndata:\n\n").await;
        fake.expect_verb("GET").await.answer(503, &[("Retry-After", "60")], "").await;
    };
    let began = std::time::Instant::now();
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    assert!(matches!(outcome, Err(ClientError::StreamEnded { source: Some(_), .. })), "{outcome:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(8), "{:?}", began.elapsed());
}
