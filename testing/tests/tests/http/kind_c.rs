//! Faults that others have met, of kinds C and I where HTTP has a say: envelopes and their statuses, revisions and
//! their headers. The names are those of the collection they stand in.

use hermes::types::Revision;
use hermes_testkit::raw::{RawError, Session};
use serde_json::json;

use crate::{LATEST, LEGACY, MODERN, demo, refused, text};

#[tokio::test]
async fn b026_what_is_no_json_is_400_and_has_nobodys_id() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let list = session.request(4, "tools/list", json!({}));
        session.ask(&list).await?;
        for body in ["{", "", "{\"jsonrpc\":\"2.0\",\"id\":"] {
            let error = refused(session.exchange(&session.post_text(&list, body, &[])).await?, 400).await?;
            assert_eq!((error.get("id"), &error["error"]["code"]), (None, &json!(-32700)), "{body}");
        }
        session.ask(&list).await?;
    }
    Ok(())
}

// spec: R189
#[tokio::test]
async fn b029_an_unknown_method_is_200_in_a_session_and_404_in_the_modern_era() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let answer = session.post(&session.request(8, "tools/Call", json!({}))).await?;
        let status = if revision.is_modern() { 404 } else { 200 };
        let error = refused(answer, status).await?;
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(8), &json!(-32601)));
        session.ask(&session.call(9, "echo", json!({ "text": "still here" }))).await?;
    }
    Ok(())
}

#[tokio::test]
async fn b030_every_request_may_have_params() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let list = session.request(2, "tools/list", json!({ "_meta": { "progressToken": 0 }, "x": 1 }));
        assert!(session.ask(&list).await?["result"]["tools"].is_array());
        let ping = session.request(3, "ping", json!({ "_meta": {} }));
        assert_eq!(session.ask(&ping).await?["result"], json!({}));
    }
    Ok(())
}

// spec: R014, R015, R127
#[tokio::test]
async fn b032_a_batch_is_for_the_revision_that_has_them() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let (touch, list) =
            (session.call(1, "touch", json!({})), session.request(2, "tools/list", json!({})));
        let body = json!([touch, list]).to_string();
        session.note(&touch);
        session.note(&list);
        let mut answer = session.exchange(&session.post_text(&touch, &body, &[])).await?;
        if revision == Revision::V2025_03_26 {
            assert_eq!(answer.status(), 200);
            let mut ids = Vec::new();
            if answer.is_events() {
                while let Some(message) = answer.message().await? {
                    ids.push(message["id"].clone());
                }
            } else {
                ids.extend(answer.json().await?.as_array().into_iter().flatten().map(|it| it["id"].clone()));
            }
            ids.sort_by_key(|id| id.as_u64());
            assert_eq!(ids, [1, 2]);
        } else {
            let error = refused(answer, 400).await?;
            assert_eq!(error["error"]["code"], -32600, "{error}");
        }
    }
    let session = Session::open(demo.target(), LATEST).await?;
    let counter = session.ask(&session.call(1, "touch", json!({}))).await?;
    assert_eq!(text(&counter), "2", "one batch was run");
    Ok(())
}

// spec: R069, R070
#[tokio::test]
async fn b070_a_revision_that_nobody_knows_is_negotiated_and_not_refused() -> Result<(), RawError> {
    let demo = demo();
    for asked in ["1999-01-01", "2027-01-01", "2026-07-28"] {
        let stranger = Session::stranger(demo.target(), LATEST);
        let hello = stranger.request(
            1,
            "initialize",
            json!({
            "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } }),
        );
        let mut answer = stranger.post(&hello).await?;
        assert!(
            answer.status() == 200 && answer.head.header("mcp-session-id").is_some(),
            "{:?}",
            answer.head
        );
        assert_eq!(answer.outcome().await?.response["result"]["protocolVersion"], LATEST.as_str());
    }
    Ok(())
}

// spec: R134
#[tokio::test]
async fn b071_a_bad_version_header_is_400_on_every_method_and_leaves_the_session_alone()
-> Result<(), RawError> {
    let demo = demo();
    for revision in &LEGACY[1..] {
        let session = Session::open(demo.target(), *revision).await?;
        let list = session.request(2, "tools/list", json!({}));
        for version in ["1999-01-01", "x", "2025-11-25, 2025-06-18"] {
            let bad = [("MCP-Protocol-Version", Some(version))];
            refused(session.post_with(&list, &bad).await?, 400).await?;
            refused(session.exchange(&session.get_bytes(None, &bad)).await?, 400).await?;
            refused(session.exchange(&session.delete_bytes(&bad)).await?, 400).await?;
        }
        session.ask(&list).await?;
    }
    Ok(())
}
