//! Faults that others have met, of kind L: back-pressure, memory, shutdown. The names are those of the collection
//! they stand in.

use std::time::{Duration, Instant};

use hermes_testkit::raw::{Answer, Connection, Frame, RawError, Session};
use hermes_testkit::relay::{Relay, Strike};
use serde_json::{Value, json};

use crate::{LATEST, MODERN, demo, struck_get, text, toggle, within};

/// How long a server that shuts down takes at most.
const GRACE: Duration = Duration::from_secs(6);

/// Listens to a resource and to the list of tools; the acknowledgement has come.
async fn listen(session: &Session, id: u64) -> Result<Answer, RawError> {
    let filter = json!({ "toolsListChanged": true, "resourceSubscriptions": ["demo://counter"] });
    let mut answer = session
        .post(&session.request(id, "subscriptions/listen", json!({ "notifications": filter })))
        .await?;
    let first = answer.message().await?.expect("an acknowledgement");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    Ok(answer)
}

async fn until_changed(answer: &mut Answer) -> Result<u64, RawError> {
    let mut updates = 0;
    loop {
        let message = answer.message().await?.expect("the stream goes on");
        match message["method"].as_str() {
            Some("notifications/resources/updated") => updates += 1,
            Some("notifications/tools/list_changed") => return Ok(updates),
            _ => panic!("nobody asked for {message}"),
        }
    }
}

#[tokio::test]
async fn b100_a_listener_that_never_reads_holds_nobody_up() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), MODERN).await?;
    let mut deaf = Vec::new();
    for id in 100..103 {
        let filter = json!({ "toolsListChanged": true, "resourceSubscriptions": ["demo://counter"] });
        let request = session.request(id, "subscriptions/listen", json!({ "notifications": filter }));
        let mut connection = Connection::open_narrow(demo.target().address, 2048).await?;
        session.note(&request);
        connection.send(&session.post_bytes(&request, &[])).await?;
        deaf.push(connection);
    }
    let mut listeners = Vec::new();
    for id in 0..9 {
        listeners.push(listen(&session, id).await?);
    }
    for _ in 0..1_000 {
        session.ask(&session.call(999, "touch", json!({}))).await?;
    }
    toggle(&session).await?;
    for listener in &mut listeners {
        let updates = within(Duration::from_secs(5), "the change", until_changed(listener)).await?;
        assert!(updates > 0, "the resource changed, which may be said once for many times");
    }
    drop(deaf);
    Ok(())
}

#[tokio::test]
async fn b101_updates_go_to_subscribers_only_and_subscriptions_end_with_their_owner() -> Result<(), RawError>
{
    let demo = demo();
    let (first, second) =
        (Session::open(demo.target(), LATEST).await?, Session::open(demo.target(), LATEST).await?);
    let uri = json!({ "uri": "demo://counter" });
    for id in 1..3 {
        first.ask(&first.request(id, "resources/subscribe", uri.clone())).await?;
    }
    second.ask(&second.request(1, "resources/subscribe", uri.clone())).await?;
    let (mut to_first, mut to_second) = (first.get(None).await?, second.get(None).await?);
    // It is a set: once is off.
    first.ask(&first.request(3, "resources/unsubscribe", uri.clone())).await?;
    let unknown = first.request(4, "resources/unsubscribe", json!({ "uri": "demo://never" }));
    assert_eq!(first.ask(&unknown).await?["result"], json!({}));
    first.ask(&first.call(5, "touch", json!({}))).await?;
    toggle(&first).await?;
    assert_eq!(until_changed(&mut to_first).await?, 0);
    assert_eq!(until_changed(&mut to_second).await?, 1);
    second.delete().await?.body().await?;
    first.ask(&first.call(6, "touch", json!({}))).await?;
    toggle(&first).await?;
    assert_eq!(until_changed(&mut to_first).await?, 0);
    Ok(())
}

/// What a stream says until it ends.
async fn rest(mut answer: Answer) -> Result<Vec<Value>, RawError> {
    let mut messages = Vec::new();
    loop {
        match answer.frame().await? {
            Frame::Comment(_) => {}
            Frame::End => return Ok(messages),
            Frame::Event(event) => messages.extend(event.message()?),
        }
    }
}

#[tokio::test]
async fn b102_a_shutdown_ends_every_stream_with_its_outcome_and_in_time() -> Result<(), RawError> {
    let mut demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    let legacy = Session::open(demo.target(), LATEST).await?;
    let modern = Session::open(demo.target(), MODERN).await?;
    let gets = [legacy.get(None).await?, legacy.get(None).await?, legacy.get(None).await?];
    let listens = [listen(&modern, 1).await?, listen(&modern, 2).await?];
    let mut calls = Vec::new();
    for session in [&legacy, &modern] {
        for (id, ms) in [(7, 500), (8, 60_000)] {
            calls.push((id, session.post(&session.call(id, "sleep", json!({ "ms": ms }))).await?));
        }
    }
    let _half_open = struck_get(&legacy, &relay, Strike::Swallow).await?;
    demo.terminate()?;
    let told = Instant::now();
    for get in gets {
        let messages = within(GRACE, "the end of a stream", rest(get)).await?;
        assert_eq!(messages, Vec::<Value>::new());
    }
    for (id, listen) in [1, 2].into_iter().zip(listens) {
        let messages = within(GRACE, "the end of listening", rest(listen)).await?;
        let [result] = messages.as_slice() else { panic!("one result: {messages:?}") };
        assert_eq!((&result["id"], &result["result"]["resultType"]), (&json!(id), &json!("complete")));
    }
    for (id, mut call) in calls {
        let response = within(GRACE, "an outcome", call.outcome()).await?.response;
        assert_eq!(response["id"], id);
        if id == 7 {
            assert_eq!(text(&response), "done");
        } else {
            assert!(response["result"]["isError"] == true || response.get("error").is_some(), "{response}");
        }
    }
    assert!(Connection::open(demo.target().address).await.is_err(), "nobody new is let in");
    assert_eq!(demo.wait(GRACE)?.code(), Some(0));
    assert!(told.elapsed() < GRACE, "{:?}", told.elapsed());
    Ok(())
}

#[tokio::test]
async fn b102_a_second_signal_does_not_wait() -> Result<(), RawError> {
    let mut demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let _get = session.get(None).await?;
    let _call = session.post(&session.call(8, "sleep", json!({ "ms": 60_000 }))).await?;
    demo.terminate()?;
    while Connection::open(demo.target().address).await.is_ok() {}
    demo.terminate()?;
    demo.wait(Duration::from_secs(2))?;
    Ok(())
}
