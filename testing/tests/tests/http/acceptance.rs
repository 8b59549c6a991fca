//! What the transport was built for: nothing that was accepted is lost, run twice, or told to somebody else.

use std::time::{Duration, Instant};

use hermes_testkit::raw::{Connection, Frame, PATIENCE, RawError, Session};
use hermes_testkit::relay::{Fate, Relay, Strike};
use hermes_testkit::torture::Torture;
use serde_json::json;

use crate::{
    LATEST, LEGACY, MODERN, Sleeps, demo, demo_with, first_id, list_changed, refused, struck_get, text,
    toggle, within,
};

const STRIKES: [Strike; 4] = [Strike::Reset, Strike::Finish, Strike::Stall, Strike::Swallow];

// spec: R126, R142
#[tokio::test]
async fn a01_a_call_is_answered_on_its_own_post_when_the_get_stream_died_without_a_fin()
-> Result<(), RawError> {
    let demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    for revision in LEGACY {
        for strike in STRIKES {
            let session = Session::open(demo.target(), revision).await?;
            let _get = struck_get(&session, &relay, strike).await?;
            for (id, tool, arguments, says) in
                [(1, "echo", json!({ "text": "here" }), "here"), (2, "sleep", json!({ "ms": 20 }), "done")]
            {
                let mut answer = session.post(&session.call(id, tool, arguments)).await?;
                assert_eq!(answer.status(), 200, "{revision} {strike:?}");
                let response = answer.outcome().await?.response;
                assert_eq!((&response["id"], text(&response)), (&json!(id), says));
            }
        }
    }
    Ok(())
}

// spec: R136, R140
#[tokio::test]
async fn a02_a_post_that_is_cut_after_dispatch_is_resumed_by_get_and_ran_once() -> Result<(), RawError> {
    for cut in STRIKES {
        let demo = demo();
        let relay = Relay::start(demo.target().address).await?;
        let session = Session::open(demo.target(), LATEST).await?;
        // The head and the priming event are there; whatever follows is cut.
        let mut answer = session.post(&session.call(0, "sleep", json!({ "ms": 1 }))).await?;
        let head_and_priming = if answer.is_events() {
            first_id(&mut answer).await?;
            answer.taken()
        } else {
            panic!("a call that waits is answered by a stream: {:?}", answer.head)
        };
        answer.outcome().await?;

        let (stream, mut struck) = relay.connect(Fate::pass().strike_answer(head_and_priming, cut)).await?;
        let call = session.call(7, "sleep", json!({ "ms": 200 }));
        let mut answer = session.post_on(Connection::over(stream), &call, &[]).await?;
        let cursor = first_id(&mut answer).await?;
        assert_eq!(struck.wait().await, Some(cut));
        let outcome = session.get(Some(&cursor)).await?.outcome().await?;
        assert_eq!((&outcome.response["id"], text(&outcome.response)), (&json!(7), "done"), "{cut:?}");
        assert_eq!(Sleeps::of(&session).await?, Sleeps { started: 2, done: 2, cancelled: 0 }, "{cut:?}");
    }
    Ok(())
}

// spec: R140, R145
#[tokio::test]
async fn a02_without_a_priming_event_the_first_message_is_where_a_client_resumes() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call_with_progress(7, "progress", json!({ "n": 5, "interval_ms": 20 }), "p");
        let mut answer = session.post(&call).await?;
        let cursor = loop {
            match answer.frame().await? {
                Frame::Event(event) if event.message()?.is_some() => break event.id.expect("an id"),
                _ => {}
            }
        };
        answer.reset()?;
        let outcome = session.get(Some(&cursor)).await?.outcome().await?;
        let steps: Vec<_> = outcome.before.iter().map(|note| note["params"]["progress"].as_f64()).collect();
        assert_eq!(steps, [Some(2.0), Some(3.0), Some(4.0), Some(5.0)], "{revision}");
        assert_eq!(text(&outcome.response), "done");
    }
    Ok(())
}

// spec: R135
#[tokio::test]
async fn a03_a_superseded_get_that_ends_leaves_the_newer_one_hearing() -> Result<(), RawError> {
    let demo = demo();
    let relay = Relay::start(demo.target().address).await?;
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let old = session.get(None).await?;
        let mut new = session.get(None).await?;
        toggle(&session).await?;
        list_changed(&mut new).await?;
        drop(old);
        toggle(&session).await?;
        list_changed(&mut new).await?;
        for strike in STRIKES {
            let _old = struck_get(&session, &relay, strike).await?;
            let mut new = session.get(None).await?;
            toggle(&session).await?;
            list_changed(&mut new).await?;
        }
    }
    Ok(())
}

