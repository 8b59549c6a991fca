//! The end of a server: what runs may finish, the rest is refused, and whoever listens is told.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::client::{Client, LEGACY, MODERN, text};
use crate::stage::Stage;

const GRACE: Duration = Duration::from_secs(5);

#[tokio::test(start_paused = true)]
async fn what_runs_may_finish_within_the_grace_time_and_is_refused_after_it() {
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let stage = Stage::new();
        let stage = Stage { server: stage.server.shutdown_grace(GRACE), ..stage };
        let service = stage.http().service();
        let client = Client::open(&service, revision).await;
        let short = client.post(&client.call(1, "wait", json!({ "ms": 3_000 }))).await;
        let long = client.post(&client.call(2, "wait", json!({ "ms": 600_000 }))).await;
        let began = Instant::now();
        let (_, short, (long, waited)) =
            tokio::join!(service.endpoint().shut_down(), short.response(), async {
                (long.response().await, began.elapsed())
            });
        assert_eq!(text(&short), "done", "{revision}");
        let said = (&long["id"], &long["error"]["message"]);
        assert_eq!(said, (&json!(2), &json!("the server is shutting down")), "{revision}: {long}");
        assert!(waited.abs_diff(GRACE) < Duration::from_millis(10), "{waited:?}");
        assert_eq!(stage.deeds.counts(), (2, 1, 1));
        let metrics = service.endpoint().metrics();
        assert_eq!((metrics.running, metrics.sessions), (0, 0), "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_sessions_too_what_runs_on_after_the_grace_time_is_refused() {
    for revision in LEGACY {
        let stage = Stage::new();
        let stage = Stage { server: stage.server.shutdown_grace(GRACE), ..stage };
        let service = stage.http().stateless().service();
        let client = Client::open(&service, revision).await;
        let long = client.post(&client.call(2, "wait", json!({ "ms": 600_000 }))).await;
        let (_, long) = tokio::join!(service.endpoint().shut_down(), long.response());
        assert_eq!(long["error"]["message"], "the server is shutting down", "{revision}: {long}");
        let metrics = service.endpoint().metrics();
        // The answer to the handshake, and the refusal.
        assert_eq!((metrics.running, metrics.messages_handed), (0, 2), "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_at_rest_ends_at_once() {
    let stage = Stage::new();
    let service = stage.http().service();
    Client::open(&service, LEGACY[0]).await;
    let began = Instant::now();
    service.endpoint().shut_down().await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn streams_end_with_the_server_a_listening_one_by_its_result() {
    let stage = Stage::new();
    let service = stage.http().service();
    let mut gets = Vec::new();
    for revision in LEGACY {
        gets.push(Client::open(&service, revision).await.get(None).await);
    }
    let client = Client::open(&service, MODERN).await;
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    let mut listening = client.post(&client.request("l", "subscriptions/listen", listen)).await;
    let acknowledged = listening.message().await.expect("an acknowledgement");
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    stage.server.handle().remove_tool("echo");
    let changed = listening.message().await.expect("a change");
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    let began = Instant::now();
    let (_, rest) = tokio::join!(service.endpoint().shut_down(), listening.messages());
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!((&rest[0]["id"], rest[0]["result"].is_object()), (&json!("l"), true), "{rest:?}");
    for get in gets {
        let rest = get.messages().await;
        assert!(rest.iter().all(|it| it["method"] == "notifications/tools/list_changed"), "{rest:?}");
    }
    assert_eq!(began.elapsed(), Duration::ZERO, "nobody waits for those who only listen");
}

#[tokio::test(start_paused = true)]
async fn while_it_ends_new_requests_are_503_and_a_session_can_still_be_deleted() {
    let stage = Stage::new();
    let stage = Stage { server: stage.server.shutdown_grace(GRACE), ..stage };
    let service = stage.http().service();
    let clients = [
        Client::open(&service, LEGACY[0]).await,
        Client::open(&service, LEGACY[2]).await,
        Client::open(&service, MODERN).await,
    ];
    let running = clients[2].post(&clients[2].call(1, "wait", json!({ "ms": 3_000 }))).await;
    let meanwhile = async {
        for client in &clients {
            let answer = client.post(&client.call(5, "echo", json!({ "text": "x" }))).await;
            assert!(answer.header("retry-after").is_some());
            answer.refusal(503).await;
        }
        assert_eq!(clients[0].delete().await.status(), 200);
        assert_eq!(service.endpoint().metrics().sessions, 1);
    };
    let (_, response, ()) = tokio::join!(service.endpoint().shut_down(), running.response(), meanwhile);
    assert_eq!(text(&response), "done");
    let answer = clients[2].post(&clients[2].call(6, "echo", json!({ "text": "x" }))).await;
    answer.refusal(503).await;
}
