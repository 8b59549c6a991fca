//! Streams of the legacy era: the standalone one, and those that are resumed.

use std::sync::{Arc, Mutex};

use hermes_client::{Client, ClientError, News, Warning};
use hermes_types::Root;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::fake::{Fake, response, text};

const LIST_CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

// spec: R162, R163, R164
#[tokio::test]
async fn b041_a_call_that_is_cut_behind_a_priming_event_is_resumed_after_the_time_that_it_names() {
    for priming in
        ["id: s1-0\nretry: 300\ndata: \n\n", "id: s1-0\nretry: 300\ndata\n\n", "id: s1-0\nretry: 300\n\n"]
    {
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&warnings);
        let builder = Client::builder()
            .on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.clone()));
        let (mut fake, client) = Fake::legacy(builder, "2025-11-25").await;
        let script = async {
            let asked = fake.expect("tools/call").await;
            let request = asked.body.clone();
            asked.events().await.raw(priming).await;
            let cut = Instant::now();
            let resume = fake.expect_verb("GET").await;
            assert!(cut.elapsed().as_millis() >= 290, "{:?}", cut.elapsed());
            assert_eq!(resume.header("last-event-id"), Some("s1-0"));
            assert_eq!(resume.header("mcp-session-id"), Some("s1"));
            let answer = response(&request, &text("late"));
            resume.events().await.raw(&format!("id: s1-1\ndata: {answer}\n\n")).await;
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        outcome.expect("a result");
        assert!(fake.is_idle(), "nothing is run or fetched twice");
        assert_eq!(*warnings.lock().expect("not poisoned"), []);
    }
}

#[tokio::test]
async fn a_resume_goes_on_from_the_last_event_and_repeats_no_progress() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let progress = |token: &serde_json::Value, done: u64| json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": token, "progress": done } });
    let script = async {
        let asked = fake.expect("tools/call").await;
        let request = asked.body.clone();
        let token = request["params"]["_meta"]["progressToken"].clone();
        let mut events = asked.events().await;
        events.raw(&format!("id: 1\ndata: {}\n\n", progress(&token, 1))).await;
        events.raw(&format!("id: 2\ndata: {}\n\nid: 3\ndata: {{\"cut", progress(&token, 2))).await;
        drop(events);
        let resume = fake.expect_verb("GET").await;
        assert_eq!(resume.header("last-event-id"), Some("2"));
        let mut events = resume.events().await;
        events.raw(&format!("id: 3\ndata: {}\n\n", progress(&token, 3))).await;
        drop(events);
        let resume = fake.expect_verb("GET").await;
        assert_eq!(resume.header("last-event-id"), Some("3"));
        resume.events().await.result(&request, &text("done")).await;
    };
    let mut seen = Vec::new();
    let call = client.call("t", ()).on_progress(|progress| seen.push(progress.progress)).into_future();
    let (outcome, ()) = tokio::join!(call, script);
    outcome.expect("a result");
    assert_eq!(seen, [1.0, 2.0, 3.0]);
}

