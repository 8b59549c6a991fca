//! Faults that others have met, of kind A: streams that are dead or half open, and answers that are lost. The names
//! are those of the collection they stand in.

use hermes_testkit::raw::{RawError, Session};
use hermes_testkit::relay::{Relay, Strike};
use serde_json::json;
use tokio::task::JoinSet;

use crate::{LATEST, LEGACY, Sleeps, demo, first_id, list_changed, struck_get, text, toggle};

// spec: R126, R142
#[tokio::test]
async fn b001_a_reply_is_never_handed_to_a_listener_that_has_just_died() -> Result<(), RawError> {
    let demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    let session = Session::open(demo.target(), LATEST).await?;
    for round in 0..200 {
        let get = session.get(None).await?;
        get.reset()?;
        let mut answer = session.post(&session.call(2, "echo", json!({ "text": "x" }))).await?;
        assert_eq!(answer.status(), 200, "round {round}");
        assert_eq!(answer.outcome().await?.response["id"], 2);
    }
    let _half_open = struck_get(&session, &relay, Strike::Swallow).await?;
    let mut healthy = session.get(None).await?;
    for _ in 0..200 {
        let mut answer = session.post(&session.call(2, "echo", json!({ "text": "x" }))).await?;
        assert_eq!((answer.status(), &answer.outcome().await?.response["id"]), (200, &json!(2)));
    }
    // The first thing that the listener hears is no response.
    toggle(&session).await?;
    list_changed(&mut healthy).await
}

// spec: R136, R137
#[tokio::test]
async fn b002_two_posts_of_one_session_never_swap_results() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let mut calls = JoinSet::new();
        for pair in 0..50_u64 {
            for (id, ms) in [(2 * pair, 300 - 6 * pair), (2 * pair + 1, 10 + pair)] {
                let session = session.clone();
                calls.spawn(async move {
                    let mark = format!("p{id}");
                    let arguments = json!({ "n": 1, "interval_ms": ms });
                    let call = session.call_with_progress(id, "progress", arguments, mark.as_str());
                    let outcome = session.post(&call).await?.outcome().await?;
                    assert_eq!(outcome.response["id"], id);
                    assert_eq!(outcome.before[0]["params"]["progressToken"], mark.as_str());
                    Ok::<_, RawError>(())
                });
            }
        }
        while let Some(call) = calls.join_next().await {
            call.expect("no panic")?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn b003_losing_the_get_stream_does_not_end_the_session() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        for id in 0..20 {
            drop(session.get(None).await?);
            let listed = session.ask(&session.request(id, "tools/list", json!({}))).await?;
            assert!(listed["result"]["tools"].is_array(), "{listed}");
        }
    }
    Ok(())
}

// spec: R136, R140
#[tokio::test]
async fn b004_a_finished_result_is_kept_until_it_was_replayed() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let mut answer = session.post(&session.call(2, "sleep", json!({ "ms": 200 }))).await?;
    let cursor = first_id(&mut answer).await?;
    drop(answer);
    let once = Sleeps { started: 1, done: 1, cancelled: 0 };
    Sleeps::until(&session, once).await?;
    let outcome = session.get(Some(&cursor)).await?.outcome().await?;
    assert_eq!((&outcome.response["id"], text(&outcome.response)), (&json!(2), "done"));
    assert_eq!(Sleeps::of(&session).await?, once);
    Ok(())
}

// spec: R137
#[tokio::test]
async fn b006_a_question_from_within_a_call_travels_on_the_calls_stream() -> Result<(), RawError> {
    let demo = demo();
    for (tool, arguments, method, result, says) in [
        (
            "ask",
            json!({ "message": "Who?" }),
            "elicitation/create",
            json!({ "action": "decline" }),
            "declined",
        ),
        ("roots", json!({}), "roots/list", json!({ "roots": [] }), "no roots"),
    ] {
        let can = json!({ "elicitation": {}, "roots": {} });
        let session = Session::open_with(demo.target(), LATEST, can).await?;
        let mut answer = session.post(&session.call(5, tool, arguments)).await?;
        let question = answer.message().await?.expect("a question");
        assert_eq!(question["method"], method, "{question}");
        session.tell(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await?;
        let response = answer.outcome().await?.response;
        assert_eq!((&response["id"], text(&response)), (&json!(5), says));
    }
    Ok(())
}
