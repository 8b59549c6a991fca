//! The standalone stream of servers that do odd things with it.

use std::time::Duration;

use hermes_client::{Client, News, Warning};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::fake::{Fake, text};

/// What a timer may be early by.
const EARLY: Duration = Duration::from_millis(5);

#[tokio::test]
async fn b050_a_server_that_ends_the_stream_at_once_is_asked_less_and_less_until_something_came() {
    let (mut fake, _client, get) = Fake::attended(Client::builder(), "2025-11-25").await;
    drop(get.events().await);
    let mut before = Instant::now();
    for least in [500, 1000, 2000] {
        let again = fake.expect_verb("GET").await;
        let pause = before.elapsed();
        assert!(pause + EARLY >= Duration::from_millis(least), "{pause:?} is less than {least} ms");
        before = Instant::now();
        let mut events = again.events().await;
        if least == 2000 {
            events.message(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
        }
    }
    // Something came: the pauses begin anew.
    drop(fake.expect_verb("GET").await);
    assert!(before.elapsed() < Duration::from_millis(2000), "{:?}", before.elapsed());
}

#[tokio::test]
async fn b007_a_stream_that_is_refused_for_good_or_again_and_again_concerns_no_call() {
    for (status, is_for_good) in [(405, true), (502, false)] {
        let (mut fake, client, get) = Fake::attended(Client::builder(), "2025-11-25").await;
        // It was there once.
        get.events().await.raw("retry: 1\n\n: hello\n\n").await;
        fake.expect_verb("GET").await.status(status).await;
        if !is_for_good {
            fake.expect_verb("GET").await.status(status).await;
        }
        for _ in 0..3 {
            let script = async { fake.expect("tools/call").await.result(text("fine")).await };
            let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
            outcome.expect("a result");
        }
        assert!(fake.is_idle(), "{status}");
    }
}

#[tokio::test]
async fn b008_a_stream_that_is_refused_from_the_start_is_told_once_and_comes_when_it_can() {
    let (told, mut warnings) = mpsc::unbounded_channel();
    let builder = Client::builder().on_warning(move |warning| {
        told.send(warning.clone()).expect("the test listens");
    });
    let (mut fake, client, get) = Fake::attended(builder, "2025-11-25").await;
    let mut notices = client.notifications();
    get.reset();
    for _ in 0..2 {
        fake.expect_verb("GET").await.reset();
    }
    let mut stream = fake.expect_verb("GET").await.events().await;
    stream.message(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
    assert_eq!(notices.next().await.expect("a notice").news(), News::ToolsChanged);
    let warning = warnings.recv().await.expect("a warning");
    assert!(matches!(warning, Warning::PushStreamLost { .. }), "{warning:?}");
    assert!(warnings.try_recv().is_err(), "a loss is told once");
}
