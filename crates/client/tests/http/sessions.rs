//! Sessions that are lost, and those that are over.

use std::sync::{Arc, Mutex};

use hermes_client::{Client, ClientError, Warning};
use serde_json::json;

use crate::fake::{Fake, text};

fn warned(builder: hermes_client::ClientBuilder) -> (hermes_client::ClientBuilder, Arc<Mutex<Vec<Warning>>>) {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    (builder.on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.clone())), warnings)
}

impl Fake {
    /// The client begins the session `id`.
    pub(crate) async fn renew(&mut self, id: &str) {
        let initialize = self.expect("initialize").await;
        assert_eq!(initialize.header("mcp-session-id"), None);
        assert_eq!(initialize.header("mcp-protocol-version"), None);
        initialize.initialized("2025-11-25", Some(id)).await;
        let initialized = self.expect("notifications/initialized").await;
        assert_eq!(initialized.header("mcp-session-id"), Some(id));
        initialized.status(202).await;
    }
}

// spec: R156
#[tokio::test]
async fn b011_b014_a_lost_session_is_replaced_and_the_refused_request_sent_once_more() {
    let (builder, warnings) = warned(Client::builder());
    let (mut fake, client) = Fake::legacy(builder, "2025-11-25").await;
    let bodies = ["", "<html>", r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"m"}}"#];
    for (round, body) in bodies.into_iter().enumerate() {
        let script = async {
            let first = fake.expect("tools/call").await;
            assert_eq!(first.header("mcp-session-id"), Some(&*format!("s{}", round + 1)));
            let request = first.body.clone();
            first.answer(404, &[], body).await;
            let next = format!("s{}", round + 2);
            fake.renew(&next).await;
            // The request and the standalone stream, in any order.
            for _ in 0..2 {
                let asked = fake.next().await;
                assert_eq!(asked.header("mcp-session-id"), Some(&*next));
                if asked.verb == "GET" {
                    asked.status(405).await;
                } else {
                    assert_eq!(asked.body, request);
                    asked.result(text("here")).await;
                }
            }
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        outcome.expect("a result");
    }
    assert_eq!(*warnings.lock().expect("not poisoned"), [const { Warning::SessionReplaced }; 3]);
}

#[tokio::test]
async fn b012_callers_who_lose_a_session_together_share_one_new_one() {
    let (mut fake, client, get) = Fake::attended(Client::builder(), "2025-11-25").await;
    let listening = get.events().await;
    let script = async {
        let mut refused = Vec::new();
        for _ in 0..5 {
            refused.push(fake.expect("tools/call").await);
        }
        for asked in refused {
            assert_eq!(asked.header("mcp-session-id"), Some("s1"));
            asked.status(404).await;
        }
        fake.renew("s2").await;
        let mut reopened = 0;
        for _ in 0..6 {
            let asked = fake.next().await;
            assert_eq!(asked.header("mcp-session-id"), Some("s2"), "{} {}", asked.verb, asked.body);
            if asked.verb == "GET" {
                reopened += 1;
                asked.status(405).await;
            } else {
                asked.result(text("here")).await;
            }
        }
        assert_eq!(reopened, 1);
        listening.hung_up().await;
    };
    let call = || client.call("t", ()).into_future();
    let (a, b, c, d, e, ()) = tokio::join!(call(), call(), call(), call(), call(), script);
    for outcome in [a, b, c, d, e] {
        outcome.expect("a result");
    }
    assert!(fake.is_idle());
}

