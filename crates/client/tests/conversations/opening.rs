//! How a connection begins.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{Client, ClientError, EraChoice, Failure, Warning};
use hermes_types::{ElicitResult, Era, Revision, Root};
use serde_json::json;
use tokio::time::Instant;

use crate::peer::{Peer, discovered, text};

// spec: R036, R037, R092, R093
#[tokio::test(start_paused = true)]
async fn a_modern_server_is_found_by_the_probe_and_never_initialized() {
    let (mut peer, stream) = Peer::pair();
    let script = async {
        let probe = peer.expect("server/discover").await;
        let meta = &probe["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "host");
        peer.result(&probe, discovered(&json!({ "tools": {} }))).await;
        peer.silence(10_000).await;
    };
    let (client, ()) = tokio::join!(stream.connect(Client::builder().name("host", "1")), script);
    let client = client.expect("connected");
    assert_eq!((client.era(), client.revision()), (Era::Modern, Revision::V2026_07_28));
    assert_eq!(client.server_info().map(|info| info.name).as_deref(), Some("fake"));
    assert!(client.capabilities().tools.is_some() && client.capabilities().prompts.is_none());
    assert!(client.opening().get().contains("supportedVersions"));
}

// spec: R043, R254
#[tokio::test(start_paused = true)]
async fn what_a_server_calls_itself_changes_nothing_that_is_sent() {
    let mut sent = Vec::new();
    for info in [json!({ "name": "fake", "version": "1" }), json!({ "name": "mcp-hermes", "version": "9" })] {
        let (mut peer, stream) = Peer::pair();
        let script = async {
            let probe = peer.expect("server/discover").await;
            let mut result = discovered(&json!({ "tools": {} }));
            result["_meta"]["io.modelcontextprotocol/serverInfo"] = info;
            peer.result(&probe, result).await;
            [probe, peer.answer("tools/call", text("done")).await]
        };
        let talk = async {
            let client = stream.connect(Client::builder()).await.expect("connected");
            client.call("t", ()).await.expect("a result");
        };
        let ((), lines) = tokio::join!(talk, script);
        sent.push(lines);
    }
    assert_eq!(sent[0], sent[1]);
}

// spec: R064, R065, R073, R074, R076, R095
#[tokio::test(start_paused = true)]
async fn b074_a_server_that_answers_the_probe_with_any_other_error_is_initialized() {
    for code in [-32601, -32602, -32600, -32000, -32001, -32700, 0] {
        let (mut peer, stream) = Peer::pair();
        let script = async {
            let probe = peer.expect("server/discover").await;
            peer.error(&probe, json!({ "code": code, "message": "what?" })).await;
            let request = peer.expect("initialize").await;
            assert_eq!(request["params"]["protocolVersion"], "2025-11-25");
            assert_eq!(request["params"]["capabilities"], json!({}));
            assert_eq!(request["params"]["clientInfo"]["name"], "mcp-hermes-client");
            peer.silence(100).await;
            let result = json!({
                "protocolVersion": "2025-06-18", "capabilities": {}, "instructions": "be kind",
                "serverInfo": { "name": "old", "version": "0" },
            });
            peer.result(&request, result).await;
            let initialized = peer.expect("notifications/initialized").await;
            assert_eq!(initialized.get("id"), None);
            peer.answer("ping", json!({})).await;
        };
        let talk = async {
            let client = stream.connect(Client::builder()).await.expect("connected");
            assert_eq!((client.era(), client.revision()), (Era::Legacy, Revision::V2025_06_18));
            assert_eq!(client.instructions().as_deref(), Some("be kind"));
            client.ping().await.expect("a sign of life");
        };
        tokio::join!(talk, script);
    }
}

#[tokio::test(start_paused = true)]
async fn b074_an_error_without_an_id_answers_the_probe_too() {
    for id in ["", r#""id":null,"#] {
        let (mut peer, stream) = Peer::pair();
        let begun = Instant::now();
        let script = async {
            peer.expect("server/discover").await;
            peer.send_line(&format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"m"}}}}"#))
                .await;
            peer.answer("initialize", json!({ "protocolVersion": "2024-11-05", "capabilities": {} })).await;
        };
        let (client, ()) = tokio::join!(stream.connect(Client::builder()), script);
        assert_eq!(client.expect("connected").revision(), Revision::V2024_11_05);
        assert_eq!(begun.elapsed(), Duration::ZERO, "nothing was waited for");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_initialized_after_the_probe_timeout_and_its_late_answer_is_dropped() {
    let (mut peer, stream) = Peer::pair();
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    let begun = Instant::now();
    let script = async {
        let probe = peer.expect("server/discover").await;
        // The very next thing is `initialize`: a legacy server must not see a cancellation before it.
        let request = peer.expect("initialize").await;
        assert_eq!(begun.elapsed(), Duration::from_millis(700));
        peer.error(&probe, json!({ "code": -32601, "message": "late" })).await;
        peer.result(&request, json!({ "protocolVersion": "2025-11-25", "capabilities": {} })).await;
        peer.expect("notifications/initialized").await;
    };
    let builder = Client::builder()
        .probe_timeout(Duration::from_millis(700))
        .on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.clone()));
    let (client, ()) = tokio::join!(stream.connect(builder), script);
    let client = client.expect("connected");
    assert_eq!(client.pending(), 0);
    assert_eq!(*warnings.lock().expect("not poisoned"), Vec::<Warning>::new());
}

