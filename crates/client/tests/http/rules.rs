//! Rules of the specification that no other conversation over HTTP shows.

use std::sync::{Arc, Mutex};

use hermes_client::{Client, ClientError};
use hermes_types::{ElicitResult, Era, RawJson};
use serde_json::json;

use crate::fake::{Fake, discovered, text};

// spec: R097
#[tokio::test]
async fn the_body_behind_a_400_decides_what_comes_next() {
    let versions = json!({ "requested": "2026-07-28", "supported": ["2026-07-28"] });
    let modern = json!({ "code": -32022, "message": "another one", "data": versions });
    let legacy = json!({ "code": -32000, "message": "no session" });

    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        fake.expect("server/discover").await.error(400, modern).await;
        fake.expect("server/discover").await.result(discovered()).await;
    };
    let (client, ()) = tokio::join!(Client::connect(&url), script);
    assert_eq!(client.expect("connected").era(), Era::Modern);

    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        fake.expect("server/discover").await.error(400, legacy).await;
        fake.expect("initialize").await.initialized("2025-11-25", None).await;
        fake.expect("notifications/initialized").await.status(202).await;
    };
    let (client, ()) = tokio::join!(Client::connect(&url), script);
    assert_eq!(client.expect("connected").era(), Era::Legacy);
}

// spec: R153
#[tokio::test]
async fn calls_of_one_moment_are_one_post_each_also_where_they_could_be_one_array() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-03-26").await;
    let script = async {
        for _ in 0..3 {
            let asked = fake.expect("tools/call").await;
            assert!(asked.body.is_object(), "{}", asked.body);
            asked.result(text("here")).await;
        }
    };
    let call = || client.call("t", ()).into_future();
    let (one, two, three, ()) = tokio::join!(call(), call(), call(), script);
    for outcome in [one, two, three] {
        outcome.expect("a result");
    }
}

// spec: R158
#[tokio::test]
async fn the_id_of_a_session_is_in_no_error_no_warning_and_no_description_of_the_client() {
    const SECRET: &str = "kept-between-the-two-of-us";
    let heard = Arc::new(Mutex::new(String::new()));
    let (warned, seen) = (Arc::clone(&heard), Arc::clone(&heard));
    let builder = Client::builder()
        .on_warning(move |warning| {
            warned.lock().expect("not poisoned").push_str(&format!("{warning} {warning:?}"));
        })
        .on_wire(move |_, text| seen.lock().expect("not poisoned").push_str(text));
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        fake.expect("server/discover").await.status(404).await;
        fake.expect("initialize").await.initialized("2025-11-25", Some(SECRET)).await;
        fake.expect("notifications/initialized").await.status(202).await;
        fake.expect_verb("GET").await.status(500).await;
    };
    let (client, ()) = tokio::join!(builder.connect(&url), script);
    let client = client.expect("connected");

    let script = async {
        let call = fake.expect("tools/call").await;
        assert_eq!(call.header("mcp-session-id"), Some(SECRET));
        call.status(404).await;
        fake.expect("initialize").await.status(500).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let error = outcome.expect_err("the session is lost");
    assert!(matches!(error, ClientError::SessionExpired { .. }), "{error:?}");

    let heard = heard.lock().expect("not poisoned").clone();
    assert!(heard.contains("tools/call"), "{heard}");
    for told in [heard, format!("{error} {error:?}"), format!("{client:?}")] {
        assert!(!told.contains(SECRET), "{told}");
    }
}

// spec: R187
#[tokio::test]
async fn the_names_of_a_server_s_headers_may_be_written_in_any_case() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        fake.expect("server/discover").await.status(404).await;
        let initialize = fake.expect("initialize").await;
        let result = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "serverInfo": { "name": "fake", "version": "1" },
        });
        let headers = [("cOnTeNt-TyPe", "Application/JSON; charset=utf-8"), ("mCP-sESSION-iD", "s1")];
        initialize.result_under(&headers, &result).await;
        let initialized = fake.expect("notifications/initialized").await;
        assert_eq!(initialized.header("mcp-session-id"), Some("s1"));
        initialized.status(202).await;
    };
    let (client, ()) = tokio::join!(Client::connect(&url), script);
    assert_eq!(client.expect("connected").era(), Era::Legacy);
}

// spec: R380, R381
#[tokio::test]
async fn a_page_to_open_is_handed_to_the_host_as_it_is_and_fetched_by_nobody() {
    let mut page = Fake::start().await;
    let url = format!("{}?state=%C3%A9&next=https://example.org/%2e%2e", page.url);
    let shown = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&shown);
    let builder = Client::builder().on_elicit_url(move |page| {
        sink.lock().expect("not poisoned").push(page.url);
        async { Ok(ElicitResult::decline()) }
    });
    let (mut fake, client) = Fake::legacy(builder, "2025-11-25").await;
    let script = async {
        let asked = fake.expect("tools/call").await;
        let request = asked.body.clone();
        let mut events = asked.events().await;
        let params = json!({ "mode": "url", "message": "Sign in", "url": url, "elicitationId": "e" });
        events
            .message(&json!({ "jsonrpc": "2.0", "id": 9, "method": "elicitation/create", "params": params }))
            .await;
        let answer = fake.next().await;
        assert_eq!(answer.body["result"], json!({ "action": "decline" }));
        answer.status(202).await;
        events.result(&request, &text("then not")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
    assert_eq!(*shown.lock().expect("not poisoned"), [url]);
    assert!(page.is_idle(), "nobody has fetched it");
}

#[tokio::test]
async fn what_is_sent_raw_has_the_headers_of_its_era_and_never_begins_a_session() {
    let mut fake = Fake::unjudging().await;
    let url = fake.url.clone();
    let script = async { fake.expect("server/discover").await.result(discovered()).await };
    let (client, ()) = tokio::join!(Client::connect(&url), script);
    let client = client.expect("connected");
    let script = async {
        let initialize = fake.expect("initialize").await;
        assert_eq!(initialize.header("mcp-method"), Some("initialize"));
        let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", "s1")];
        initialize.result_under(&headers, &json!({ "resultType": "complete" })).await;
        let initialized = fake.expect("notifications/initialized").await;
        assert_eq!(initialized.header("mcp-method"), Some("notifications/initialized"));
        assert_eq!(initialized.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(
            initialized.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        assert_eq!(initialized.body["params"]["_meta"]["com.example/why"], "so");
        initialized.status(202).await;
    };
    let talk = async {
        client.request_raw("initialize", None).await.expect("a result");
        let params = RawJson::parse(r#"{"_meta":{"com.example/why":"so"}}"#).expect("JSON");
        client.notify_raw("notifications/initialized", Some(params)).expect("sent");
        client.close().await;
    };
    tokio::join!(script, talk);
    assert!(fake.is_idle(), "there is neither a stream to hold nor a session to end");

    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let params = RawJson::parse(r#"{"to":"b"}"#).expect("JSON");
    client.notify_raw("notifications/com.example/moved", Some(params)).expect("sent");
    let moved = fake.expect("notifications/com.example/moved").await;
    assert_eq!(moved.body["params"], json!({ "to": "b" }));
    assert_eq!((moved.header("mcp-method"), moved.header("mcp-session-id")), (None, Some("s1")));
    moved.status(202).await;

    let refused = client.notify_raw("notifications/com.example/moved", Some(RawJson::null()));
    assert!(matches!(refused, Err(ClientError::Arguments { .. })), "{refused:?}");
}
