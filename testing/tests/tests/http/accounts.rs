//! What an operator reads: with it, that nothing was lost can be shown.

use std::collections::BTreeMap;

use hermes_testkit::daemon::Daemon;
use hermes_testkit::raw::{PATIENCE, RawError, Session};
use hermes_testkit::torture::{Torture, torture};
use serde_json::json;

use crate::{LATEST, LEGACY, demo_with, refused, within};

/// The accounts of `/metrics`, without the prefix of their names. How long things took is left out.
async fn metrics(demo: &Daemon) -> Result<BTreeMap<String, u64>, RawError> {
    let session = Session::stranger(&demo.target().with_path("/metrics"), LATEST);
    let mut answer = session.get(None).await?;
    let body = String::from_utf8(answer.body().await?).expect("a text");
    assert_eq!((answer.status(), answer.head.media_type()), (200, Some("text/plain")), "{body}");
    let is_account =
        |line: &&str| !line.starts_with('#') && !line.contains('{') && !line.contains("_seconds_");
    let lines = body.lines().filter(is_account);
    let values = lines.map(|line| {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        (name.trim_start_matches("hermes_").to_owned(), value.parse().expect("a number"))
    });
    Ok(values.collect())
}

#[tokio::test]
async fn after_a_torture_every_request_has_its_outcome_in_the_accounts() -> Result<(), RawError> {
    let demo = demo_with(&["--metrics"]);
    let wanted = Torture { rounds: 4, seed: 11, ..Torture::default() };
    let figures = torture(demo.target(), &wanted, |_, _, _| {}).await;
    assert!(figures.is_clean(), "{figures}\n{}", figures.findings.join("\n"));
    // Connections that the torture held are seen to end a little later than their sessions.
    let settled = async {
        loop {
            let values = metrics(&demo).await?;
            if values["running"] == 0 && values["streams_attached_total"] == values["streams_detached_total"]
            {
                return Ok::<_, RawError>(values);
            }
        }
    };
    let values = within(PATIENCE, "the end of what runs", settled).await?;
    let outcomes = values["requests_finished_total"] + values["requests_cancelled_total"];
    assert_eq!(values["requests_accepted_total"], outcomes, "{values:?}");
    assert!(outcomes >= figures.count.calls, "{values:?}");
    assert_eq!(values["streams_resumed_total"], figures.count.resumes, "{values:?}");
    assert_eq!((values["sessions"], values["requests_refused_total"]), (0, 0), "{values:?}");
    assert_eq!(values["sessions_opened_total"], values["sessions_terminated_total"], "{values:?}");
    Ok(())
}

#[tokio::test]
async fn a_result_that_nobody_fetched_is_counted_when_its_session_ends() -> Result<(), RawError> {
    let demo = demo_with(&["--metrics"]);
    let session = Session::open_with(demo.target(), LATEST, json!({ "elicitation": {} })).await?;
    let mut answer = session.post(&session.call(1, "ask", json!({ "message": "Who?" }))).await?;
    let question = answer.message().await?.expect("a question");
    answer.reset()?;
    let until = async |over: fn(&BTreeMap<String, u64>) -> bool| loop {
        let values = metrics(&demo).await?;
        if over(&values) {
            return Ok::<_, RawError>(values);
        }
    };
    let gone = until(|it| it["streams_attached_total"] == it["streams_detached_total"]);
    let away = within(PATIENCE, "the end of the connection", gone).await?;
    assert_eq!(away["running"], 1, "the call goes on: {away:?}");
    let declined = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    session.tell(&declined).await?;
    let kept = within(PATIENCE, "the end of the call", until(|it| it["running"] == 0)).await?;
    session.delete().await?.body().await?;
    let after = metrics(&demo).await?;
    for (name, more) in [("expired_unsent_total", 1), ("messages_handed_total", 0)] {
        assert_eq!((kept[name] - away[name], after[name] - kept[name]), (0, more), "{name}: {after:?}");
    }
    Ok(())
}

#[tokio::test]
async fn sessions_beyond_the_cap_are_refused_with_503_and_those_in_use_go_on() -> Result<(), RawError> {
    let demo = demo_with(&["--metrics", "--max-sessions", "3"]);
    let mut used = Vec::new();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        session.ask(&session.call(1, "echo", json!({ "text": "x" }))).await?;
        used.push(session);
    }
    let hello = json!({ "jsonrpc": "2.0", "id": "h", "method": "initialize", "params": {
        "protocolVersion": LATEST.as_str(), "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } } });
    let stranger = Session::stranger(demo.target(), LATEST);
    for _ in 0..5 {
        let answer = stranger.post(&hello).await?;
        let seconds = answer.head.header("retry-after").and_then(|value| value.parse::<u64>().ok());
        assert!(seconds.is_some_and(|seconds| seconds > 0), "{:?}", answer.head);
        assert_eq!(refused(answer, 503).await?["id"], "h");
    }
    for session in &used {
        session.ask(&session.call(2, "echo", json!({ "text": "x" }))).await?;
    }
    used.swap_remove(0).delete().await?.body().await?;
    Session::open(demo.target(), LATEST).await?;
    let values = metrics(&demo).await?;
    assert_eq!((values["sessions"], values["sessions_refused_total"]), (3, 5), "{values:?}");
    Ok(())
}

#[tokio::test]
async fn a_thousand_sessions_that_are_never_used_make_room_for_each_other() -> Result<(), RawError> {
    let demo = demo_with(&["--metrics", "--max-sessions", "100"]);
    let kept = Session::open(demo.target(), LATEST).await?;
    kept.ask(&kept.call(1, "echo", json!({ "text": "x" }))).await?;
    let mut stranger = Session::stranger(demo.target(), LATEST);
    for _ in 0..1_000 {
        stranger = stranger.with_id(None);
        stranger.greet().await?;
    }
    let values = metrics(&demo).await?;
    assert_eq!((values["sessions"], values["sessions_evicted_total"]), (100, 901), "{values:?}");
    kept.ask(&kept.call(2, "echo", json!({ "text": "still here" }))).await?;
    stranger.ask(&stranger.call(2, "echo", json!({ "text": "the newest too" }))).await?;
    Ok(())
}

#[tokio::test]
async fn without_being_asked_for_there_are_no_metrics_but_always_signs_of_health() -> Result<(), RawError> {
    let demo = demo_with(&[]);
    for (path, status) in [("/metrics", 404), ("/health", 200), ("/ready", 200)] {
        let session = Session::stranger(&demo.target().with_path(path), LATEST);
        let mut answer = session.get(None).await?;
        answer.body().await?;
        assert_eq!(answer.status(), status, "{path}");
    }
    Ok(())
}
