//! Answers that are too long, too slow or compressed, and servers that are not there.

use std::time::Duration;

use hermes_client::{Client, ClientBuilder, ClientError, EraChoice, HttpProblem, Limits, Noise};
use serde_json::json;

use crate::fake::{Fake, discovered, response, text};

/// A client that takes no answer of more than a KiB.
fn narrow() -> ClientBuilder {
    Client::builder().limits(Limits { line_bytes: 1024, ..Limits::CLIENT })
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_an_error_and_its_connection_is_given_up() {
    let long = "x".repeat(2000);
    for is_announced in [true, false] {
        let (mut fake, client) = Fake::modern(narrow()).await;
        let script = async {
            let asked = fake.expect("tools/call").await;
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
            let sent = if is_announced {
                // Not a byte of it comes: that there are too many is enough to know.
                format!("{head}Content-Length: 2000\r\n\r\n")
            } else {
                format!("{head}Transfer-Encoding: chunked\r\n\r\n7d0\r\n{long}\r\n")
            };
            asked.open(sent.as_bytes()).await.hung_up().await;
        };
        let (answer, ()) = tokio::join!(client.call("echo", json!({})).into_future(), script);
        let error = answer.expect_err("too long");
        let ClientError::Http(answer) = &error else { panic!("{error:?}") };
        assert_eq!(answer.problem, HttpProblem::Malformed(Noise::TooLong { bytes: 2000 }));
        assert!(error.to_string().contains("2000 bytes"), "{error}");
    }
}

#[tokio::test]
async fn an_event_that_is_too_long_is_an_error_and_its_connection_is_given_up() {
    let (mut fake, client) = Fake::modern(narrow()).await;
    let script = async {
        let asked = fake.expect("tools/call").await;
        let mut events = asked.events().await;
        events.raw(&format!("data: {}\n\n", "x".repeat(2000))).await;
        events.hung_up().await;
    };
    let (answer, ()) = tokio::join!(client.call("echo", json!({})).into_future(), script);
    let error = answer.expect_err("too long");
    let ClientError::Http(answer) = &error else { panic!("{error:?}") };
    assert!(matches!(answer.problem, HttpProblem::Malformed(Noise::TooLong { .. })), "{error}");
}

#[tokio::test]
async fn what_fits_exactly_is_taken() {
    let (mut fake, client) = Fake::modern(narrow()).await;
    let script = async {
        let asked = fake.expect("tools/call").await;
        let rest = 1024 - response(&asked.body, &text("")).to_string().len();
        asked.result(text(&"x".repeat(rest))).await;
    };
    let (answer, ()) = tokio::join!(client.call("echo", json!({})).into_future(), script);
    answer.expect("an answer");
}

#[tokio::test]
async fn no_compression_is_asked_for_and_what_comes_compressed_all_the_same_is_told() {
    let (mut fake, client) = Fake::modern(Client::builder().header("Accept-Encoding", "gzip")).await;
    for form in ["application/json", "text/event-stream"] {
        let script = async {
            let asked = fake.expect("tools/call").await;
            assert_eq!(asked.header("accept-encoding"), Some("identity"));
            asked.answer(200, &[("Content-Type", form), ("Content-Encoding", "gzip")], "\u{1f}\u{8}").await;
        };
        let (answer, ()) = tokio::join!(client.call("echo", json!({})).into_future(), script);
        let error = answer.expect_err("compressed");
        let ClientError::Http(answer) = &error else { panic!("{error:?}") };
        assert_eq!(answer.problem, HttpProblem::Compressed("gzip".to_owned()));
        assert!(error.to_string().contains("compressed (gzip), which was not asked for"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_comes_a_byte_at_a_time_does_not_outlast_the_limit() {
    for head in [
        "HTTP/1.1 200 OK\r\nX: ",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:",
        "HTTP/1.1 500 Oops\r\nContent-Length: 100000\r\n\r\n",
    ] {
        let limit = Duration::from_millis(300);
        let (mut fake, client) = Fake::modern(Client::builder().timeout(limit)).await;
        let script = async {
            let asked = fake.expect("tools/call").await;
            asked.open(head.as_bytes()).await.drip().await;
        };
        let (answer, ()) = tokio::join!(client.call("echo", json!({})).into_future(), script);
        let error = answer.expect_err("too late");
        assert!(error.is_timeout(), "{head:?}: {error}");
    }
}

#[tokio::test]
async fn a_name_that_does_not_exist_and_a_port_that_nobody_has_are_told_apart() {
    // Longer than a part of a name may be, so that nobody is asked.
    let nowhere = format!("http://{}.test/mcp", "a".repeat(64));
    let mut fake = Fake::start().await;
    fake.gone().await;
    for (url, words) in [(&nowhere, "lookup"), (&fake.url, "refused")] {
        let error = Client::builder().connect(url.as_str()).await.expect_err("nobody");
        let ClientError::Unreachable { url: shown, source } = &error else { panic!("{error:?}") };
        assert_eq!(shown, url);
        assert!(source.to_string().contains(words), "{source}");
    }
    assert!(fake.is_idle());
}

#[tokio::test]
async fn credentials_in_the_address_are_sent_as_a_header_and_shown_nowhere() {
    let mut fake = Fake::start().await;
    let url = fake.url.replace("http://", "http://me:p%40ss@");
    let script = async {
        // `me:p@ss` in Base64; over a redirect as well.
        for location in ["/elsewhere", "/mcp"] {
            let asked = fake.expect("server/discover").await;
            assert_eq!(asked.header("authorization"), Some("Basic bWU6cEBzcw=="));
            asked.answer(308, &[("Location", location)], "").await;
        }
        let asked = fake.expect("server/discover").await;
        assert_eq!(asked.header("authorization"), Some("Basic bWU6cEBzcw=="));
        asked.answer(500, &[], "").await;
    };
    let connecting = Client::builder().era(EraChoice::Modern).connect(url.as_str());
    let (client, ()) = tokio::join!(connecting, script);
    let error = client.expect_err("an error of the server");
    let shown = format!("{error} {error:?}");
    assert!(shown.contains(&fake.url) && !shown.contains("p%40ss") && !shown.contains("p@ss"), "{shown}");
    let builder = Client::builder().header("Authorization", "Bearer mine");
    let connecting = builder.era(EraChoice::Modern).connect(url.as_str());
    let script = async {
        let asked = fake.expect("server/discover").await;
        assert_eq!(asked.header("authorization"), Some("Bearer mine"), "what is said is said");
        asked.result(discovered()).await;
    };
    let (client, ()) = tokio::join!(connecting, script);
    client.expect("connected");
}

#[tokio::test]
async fn an_event_that_never_ends_is_given_up_at_the_limit() {
    let limits = Limits { line_bytes: 100_000, ..Limits::CLIENT };
    let (mut fake, client) = Fake::modern(Client::builder().limits(limits)).await;
    let script = async {
        let mut events = fake.expect("tools/call").await.events().await;
        events.raw("data: ").await;
        for _ in 0..101 {
            events.raw(&"x".repeat(1000)).await;
        }
        events.hung_up().await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let error = outcome.expect_err("it is too long");
    assert!(error.to_string().contains("too long"), "{error}");
}

#[tokio::test]
async fn a_secret_that_the_server_repeats_is_not_shown() {
    let builder = Client::builder().header("Authorization", "Bearer s3cret-t0ken");
    let (mut fake, client) = Fake::modern(builder).await;
    for status in [401, 500] {
        let script = async {
            let said = "bad token s3cret-t0ken (Bearer s3cret-t0ken)";
            fake.expect("tools/call").await.answer(status, &[("Content-Type", "text/plain")], said).await;
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        let shown = format!("{0} {0:?}", outcome.expect_err("refused"));
        assert!(shown.contains("bad token ***") && !shown.contains("s3cret"), "{shown}");
    }
}
