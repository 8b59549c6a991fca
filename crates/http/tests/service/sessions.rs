//! The life of sessions: how they end, what keeps them, and what there is room for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_http::{SessionEvent, StreamableHttp};
use serde_json::json;

use crate::client::{Client, LATEST, LEGACY, MODERN, text};
use crate::stage::Stage;

const IDLE: Duration = Duration::from_secs(60);

/// What the hook was told: the event, and the first digits of the id.
type Told = Arc<Mutex<Vec<(SessionEvent, String)>>>;

fn telling(http: StreamableHttp) -> (StreamableHttp, Told) {
    let told = Told::default();
    let into = Arc::clone(&told);
    let http = http.on_session(move |event, session| {
        into.lock().expect("nobody panics").push((event, session.id.clone()));
    });
    (http, told)
}

fn short(client: &Client) -> String {
    client.session.as_deref().expect("a session").chars().take(8).collect()
}

// spec: R132
#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_used_expires_and_its_client_and_its_operator_are_told() {
    for revision in LEGACY {
        let (http, told) = telling(Stage::new().http().session_idle(IDLE));
        let service = http.service();
        let client = Client::open(&service, revision).await;
        for id in 0..5 {
            tokio::time::sleep(IDLE - Duration::from_secs(1)).await;
            client.ask(&client.call(id, "echo", json!({ "text": "in use" }))).await;
        }
        tokio::time::sleep(IDLE + Duration::from_secs(1)).await;
        let error = client.post(&client.call(9, "echo", json!({ "text": "x" }))).await.refusal(404).await;
        assert_eq!((&error["id"], &error["error"]["data"]["reason"]), (&json!(9), &json!("expired")));
        client.get(None).await.refusal(404).await;
        client.delete().await.refusal(404).await;
        let id = short(&client);
        let told = told.lock().expect("nobody panics").clone();
        assert_eq!(told, [(SessionEvent::Opened, id.clone()), (SessionEvent::Expired, id)]);
        let metrics = service.endpoint().metrics();
        assert_eq!((metrics.sessions, metrics.sessions_expired), (0, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_keeps_its_session_and_so_does_a_call_that_runs() {
    let service = Stage::new().http().session_idle(IDLE).service();
    for revision in LEGACY {
        let (reading, calling) =
            (Client::open(&service, revision).await, Client::open(&service, revision).await);
        let stream = reading.get(None).await;
        let minutes = 10 * IDLE;
        drop(calling.post(&calling.call(1, "wait", json!({ "ms": minutes.as_millis() as u64 }))).await);
        tokio::time::sleep(minutes - Duration::from_secs(1)).await;
        assert_eq!(service.endpoint().metrics().sessions, 2, "{revision}");
        drop(stream);
        tokio::time::sleep(IDLE + Duration::from_secs(10)).await;
        assert_eq!(service.endpoint().metrics().sessions, 0, "{revision}");
        let error = reading.post(&reading.request(2, "ping", json!({}))).await.refusal(404).await;
        assert_eq!(error["error"]["data"]["reason"], "expired");
    }
}

#[tokio::test(start_paused = true)]
async fn beyond_the_cap_the_idlest_unused_session_goes_and_one_in_use_never() {
    let (http, told) = telling(Stage::new().http().max_sessions(3));
    let service = http.service();
    let used = Client::open(&service, LATEST).await;
    let mut unused = Vec::new();
    for _ in 0..3 {
        let mut client = Client::stranger(&service, LATEST);
        let answer = client.post(&client.hello("h", json!({}))).await;
        client.session = answer.header("mcp-session-id").map(str::to_owned);
        answer.response().await;
        unused.push(client);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    let evicted = (SessionEvent::Evicted, short(&unused[0]));
    assert!(told.lock().expect("nobody panics").contains(&evicted));
    let gone = unused[0].post(&used.request(1, "ping", json!({}))).await.refusal(404).await;
    assert_eq!(gone["error"]["data"]["reason"], "expired");
    for client in &unused[1..] {
        client.ask(&client.request(1, "ping", json!({}))).await;
    }
    let answer = Client::stranger(&service, LATEST);
    let answer = answer.post(&answer.hello("full", json!({}))).await;
    let seconds: u64 = answer.header("retry-after").expect("a time").parse().expect("seconds");
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(answer.refusal(503).await["id"], "full");
    used.ask(&used.request(2, "ping", json!({}))).await;
    let metrics = service.endpoint().metrics();
    assert_eq!((metrics.sessions, metrics.sessions_evicted, metrics.sessions_refused), (3, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn more_calls_than_may_run_are_503_with_the_id_and_none_is_lost() {
    let stage = Stage::new();
    let service = stage.http().max_running(2).service();
    for (round, revision) in LEGACY.into_iter().chain([MODERN]).enumerate() {
        let client = Client::open(&service, revision).await;
        let running = [
            client.post(&client.call(1, "gate", json!({}))).await,
            client.post(&client.call(2, "gate", json!({}))).await,
        ];
        let answer = client.post(&client.call(3, "gate", json!({}))).await;
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.refusal(503).await["id"], 3, "{revision}");
        stage.deeds.open();
        for answer in running {
            assert_eq!(text(&answer.response().await), "done");
        }
        let all = 2 * (round as u64 + 1);
        assert_eq!(stage.deeds.counts(), (all, all, 0), "{revision}: the third never ran");
        // Tasks that are over are seen to be over when they were polled once more.
        tokio::task::yield_now().await;
        assert_eq!(text(&client.ask(&client.call(4, "echo", json!({ "text": "x" }))).await), "x");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_session_ends_its_calls_with_an_answer_and_its_streams() {
    let (http, told) = telling(Stage::new().http());
    let service = http.service();
    for revision in LEGACY {
        let client = Client::open(&service, revision).await;
        let get = client.get(None).await;
        let call = client.post(&client.call(1, "gate", json!({}))).await;
        assert_eq!(client.delete().await.status(), 200);
        let messages = call.messages().await;
        let [ended] = messages.as_slice() else { panic!("one answer: {messages:?}") };
        assert_eq!((&ended["id"], &ended["error"]["data"]["reason"]), (&json!(1), &json!("terminated")));
        assert_eq!(get.messages().await, [json!(null); 0]);
        let error = client.post(&client.call(2, "echo", json!({ "text": "x" }))).await.refusal(404).await;
        assert_eq!((&error["id"], &error["error"]["data"]["reason"]), (&json!(2), &json!("terminated")));
        client.get(None).await.refusal(404).await;
        client.delete().await.refusal(404).await;
        let last = told.lock().expect("nobody panics").last().cloned();
        assert_eq!(last, Some((SessionEvent::Terminated, short(&client))));
    }
    let metrics = service.endpoint().metrics();
    assert_eq!((metrics.sessions, metrics.sessions_terminated, metrics.running), (0, 3, 0));
}

#[tokio::test(start_paused = true)]
async fn operators_can_list_sessions_without_learning_their_ids() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, LATEST).await;
    let running = client.post(&client.call(1, "gate", json!({}))).await;
    let sessions = service.endpoint().sessions();
    let [session] = sessions.as_slice() else { panic!("one session: {sessions:?}") };
    assert_eq!((session.revision, session.running, session.idle), (LATEST, 1, None));
    assert_eq!(session.client.as_ref().map(|client| client.name.as_str()), Some("test"));
    assert_eq!(session.id, short(&client));
    assert!(!format!("{session:?}").contains(client.session.as_deref().expect("a session")));
    client
        .post(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }))
        .await;
    drop(running);
    tokio::time::advance(Duration::from_secs(7)).await;
    let sessions = service.endpoint().sessions();
    assert_eq!(sessions[0].idle, Some(Duration::from_secs(7)));
}

// spec: R129, R130
#[tokio::test(start_paused = true)]
async fn an_id_is_given_at_the_handshake_alone_long_and_never_twice() {
    let service = Stage::new().http().service();
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..1000 {
        let client = Client::stranger(&service, LATEST);
        let answer = client.post(&client.hello("h", json!({}))).await;
        let id = answer.header("mcp-session-id").expect("an id").to_owned();
        assert!(id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
        assert!(ids.insert(id), "twice");
    }
    let client = Client::open(&service, LATEST).await;
    let answer = client.post(&client.request(1, "tools/list", json!({}))).await;
    assert_eq!(answer.header("mcp-session-id"), None);
}

#[tokio::test(start_paused = true)]
async fn a_session_may_have_so_many_streams_open_and_one_that_ends_makes_room() {
    let service = Stage::new().http().max_streams(3).service();
    for revision in LEGACY {
        let client = Client::open(&service, revision).await;
        let mut open = vec![
            client.get(None).await,
            client.get(None).await,
            client.post(&client.call(1, "gate", json!({}))).await,
        ];
        let refused = client.get(None).await;
        assert_eq!(refused.header("retry-after"), Some("1"));
        refused.refusal(503).await;
        let echo = client.ask(&client.call(2, "echo", json!({ "text": "calls go on" }))).await;
        assert_eq!(text(&echo), "calls go on");
        open.remove(0);
        open.push(client.get(None).await);
        assert_eq!(open[2].status(), 200);
        let other = Client::open(&service, revision).await;
        assert_eq!(other.get(None).await.status(), 200, "others are not concerned");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_leaves_no_request_without_an_outcome_and_sessions_still_expire() {
    let idle = Duration::from_secs(10);
    let http = Stage::new().http().session_idle(idle).on_session(|event, _| panic!("{event:?}"));
    let service = http.service();
    for _ in 0..2 {
        let client = Client::open(&service, LATEST).await;
        tokio::time::sleep(idle + Duration::from_secs(1)).await;
        let gone = client.post(&client.call(1, "echo", json!({ "text": "x" }))).await.refusal(404).await;
        assert_eq!(gone["error"]["data"]["reason"], "expired", "{gone}");
    }
    assert_eq!(service.endpoint().metrics().sessions_expired, 2);
}