#[tokio::test]
async fn a_refused_resume_settles_the_call() {
    for (status, is_expired) in [(400, false), (405, false), (410, false), (404, true)] {
        let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
        let script = async {
            fake.expect("tools/call").await.events().await.raw("id: 1\nretry: 1\ndata: \n\n").await;
            fake.expect_verb("GET").await.status(status).await;
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        match outcome.expect_err("refused") {
            ClientError::SessionExpired { .. } => assert!(is_expired, "{status}"),
            ClientError::StreamEnded { source: Some(source), .. } => {
                assert!(!is_expired && source.to_string().contains(&status.to_string()), "{source}");
            }
            other => panic!("{other:?}"),
        }
        assert!(fake.is_idle());
    }
}

#[tokio::test]
async fn b049_resumes_that_bring_nothing_come_to_an_end() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let begun = Instant::now();
    let script = async {
        fake.expect("tools/call").await.events().await.raw("id: 1\ndata: \n\n").await;
        for _ in 0..5 {
            let resume = fake.expect_verb("GET").await;
            assert_eq!(resume.header("last-event-id"), Some("1"));
            drop(resume.events().await);
        }
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    assert!(matches!(outcome, Err(ClientError::StreamEnded { .. })), "{outcome:?}");
    assert!(begun.elapsed().as_secs() < 8 && fake.is_idle());
}

#[tokio::test]
async fn a_call_whose_server_is_gone_for_good_is_settled_within_eight_seconds() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let begun = Instant::now();
    let script = async {
        let mut events = fake.expect("tools/call").await.events().await;
        fake.gone().await;
        events.raw("id: 1\ndata: \n\n").await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let error = outcome.expect_err("gone");
    assert!(matches!(error, ClientError::StreamEnded { source: Some(_), .. }), "{error:?}");
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn b007_whatever_becomes_of_the_standalone_stream_calls_are_answered() {
    let (mut fake, client, get) = Fake::attended(Client::builder(), "2025-11-25").await;
    // Events without ids, and an end, again and again.
    get.events().await.raw("retry: 1\n\nevent: ping\ndata:\n\n").await;
    for _ in 0..2 {
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            let mut is_answered = false;
            while !is_answered {
                let asked = fake.next().await;
                match asked.verb.as_str() {
                    "GET" => asked.status(502).await,
                    _ => {
                        asked.result(text("fine")).await;
                        is_answered = true;
                    }
                }
            }
        });
        outcome.expect("a result");
    }
    // The next attempt is told that there is no such stream: it is the last one.
    fake.expect_verb("GET").await.status(405).await;
    let script = async { fake.expect("tools/call").await.result(text("fine")).await };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn b008_a_lost_standalone_stream_is_told_and_comes_back() {
    let (told, mut lost) = mpsc::unbounded_channel();
    let builder = Client::builder().on_warning(move |warning| {
        told.send(warning.clone()).expect("the test listens");
    });
    let (mut fake, client, get) = Fake::attended(builder, "2025-11-25").await;
    let mut notices = client.notifications();
    get.reset();
    let warning = lost.recv().await.expect("a warning");
    assert!(matches!(warning, Warning::PushStreamLost { .. }), "{warning:?}");
    fake.expect_verb("GET").await.reset();
    let mut back = fake.expect_verb("GET").await.events().await;
    back.raw(&format!("data: {LIST_CHANGED}\n\n")).await;
    let notice = notices.next().await.expect("a notice");
    assert_eq!(notice.news(), News::ToolsChanged);
    assert!(lost.try_recv().is_err(), "a loss is told once");
}

#[tokio::test]
async fn b051_a_stream_without_ids_is_opened_anew() {
    let (mut fake, client, mut get) = Fake::attended(Client::builder(), "2025-11-25").await;
    let mut notices = client.notifications();
    for _ in 0..2 {
        assert_eq!(get.header("last-event-id"), None);
        get.events().await.raw("retry: 1\n\n").await;
        get = fake.expect_verb("GET").await;
    }
    let mut events = get.events().await;
    events.raw(&format!("data: {LIST_CHANGED}\n\n")).await;
    assert_eq!(notices.next().await.expect("a notice").news(), News::ToolsChanged);
}

// spec: R162
#[tokio::test]
async fn a_standalone_stream_with_ids_goes_on_behind_the_last_one() {
    let (mut fake, _client, get) = Fake::attended(Client::builder(), "2025-11-25").await;
    get.events().await.raw(&format!("retry: 1\nid: g-7\ndata: {LIST_CHANGED}\n\n")).await;
    let again = fake.expect_verb("GET").await;
    assert_eq!(again.header("last-event-id"), Some("g-7"));
    // What it refuses to resume, it may begin anew.
    again.status(400).await;
    let anew = fake.expect_verb("GET").await;
    assert_eq!(anew.header("last-event-id"), None);
    drop(anew.events().await);
}

#[tokio::test]
async fn b052_a_server_without_a_standalone_stream_is_asked_for_it_once() {
    for status in [405, 404] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script = async {
            fake.expect("initialize").await.initialized("2025-11-25", None).await;
            fake.expect("notifications/initialized").await.status(202).await;
            fake.expect_verb("GET").await.status(status).await;
            fake.expect("ping").await.result(json!({})).await;
        };
        let talk = async {
            let builder = Client::builder().era(hermes_client::EraChoice::Legacy);
            let client = builder.connect(&url).await.expect("connected");
            client.ping().await.expect("a sign of life");
        };
        tokio::join!(script, talk);
        assert!(fake.is_idle());
    }
}

#[tokio::test]
async fn a_question_on_a_stream_is_answered_by_a_post_of_its_own() {
    let builder = Client::builder().roots([Root::new("file:///here")]);
    let (mut fake, client) = Fake::legacy(builder, "2025-11-25").await;
    let script = async {
        let asked = fake.expect("tools/call").await;
        let request = asked.body.clone();
        let mut events = asked.events().await;
        events.message(&json!({ "jsonrpc": "2.0", "id": "q-1", "method": "roots/list" })).await;
        let answer = fake.next().await;
        assert_eq!(answer.body["id"], "q-1");
        assert_eq!(answer.body["result"]["roots"][0]["uri"], "file:///here");
        assert_eq!(answer.header("mcp-session-id"), Some("s1"));
        answer.status(202).await;
        events.result(&request, &text("thanks")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
}

// spec: R161
#[tokio::test]
async fn b039_a_legacy_call_that_is_given_up_is_cancelled_by_a_message() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let (done, is_done) = tokio::sync::oneshot::channel::<()>();
    let script = async {
        let asked = fake.expect("tools/call").await;
        let id = asked.body["id"].clone();
        let events = asked.events().await;
        done.send(()).expect("the call waits");
        let cancelled = fake.expect("notifications/cancelled").await;
        assert_eq!(cancelled.body["params"]["requestId"], id);
        cancelled.status(202).await;
        events.hung_up().await;
    };
    let call = async {
        tokio::select! {
            outcome = client.call("t", ()).into_future() => panic!("{outcome:?}"),
            _ = is_done => {}
        }
    };
    tokio::join!(call, script);
    assert_eq!(client.pending(), 0);
}
