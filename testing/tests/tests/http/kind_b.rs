//! Faults that others have met, of kind B: the life of sessions. The names are those of the collection they stand in.

use std::time::Duration;

use hermes_testkit::raw::{Frame, RawError, Session};
use serde_json::json;

use crate::{LATEST, LEGACY, Sleeps, demo, first_id, refused, text, within};

// spec: R131, R132
#[tokio::test]
async fn b009_an_unknown_session_is_404_and_a_missing_one_is_400() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::stranger(demo.target(), revision).with_id(Some("dead-1"));
        let list = session.request(1, "tools/list", json!({}));
        refused(session.post(&list).await?, 404).await?;
        refused(session.get(None).await?, 404).await?;
        refused(session.delete().await?, 404).await?;
        let error = refused(session.with_id(None).post(&list).await?, 400).await?;
        assert_eq!(error["id"], 1);
        refused(session.with_id(None).get(None).await?, 400).await?;
    }
    Ok(())
}

// spec: R132
#[tokio::test]
async fn b010_an_unknown_session_is_no_matter_of_credentials_or_patience() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::stranger(demo.target(), LATEST).with_id(Some("dead-2"));
    let answer = session.post(&session.request(1, "ping", json!({}))).await?;
    assert_eq!((answer.head.header("www-authenticate"), answer.head.header("retry-after")), (None, None));
    refused(answer, 404).await?;
    Ok(())
}

#[tokio::test]
async fn b014_an_initialize_with_a_dead_session_id_opens_a_session_of_its_own() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let mut session = Session::stranger(demo.target(), revision).with_id(Some("dead-3"));
        session.greet().await?;
        assert_ne!(session.id(), Some("dead-3"), "ids are the server's to give");
        let response = session.ask(&session.call(1, "echo", json!({ "text": "x" }))).await?;
        assert_eq!(text(&response), "x");
        let dead = session.with_id(Some("dead-3"));
        refused(dead.post(&dead.request(1, "ping", json!({}))).await?, 404).await?;
    }
    Ok(())
}

#[tokio::test]
async fn b015_a_request_may_overtake_the_initialized_notification_in_any_order() -> Result<(), RawError> {
    let demo = demo();
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for revision in LEGACY {
        for _ in 0..20 {
            let mut session = Session::stranger(demo.target(), revision);
            session.greet().await?;
            let (list, call) =
                (session.request(2, "tools/list", json!({})), session.call(3, "sleep", json!({ "ms": 1 })));
            let (listed, told, called) =
                tokio::join!(session.ask(&list), session.tell(&initialized), session.ask(&call));
            told?;
            assert!(listed?["result"]["tools"].is_array());
            assert_eq!(text(&called?), "done");
        }
    }
    Ok(())
}

// spec: R132
#[tokio::test]
async fn b016_a_second_server_says_404_to_a_session_that_it_does_not_know() -> Result<(), RawError> {
    let (first, second) = (demo(), demo());
    for revision in LEGACY {
        let session = Session::open(first.target(), revision).await?;
        let list = session.request(2, "tools/list", json!({}));
        let error = refused(session.at(second.target()).post(&list).await?, 404).await?;
        assert_eq!(error["id"], 2);
        session.ask(&list).await?;
    }
    Ok(())
}

// spec: R132
#[tokio::test]
async fn b020_delete_ends_the_streams_and_the_running_calls() -> Result<(), RawError> {
    let demo = demo();
    let soon = Duration::from_secs(3);
    for (at, revision) in LEGACY.into_iter().enumerate() {
        let session = Session::open(demo.target(), revision).await?;
        let mut get = session.get(None).await?;
        let mut call = session.post(&session.call(2, "sleep", json!({ "ms": 60_000 }))).await?;
        let mut away = session.post(&session.call(3, "sleep", json!({ "ms": 60_000 }))).await?;
        if revision == LATEST {
            first_id(&mut away).await?;
        }
        drop(away);
        let mut deleted = session.delete().await?;
        assert_eq!((deleted.status(), deleted.body().await?), (200, Vec::new()));
        while within(soon, "the end of the stream", get.frame()).await? != Frame::End {}
        let outcome = within(soon, "the end of the call", call.outcome()).await?;
        assert_eq!(outcome.response["id"], 2, "a call that is ended is told so: {outcome:?}");
        refused(session.post(&session.request(4, "ping", json!({}))).await?, 404).await?;
        let other = Session::open(demo.target(), revision).await?;
        let ended = 2 * (at as u64 + 1);
        within(
            soon,
            "both calls to end",
            Sleeps::until(&other, Sleeps { started: ended, done: 0, cancelled: ended }),
        )
        .await?;
    }
    Ok(())
}