// spec: R087, R096
#[tokio::test(start_paused = true)]
async fn b075_a_modern_refusal_is_retried_with_an_offered_revision_or_reported() {
    let refusal = |supported| json!({ "code": -32022, "message": "v", "data": { "requested": "2026-07-28", "supported": supported } });

    let (mut peer, stream) = Peer::pair();
    let script = async {
        let probe = peer.expect("server/discover").await;
        peer.error(&probe, refusal(json!(["2026-07-28"]))).await;
        let again = peer.expect("server/discover").await;
        assert_ne!(again["id"], probe["id"]);
        peer.result(&again, discovered(&json!({}))).await;
    };
    let (client, ()) = tokio::join!(stream.connect(Client::builder()), script);
    assert_eq!(client.expect("connected").era(), Era::Modern);

    for supported in [json!(["2026-10-01"]), json!([])] {
        let (mut peer, stream) = Peer::pair();
        let script = async {
            let probe = peer.expect("server/discover").await;
            peer.error(&probe, refusal(supported.clone())).await;
            assert_eq!(peer.line().await, None, "no initialize");
        };
        let (client, ()) = tokio::join!(stream.connect(Client::builder()), script);
        let error = client.expect_err("nothing to speak");
        assert!(matches!(error, ClientError::Negotiation(_)), "{error}");
    }

    let (mut peer, stream) = Peer::pair();
    let script = async {
        let probe = peer.expect("server/discover").await;
        peer.error(&probe, refusal(json!(["2025-11-25"]))).await;
        peer.answer("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} })).await;
    };
    let (client, ()) = tokio::join!(stream.connect(Client::builder()), script);
    assert_eq!(client.expect("connected").era(), Era::Legacy);
}

// spec: R071
#[tokio::test(start_paused = true)]
async fn a_revision_that_is_not_spoken_ends_the_connection() {
    for named in ["2026-07-28", "1999-01-01"] {
        let (mut peer, stream) = Peer::pair();
        let script = async {
            peer.answer("initialize", json!({ "protocolVersion": named, "capabilities": {} })).await;
            assert_eq!(peer.line().await, None, "no initialized");
        };
        let builder = Client::builder().era(EraChoice::Legacy);
        let (client, ()) = tokio::join!(stream.connect(builder), script);
        let Err(ClientError::Negotiation(failure)) = client else { panic!("{client:?}") };
        assert_eq!(failure, Failure::UnsupportedRevision(named.to_owned()));
    }
}

// spec: R094
#[tokio::test(start_paused = true)]
async fn a_client_of_the_modern_era_alone_reports_a_legacy_server() {
    let (mut peer, stream) = Peer::pair();
    let script = async {
        let probe = peer.expect("server/discover").await;
        peer.error(&probe, json!({ "code": -32601, "message": "what?" })).await;
        assert_eq!(peer.line().await, None);
    };
    let builder = Client::builder().era(EraChoice::Modern);
    let (client, ()) = tokio::join!(stream.connect(builder), script);
    let error = client.expect_err("no modern server");
    assert_eq!(error.to_string(), "the server does not speak the modern era: what? (-32601)");
    assert_eq!(error.rpc().map(|error| error.code), Some(-32601));
}

/// There is nothing to fall back to: the time of a probe is for servers that may be of the other era.
#[tokio::test(start_paused = true)]
async fn a_client_of_the_modern_era_alone_waits_for_a_slow_server_as_for_any_answer() {
    let (mut peer, stream) = Peer::pair();
    let begun = Instant::now();
    let script = async {
        peer.expect("server/discover").await;
        assert_eq!(peer.line().await, None, "nothing else was said");
    };
    let builder = Client::builder()
        .era(EraChoice::Modern)
        .probe_timeout(Duration::from_millis(700))
        .timeout(Duration::from_secs(5));
    let (client, ()) = tokio::join!(stream.connect(builder), script);
    let error = client.expect_err("no answer");
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    assert!(error.is_timeout());
    assert_eq!(error.to_string(), "server/discover was not answered within 5 s");
}

// spec: R080, R220
#[tokio::test(start_paused = true)]
async fn b039_an_unanswered_initialize_times_out_and_is_not_cancelled() {
    let (mut peer, stream) = Peer::pair();
    let script = async {
        peer.expect("initialize").await;
        assert_eq!(peer.line().await, None, "no cancellation");
    };
    let builder = Client::builder().era(EraChoice::Legacy).timeout(Duration::from_secs(5));
    let (client, ()) = tokio::join!(stream.connect(builder), script);
    let error = client.expect_err("no answer");
    assert!(error.is_timeout());
    assert_eq!(error.to_string(), "initialize was not answered within 5 s");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_away_while_opening_is_reported_as_gone() {
    let (peer, stream) = Peer::pair();
    drop(peer);
    let error = stream.connect(Client::builder()).await.expect_err("gone");
    assert!(error.is_transport());
    assert_eq!(error.to_string(), "the server closed the connection");
}

// spec: R332, R333, R340, R341, R344, R358, R359, R360, R533
#[tokio::test(start_paused = true)]
async fn capabilities_are_declared_for_exactly_what_has_a_handler() {
    let builder = || {
        Client::builder()
            .roots([Root::new("file:///here")])
            .on_elicit(|_| async { Ok(ElicitResult::decline()) })
            .on_elicit_url(|_| async { Ok(ElicitResult::decline()) })
            .on_sample(|_| async { Err(hermes_client::HandlerError::rejected()) })
            .sampling_tools()
    };
    let declared = json!({
        "roots": {}, "sampling": { "tools": {} }, "elicitation": { "form": {}, "url": {} },
    });

    let (mut peer, stream) = Peer::pair();
    let script = async {
        let request =
            peer.answer("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} })).await;
        assert_eq!(request["params"]["capabilities"], declared);
    };
    let (client, ()) = tokio::join!(stream.connect(builder().era(EraChoice::Legacy)), script);
    client.expect("connected");

    let (mut peer, client) = Peer::modern(builder(), json!({ "tools": {} })).await;
    let script = async {
        let call = peer.answer("tools/call", text("done")).await;
        let meta = &call["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], declared);
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    };
    let (result, ()) = tokio::join!(client.call("t", json!({})).into_future(), script);
    result.expect("a result");
}

// spec: R335
#[tokio::test(start_paused = true)]
async fn a_root_that_is_no_file_is_refused_before_anything_is_sent() {
    let (mut peer, stream) = Peer::pair();
    let error = stream
        .connect(Client::builder().roots([Root::new("file:///a"), Root::new("https://example.org")]))
        .await
        .expect_err("no file");
    assert_eq!(error.to_string(), "a root has to be a file:// URI: https://example.org");
    assert_eq!(peer.line().await, None);
}
