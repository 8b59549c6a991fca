//! The service with a socket of its own: what stands beside the endpoint, and how it ends.

use std::time::Duration;

use hermes_http::Bound;
use hermes_testkit::raw::{Answer, Connection, RawError, Session, Target};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::client::{LATEST, MODERN, text};
use crate::stage::Stage;

/// Serves until it is told to end.
async fn served(stage: &Stage) -> (Target, oneshot::Sender<()>, JoinSet<()>) {
    let bound: Bound = stage.http().metrics().path("tools/").bind("127.0.0.1:0").await.expect("a free port");
    let target = Target::parse(&bound.url()).expect("an endpoint");
    let (end, told) = oneshot::channel();
    let mut tasks = JoinSet::new();
    tasks.spawn(bound.serve(async { drop(told.await) }));
    (target, end, tasks)
}

async fn get(target: &Target, path: &str) -> Result<(u16, Option<String>, String), RawError> {
    let session = Session::stranger(&target.with_path(path), LATEST);
    let mut answer = session.get(None).await?;
    let body = String::from_utf8(answer.body().await?).expect("a text");
    Ok((answer.status(), answer.head.media_type().map(str::to_owned), body))
}

#[tokio::test]
async fn the_endpoint_has_one_path_with_or_without_a_slash_and_others_say_which() -> Result<(), RawError> {
    let stage = Stage::new();
    let (target, _end, _serving) = served(&stage).await;
    for path in ["/tools", "/tools/"] {
        let session = Session::open(&target.with_path(path), LATEST).await?;
        assert_eq!(text(&session.ask(&session.call(1, "echo", json!({ "text": "x" }))).await?), "x");
    }
    for path in ["/", "/mcp", "/tools//", "/tools/x", "/health/", "/metrics/x"] {
        let (status, _, body) = get(&target, path).await?;
        assert!(status == 404 && body.contains("/tools"), "{path}: {status} {body}");
    }
    assert_eq!(get(&target, "/health").await?.0, 200);
    assert_eq!(get(&target, "/ready").await?.0, 200);
    Ok(())
}

#[tokio::test]
async fn metrics_are_a_text_that_prometheus_reads_and_that_balances() -> Result<(), RawError> {
    let stage = Stage::new();
    let (target, _end, _serving) = served(&stage).await;
    let session = Session::open(&target, LATEST).await?;
    session.ask(&session.call(1, "echo", json!({ "text": "x" }))).await?;
    let running = session.post(&session.call(2, "gate", json!({}))).await?;
    let (status, media_type, body) = get(&target, "/metrics").await?;
    assert_eq!((status, media_type.as_deref()), (200, Some("text/plain")));
    let mut values = std::collections::BTreeMap::new();
    let mut family = "";
    for line in body.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').expect("a name");
            assert!(!words.is_empty() && name.starts_with("hermes_"), "{help}");
            family = name;
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let expected = match family {
                name if name.ends_with("_total") => "counter",
                name if name.ends_with("_seconds") => "histogram",
                _ => "gauge",
            };
            assert_eq!(kind, format!("{family} {expected}"));
        } else {
            let (sample, value) = line.rsplit_once(' ').expect("a value");
            assert!(sample.starts_with(family), "{line}");
            let before = values.insert(sample.to_owned(), value.parse::<f64>().expect("a number"));
            assert_eq!(before, None, "{sample} stands twice");
        }
    }
    let value = |name: &str| values[&format!("hermes_{name}")];
    assert_eq!((value("running"), value("sessions"), value("requests_finished_total")), (1.0, 1.0, 2.0));
    let echo = r#"{method="tools/call",tool="echo""#;
    assert_eq!(value(&format!(r#"operations_total{echo},outcome="success"}}"#)), 1.0);
    assert_eq!(value(&format!(r#"operation_duration_seconds_bucket{echo},le="+Inf"}}"#)), 1.0);
    let outcomes = value("requests_finished_total") + value("requests_cancelled_total") + value("running");
    assert_eq!(value("requests_accepted_total"), outcomes);
    stage.deeds.open();
    drop(running);
    Ok(())
}

#[tokio::test]
async fn a_server_that_ends_says_so_on_open_connections_and_finishes_what_runs() -> Result<(), RawError> {
    let stage = Stage::new();
    let (target, end, mut serving) = served(&stage).await;
    let ready = b"GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut connection = Connection::open(target.address).await?;
    connection.send(ready).await?;
    let mut answer = Answer::read(connection).await?;
    assert_eq!((answer.status(), answer.body().await?), (200, b"ready\n".to_vec()));
    let mut connection = answer.into_connection()?;

    let session = Session::open(&target, MODERN).await?;
    let mut running = session.post(&session.call(1, "gate", json!({}))).await?;
    assert!(running.is_events());
    end.send(()).expect("it is served");
    loop {
        connection.send(ready).await?;
        let mut answer = Answer::read(connection).await?;
        let body = answer.body().await?;
        connection = answer.into_connection()?;
        if answer_is_over(&body) {
            break;
        }
    }
    stage.deeds.open();
    assert_eq!(text(&running.outcome().await?.response), "done");
    let served = tokio::time::timeout(Duration::from_secs(10), serving.join_next()).await;
    served.expect("it ends").expect("it was served").expect("no panic");
    assert!(Connection::open(target.address).await.is_err(), "nobody listens there any more");
    Ok(())
}

fn answer_is_over(body: &[u8]) -> bool {
    body == b"shutting down\n"
}