#[tokio::test]
async fn b013_a_server_that_loses_every_session_is_not_begged_for_ever() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        fake.expect("tools/call").await.status(404).await;
        fake.expect("initialize").await.initialized("2025-11-25", Some("s2")).await;
        // Everything else is refused: what begins the session, its stream, and the call.
        for _ in 0..3 {
            let asked = fake.next().await;
            assert_ne!(asked.method(), "initialize");
            asked.status(404).await;
        }
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let error = outcome.expect_err("lost");
    assert!(matches!(error, ClientError::SessionExpired { .. }), "{error:?}");
    assert!(error.to_string().contains("session"), "{error}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_request_that_a_lost_session_has_accepted_is_not_sent_again() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        let accepted = fake.expect("tools/call").await.events().await;
        let refused = fake.expect("prompts/get").await;
        refused.status(404).await;
        fake.renew("s2").await;
        for _ in 0..2 {
            let asked = fake.next().await;
            match asked.verb.as_str() {
                "GET" => asked.status(405).await,
                _ => asked.result(json!({ "messages": [] })).await,
            }
        }
        accepted.hung_up().await;
    };
    let arguments = std::collections::BTreeMap::new();
    let (call, prompt, ()) = tokio::join!(
        client.call("t", ()).into_future(),
        client.prompt("p", &arguments).into_future(),
        script
    );
    assert!(matches!(call, Err(ClientError::SessionExpired { .. })), "{call:?}");
    prompt.expect("the refused one was sent again");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_new_session_is_told_what_the_old_one_was_asked_for() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    for uri in ["a://1", "a://2"] {
        let script = async { fake.expect("resources/subscribe").await.result(json!({})).await };
        let (outcome, ()) = tokio::join!(client.subscribe(uri).into_future(), script);
        outcome.expect("subscribed");
    }
    let script = async { fake.expect("resources/unsubscribe").await.result(json!({})).await };
    let (outcome, ()) = tokio::join!(client.unsubscribe("a://1").into_future(), script);
    outcome.expect("unsubscribed");

    let script = async {
        fake.expect("ping").await.status(404).await;
        fake.renew("s2").await;
        let mut again = Vec::new();
        for _ in 0..3 {
            let asked = fake.next().await;
            if asked.verb == "GET" {
                asked.status(405).await;
                continue;
            }
            if asked.method() == "resources/subscribe" {
                again.push(asked.body["params"]["uri"].clone());
            }
            asked.result(json!({})).await;
        }
        assert_eq!(again, ["a://2"]);
    };
    let (outcome, ()) = tokio::join!(client.ping().into_future(), script);
    outcome.expect("a sign of life");
}

// spec: R157
#[tokio::test]
async fn b019_however_the_farewell_is_answered_closing_is_done() {
    for status in [405, 404, 200, 204, 500] {
        let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
        let script = async {
            let delete = fake.expect_verb("DELETE").await;
            assert_eq!(delete.header("mcp-session-id"), Some("s1"));
            assert_eq!(delete.header("mcp-protocol-version"), Some("2025-11-25"));
            delete.status(status).await;
        };
        tokio::join!(client.close(), script);
        assert!(fake.is_idle(), "one attempt");
        let closed = client.call("t", ()).await.expect_err("closed");
        assert!(matches!(closed, ClientError::Closed(_)), "{closed:?}");
    }
    let (fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    fake.gone().await;
    client.close().await;
}

#[tokio::test]
async fn a_dropped_client_ends_its_session_too() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    drop(client);
    fake.expect_verb("DELETE").await.status(200).await;
}

/// What servers after the SDKs' older examples say of a session that they do not know.
const IN_WORDS: &str =
    r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
const JSON: (&str, &str) = ("Content-Type", "application/json");

#[tokio::test]
async fn a_session_that_is_refused_in_words_is_replaced_as_well() {
    let (builder, warnings) = warned(Client::builder());
    let (mut fake, client) = Fake::legacy(builder, "2025-11-25").await;
    let script = async {
        let first = fake.expect("tools/call").await;
        let request = first.body.clone();
        first.answer(400, &[JSON], IN_WORDS).await;
        fake.renew("s2").await;
        for _ in 0..2 {
            let asked = fake.next().await;
            assert_eq!(asked.header("mcp-session-id"), Some("s2"));
            if asked.verb == "GET" {
                asked.status(405).await;
            } else {
                assert_eq!(asked.body, request);
                asked.result(text("here")).await;
            }
        }
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
    assert_eq!(*warnings.lock().expect("not poisoned"), [Warning::SessionReplaced]);
}

#[tokio::test]
async fn a_server_that_refuses_the_new_session_in_words_too_is_quoted() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        fake.expect("tools/call").await.answer(400, &[JSON], IN_WORDS).await;
        fake.renew("s2").await;
        for _ in 0..2 {
            let asked = fake.next().await;
            if asked.verb == "GET" {
                asked.status(405).await;
            } else {
                asked.answer(400, &[JSON], IN_WORDS).await;
            }
        }
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let error = outcome.expect_err("refused");
    assert!(error.to_string().contains("No valid session ID provided"), "{error}");
    assert!(fake.is_idle(), "it is not begged for ever");
}