// spec: R135
#[tokio::test]
async fn a03_two_gets_of_one_client_do_not_fight_and_the_older_one_takes_over() -> Result<(), RawError> {
    for revision in LEGACY {
        // A server for each: the last change of one round may come when the next has begun.
        let demo = demo();
        let session = Session::open(demo.target(), revision).await?;
        let mut old = session.get(None).await?;
        let mut new = session.get(None).await?;
        for _ in 0..3 {
            toggle(&session).await?;
            list_changed(&mut new).await?;
        }
        let silent = tokio::time::timeout(Duration::ZERO, old.message()).await;
        assert!(silent.is_err(), "the older one is open and hears nothing: {silent:?}");
        drop(new);
        // When the server sees the newer one end is not for the client to know: it changes lists until it hears.
        tokio::select! {
            heard = list_changed(&mut old) => heard?,
            () = async { while toggle(&session).await.is_ok() {} } => panic!("the server is gone"),
        }
    }
    Ok(())
}

#[tokio::test]
async fn a04_a_hundred_calls_with_random_kills_are_each_answered_once() {
    let demo = demo();
    let torture = Torture { rounds: 4, seed: 4, ..Torture::default() };
    let figures = hermes_testkit::torture::torture(demo.target(), &torture, |_, _, _| {}).await;
    assert!(figures.is_clean(), "{figures}\n{}", figures.findings.join("\n"));
    assert_eq!(figures.count.calls, 400);
}

#[tokio::test]
async fn a05_an_idle_session_ends_in_404_with_the_id_and_a_new_one_serves_the_call_once()
-> Result<(), RawError> {
    for revision in LEGACY {
        let demo = demo_with(&["--session-idle", "300ms", "--max-sessions", "1"]);
        let session = Session::open(demo.target(), revision).await?;
        session.ask(&session.call(1, "echo", json!({ "text": "in use" }))).await?;
        // There is room for one: a second fits in once the first has expired, and no sooner.
        let mut again = Session::stranger(demo.target(), revision);
        let room = async { while again.greet().await.is_err() {} };
        within(PATIENCE, "the expiry", room).await;
        let call = session.call("late", "touch", json!({}));
        let error = refused(session.post(&call).await?, 404).await?;
        assert_eq!((&error["id"], &error["error"]["data"]["reason"]), (&json!("late"), &json!("expired")));
        assert_eq!(text(&again.ask(&call).await?), "1", "the call had its effect once");
    }
    Ok(())
}

#[tokio::test]
async fn a06_a_server_that_dies_in_a_call_ends_it_within_a_second_and_the_next_knows_no_session()
-> Result<(), RawError> {
    let mut first = demo();
    let session = Session::open(first.target(), LATEST).await?;
    let mut answer = session.post(&session.call(7, "sleep", json!({ "ms": 60_000 }))).await?;
    let cursor = first_id(&mut answer).await?;
    first.kill()?;
    let ended = within(Duration::from_secs(1), "the end of the call", answer.message()).await;
    assert!(ended.as_ref().is_err_and(RawError::is_cut), "{ended:?}");

    let second = demo();
    let session = session.at(second.target());
    let error = refused(session.post(&session.call(8, "echo", json!({ "text": "x" }))).await?, 404).await?;
    assert_eq!((&error["id"], &error["error"]["data"]["reason"]), (&json!(8), &json!("unknown")));
    refused(session.get(Some(&cursor)).await?, 404).await?;
    Ok(())
}

#[tokio::test]
async fn a06_a_server_that_shuts_down_in_a_call_answers_it_within_its_grace() -> Result<(), RawError> {
    let mut demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let mut get = session.get(None).await?;
    let mut short = session.post(&session.call(1, "sleep", json!({ "ms": 300 }))).await?;
    let mut long = session.post(&session.call(2, "sleep", json!({ "ms": 60_000 }))).await?;
    demo.terminate()?;
    let told = Instant::now();
    let outcome = short.outcome().await?;
    assert_eq!(text(&outcome.response), "done");
    let outcome = within(Duration::from_secs(7), "the outcome of the long call", long.outcome()).await?;
    let response = outcome.response;
    assert_eq!((&response["id"], &response["result"]["isError"]), (&json!(2), &json!(true)), "{response}");
    while within(Duration::from_secs(7), "the end of the stream", get.frame()).await? != Frame::End {}
    assert_eq!(demo.wait(Duration::from_secs(7))?.code(), Some(0));
    assert!(told.elapsed() < Duration::from_secs(7), "{:?}", told.elapsed());
    Ok(())
}

#[tokio::test]
async fn a07_silent_calls_of_six_and_of_35_seconds_are_kept_alive() -> Result<(), RawError> {
    let demo = demo();
    let mut calls = tokio::task::JoinSet::new();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        for (id, ms, comments) in [(6, 6_000, 0), (35, 35_000, 2)] {
            let session = session.clone();
            calls.spawn(async move {
                let mut answer = session.post(&session.call(id, "sleep", json!({ "ms": ms }))).await?;
                let mut heard = 0;
                loop {
                    match answer.frame().await? {
                        Frame::Comment(_) => heard += 1,
                        Frame::Event(event) => {
                            if let Some(message) = event.message()? {
                                assert_eq!((&message["id"], text(&message)), (&json!(id), "done"));
                                assert!(heard >= comments, "{revision}: {heard} comments in {ms} ms");
                                return Ok::<_, RawError>(());
                            }
                        }
                        Frame::End => panic!("{revision}: the stream of {ms} ms has no answer"),
                    }
                }
            });
        }
    }
    while let Some(call) = calls.join_next().await {
        call.expect("no panic")?;
    }
    Ok(())
}

