//! How a connection begins, and that it ends.

use hermes_client::{Client, ClientError, EraChoice, Failure};
use hermes_types::{Era, Revision};
use serde_json::{Value, json};

use crate::fake::{Fake, discovered, text};

// spec: R201, R202, R203, R204, R205, R206
#[tokio::test]
async fn a_modern_server_is_found_by_one_post_and_has_no_session() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        let probe = fake.expect("server/discover").await;
        assert_eq!(probe.path, "/mcp");
        assert_eq!(probe.header("content-type"), Some("application/json"));
        assert_eq!(probe.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(probe.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(probe.header("mcp-method"), Some("server/discover"));
        assert_eq!(probe.header("mcp-session-id"), None);
        let meta = &probe.body["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        probe.result(discovered()).await;
        let call = fake.expect("tools/call").await;
        assert_eq!(call.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(call.header("mcp-method"), Some("tools/call"));
        assert_eq!(call.header("mcp-name"), Some("echo"));
        call.result(text("hi")).await;
    };
    let talk = async {
        let client = Client::connect(&url).await.expect("connected");
        assert_eq!((client.era(), client.revision()), (Era::Modern, Revision::V2026_07_28));
        client.call("echo", ()).await.expect("a result");
        client.close().await;
    };
    tokio::join!(script, talk);
    assert!(fake.is_idle(), "nothing more was said");
}

// spec: R149, R150, R151, R152, R154, R155, R157, R159, R160
#[tokio::test]
async fn b072_every_message_after_the_handshake_names_the_session_and_the_negotiated_revision() {
    let mut fake = Fake::start().await;
    let begun = |asked: &crate::fake::Asked| {
        assert_eq!(asked.header("mcp-session-id"), Some("s1"));
        assert_eq!(asked.header("mcp-protocol-version"), Some("2025-03-26"));
        assert_eq!(asked.header("mcp-method"), None);
    };
    let url = fake.url.clone();
    let script = async {
        let initialize = fake.expect("initialize").await;
        assert_eq!(initialize.header("mcp-session-id"), None);
        assert_eq!(initialize.header("mcp-protocol-version"), None);
        assert_eq!(initialize.header("accept"), Some("application/json, text/event-stream"));
        initialize.initialized("2025-03-26", Some("s1")).await;
        let initialized = fake.expect("notifications/initialized").await;
        begun(&initialized);
        initialized.status(202).await;
        let get = fake.expect_verb("GET").await;
        begun(&get);
        assert_eq!(get.header("accept"), Some("text/event-stream"));
        assert_eq!(get.header("last-event-id"), None);
        get.status(405).await;
        let list = fake.expect("tools/list").await;
        begun(&list);
        list.result(json!({ "tools": [] })).await;
        let delete = fake.expect_verb("DELETE").await;
        begun(&delete);
        delete.status(204).await;
    };
    let talk = async {
        let builder = Client::builder().era(EraChoice::Legacy);
        let client = builder.connect(&url).await.expect("connected");
        client.list_all_tools().await.expect("a list");
        client.close().await;
    };
    tokio::join!(script, talk);
    assert!(fake.is_idle());
}

// spec: R087, R096
#[tokio::test]
async fn b075_a_modern_refusal_never_leads_to_a_handshake() {
    let refusal = |supported: Value| json!({ "code": -32022, "message": "v", "data": { "requested": "2026-07-28", "supported": supported } });

    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        fake.expect("server/discover").await.error(400, refusal(json!(["2026-07-28"]))).await;
        fake.expect("server/discover").await.result(discovered()).await;
    };
    let (client, ()) = tokio::join!(Client::connect(&url), script);
    assert_eq!(client.expect("connected").era(), Era::Modern);

    for supported in [json!(["2026-10-01"]), json!([])] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script =
            async { fake.expect("server/discover").await.error(400, refusal(supported.clone())).await };
        let (client, ()) = tokio::join!(Client::connect(&url), script);
        assert!(matches!(client, Err(ClientError::Negotiation(_))), "{client:?}");
        assert!(fake.is_idle(), "no handshake");
    }

    for code in [-32020, -32021] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let error = json!({ "code": code, "message": "m" });
        let script = async { fake.expect("server/discover").await.error(400, error).await };
        let (client, ()) = tokio::join!(Client::connect(&url), script);
        assert!(matches!(client, Err(ClientError::Negotiation(Failure::Refused(_)))), "{client:?}");
        assert!(fake.is_idle(), "no handshake");
    }
}