#[tokio::test]
async fn a_refusal_that_does_not_name_the_session_leaves_it_alone() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async { fake.expect("tools/call").await.status(400).await };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    assert!(matches!(&outcome, Err(ClientError::Http(answer)) if answer.status == 400), "{outcome:?}");
    let script = async {
        let asked = fake.expect("tools/call").await;
        assert_eq!(asked.header("mcp-session-id"), Some("s1"));
        asked.result(text("here")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
}

#[tokio::test]
async fn the_standalone_stream_finds_a_session_lost_in_words() {
    let (mut fake, client, get) = Fake::attended(Client::builder(), "2025-11-25").await;
    drop(get.events().await);
    fake.expect_verb("GET").await.answer(400, &[JSON], IN_WORDS).await;
    fake.renew("s2").await;
    let get = fake.expect_verb("GET").await;
    assert_eq!(get.header("mcp-session-id"), Some("s2"));
    get.status(405).await;
    drop(client);
}

#[tokio::test]
async fn b013_neither_is_one_begged_for_a_request_that_could_be_repeated() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        fake.expect("tools/list").await.status(404).await;
        fake.expect("initialize").await.initialized("2025-11-25", Some("s2")).await;
        for _ in 0..3 {
            let asked = fake.next().await;
            assert_ne!(asked.method(), "initialize");
            asked.status(404).await;
        }
    };
    let (outcome, ()) = tokio::join!(client.list_all_tools(), script);
    assert!(matches!(outcome, Err(ClientError::SessionExpired { .. })), "{outcome:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn b008_a_standalone_stream_that_nobody_knows_for_a_while_comes_back() {
    let (mut fake, _client, get) = Fake::attended(Client::builder(), "2025-11-25").await;
    drop(get.events().await);
    // What stands in front of a server that is deployed anew answers everything like this.
    fake.expect_verb("GET").await.status(404).await;
    fake.expect("initialize").await.status(404).await;
    fake.expect_verb("GET").await.status(404).await;
    fake.renew("s2").await;
    let stream = fake.expect_verb("GET").await;
    assert_eq!(stream.header("mcp-session-id"), Some("s2"));
}

#[tokio::test]
async fn all_who_wait_for_a_new_session_share_one_attempt_and_learn_why_it_failed() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call("t", ()).await.expect_err("no session") })
        })
        .collect();
    let mut attempts = 0;
    let mut refused = 0;
    while refused < calls.len() {
        let asked = fake.next().await;
        if asked.method() == "initialize" {
            attempts += 1;
            asked.answer(401, &[("WWW-Authenticate", "Bearer scope=\"mcp\"")], "").await;
        } else {
            refused += 1;
            asked.status(404).await;
        }
    }
    let mut told = 0;
    for call in calls {
        while !call.is_finished() {
            tokio::select! {
                biased;
                () = tokio::task::yield_now() => {}
                asked = fake.next() => {
                    assert_eq!(asked.method(), "initialize");
                    attempts += 1;
                    asked.answer(401, &[("WWW-Authenticate", "Bearer scope=\"mcp\"")], "").await;
                }
            }
        }
        let error = call.await.expect("no panic");
        assert!(matches!(&error, ClientError::Unauthorized { status: 401, .. }), "{error:?}");
        told += 1;
    }
    assert_eq!((told, attempts), (20, 1));
}

#[tokio::test]
async fn a_new_session_whose_answer_is_lost_is_asked_for_once_more() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        fake.expect("tools/call").await.status(404).await;
        let first = fake.expect("initialize").await.cut().await;
        let second = fake.expect("initialize").await;
        assert_ne!(second.body["id"], first["id"]);
        second.initialized("2025-11-25", Some("s2")).await;
        fake.expect("notifications/initialized").await.status(202).await;
        for _ in 0..2 {
            let asked = fake.next().await;
            assert_eq!(asked.header("mcp-session-id"), Some("s2"));
            if asked.verb == "GET" { asked.status(405).await } else { asked.result(text("here")).await }
        }
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
}

#[tokio::test]
async fn a_new_session_whose_answer_is_lost_twice_is_the_end_of_the_call() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        fake.expect("tools/call").await.status(404).await;
        for _ in 0..2 {
            fake.expect("initialize").await.cut().await;
        }
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let error = outcome.expect_err("no session");
    assert!(matches!(&error, ClientError::SessionExpired { is_refused: true, .. }), "{error:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_call_that_was_refused_is_carried_out_by_a_server_of_another_revision() {
    let known = hermes_client::KnownServers::new();
    let (mut fake, client) = Fake::legacy(Client::builder().known_servers(known), "2025-11-25").await;
    let script = async {
        fake.expect("tools/call").await.status(404).await;
        fake.expect("initialize").await.initialized("2025-06-18", Some("s2")).await;
        // It takes another connection, which begins as any does.
        fake.expect("initialize").await.initialized("2025-06-18", Some("s3")).await;
        loop {
            let asked = fake.next().await;
            match (asked.verb.as_str(), asked.method()) {
                ("GET", _) => asked.status(405).await,
                ("DELETE", _) => asked.status(204).await,
                (_, "notifications/initialized") => asked.status(202).await,
                _ => {
                    assert_eq!(asked.header("mcp-session-id"), Some("s3"));
                    break asked.result(text("5")).await;
                }
            }
        }
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    assert_eq!(outcome.expect("a result").raw.get(), text("5").to_string());
    assert_eq!(client.revision().as_str(), "2025-06-18");
}