#[tokio::test]
async fn a08_a_panic_is_an_error_on_its_own_exchange_and_nobody_else_notices() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let (own, other) =
            (Session::open(demo.target(), revision).await?, Session::open(demo.target(), revision).await?);
        let mut beside = own.post(&own.call(1, "sleep", json!({ "ms": 300 }))).await?;
        let mut elsewhere = other.post(&other.call(7, "sleep", json!({ "ms": 300 }))).await?;
        let error = own.ask(&own.call(7, "panic", json!({}))).await?;
        assert_eq!(error["error"]["code"], -32603, "{error}");
        for answer in [&mut beside, &mut elsewhere] {
            assert_eq!(text(&answer.outcome().await?.response), "done");
        }
        let still = own.ask(&own.call(8, "echo", json!({ "text": "still here" }))).await?;
        assert_eq!(text(&still), "still here");
    }
    Ok(())
}

#[tokio::test]
async fn a09_a_request_right_after_the_handshake_is_served_and_so_is_one_that_overtakes_it()
-> Result<(), RawError> {
    let demo = demo();
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for revision in LEGACY {
        let mut session = Session::stranger(demo.target(), revision);
        session.greet().await?;
        let early = session.ask(&session.call(1, "echo", json!({ "text": "early" }))).await?;
        assert_eq!(text(&early), "early");
        let together = session.call(2, "echo", json!({ "text": "together" }));
        let (told, answered) = tokio::join!(session.tell(&initialized), session.ask(&together));
        told?;
        assert_eq!(text(&answered?), "together");
    }
    Ok(())
}

#[tokio::test]
async fn a10_two_clients_never_hear_what_is_meant_for_the_other() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let can = json!({ "elicitation": {} });
        let (ada, bob) = (
            Session::open_with(demo.target(), revision, can.clone()).await?,
            Session::open_with(demo.target(), revision, can).await?,
        );
        if revision >= LEGACY[1] {
            // Both are asked under whatever ids the server likes, and answer in the other's order.
            let mut asked_ada = ada.post(&ada.call(1, "ask", json!({ "message": "ada?" }))).await?;
            let mut asked_bob = bob.post(&bob.call(1, "ask", json!({ "message": "bob?" }))).await?;
            for (session, asked, question, name) in
                [(&bob, &mut asked_bob, "bob?", "Bob"), (&ada, &mut asked_ada, "ada?", "Ada")]
            {
                let message = asked.message().await?.expect("a question");
                assert_eq!(message["params"]["message"], question, "{message}");
                let answer = json!({ "action": "accept", "content": { "name": name } });
                session.tell(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer })).await?;
                let response = asked.outcome().await?.response;
                assert_eq!(text(&response), format!("Hello, {name}"));
            }
        }
        // One subscribes and sets a level; the other hears of neither.
        ada.ask(&ada.request(2, "resources/subscribe", json!({ "uri": "demo://counter" }))).await?;
        ada.ask(&ada.request(3, "logging/setLevel", json!({ "level": "error" }))).await?;
        let (mut to_ada, mut to_bob) = (ada.get(None).await?, bob.get(None).await?);
        bob.ask(&bob.call(4, "touch", json!({}))).await?;
        let updated = to_ada.message().await?.expect("an update");
        assert_eq!(updated["method"], "notifications/resources/updated", "{updated}");
        toggle(&ada).await?;
        list_changed(&mut to_bob).await?;
        for (session, logs) in [(&ada, 0), (&bob, 1)] {
            let log = session.call(5, "log", json!({ "level": "info", "message": "hi" }));
            let outcome = session.post(&log).await?.outcome().await?;
            assert_eq!(outcome.before.len(), logs, "{outcome:?}");
        }
        // The same ids and tokens at the same time.
        let progress = json!({ "n": 5, "interval_ms": 5 });
        let mut to_both = Vec::new();
        for session in [&ada, &bob] {
            to_both.push(
                session.post(&session.call_with_progress(6, "progress", progress.clone(), "same")).await?,
            );
        }
        for answer in &mut to_both {
            let outcome = answer.outcome().await?;
            let steps: Vec<_> =
                outcome.before.iter().map(|note| note["params"]["progress"].as_f64()).collect();
            assert_eq!(steps, [1.0, 2.0, 3.0, 4.0, 5.0].map(Some), "{revision}");
        }
    }
    Ok(())
}

// spec: R132
#[tokio::test]
async fn a11_a_deleted_session_is_gone_for_everything_and_for_a_second_delete() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let mut deleted = session.delete().await?;
        assert!([200, 204].contains(&deleted.status()), "{:?}", deleted.head);
        deleted.body().await?;
        let error =
            refused(session.post(&session.call(5, "echo", json!({ "text": "x" }))).await?, 404).await?;
        assert_eq!((&error["id"], &error["error"]["data"]["reason"]), (&json!(5), &json!("terminated")));
        refused(session.get(None).await?, 404).await?;
        refused(session.delete().await?, 404).await?;
    }
    Ok(())
}