/// What a legacy server may answer to a request that it does not know.
async fn refuse(probe: crate::fake::Asked, how: usize) {
    let error = |code: i64| json!({ "code": code, "message": "no valid session ID" });
    match how {
        0 => probe.error(400, error(-32000)).await,
        1 => probe.status(400).await,
        2 => probe.answer(404, &[("Content-Type", "text/html")], "<html>not here</html>").await,
        3 => probe.status(405).await,
        4 => probe.error(200, error(-32601)).await,
        5 => probe.error(200, error(-32602)).await,
        6 => probe.json(400, &json!({ "jsonrpc": "2.0", "id": null, "error": error(-32000) })).await,
        7 => probe.answer(400, &[("Content-Type", "text/plain")], "Bad Request: no session").await,
        8 => probe.status(202).await,
        9 => probe.answer(200, &[("Content-Type", "text/html")], "<html>hello</html>").await,
        _ => drop(probe.events().await),
    }
}

// spec: R093
#[tokio::test]
async fn b076_whatever_else_a_server_answers_to_the_probe_leads_to_a_handshake_without_a_session() {
    for how in 0..=10 {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script = async {
            refuse(fake.expect("server/discover").await, how).await;
            let initialize = fake.expect("initialize").await;
            assert_eq!(initialize.header("mcp-session-id"), None);
            assert_eq!(initialize.header("mcp-method"), None);
            initialize.initialized("2025-06-18", None).await;
            fake.expect("notifications/initialized").await.status(202).await;
            fake.expect_verb("GET").await.status(405).await;
        };
        let (client, ()) = tokio::join!(Client::connect(&url), script);
        assert_eq!(client.expect("connected").revision(), Revision::V2025_06_18, "{how}");
    }
}

#[tokio::test]
async fn b076_a_server_that_is_busy_or_wants_credentials_says_nothing_of_its_era() {
    for status in [401, 403, 429, 500, 502, 503] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script = async {
            let challenge = [("WWW-Authenticate", "Bearer realm=\"x\"")];
            fake.expect("server/discover").await.answer(status, &challenge, "").await;
        };
        let (client, ()) = tokio::join!(Client::connect(&url), script);
        let error = client.expect_err("refused");
        let text = error.to_string();
        assert!(text.contains(&status.to_string()) && text.contains(&url), "{text}");
        match (status, error) {
            (401 | 403, ClientError::Unauthorized { challenge, .. }) => {
                assert_eq!(challenge.as_deref(), Some("Bearer realm=\"x\""));
                assert!(text.contains("Bearer realm=\"x\""), "{text}");
            }
            (429 | 500.., ClientError::Http(answer)) => assert_eq!(answer.status, status),
            (_, error) => panic!("{error:?}"),
        }
        assert!(fake.is_idle(), "no handshake after {status}");
    }
}

// spec: R071
#[tokio::test]
async fn a_session_that_is_of_no_use_is_ended() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        fake.expect("initialize").await.initialized("1999-01-01", Some("s9")).await;
        let delete = fake.expect_verb("DELETE").await;
        assert_eq!(delete.header("mcp-session-id"), Some("s9"));
        delete.status(200).await;
    };
    let connecting = Client::builder().era(EraChoice::Legacy).connect(&url);
    let (client, ()) = tokio::join!(connecting, script);
    assert!(matches!(client, Err(ClientError::Negotiation(Failure::UnsupportedRevision(_)))), "{client:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn b064_whatever_a_server_says_to_a_notification_the_handshake_completes() {
    let json = [("Content-Type", "application/json")];
    let plain = [("Content-Type", "text/plain")];
    let events = [("Content-Type", "text/event-stream")];
    for (status, headers, body) in [
        (202, &[][..], ""),
        (204, &[], ""),
        (200, &[], ""),
        (200, &json, "null"),
        (200, &plain, "ok"),
        (202, &json, "{}"),
        (200, &events, ""),
        (500, &[], ""),
    ] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script = async {
            fake.expect("initialize").await.initialized("2025-11-25", Some("s1")).await;
            fake.expect("notifications/initialized").await.answer(status, headers, body).await;
            fake.expect_verb("GET").await.status(405).await;
            fake.expect("ping").await.result(json!({})).await;
        };
        let talk = async {
            let builder = Client::builder().era(EraChoice::Legacy);
            let client = builder.connect(&url).await.expect("connected");
            client.ping().await.expect("a sign of life");
        };
        tokio::join!(script, talk);
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_said_at_once_with_the_address_and_the_cause() {
    let fake = Fake::start().await;
    fake.gone().await;
    let error = fake.connect(Client::builder()).await.expect_err("nobody is there");
    assert!(error.is_transport() && !error.is_outcome_unknown());
    let ClientError::Unreachable { url, source } = error else { panic!("{error:?}") };
    assert_eq!(url, fake.url);
    assert!(source.to_string().contains("refused"), "{source}");
}

#[tokio::test]
async fn no_message_is_sent_to_what_is_no_address() {
    for address in ["example.org", "ftp://example.org", "http://"] {
        let refused = Client::connect(address).await;
        assert!(matches!(refused, Err(ClientError::Address { .. })), "{address}");
    }
}
